import assert from 'node:assert/strict'
import { createApplication } from '@gatehouse/testkit/applications'
import { eachService } from '@gatehouse/testkit/service'
import { hiddenFields, password, register, submit } from '../users/users-testing.ts'

eachService(
  'GET /login returns 200 with labelled fields, links to the other pages and security headers',
  async (_t, service) => {
    const reply = await service.client().get('/login?return_to=%2Finvite%2Fabc')
    assert.equal(reply.status, 200)
    assert.equal(reply.headers.get('content-type'), 'text/html; charset=utf-8')
    assert.match(reply.text, /<label for="login">Username or email address<\/label>/)
    assert.match(reply.text, /<input id="login" name="login" type="text" value="" autocomplete="username"/)
    assert.match(reply.text, /<label for="password">Password<\/label>/)
    assert.match(reply.text, /type="password" value="" autocomplete="current-password"/)
    assert.match(reply.text, /href="\/register\?return_to=%2Finvite%2Fabc"/)
    assert.match(reply.text, /href="\/forgot-password\?return_to=%2Finvite%2Fabc"/)
    assert.match(reply.text, /<script src="\/second-factor.js" defer><\/script>/)
    assert.doesNotMatch(
      reply.text,
      /<script(?! src="\/second-factor.js" defer><\/script>)|style=| on[a-z]+=/i,
    )
    const policy = reply.headers.get('content-security-policy') ?? ''
    assert.match(policy, /default-src 'none'; script-src 'self';/)
    assert.match(policy, /form-action 'self';/)
    assert.match(policy, /frame-ancestors 'none'/)
    assert.equal(reply.headers.get('x-frame-options'), 'DENY')
    assert.equal(reply.headers.get('referrer-policy'), 'no-referrer')
    assert.equal(reply.headers.get('cache-control'), 'no-store')
  },
)

eachService(
  'GET /login allows the redirect URI of the authorization request in form-action',
  async (_t, service) => {
    const developer = service.client()
    await register(developer, 'developer')
    const { id } = await createApplication(developer, { redirectUris: ['https://app.example/cb'] })
    const authorize = `/oauth2/authorize?client_id=${id}&response_type=code&scope=identify`
    const reply = await service.client().get(`/login?return_to=${encodeURIComponent(authorize)}`)
    const policy = reply.headers.get('content-security-policy') ?? ''
    assert.match(policy, /form-action 'self' https:\/\/app\.example;/)
  },
)

eachService(
  'GET /login shows the signed-in user and lets them continue or use another account',
  async (_t, service) => {
    const client = service.client()
    await register(client, 'ada', { displayName: 'Ada <b>Lovelace</b>' })
    const reply = await client.get('/login?return_to=%2Fa%3Fb%3D%22c%22')
    assert.equal(reply.status, 200)
    assert.match(reply.text, /Ada &lt;b&gt;Lovelace&lt;\/b&gt;/)
    assert.match(reply.text, /@ada/)
    assert.match(reply.text, /href="\/a\?b=%22c%22">Continue as/)
    assert.match(reply.text, /<form/)
  },
)

eachService('GET /login?reauthenticate=1 fills in the username', async (_t, service) => {
  const client = service.client()
  await register(client, 'ada')
  const again = await client.get('/login?reauthenticate=1')
  assert.match(again.text, /Confirm your identity/)
  assert.match(again.text, /name="login" type="text" value="ada"/)
  assert.doesNotMatch(again.text, /Continue as/)
  const hinted = await service.client().get('/login?login_hint=%22%3E%3Cscript%3E')
  assert.match(hinted.text, /value="&quot;&gt;&lt;script&gt;"/)
})

eachService('GET /login returns 200 for repeated and malformed parameters', async (_t, service) => {
  for (const query of [
    '?return_to=a&return_to=b',
    '?login_hint=%00',
    '?notice=__proto__',
    '?x[]=1',
    '?%ff=%ff',
  ]) {
    assert.equal((await service.client().get(`/login${query}`)).status, 200, query)
  }
})

eachService('POST /login returns 303 to return_to with a session', async (_t, service) => {
  await register(service.client(), 'ada')
  const client = service.client()
  const target = '/oauth2/authorize?client_id=1&state=a%26b'
  const page = `/login?return_to=${encodeURIComponent(target)}`
  const reply = await submit(client, page, { login: 'ada', password })
  assert.equal(reply.status, 303)
  assert.equal(reply.headers.get('location'), target)
  assert.equal((await client.get('/api/users/@me')).body.username, 'ada')
})

eachService(
  'POST /login returns 303 to / if return_to is not a path of this service',
  async (_t, service) => {
    await register(service.client(), 'ada')
    const hostile = [
      'https://other.example/',
      '//other.example',
      '///other.example',
      '/\\other.example',
      '\\\\other.example',
      '/\t/other.example',
      '/\r\n/other.example',
      '/.//other.example',
      '/a/..//other.example',
      '/%2e//other.example',
      'javascript:alert(1)',
      'other.example',
    ]
    for (const target of hostile) {
      const client = service.client()
      const page = `/login?return_to=${encodeURIComponent(target)}`
      const reply = await submit(client, page, { login: 'ada', password })
      assert.equal(reply.status, 303, target)
      assert.equal(reply.headers.get('location'), '/', target)
    }
  },
)

eachService('POST /login validates return_to in the form, not only in the query', async (_t, service) => {
  await register(service.client(), 'ada')
  for (const target of ['//other.example', 'https://other.example/', '/.//other.example']) {
    const reply = await submit(service.client(), '/login', { login: 'ada', password, return_to: target })
    assert.equal(reply.headers.get('location'), '/', target)
  }
})

eachService(
  'sign-in/session-secret: POST /login retains the session of the same user, with a new ' +
    'cookie, and creates one for another user',
  async (_t, service) => {
    const client = service.client()
    await register(client, 'ada')
    await register(service.client(), 'bob')
    const sessionIds = async () =>
      (await client.get('/api/users/@me/sessions')).body.map((session: { id: string }) => session.id)
    const ids = await sessionIds()
    const first = client.cookies.get('gatehouse_session')
    const openForm = hiddenFields((await client.get('/login')).text)
    await submit(client, '/login?reauthenticate=1', { password, login: 'ada' })
    const before = client.cookies.get('gatehouse_session')
    assert.notEqual(before, first)
    assert.deepEqual(await sessionIds(), ids)
    // A form in another tab, rendered before the cookie changed.
    assert.equal((await client.form('/login', { ...openForm, login: 'ada', password: 'wrong' })).status, 401)
    await submit(client, '/login', { password, login: 'bob' })
    assert.notEqual(client.cookies.get('gatehouse_session'), before)
    assert.equal((await client.get('/api/users/@me')).body.username, 'bob')
    const old = await service.client().get('/api/users/@me', { cookie: `gatehouse_session=${before}` })
    assert.equal(old.status, 401)
  },
)

eachService(
  'POST /login returns 400 with the empty field and retains every value except the password',
  async (_t, service) => {
    const client = service.client()
    const reply = await submit(client, '/login', { login: '', password: 'secret horse' })
    assert.equal(reply.status, 400)
    assert.match(reply.text, /name="login"[^>]* aria-invalid="true" aria-describedby="login-error"/)
    assert.match(reply.text, /id="login-error">Enter your username or email address\./)
    assert.doesNotMatch(reply.text, /secret horse/)
  },
)

eachService(
  'POST /login returns 401 with the same page for a wrong password and an unknown login',
  async (_t, service) => {
    await register(service.client(), 'ada')
    const client = service.client()
    const wrong = await submit(client, '/login?return_to=%2Fa', { login: 'ada', password: 'wrong horse' })
    const unknown = await submit(client, '/login?return_to=%2Fa', { login: 'nob', password: 'wrong horse' })
    assert.equal(wrong.status, 401)
    assert.equal(unknown.status, 401)
    const comparable = (html: string) => html.replace(/data-passkey="[^"]*"/, '')
    assert.equal(comparable(wrong.text).replace('value="ada"', 'value="nob"'), comparable(unknown.text))
    assert.match(wrong.text, /role="alert">The username, email address or password is wrong\./)
    assert.doesNotMatch(wrong.text, /wrong horse/)
    assert.equal(wrong.headers.get('www-authenticate'), 'Session')
    const fields = { ...hiddenFields(wrong.text), login: 'ada', password }
    const again = await client.form('/login', fields)
    assert.equal(again.status, 303)
    assert.equal(again.headers.get('location'), '/a')
  },
)

eachService(
  'POST /login returns 403 without a form token, and with one of another page, browser or session',
  async (_t, service) => {
    await register(service.client(), 'ada')
    const client = service.client()
    const fields = { login: 'ada', password }
    const other = service.client()
    const tokens = [
      '',
      'nonsense',
      hiddenFields((await other.get('/login')).text).form_token ?? '',
      hiddenFields((await client.get('/forgot-password')).text).form_token ?? '',
      hiddenFields((await client.get('/login?return_to=%2Fother')).text).form_token ?? '',
    ]
    await client.get('/login')
    for (const token of tokens) {
      const reply = await client.form('/login', { ...fields, form_token: token })
      assert.equal(reply.status, 403)
      assert.match(reply.headers.get('content-type') ?? '', /^text\/html/)
      assert.equal(client.cookies.has('gatehouse_session'), false)
    }
  },
)

eachService("POST /login returns 403 for a form token of another user's session", async (_t, service) => {
  const ada = service.client()
  await register(ada, 'ada')
  const bob = service.client()
  await register(bob, 'bob')
  const { form_token: token = '' } = hiddenFields((await ada.get('/login')).text)
  const stolen = ada.cookies.get('gatehouse_browser') ?? ''
  bob.cookies.set('gatehouse_browser', stolen)
  const reply = await bob.form('/login', { login: 'ada', password, form_token: token })
  assert.equal(reply.status, 403)
})

eachService(
  'POST /login accepts a form that was rendered before the user signed in in another tab',
  async (_t, service) => {
    await register(service.client(), 'ada')
    const client = service.client()
    const { text } = await client.get('/login')
    await submit(client, '/login', { login: 'ada', password })
    const reply = await client.form('/login', { ...hiddenFields(text), login: 'ada', password })
    assert.equal(reply.status, 303)
  },
)

eachService(
  'POST /login returns 403 for a cross-site request with a valid form token',
  async (_t, service) => {
    await register(service.client(), 'ada')
    const client = service.client()
    for (const site of ['cross-site', 'same-site']) {
      const reply = await submit(client, '/login', { login: 'ada', password }, { 'sec-fetch-site': site })
      assert.equal(reply.status, 403)
    }
    const fields = { ...hiddenFields((await client.get('/login')).text), login: 'ada', password }
    const headers = {
      'content-type': 'application/x-www-form-urlencoded',
      origin: 'https://other.example',
    }
    const body = new URLSearchParams(fields).toString()
    assert.equal((await client.send('/login', { method: 'POST', headers, body })).status, 403)
  },
)

eachService('POST /login accepts `Origin: null` from the page itself', async (_t, service) => {
  await register(service.client(), 'ada')
  const headers = { 'sec-fetch-site': 'same-origin', origin: 'null' }
  assert.equal((await submit(service.client(), '/login', { login: 'ada', password }, headers)).status, 303)
})

eachService('POST /login returns 429 with a page that says when to try again', async (_t, service) => {
  await register(service.client(), 'ada')
  const client = service.client()
  for (let i = 0; i < 10; i++) await submit(client, '/login', { login: 'ada', password: 'wrong horse' })
  const reply = await submit(client, '/login', { login: 'ada', password })
  assert.equal(reply.status, 429)
  assert.equal(reply.headers.get('retry-after'), '600')
  assert.match(reply.text, /role="alert">Too many wrong passwords\. Try again in 10 minutes\./)
})
