import assert from 'node:assert/strict'
import { fieldErrorsOf } from '@gatehouse/testkit/field-errors'
import { eachService } from '@gatehouse/testkit/service'
import { mailsTo, password, register } from '../users/users-testing.ts'
import { addTotp, createTicket, factorsPath } from './second-factor-testing.ts'

const path = `${factorsPath}/recovery-codes`

eachService(
  'POST recovery-codes returns 200 with new codes, invalidates the old ones and sends a mail',
  async (_t, service) => {
    const client = service.client()
    await register(client, 'ada')
    const oldCodes = (await addTotp(service, client)).recoveryCodes
    const reply = await client.json('POST', '/api/users/@me/second-factors/recovery-codes')
    assert.equal(reply.status, 200)
    const newCodes: string[] = reply.body.recoveryCodes
    assert.equal(newCodes.length, 10)
    assert.deepEqual(
      oldCodes.filter(code => newCodes.includes(code)),
      [],
    )
    const other = service.client()
    const ticket = await createTicket(other, 'ada')
    const finish = (code: string | undefined) =>
      other.json('POST', '/api/auth/login/second-factor', { ticket, code })
    assert.equal((await finish(oldCodes[0])).status, 401)
    assert.equal((await finish(newCodes[0])).status, 200)
    const mails = await mailsTo(service, 'ada@example.org', 4)
    assert.equal(mails[2]?.subject, 'New recovery codes were created')
  },
)

eachService(
  'POST recovery-codes returns 400 for the password, and 200 for a recovery code once (sign-in/factor-change-proof)',
  async (_t, service) => {
    const client = service.client()
    await register(client, 'ada')
    const [code] = (await addTotp(service, client)).recoveryCodes
    service.clock.advance(600_000)
    for (const proof of [undefined, { currentPassword: password }]) {
      assert.deepEqual(fieldErrorsOf(await client.json('POST', path, proof)), ['code required'])
    }
    assert.equal((await client.json('POST', path, { code })).status, 200)
    assert.deepEqual(fieldErrorsOf(await client.json('POST', path, { code })), ['code wrong_code'])
  },
)

eachService('a refused change does not consume the recovery code', async (_t, service) => {
  const client = service.client()
  await register(client, 'ada')
  const [code] = (await addTotp(service, client)).recoveryCodes
  const missing = `${factorsPath}/passkeys/1000000000000000001`
  assert.equal((await client.json('DELETE', missing, { code })).status, 404)
  assert.equal((await client.get(factorsPath)).body.recoveryCodesLeft, 10)
  assert.equal((await client.json('POST', path, { code })).status, 200)
})

eachService('POST recovery-codes returns 409 without another second factor', async (_t, service) => {
  const client = service.client()
  await register(client, 'ada')
  assert.equal((await client.json('POST', path)).status, 409)
})
