import assert from 'node:assert/strict'
import { eachService, type TestClient, type TestResponse, type TestService } from '@gatehouse/testkit/service'
import {
  addPasskey,
  addTotp,
  createAuthenticator,
  readPasskeyOptions,
  totpCode,
} from '../second-factor/second-factor-testing.ts'
import { hiddenFields, password, register, submit } from '../users/users-testing.ts'

const path = '/login/second-factor'
const minute = 60_000

/** Posts the login form for a user with a second factor. */
async function postPassword(service: TestService, login: string, query = ''): Promise<TestClient> {
  const client = service.client()
  const reply = await submit(client, `/login${query}`, { login, password })
  assert.equal(reply.status, 303, reply.text)
  assert.equal(reply.headers.get('location'), `/login/second-factor${query}`)
  return client
}

async function post(
  client: TestClient,
  page: TestResponse,
  fields: Record<string, string>,
): Promise<TestResponse> {
  return client.form(path, { ...hiddenFields(page.text), ...fields })
}

function isSignedIn(client: TestClient): Promise<boolean> {
  return client.get('/api/users/@me').then(({ status }) => status === 200)
}

eachService(
  'POST /login returns 303 to the second factor with the ticket in an HttpOnly cookie',
  async (_t, service) => {
    const owner = service.client()
    await register(owner, 'ada')
    await addTotp(service, owner)
    const client = service.client()
    const reply = await submit(client, '/login?return_to=%2Fa', { login: 'ada', password })
    assert.equal(reply.status, 303)
    assert.equal(reply.headers.get('location'), '/login/second-factor?return_to=%2Fa')
    const [cookie = '', ...others] = reply.headers.getSetCookie()
    assert.deepEqual(others, [])
    assert.match(cookie, /^gatehouse_sign_in=gsi_\w+; Path=\/; Max-Age=300; HttpOnly; SameSite=Lax$/)
    assert.equal(await isSignedIn(client), false)
  },
)

eachService(
  'GET /login/second-factor returns 200 with the user and a labelled field, and no script for TOTP',
  async (_t, service) => {
    const owner = service.client()
    await register(owner, 'ada', { displayName: 'Ada <b>' })
    await addTotp(service, owner)
    const client = await postPassword(service, 'ada', '?return_to=%2Fa')
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
  'GET /login/second-factor has the script for a passkey and a form for a recovery code',
  async (_t, service) => {
    const owner = service.client()
    await register(owner, 'ada')
    await addPasskey(service, owner, createAuthenticator(service.url))
    const client = await postPassword(service, 'ada')
    const page = await client.get(path)
    assert.match(page.text, /<script src="\/second-factor.js" defer><\/script>/)
    assert.match(page.headers.get('content-security-policy') ?? '', /; script-src 'self';/)
    assert.match(page.text, /data-passkey="[^"]+" hidden>/)
    assert.match(page.text, /<noscript>/)
    assert.match(page.text, /<label for="code">Recovery code<\/label>/)
  },
)

eachService(
  'GET /login/second-factor returns 303 to the login page without a valid ticket',
  async (_t, service) => {
    const owner = service.client()
    await register(owner, 'ada')
    await addTotp(service, owner)
    const withoutTicket = await service.client().get('/login/second-factor?return_to=%2Fa')
    assert.equal(withoutTicket.status, 303)
    assert.equal(withoutTicket.headers.get('location'), '/login?return_to=%2Fa&notice=took-too-long')
    const client = await postPassword(service, 'ada')
    service.clock.advance(5 * minute)
    const expired = await client.get(path)
    assert.equal(expired.status, 303)
    assert.equal(expired.headers.get('location'), '/login?notice=took-too-long')
    assert.equal(client.cookies.has('gatehouse_sign_in'), false)
    assert.match((await client.get('/login?notice=took-too-long')).text, /The sign-in has expired/)
  },
)

eachService('POST /login/second-factor returns 303 to return_to for a TOTP code', async (_t, service) => {
  const owner = service.client()
  await register(owner, 'ada')
  const { secret } = await addTotp(service, owner)
  service.clock.advance(minute)
  const client = await postPassword(service, 'ada', '?return_to=%2Fa%3Fb')
  const page = await client.get(`${path}?return_to=%2Fa%3Fb`)
  const reply = await post(client, page, { code: await totpCode(service, secret) })
  assert.equal(reply.status, 303)
  assert.equal(reply.headers.get('location'), '/a?b')
  assert.equal(await isSignedIn(client), true)
  assert.equal(client.cookies.has('gatehouse_sign_in'), false)
  assert.ok(client.cookies.has('gatehouse_browser'))
})

eachService('POST /login/second-factor returns 303 for a recovery code', async (_t, service) => {
  const owner = service.client()
  await register(owner, 'ada')
  const { recoveryCodes } = await addTotp(service, owner)
  const client = await postPassword(service, 'ada')
  const page = await client.get(`${path}?recovery=1`)
  assert.match(page.text, /<label for="code">Recovery code<\/label>/)
  const wrong = await post(client, page, { code: 'abcde-fghjk' })
  assert.equal(wrong.status, 401)
  assert.match(wrong.text, /<label for="code">Recovery code<\/label>/)
  const reply = await post(client, wrong, { code: recoveryCodes[3] ?? '' })
  assert.equal(reply.status, 303)
  assert.equal(await isSignedIn(client), true)
})

eachService('POST /login/second-factor returns 303 for a passkey', async (_t, service) => {
  const owner = service.client()
  await register(owner, 'ada')
  const authenticator = createAuthenticator(service.url)
  await addPasskey(service, owner, authenticator)
  const client = await postPassword(service, 'ada')
  const page = await client.get(path)
  const passkey = JSON.stringify(authenticator.get(readPasskeyOptions(page)))
  const reply = await post(client, page, { passkey })
  assert.equal(reply.status, 303, reply.text)
  assert.equal(await isSignedIn(client), true)
})

eachService(
  'POST /login/second-factor returns 400 or 401 with a message, and accepts another attempt',
  async (_t, service) => {
    const owner = service.client()
    await register(owner, 'ada')
    await addPasskey(service, owner, createAuthenticator(service.url))
    const { secret } = await addTotp(service, owner)
    service.clock.advance(minute)
    const client = await postPassword(service, 'ada')
    const page = await client.get(path)
    const empty = await post(client, page, { code: ' ' })
    assert.equal(empty.status, 400)
    assert.match(empty.text, /id="code-error">Enter the code\./)
    const wrong = await post(client, page, { code: '000000' })
    assert.equal(wrong.status, 401)
    assert.match(wrong.text, /role="alert">The code is wrong or was already used\./)
    assert.equal(wrong.headers.get('www-authenticate'), 'Session')
    for (const passkey of ['{', '{}', 'null', '"x"']) {
      assert.equal((await post(client, page, { passkey })).status, 400, passkey)
    }
    const unregistered = JSON.stringify(createAuthenticator(service.url).get(readPasskeyOptions(page)))
    const unknown = await post(client, page, { passkey: unregistered })
    assert.equal(unknown.status, 401)
    assert.match(unknown.text, /role="alert">The passkey was not accepted\./)
    const reply = await post(client, unknown, { code: await totpCode(service, secret) })
    assert.equal(reply.status, 303)
  },
)

eachService(
  'POST /login/second-factor returns 403 for a form token of another browser',
  async (_t, service) => {
    const owner = service.client()
    await register(owner, 'ada')
    const { recoveryCodes } = await addTotp(service, owner)
    const client = await postPassword(service, 'ada')
    const other = await postPassword(service, 'ada')
    const page = await other.get(path)
    assert.equal((await post(client, page, { code: recoveryCodes[0] ?? '' })).status, 403)
    const fields = { code: recoveryCodes[0] ?? '' }
    assert.equal((await client.form(path, fields, { 'sec-fetch-site': 'cross-site' })).status, 403)
  },
)

eachService(
  'POST /login/second-factor returns 303 to the login page if the ticket has expired',
  async (_t, service) => {
    const owner = service.client()
    await register(owner, 'ada')
    const { recoveryCodes } = await addTotp(service, owner)
    const client = await postPassword(service, 'ada')
    const page = await client.get(path)
    service.clock.advance(5 * minute)
    const reply = await post(client, page, { code: recoveryCodes[0] ?? '' })
    assert.equal(reply.status, 303)
    assert.equal(reply.headers.get('location'), '/login?notice=took-too-long')
    assert.equal(await isSignedIn(client), false)
  },
)

eachService(
  'POST /login/second-factor returns 429 with a page that says when to try again',
  async (_t, service) => {
    const owner = service.client()
    await register(owner, 'ada')
    await addTotp(service, owner)
    const client = await postPassword(service, 'ada')
    const page = await client.get(path)
    for (let i = 0; i < 10; i++) await post(client, page, { code: '000000' })
    const reply = await post(client, page, { code: '000000' })
    assert.equal(reply.status, 429)
    assert.match(reply.text, /role="alert">Too many wrong codes\. Try again in 10 minutes\./)
    assert.equal(reply.headers.get('retry-after'), '600')
  },
)
