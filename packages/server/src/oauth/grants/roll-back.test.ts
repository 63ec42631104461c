import assert from 'node:assert/strict'
import { readPlacedSecret } from '../../kit/secret.ts'
import { eachService } from '../../testing.ts'
import { insertUsed, sweepUsed } from '../store.ts'
import { codeFor, exchangeCode, makeApplication, refresh, signUp, tokensFor, userinfo } from '../testing.ts'

eachService(
  'check 107: a refresh that fails in the middle leaves the old pair as it was',
  async (_t, service) => {
    const ada = await signUp(service, 'ada')
    const app = await makeApplication(ada)
    const tokens = await tokensFor(service, ada, app)
    const placed = readPlacedSecret('grt_', tokens.refresh_token)
    assert.ok(placed)
    const now = service.clock.now()
    // In the way of what the rotation writes last.
    const { id: grantId, hash } = placed
    await insertUsed(service.db, { grantId, hash, usedAt: now, expiresAt: now, successor: null })
    const failed = await refresh(service, app, tokens.refresh_token)
    assert.equal(failed.status, 500)
    assert.equal(failed.body.error, 'server_error')
    assert.equal((await userinfo(service, tokens.access_token)).status, 200)
    assert.equal(await sweepUsed(service.db, now, 10), 1)
    assert.equal((await refresh(service, app, tokens.refresh_token)).status, 200)
  },
)

eachService('check 107: an exchange that fails in the middle leaves the code good', async (_t, service) => {
  const ada = await signUp(service, 'ada')
  const app = await makeApplication(ada, { backchannelLogoutUri: 'https://app.example/logged-out' })
  const code = await codeFor(ada, app, { scope: 'openid identify' })
  // In the way of what the exchange writes last.
  await service.db.run`ALTER TABLE oauth_sign_ins RENAME TO sign_ins_away`
  assert.equal((await exchangeCode(service, app, code)).status, 500)
  await service.db.run`ALTER TABLE sign_ins_away RENAME TO oauth_sign_ins`
  assert.equal((await exchangeCode(service, app, code)).status, 200)
})
