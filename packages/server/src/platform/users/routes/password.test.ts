import assert from 'node:assert/strict'
import { eachService } from '../../../testing.ts'
import { faultsOf, mailsTo, mailToken, password, register } from '../testing.ts'

const hour = 60 * 60 * 1000
const address = 'ada@example.org'
const forgot = '/api/auth/password/forgot'
const reset = '/api/auth/password/reset'
const fresh = 'another horse battery'

eachService(
  'POST password/forgot 202: the same for known and unknown addresses, a mail for the known',
  async (_t, service) => {
    await register(service.client(), 'ada')
    const known = await service.client().json('POST', forgot, { email: 'ADA@example.org' })
    const unknown = await service.client().json('POST', forgot, { email: 'nobody@example.org' })
    assert.deepEqual([known.status, known.text], [202, ''])
    assert.deepEqual([unknown.status, unknown.text], [202, ''])
    const [, mail] = await mailsTo(service, address, 2)
    assert.match(
      mail?.text ?? '',
      new RegExp(`^${service.url}/reset-password\\?token=gmt_[0-9A-Za-z]{49}$`, 'm'),
    )
    assert.equal(
      service.mails.some(sent => sent.to.startsWith('nobody')),
      false,
    )
  },
)

eachService('POST password/forgot 400: what is no address', async (_t, service) => {
  const reply = await service.client().json('POST', forgot, { email: 'nonsense' })
  assert.equal(reply.status, 400)
  assert.deepEqual(faultsOf(reply), ['email invalid_format'])
})

eachService('POST password/forgot 403: from another site', async (_t, service) => {
  const headers = { 'sec-fetch-site': 'cross-site' }
  assert.equal((await service.client().json('POST', forgot, { email: address }, headers)).status, 403)
})

eachService(
  'POST password/reset 204: the new password holds, every session ends, the person is told',
  async (_t, service) => {
    const client = service.client()
    await register(client, 'ada')
    await service.client().json('POST', forgot, { email: address })
    const token = await mailToken(service, address, 2)
    const reply = await service.client().json('POST', reset, { token, password: fresh })
    assert.equal(reply.status, 204)
    assert.equal((await client.get('/api/users/@me')).status, 401)
    const login = (given: string) =>
      service.client().json('POST', '/api/auth/login', { login: 'ada', password: given })
    assert.equal((await login(password)).status, 401)
    const signedIn = await login(fresh)
    assert.equal(signedIn.status, 200)
    assert.equal(signedIn.body.emailVerified, true)
    const mails = await mailsTo(service, address, 3)
    assert.equal(mails[2]?.subject, 'Your password was changed')
  },
)

eachService('POST password/reset 204: of many at once one is the first', async (_t, service) => {
  await register(service.client(), 'ada')
  await service.client().json('POST', forgot, { email: address })
  const token = await mailToken(service, address, 2)
  const replies = await Promise.all(
    Array.from({ length: 6 }, (_, i) =>
      service.client().json('POST', reset, { token, password: `${fresh} ${i}` }),
    ),
  )
  assert.equal(replies.filter(reply => reply.status === 204).length, 1)
  assert.equal(replies.filter(reply => reply.status === 400).length, 5)
  const winner = replies.findIndex(reply => reply.status === 204)
  const login = { login: 'ada', password: `${fresh} ${winner}` }
  assert.equal((await service.client().json('POST', '/api/auth/login', login)).status, 200)
})

eachService(
  'POST password/reset 204: a person who was locked out by wrong tries may sign in at once',
  async (_t, service) => {
    await register(service.client(), 'ada')
    for (let i = 0; i < 10; i++) {
      await service.client().json('POST', '/api/auth/login', { login: 'ada', password: 'wrong horse' })
    }
    await service.client().json('POST', forgot, { email: address })
    const token = await mailToken(service, address, 2)
    assert.equal((await service.client().json('POST', reset, { token, password: fresh })).status, 204)
    const login = { login: 'ada', password: fresh }
    assert.equal((await service.client().json('POST', '/api/auth/login', login)).status, 200)
  },
)

eachService(
  'POST password/reset 400: used, after an hour, malformed, of another purpose; nothing changes',
  async (_t, service) => {
    const client = service.client()
    await register(client, 'ada')
    const verify = await mailToken(service, address, 1)
    await client.json('POST', forgot, { email: address })
    const old = await mailToken(service, address, 2)
    service.clock.advance(hour)
    for (const token of [verify, old, 'nonsense', `gmt_${'A'.repeat(49)}`]) {
      const reply = await client.json('POST', reset, { token, password: fresh })
      assert.equal(reply.status, 400)
      assert.deepEqual(faultsOf(reply), ['token invalid_token'])
    }
    assert.equal((await client.get('/api/users/@me')).status, 200)
    await client.json('POST', forgot, { email: address })
    const token = await mailToken(service, address, 3)
    const short = await client.json('POST', reset, { token, password: 'short' })
    assert.deepEqual(faultsOf(short), ['password too_short'])
    assert.equal((await client.json('POST', reset, { token, password: fresh })).status, 204)
    assert.equal((await client.json('POST', reset, { token, password: fresh })).status, 400)
  },
)

eachService(
  'POST password/reset 400: a link that was sent before the password or the address changed',
  async (_t, service) => {
    const client = service.client()
    await register(client, 'ada')
    await client.json('POST', forgot, { email: address })
    const first = await mailToken(service, address, 2)
    await client.json('PATCH', '/api/users/@me', { password: fresh, currentPassword: password })
    assert.equal((await client.json('POST', reset, { token: first, password })).status, 400)
    await client.json('POST', forgot, { email: address })
    const second = await mailToken(service, address, 4)
    await client.json('PATCH', '/api/users/@me', { email: 'new@example.org', currentPassword: fresh })
    assert.equal((await client.json('POST', reset, { token: second, password })).status, 400)
  },
)

eachService('POST password/reset 403: from another site', async (_t, service) => {
  const headers = { 'sec-fetch-site': 'cross-site' }
  const reply = await service.client().json('POST', reset, { token: 'x', password }, headers)
  assert.equal(reply.status, 403)
})
