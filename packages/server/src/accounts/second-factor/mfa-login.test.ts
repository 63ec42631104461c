import assert from 'node:assert/strict'
import { sweepDuring } from '@gatehouse/testkit/databases'
import { eachService } from '@gatehouse/testkit/service'
import { registerVerified } from '../users/users-testing.ts'
import { sweepSecondFactors } from './mfa-login.ts'
import { upsertPendingTotp } from './second-factor-store.ts'
import {
  addPasskey,
  addTotp,
  createAuthenticator,
  createTicket,
  factorsPath,
  totpCode,
} from './second-factor-testing.ts'

const minute = 60_000

eachService(
  'the sweep deletes expired challenges and tickets and unconfirmed TOTP secrets only',
  async (_t, service) => {
    const ada = service.client()
    await registerVerified(service, ada, 'ada')
    await addPasskey(service, ada, createAuthenticator(service.url))
    await addTotp(service, ada)
    await createTicket(service.client(), 'ada')
    const bob = service.client()
    await registerVerified(service, bob, 'bob')
    const { secret } = (await bob.json('POST', `${factorsPath}/totp`)).body
    const { db } = service
    const counts = async () => [
      (await db.all`SELECT hash FROM used_challenges`).length,
      (await db.all`SELECT ticket_hash FROM mfa_tickets`).length,
      (await db.all`SELECT user_id FROM authenticator_apps`).length,
      (await db.all`SELECT id FROM passkeys`).length,
    ]
    assert.deepEqual(await counts(), [1, 1, 2, 1])
    service.clock.advance(5 * minute - 1)
    await sweepSecondFactors(db, service.clock.now)
    assert.deepEqual(await counts(), [1, 1, 2, 1])
    service.clock.advance(1)
    await sweepSecondFactors(db, service.clock.now)
    assert.deepEqual(await counts(), [0, 0, 2, 1])
    service.clock.advance(10 * minute)
    await sweepSecondFactors(db, service.clock.now)
    assert.deepEqual(await counts(), [0, 0, 1, 1])
    const code = await totpCode(service, secret)
    assert.equal((await bob.json('POST', `${factorsPath}/totp/confirm`, { code })).status, 409)
  },
)

eachService('the sweep keeps a TOTP secret that is replaced at the same time', async (_t, service) => {
  const { db } = service
  const client = service.client()
  const { id } = (await registerVerified(service, client, 'ada')).body
  await client.json('POST', `${factorsPath}/totp`)
  const later = service.clock.now() + 15 * minute
  await sweepDuring(
    db,
    tx => upsertPendingTotp(tx, id, { sealed: 'new', sessionId: '1' }, later),
    () => sweepSecondFactors(db, () => later),
  )
  assert.deepEqual(await db.all`SELECT secret_sealed FROM authenticator_apps`, [{ secretSealed: 'new' }])
})
