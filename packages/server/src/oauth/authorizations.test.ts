import assert from 'node:assert/strict'
import { eachService } from '../testing.ts'
import {
  allow,
  authorizePath,
  exchangeCode,
  makeApplication,
  parametersOf,
  refresh,
  signUp,
  tokensFor,
  userinfo,
} from './testing.ts'

const path = '/api/users/@me/authorizations'

eachService(
  '200: a person sees what they allowed which application, the newest last',
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

eachService('204: withdrawing ends the tokens of that person and application alone', async (_t, service) => {
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
})

eachService('401 without a session, and with a bearer token; 403 from another site', async (_t, service) => {
  const ada = await signUp(service, 'ada')
  const app = await makeApplication(ada)
  const { access_token: token } = await tokensFor(service, ada, app)
  const nobody = service.client()
  assert.equal((await nobody.get(path)).status, 401)
  assert.equal((await nobody.get(path, { authorization: `Bearer ${token}` })).status, 401)
  assert.equal((await nobody.json('DELETE', `${path}/${app.id}`)).status, 401)
  const crossed = await ada.client.json('DELETE', `${path}/${app.id}`, undefined, {
    'sec-fetch-site': 'cross-site',
  })
  assert.equal(crossed.status, 403)
})

eachService('404: what was never allowed cannot be withdrawn', async (_t, service) => {
  const ada = await signUp(service, 'ada')
  const app = await makeApplication(ada)
  for (const id of [app.id, '1234567890123456789', 'no-id']) {
    assert.equal((await ada.client.json('DELETE', `${path}/${id}`)).status, 404)
  }
})

eachService('what is issued while somebody withdraws is dead with the rest', async (_t, service) => {
  const ada = await signUp(service, 'ada')
  const app = await makeApplication(ada)
  const families = await Promise.all(Array.from({ length: 10 }, () => tokensFor(service, ada, app)))
  const asked = Array.from({ length: 20 }, () => ada.client.get(authorizePath(app)))
  const refreshed = families.map(family => refresh(service, app, family.refresh_token))
  const withdrawn = ada.client.json('DELETE', `${path}/${app.id}`)
  const [replies, pairs] = await Promise.all([Promise.all(asked), Promise.all(refreshed), withdrawn])
  for (const reply of replies) {
    if (reply.status !== 303) continue
    const exchanged = await exchangeCode(service, app, parametersOf(reply).code ?? '')
    assert.equal(exchanged.body.error, 'invalid_grant')
  }
  for (const pair of pairs) {
    if (pair.status === 200) assert.equal((await userinfo(service, pair.body.access_token)).status, 401)
  }
})
