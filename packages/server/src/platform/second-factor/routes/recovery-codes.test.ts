import assert from 'node:assert/strict'
import { eachService } from '../../../testing.ts'
import { faultsOf, mailsTo, password, register } from '../../users/testing.ts'
import { addApp, factorsPath, ticketFor } from '../testing.ts'

const path = `${factorsPath}/recovery-codes`

eachService(
  'POST recovery-codes 200: a new set, the old one is void, and a mail says so',
  async (_t, service) => {
    const client = service.client()
    await register(client, 'ada')
    const old = (await addApp(service, client)).recoveryCodes
    const reply = await client.json('POST', '/api/users/@me/second-factors/recovery-codes')
    assert.equal(reply.status, 200)
    const fresh: string[] = reply.body.recoveryCodes
    assert.equal(fresh.length, 10)
    assert.deepEqual(
      old.filter(code => fresh.includes(code)),
      [],
    )
    const other = service.client()
    const ticket = await ticketFor(other, 'ada')
    const finish = (code: string | undefined) =>
      other.json('POST', '/api/auth/login/second-factor', { ticket, code })
    assert.equal((await finish(old[0])).status, 401)
    assert.equal((await finish(fresh[0])).status, 200)
    const mails = await mailsTo(service, 'ada@example.org', 4)
    assert.equal(mails.at(-2)?.subject, 'New recovery codes were made')
  },
)

eachService('POST recovery-codes 400: without a recent proof', async (_t, service) => {
  const client = service.client()
  await register(client, 'ada')
  await addApp(service, client)
  service.clock.advance(600_000)
  assert.deepEqual(faultsOf(await client.json('POST', path)), ['currentPassword required'])
  assert.equal((await client.json('POST', path, { currentPassword: password })).status, 200)
})

eachService('POST recovery-codes 409: there is no factor that they could stand for', async (_t, service) => {
  const client = service.client()
  await register(client, 'ada')
  assert.equal((await client.json('POST', path)).status, 409)
})
