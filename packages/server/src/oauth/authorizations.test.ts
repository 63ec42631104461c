import assert from 'node:assert/strict'
import { eachService } from '@gatehouse/testkit/service'
import {
  allow,
  authorizePath,
  codeFor,
  exchangeCode,
  makeApplication,
  parametersOf,
  post,
  refresh,
  signUp,
  tokensFor,
  userinfo,
} from './oauth-testing.ts'

const path = '/api/users/@me/authorizations'

eachService(
  '200: lists the authorized applications with their scopes, the newest last',
  async (_t, service) => {
    const owner = await signUp(service, 'owner')
    const ada = await signUp(service, 'ada')
    const first = await makeApplication(owner, { name: 'First' })
    const second = await makeApplication(owner, { name: 'Second' })
    assert.deepEqual((await ada.client.get(path)).body, [])
    const began = service.clock.now()
    await tokensFor(service, ada, first, { scope: 'profile openid' })
    service.clock.advance(60_000)
    await allow(ada, second, { scope: 'identify' })
    service.clock.advance(60_000)
    const { code = '' } = await allow(ada, first, { scope: 'identify email' })
    service.clock.advance(1000)
    await exchangeCode(service, first, code)
    const iso = (ms: number) => new Date(began + ms).toISOString()
    assert.deepEqual((await ada.client.get(path)).body, [
      {
        application: { id: first.id, name: 'First', icon: null },
        scopes: ['identify', 'openid', 'email'],
        grantedAt: iso(0),
        lastUsedAt: iso(121_000),
      },
      {
        application: { id: second.id, name: 'Second', icon: null },
        scopes: ['identify'],
        grantedAt: iso(60_000),
        lastUsedAt: iso(60_000),
      },
    ])
    assert.deepEqual((await owner.client.get(path)).body, [])
  },
)

eachService(
  'sign-in/consent-remembered: lists a scope that the user deselected later while a token has it',
  async (_t, service) => {
    const ada = await signUp(service, 'ada')
    const app = await makeApplication(ada)
    const { refresh_token: token } = await tokensFor(service, ada, app, { scope: 'profile email openid' })
    await allow(ada, app, { scope: 'identify email', prompt: 'consent' }, { allow: [] })
    const scopes = async () => (await ada.client.get(path)).body[0].scopes
    assert.deepEqual(await scopes(), ['identify', 'openid', 'email'])
    await post(service, '/api/oauth2/token/revoke', { token })
    assert.deepEqual(await scopes(), ['identify', 'openid'])
  },
)

eachService(
  'sign-in/withdraw-consent: revoking an authorization revokes only the tokens of that user and application',
  async (_t, service) => {
    const ada = await signUp(service, 'ada')
    const grace = await signUp(service, 'grace')
    const app = await makeApplication(ada)
    const other = await makeApplication(ada)
    const [mine, hers, others] = [
      await tokensFor(service, ada, app),
      await tokensFor(service, grace, app),
      await tokensFor(service, ada, other),
    ]
    assert.equal((await ada.client.json('DELETE', `${path}/${app.id}`)).status, 204)
    assert.equal((await userinfo(service, mine.access_token)).status, 401)
    assert.equal((await userinfo(service, hers.access_token)).status, 200)
    assert.equal((await userinfo(service, others.access_token)).status, 200)
    assert.equal((await ada.client.get(path)).body.length, 1)
  },
)

eachService('404: an application that is not authorized', async (_t, service) => {
  const ada = await signUp(service, 'ada')
  const app = await makeApplication(ada)
  for (const id of [app.id, '1234567890123456789', 'no-id']) {
    assert.equal((await ada.client.json('DELETE', `${path}/${id}`)).status, 404)
  }
})

eachService('codes and tokens that are issued during a revocation are revoked too', async (_t, service) => {
  const ada = await signUp(service, 'ada')
  const app = await makeApplication(ada)
  const grants = await Promise.all(Array.from({ length: 10 }, () => tokensFor(service, ada, app)))
  const requests = Array.from({ length: 20 }, () => ada.client.get(authorizePath(app)))
  const refreshed = grants.map(grant => refresh(service, app, grant.refresh_token))
  const revoked = ada.client.json('DELETE', `${path}/${app.id}`)
  const [replies, pairs] = await Promise.all([Promise.all(requests), Promise.all(refreshed), revoked])
  for (const reply of replies) {
    if (reply.status !== 303) continue
    const exchanged = await exchangeCode(service, app, parametersOf(reply).code ?? '')
    assert.equal(exchanged.body.error, 'invalid_grant')
  }
  for (const pair of pairs) {
    if (pair.status === 200) assert.equal((await userinfo(service, pair.body.access_token)).status, 401)
  }
})

eachService(
  'sign-in/sign-out-everywhere: with revokeTokens, all codes and tokens of the user are revoked and consents remain',
  async (_t, service) => {
    const ada = await signUp(service, 'ada')
    const grace = await signUp(service, 'grace')
    const app = await makeApplication(ada)
    const other = await makeApplication(grace)
    const mine = [await tokensFor(service, ada, app), await tokensFor(service, ada, other)] as const
    const code = await codeFor(ada, app)
    const hers = await tokensFor(service, grace, app)
    const sessions = '/api/users/@me/sessions'
    assert.equal((await ada.client.json('DELETE', sessions)).status, 204)
    assert.equal((await userinfo(service, mine[0].access_token)).status, 200)

    assert.equal((await ada.client.json('DELETE', sessions, { revokeTokens: true })).status, 204)
    for (const [index, { access_token, refresh_token }] of mine.entries()) {
      assert.equal((await userinfo(service, access_token)).status, 401)
      const client = index === 0 ? app : other
      assert.equal((await refresh(service, client, refresh_token)).body.error, 'invalid_grant')
    }
    assert.equal((await exchangeCode(service, app, code)).body.error, 'invalid_grant')
    assert.equal((await userinfo(service, hers.access_token)).status, 200)
    assert.equal((await ada.client.get(path)).body.length, 2)
    // The consent page is skipped.
    assert.ok(parametersOf(await ada.client.get(authorizePath(app))).code)
  },
)
