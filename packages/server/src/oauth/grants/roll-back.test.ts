import assert from 'node:assert/strict'
import { hashSecret } from '../../kit/secret.ts'
import { eachService } from '../../testing.ts'
import { deleteGrant, findGrantByRefreshToken, insertGrant, insertUsed, sweepUsed } from '../store.ts'
import { codeFor, exchangeCode, makeApplication, refresh, signUp, tokensFor, userinfo } from '../testing.ts'
import { makePair } from '../tokens.ts'

eachService(
  'check 107: a refresh that fails in the middle leaves the old pair as it was',
  async (_t, service) => {
    const ada = await signUp(service, 'ada')
    const app = await makeApplication(ada)
    const tokens = await tokensFor(service, ada, app)
    const hash = hashSecret(tokens.refresh_token)
    const now = service.clock.now()
    const grant = await findGrantByRefreshToken(service.db, hash)
    assert.ok(grant)
    // In the way of what the rotation writes last.
    await insertUsed(service.db, { hash, grantId: grant.id, usedAt: now, expiresAt: now, successor: null })
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
  const app = await makeApplication(ada)
  const code = await codeFor(ada, app)
  const now = service.clock.now()
  const inTheWay = {
    id: '1000000000000000001',
    applicationId: app.id,
    userId: ada.id,
    codeHash: hashSecret(code),
  }
  await insertGrant(
    service.db,
    { ...inTheWay, scope: 'identify', authTime: now, amr: ['pwd'] },
    makePair('identify', now).record,
  )
  assert.equal((await exchangeCode(service, app, code)).status, 500)
  await deleteGrant(service.db, inTheWay.id)
  assert.equal((await exchangeCode(service, app, code)).status, 200)
})
