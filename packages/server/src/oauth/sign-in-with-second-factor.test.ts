import assert from 'node:assert/strict'
import type { TestUser } from '@gatehouse/testkit/community'
import { eachService, type TestClient, type TestResponse, type TestService } from '@gatehouse/testkit/service'
import { decodeJwt } from 'jose'
import {
  addPasskey,
  addTotp,
  createAuthenticator,
  factorsPath,
  readPasskeyOptions,
  totpCode,
} from '../accounts/second-factor/second-factor-testing.ts'
import { hiddenFields, mailToken, password, register } from '../accounts/users/users-testing.ts'
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
  tokensFor,
} from './oauth-testing.ts'

const multiFactor = 'http://schemas.openid.net/pape/policies/2007/06/multi-factor'
const minute = 60_000

async function createUser(service: TestService, username: string): Promise<TestUser> {
  const client = service.client()
  const { id } = (await register(client, username)).body
  return { client, id, username, email: `${username}@example.org`, password }
}

async function createUserWithTotp(service: TestService) {
  const ada = await createUser(service, 'ada')
  const { secret } = await addTotp(service, ada.client)
  return { ada, secret, app: await makeApplication(ada) }
}

/** Submits the code on the page that follows the password page. */
async function submitCode(client: TestClient, reply: TestResponse, code: string): Promise<TestResponse> {
  const { pathname, search } = locationOf(reply)
  assert.equal(pathname, '/login/second-factor')
  const page = await client.get(pathname + search)
  return client.form(pathname, { ...hiddenFields(page.text), code })
}

async function claimsOf(service: TestService, who: TestUser, app: Parameters<typeof tokensFor>[2]) {
  return decodeJwt((await tokensFor(service, who, app, { scope: 'openid' })).id_token ?? '')
}

eachService('no authorization code is issued before the second factor', async (_t, service) => {
  const { ada, secret, app } = await createUserWithTotp(service)
  await codeFor(ada, app, { scope: 'openid' })
  service.clock.advance(minute)
  const client = service.client()
  const path = authorizePath(app, { scope: 'openid' })
  const afterPassword = await signInAt(client, await client.get(path), ada)
  for (const prompt of [undefined, 'none', 'consent']) {
    const reply = await client.get(authorizePath(app, { scope: 'openid', prompt }))
    assert.equal(parametersOf(reply).code, undefined)
    assert.equal(
      prompt === 'none' ? parametersOf(reply).error : locationOf(reply).pathname,
      prompt === 'none' ? 'login_required' : '/login',
    )
  }
  const afterCode = await submitCode(client, afterPassword, await totpCode(service, secret))
  assert.ok(parametersOf(await follow(client, afterCode)).code)
})

eachService(
  'the id_token and the refreshed id_token contain the authentication methods',
  async (_t, service) => {
    const { ada, app } = await createUserWithTotp(service)
    const tokens = await tokensFor(service, ada, app, { scope: 'openid' })
    const claims = decodeJwt(tokens.id_token ?? '')
    assert.deepEqual(claims.amr, ['pwd', 'otp', 'mfa'])
    assert.equal(claims.acr, multiFactor)
    const next = await refresh(service, app, tokens.refresh_token)
    assert.deepEqual(decodeJwt(next.body.id_token).amr, claims.amr)
    assert.equal(decodeJwt(next.body.id_token).acr, multiFactor)
    const bob = await createUser(service, 'bob')
    const plain = await claimsOf(service, bob, app)
    assert.deepEqual(plain.amr, ['pwd'])
    assert.equal(plain.acr, 'http://schemas.openid.net/pape/policies/2007/06/none')
  },
)

eachService('the amr of a passkey differs from the amr of a password with a passkey', async (_t, service) => {
  const ada = await createUser(service, 'ada')
  const authenticator = createAuthenticator(service.url)
  await addPasskey(service, ada.client, authenticator)
  const app = await makeApplication(ada)
  assert.deepEqual((await claimsOf(service, ada, app)).amr, ['pwd', 'hwk', 'mfa'])
  const client = service.client()
  const page = await client.get('/login')
  const passkey = JSON.stringify(authenticator.get(readPasskeyOptions(page)))
  await client.form('/login/passkey', { ...hiddenFields(page.text), passkey })
  const claims = await claimsOf(service, { ...ada, client }, app)
  assert.deepEqual(claims.amr, ['hwk', 'user', 'mfa'])
  assert.equal(claims.acr, multiFactor)
})

for (const parameter of [{ max_age: '60' }, { prompt: 'login' }]) {
  eachService(
    `${JSON.stringify(parameter)} requires the second factor too, which updates auth_time`,
    async (_t, service) => {
      const { ada, secret, app } = await createUserWithTotp(service)
      const before = await codeFor(ada, app, { scope: 'openid' })
      assert.ok(before)
      service.clock.advance(2 * minute)
      const path = authorizePath(app, { scope: 'openid', ...parameter })
      const afterPassword = await signInAt(ada.client, await ada.client.get(path), ada)
      // The session has its old auth_time, so that the same request leads to the sign-in page again.
      assert.equal(locationOf(await ada.client.get(path)).pathname, '/login')
      service.clock.advance(1000)
      const afterCode = await submitCode(ada.client, afterPassword, await totpCode(service, secret))
      const { code } = parametersOf(await follow(ada.client, afterCode))
      assert.ok(code)
      const { body } = await exchangeCode(service, app, code)
      assert.equal(decodeJwt(body.id_token).auth_time, Math.floor(service.clock.now() / 1000))
    },
  )
}

eachService(
  'a session without the second factor gets no code after a factor is added',
  async (_t, service) => {
    const ada = await createUser(service, 'ada')
    const app = await makeApplication(ada)
    await codeFor(ada, app, { scope: 'openid' })
    const other = service.client()
    await other.json('POST', '/api/auth/login', { login: 'ada', password })
    const path = authorizePath(app, { scope: 'openid' })
    assert.ok(parametersOf(await other.get(path)).code)
    await addTotp(service, ada.client)
    assert.equal(locationOf(await other.get(path)).pathname, '/login')
  },
)

eachService(
  'a password reset that verifies the email address first deletes the consents (sign-in/reset-verifies-first)',
  async (_t, service) => {
    const ada = await createUser(service, 'ada')
    const app = await makeApplication(ada)
    const path = authorizePath(app, { scope: 'identify email' })
    const { access_token } = await tokensFor(service, ada, app, { scope: 'identify email' })
    const reset = async (password: string, mails: number) => {
      await service.client().json('POST', '/api/auth/password/forgot', { email: ada.email })
      const token = await mailToken(service, ada.email, mails)
      assert.equal(
        (await service.client().json('POST', '/api/auth/password/reset', { token, password })).status,
        204,
      )
      await ada.client.json('POST', '/api/auth/login', { login: 'ada', password })
      return (await ada.client.get(path)).status
    }
    assert.equal(await reset('the password of the owner', 2), 200)
    const bearer = { authorization: `Bearer ${access_token}` }
    assert.equal((await service.client().get('/api/users/@me', bearer)).status, 401)
    await tokensFor(service, ada, app, { scope: 'identify email' })
    assert.equal(await reset('the next password of the owner', 4), 303)
  },
)

eachService('adding a factor does not change auth_time', async (_t, service) => {
  const ada = await createUser(service, 'ada')
  const app = await makeApplication(ada)
  const signedIn = Math.floor(service.clock.now() / 1000)
  service.clock.advance(minute)
  await addTotp(service, ada.client)
  assert.equal((await claimsOf(service, ada, app)).auth_time, signedIn)
  assert.equal((await ada.client.json('DELETE', `${factorsPath}/totp`)).status, 204)
})
