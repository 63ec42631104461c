import assert from 'node:assert/strict'
import { eachService } from '@gatehouse/testkit/service'
import { authorizePath, codeFor, makeApplication, parametersOf, signUp } from './oauth-testing.ts'

eachService(
  'the rate of authorization codes counts those of a user for all applications together (limits/rates)',
  async (_t, service) => {
    const [ada, ben] = [await signUp(service, 'ada'), await signUp(service, 'ben')]
    const apps = [await makeApplication(ada), await makeApplication(ada)]
    for (const app of apps) {
      await codeFor(ada, app)
      for (let i = 0; i < 29; i++) assert.equal((await ada.client.get(authorizePath(app))).status, 303)
    }
    for (const app of apps) {
      const { error, code } = parametersOf(await ada.client.get(authorizePath(app)))
      assert.deepEqual([error, code], ['temporarily_unavailable', undefined])
      await codeFor(ben, app)
    }
    const codes = await service.db.get`SELECT COUNT(*) AS n FROM oauth_grants WHERE user_id = ${ada.id}`
    assert.deepEqual(codes, { n: 60 })
    service.clock.advance(60_000)
    assert.equal((await ada.client.get(authorizePath(apps[0] ?? assert.fail()))).status, 303)
  },
  { env: { RATE_LIMITS: 'requests=1000/1,authorizations=60/60' } },
)
