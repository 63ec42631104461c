import assert from 'node:assert/strict'
import { eachService } from '@gatehouse/testkit/service'
import {
  assertError,
  basic,
  credentialsOf,
  makeApplication,
  post,
  refresh,
  signUp,
  tokensFor,
} from './oauth-testing.ts'

const path = '/api/oauth2/introspect'

eachService('an application gets the data of its own tokens', async (_t, service) => {
  const ada = await signUp(service, 'ada')
  const app = await makeApplication(ada)
  const tokens = await tokensFor(service, ada, app, { scope: 'profile email' })
  const now = Math.floor(service.clock.now() / 1000)
  const common = {
    active: true,
    scope: 'profile email',
    client_id: app.id,
    iat: now,
    sub: ada.id,
    aud: app.id,
    iss: service.url,
  }
  const header = basic(app.id, app.secret ?? '')
  const access = await post(service, path, { token: tokens.access_token }, header)
  assert.deepEqual(access.body, { ...common, token_type: 'Bearer', exp: now + 604_800 })
  assert.match(access.headers.get('cache-control') ?? '', /no-store/)
  const second = await post(service, path, { token: tokens.refresh_token, ...credentialsOf(app) })
  assert.deepEqual(second.body, { ...common, exp: now + 60 * 86_400 })
})

eachService('sign-in/introspection: other tokens are {"active":false}', async (_t, service) => {
  const ada = await signUp(service, 'ada')
  const app = await makeApplication(ada)
  const other = await makeApplication(ada)
  const native = await makeApplication(ada, { type: 'public' })
  const used = await tokensFor(service, ada, app)
  await refresh(service, app, used.refresh_token)
  const foreign = await tokensFor(service, ada, other)
  const publics = await tokensFor(service, ada, native)
  const expired = await tokensFor(service, ada, app)
  service.clock.advance(60 * 86_400_000)
  const introspect = (token: string) => post(service, path, { token, ...credentialsOf(app) })
  for (const token of [
    used.access_token,
    used.refresh_token,
    foreign.access_token,
    foreign.refresh_token,
    publics.access_token,
    expired.access_token,
    expired.refresh_token,
    'x',
  ]) {
    const reply = await introspect(token)
    assert.equal(reply.status, 200)
    assert.deepEqual(reply.body, { active: false })
  }
})

eachService(
  'sign-in/introspection: only confidential applications may introspect tokens',
  async (_t, service) => {
    const ada = await signUp(service, 'ada')
    const app = await makeApplication(ada)
    const native = await makeApplication(ada, { type: 'public' })
    const { access_token: token } = await tokensFor(service, ada, native)
    assertError(await post(service, path, { token }), 401, 'invalid_client')
    assertError(await post(service, path, { token, client_id: native.id }), 401, 'invalid_client')
    assertError(await post(service, path, { token, client_id: app.id }), 401, 'invalid_client')
    assertError(
      await post(service, path, { token, client_id: app.id, client_secret: 'x' }),
      401,
      'invalid_client',
    )
    assertError(await post(service, path, credentialsOf(app)), 400, 'invalid_request')
    assertError(await service.client().get(path), 405, 'invalid_request')
  },
)
