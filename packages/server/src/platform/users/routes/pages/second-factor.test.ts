import assert from 'node:assert/strict'
import { type Client, eachService, type Reply, type TestService } from '../../../../testing.ts'
import {
  addApp,
  addPasskey,
  codeOf,
  createAuthenticator,
  passkeyOptionsIn,
} from '../../../second-factor/testing.ts'
import { hiddenFields, password, register, submit } from '../../testing.ts'

const path = '/login/second-factor'
const minute = 60_000

/** The password on the page, of a person with a second factor. */
async function begin(service: TestService, login: string, query = ''): Promise<Client> {
  const client = service.client()
  const reply = await submit(client, `/login${query}`, { login, password })
  assert.equal(reply.status, 303, reply.text)
  assert.equal(reply.headers.get('location'), `/login/second-factor${query}`)
  return client
}

async function post(client: Client, page: Reply, fields: Record<string, string>): Promise<Reply> {
  return client.form(path, { ...hiddenFields(page.text), ...fields })
}

function isSignedIn(client: Client): Promise<boolean> {
  return client.get('/api/users/@me').then(({ status }) => status === 200)
}

eachService(
  'POST /login 303: on to the second factor, with a ticket in a cookie that script cannot read',
  async (_t, service) => {
    const owner = service.client()
    await register(owner, 'ada')
    await addApp(service, owner)
    const client = service.client()
    const reply = await submit(client, '/login?return_to=%2Fa', { login: 'ada', password })
    assert.equal(reply.status, 303)
    assert.equal(reply.headers.get('location'), '/login/second-factor?return_to=%2Fa')
    const [cookie = '', ...others] = reply.headers.getSetCookie()
    assert.deepEqual(others, [])
    assert.match(cookie, /^sign-in=gsi_\w+; Path=\/; Max-Age=300; HttpOnly; SameSite=Lax$/)
    assert.equal(await isSignedIn(client), false)
  },
)

eachService(
  'GET /login/second-factor 200: who signs in, a labelled field, and no script where it is not needed',
  async (_t, service) => {
    const owner = service.client()
    await register(owner, 'ada', { displayName: 'Ada <b>' })
    await addApp(service, owner)
    const client = await begin(service, 'ada', '?return_to=%2Fa')
    const page = await client.get('/login/second-factor?return_to=%2Fa')
    assert.equal(page.status, 200)
    assert.match(page.text, /Ada &lt;b&gt;/)
    assert.match(page.text, /<label for="code">Code<\/label>/)
    assert.match(
      page.text,
      /name="code" type="text" value="" autocomplete="one-time-code" inputmode="numeric"/,
    )
    assert.match(page.text, /href="\/login\/second-factor\?return_to=%2Fa&amp;recovery=1"/)
    assert.doesNotMatch(page.text, /<script/)
    assert.doesNotMatch(page.headers.get('content-security-policy') ?? '', /script-src/)
    assert.equal(page.headers.get('cache-control'), 'no-store')
  },
)

eachService(
  'GET /login/second-factor 200: a passkey is asked for by the one script, a recovery code without',
  async (_t, service) => {
    const owner = service.client()
    await register(owner, 'ada')
    await addPasskey(owner, createAuthenticator(service.url))
    const client = await begin(service, 'ada')
    const page = await client.get(path)
    assert.match(page.text, /<script src="\/second-factor.js" defer><\/script>/)
    assert.match(page.headers.get('content-security-policy') ?? '', /; script-src 'self';/)
    assert.match(page.text, /data-passkey="[^"]+" hidden>/)
    assert.match(page.text, /<noscript>/)
    assert.match(page.text, /<label for="code">Recovery code<\/label>/)
  },
)

eachService('GET /login/second-factor 303: nobody waits here, or it took too long', async (_t, service) => {
  const owner = service.client()
  await register(owner, 'ada')
  await addApp(service, owner)
  const nobody = await service.client().get('/login/second-factor?return_to=%2Fa')
  assert.equal(nobody.status, 303)
  assert.equal(nobody.headers.get('location'), '/login?return_to=%2Fa&notice=took-too-long')
  const client = await begin(service, 'ada')
  service.clock.advance(5 * minute)
  const late = await client.get(path)
  assert.equal(late.status, 303)
  assert.equal(late.headers.get('location'), '/login?notice=took-too-long')
  assert.equal(client.cookies.has('sign-in'), false)
  assert.match((await client.get('/login?notice=took-too-long')).text, /That took too long/)
})

eachService(
  'POST /login/second-factor 303: a code leads to where the person came from',
  async (_t, service) => {
    const owner = service.client()
    await register(owner, 'ada')
    const { secret } = await addApp(service, owner)
    service.clock.advance(minute)
    const client = await begin(service, 'ada', '?return_to=%2Fa%3Fb')
    const page = await client.get(`${path}?return_to=%2Fa%3Fb`)
    const reply = await post(client, page, { code: await codeOf(service, secret) })
    assert.equal(reply.status, 303)
    assert.equal(reply.headers.get('location'), '/a?b')
    assert.equal(await isSignedIn(client), true)
    assert.equal(client.cookies.has('sign-in'), false)
    assert.ok(client.cookies.has('device'))
  },
)

eachService('POST /login/second-factor 303: a recovery code', async (_t, service) => {
  const owner = service.client()
  await register(owner, 'ada')
  const { recoveryCodes } = await addApp(service, owner)
  const client = await begin(service, 'ada')
  const page = await client.get(`${path}?recovery=1`)
  assert.match(page.text, /<label for="code">Recovery code<\/label>/)
  const wrong = await post(client, page, { code: 'abcde-fghjk' })
  assert.equal(wrong.status, 401)
  assert.match(wrong.text, /<label for="code">Recovery code<\/label>/)
  const reply = await post(client, wrong, { code: recoveryCodes[3] ?? '' })
  assert.equal(reply.status, 303)
  assert.equal(await isSignedIn(client), true)
})

eachService('POST /login/second-factor 303: a passkey', async (_t, service) => {
  const owner = service.client()
  await register(owner, 'ada')
  const authenticator = createAuthenticator(service.url)
  await addPasskey(owner, authenticator)
  const client = await begin(service, 'ada')
  const page = await client.get(path)
  const passkey = JSON.stringify(authenticator.get(passkeyOptionsIn(page)))
  const reply = await post(client, page, { passkey })
  assert.equal(reply.status, 303, reply.text)
  assert.equal(await isSignedIn(client), true)
})

eachService(
  'POST /login/second-factor 400 and 401: what is wrong is said, and it works again',
  async (_t, service) => {
    const owner = service.client()
    await register(owner, 'ada')
    await addPasskey(owner, createAuthenticator(service.url))
    const { secret } = await addApp(service, owner)
    service.clock.advance(minute)
    const client = await begin(service, 'ada')
    const page = await client.get(path)
    const empty = await post(client, page, { code: ' ' })
    assert.equal(empty.status, 400)
    assert.match(empty.text, /id="code-error">Enter the code\./)
    const wrong = await post(client, page, { code: '000000' })
    assert.equal(wrong.status, 401)
    assert.match(wrong.text, /role="alert">The code is wrong, or has been used\./)
    assert.equal(wrong.headers.get('www-authenticate'), 'Session')
    for (const passkey of ['{', '{}', 'null', '"x"']) {
      assert.equal((await post(client, page, { passkey })).status, 400, passkey)
    }
    const stranger = JSON.stringify(createAuthenticator(service.url).get(passkeyOptionsIn(page)))
    const unknown = await post(client, page, { passkey: stranger })
    assert.equal(unknown.status, 401)
    assert.match(unknown.text, /role="alert">The passkey was not accepted\./)
    const reply = await post(client, unknown, { code: await codeOf(service, secret) })
    assert.equal(reply.status, 303)
  },
)

eachService('POST /login/second-factor 403: a form that was made for somebody else', async (_t, service) => {
  const owner = service.client()
  await register(owner, 'ada')
  const { recoveryCodes } = await addApp(service, owner)
  const client = await begin(service, 'ada')
  const other = await begin(service, 'ada')
  const page = await other.get(path)
  assert.equal((await post(client, page, { code: recoveryCodes[0] ?? '' })).status, 403)
  const fields = { code: recoveryCodes[0] ?? '' }
  assert.equal((await client.form(path, fields, { 'sec-fetch-site': 'cross-site' })).status, 403)
})

eachService('POST /login/second-factor 303: too late is back at the start', async (_t, service) => {
  const owner = service.client()
  await register(owner, 'ada')
  const { recoveryCodes } = await addApp(service, owner)
  const client = await begin(service, 'ada')
  const page = await client.get(path)
  service.clock.advance(5 * minute)
  const reply = await post(client, page, { code: recoveryCodes[0] ?? '' })
  assert.equal(reply.status, 303)
  assert.equal(reply.headers.get('location'), '/login?notice=took-too-long')
  assert.equal(await isSignedIn(client), false)
})

eachService('POST /login/second-factor 429: the page says when to try again', async (_t, service) => {
  const owner = service.client()
  await register(owner, 'ada')
  await addApp(service, owner)
  const client = await begin(service, 'ada')
  const page = await client.get(path)
  for (let i = 0; i < 10; i++) await post(client, page, { code: '000000' })
  const reply = await post(client, page, { code: '000000' })
  assert.equal(reply.status, 429)
  assert.match(reply.text, /role="alert">Too many wrong codes\. Try again in 10 minutes\./)
  assert.equal(reply.headers.get('retry-after'), '600')
})
