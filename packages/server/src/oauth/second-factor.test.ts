import assert from 'node:assert/strict'
import { decodeJwt } from 'jose'
import {
  addApp,
  addPasskey,
  codeOf,
  createAuthenticator,
  factorsPath,
  passkeyOptionsIn,
} from '../platform/second-factor/testing.ts'
import { hiddenFields, password, register } from '../platform/users/testing.ts'
import { type Client, eachService, type Reply, type TestService } from '../testing.ts'
import {
  authorizePath,
  codeFor,
  exchangeCode,
  follow,
  locationOf,
  makeApplication,
  parametersOf,
  refresh,
  signInAt,
  type TestPerson,
  tokensFor,
} from './testing.ts'

const multiFactor = 'http://schemas.openid.net/pape/policies/2007/06/multi-factor'
const minute = 60_000

async function person(service: TestService, username: string): Promise<TestPerson> {
  const client = service.client()
  const { id } = (await register(client, username)).body
  return { client, id, username, email: `${username}@example.org`, password }
}

async function withApp(service: TestService) {
  const ada = await person(service, 'ada')
  const { secret } = await addApp(service, ada.client)
  return { ada, secret, app: await makeApplication(ada) }
}

/** The second factor on the page that the password led to. */
async function showCode(client: Client, reply: Reply, code: string): Promise<Reply> {
  const { pathname, search } = locationOf(reply)
  assert.equal(pathname, '/login/second-factor')
  const page = await client.get(pathname + search)
  return client.form(pathname, { ...hiddenFields(page.text), code })
}

async function claimsOf(service: TestService, who: TestPerson, app: Parameters<typeof tokensFor>[2]) {
  return decodeJwt((await tokensFor(service, who, app, { scope: 'openid' })).id_token ?? '')
}

eachService('no code is issued before the second factor is done', async (_t, service) => {
  const { ada, secret, app } = await withApp(service)
  await codeFor(ada, app, { scope: 'openid' })
  service.clock.advance(minute)
  const client = service.client()
  const path = authorizePath(app, { scope: 'openid' })
  const half = await signInAt(client, await client.get(path), ada)
  for (const prompt of [undefined, 'none', 'consent']) {
    const reply = await client.get(authorizePath(app, { scope: 'openid', prompt }))
    assert.equal(parametersOf(reply).code, undefined)
    assert.equal(
      prompt === 'none' ? parametersOf(reply).error : locationOf(reply).pathname,
      prompt === 'none' ? 'login_required' : '/login',
    )
  }
  const whole = await showCode(client, half, await codeOf(service, secret))
  assert.ok(parametersOf(await follow(client, whole)).code)
})

eachService(
  'the id_token says how the person signed in, and so does that of a refresh',
  async (_t, service) => {
    const { ada, app } = await withApp(service)
    const tokens = await tokensFor(service, ada, app, { scope: 'openid' })
    const claims = decodeJwt(tokens.id_token ?? '')
    assert.deepEqual(claims.amr, ['pwd', 'otp', 'mfa'])
    assert.equal(claims.acr, multiFactor)
    const next = await refresh(service, app, tokens.refresh_token)
    assert.deepEqual(decodeJwt(next.body.id_token).amr, claims.amr)
    assert.equal(decodeJwt(next.body.id_token).acr, multiFactor)
    const bob = await person(service, 'bob')
    const plain = await claimsOf(service, bob, app)
    assert.deepEqual(plain.amr, ['pwd'])
    assert.equal(plain.acr, 'http://schemas.openid.net/pape/policies/2007/06/none')
  },
)

eachService('the id_token tells a passkey alone from a password with one', async (_t, service) => {
  const ada = await person(service, 'ada')
  const authenticator = createAuthenticator(service.url)
  await addPasskey(ada.client, authenticator)
  const app = await makeApplication(ada)
  assert.deepEqual((await claimsOf(service, ada, app)).amr, ['pwd', 'hwk', 'mfa'])
  const client = service.client()
  const page = await client.get('/login')
  const passkey = JSON.stringify(authenticator.get(passkeyOptionsIn(page)))
  await client.form('/login/passkey', { ...hiddenFields(page.text), passkey })
  const claims = await claimsOf(service, { ...ada, client }, app)
  assert.deepEqual(claims.amr, ['hwk', 'user', 'mfa'])
  assert.equal(claims.acr, multiFactor)
})

for (const parameter of [{ max_age: '60' }, { prompt: 'login' }]) {
  eachService(
    `${JSON.stringify(parameter)} asks for the second factor too, and moves auth_time when it is done`,
    async (_t, service) => {
      const { ada, secret, app } = await withApp(service)
      const before = await codeFor(ada, app, { scope: 'openid' })
      assert.ok(before)
      service.clock.advance(2 * minute)
      const path = authorizePath(app, { scope: 'openid', ...parameter })
      const half = await signInAt(ada.client, await ada.client.get(path), ada)
      // The session is there, but as old as before: the same request leads to the sign-in again.
      assert.equal(locationOf(await ada.client.get(path)).pathname, '/login')
      service.clock.advance(1000)
      const whole = await showCode(ada.client, half, await codeOf(service, secret))
      const { code } = parametersOf(await follow(ada.client, whole))
      assert.ok(code)
      const { body } = await exchangeCode(service, app, code)
      assert.equal(decodeJwt(body.id_token).auth_time, Math.floor(service.clock.now() / 1000))
    },
  )
}

eachService(
  'a session that began before the first factor does not get a code afterwards',
  async (_t, service) => {
    const ada = await person(service, 'ada')
    const app = await makeApplication(ada)
    await codeFor(ada, app, { scope: 'openid' })
    const other = service.client()
    await other.json('POST', '/api/auth/login', { login: 'ada', password })
    const path = authorizePath(app, { scope: 'openid' })
    assert.ok(parametersOf(await other.get(path)).code)
    await addApp(service, ada.client)
    assert.equal(locationOf(await other.get(path)).pathname, '/login')
  },
)

eachService('a factor that is added does not make the sign-in newer', async (_t, service) => {
  const ada = await person(service, 'ada')
  const app = await makeApplication(ada)
  const signedIn = Math.floor(service.clock.now() / 1000)
  service.clock.advance(minute)
  await addApp(service, ada.client)
  assert.equal((await claimsOf(service, ada, app)).auth_time, signedIn)
  assert.equal((await ada.client.json('DELETE', `${factorsPath}/totp`)).status, 204)
})
