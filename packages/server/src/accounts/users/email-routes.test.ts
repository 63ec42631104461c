import assert from 'node:assert/strict'
import { fieldErrorsOf } from '@gatehouse/testkit/field-errors'
import { eachService } from '@gatehouse/testkit/service'
import { mailSubjects, mailToken, register } from './users-testing.ts'

const hour = 60 * 60 * 1000
const address = 'ada@example.org'

eachService(
  'POST email/verify returns 204 without a session, and 400 the second time',
  async (_t, service) => {
    const client = service.client()
    await register(client, 'ada')
    const token = await mailToken(service, address, 1)
    const reply = await service.client().json('POST', '/api/auth/email/verify', { token })
    assert.equal(reply.status, 204)
    assert.equal((await client.get('/api/users/@me')).body.emailVerified, true)
    const again = await service.client().json('POST', '/api/auth/email/verify', { token })
    assert.equal(again.status, 400)
    assert.deepEqual(fieldErrorsOf(again), ['token invalid_token'])
  },
)

eachService('of 20 concurrent POST email/verify requests exactly one returns 204', async (_t, service) => {
  await register(service.client(), 'ada')
  const token = await mailToken(service, address, 1)
  const replies = await Promise.all(
    Array.from({ length: 20 }, () => service.client().json('POST', '/api/auth/email/verify', { token })),
  )
  assert.equal(replies.filter(reply => reply.status === 204).length, 1)
  assert.equal(replies.filter(reply => reply.status === 400).length, 19)
})

eachService(
  'POST email/verify returns 400 for an expired, malformed, unknown or missing token and a reset token',
  async (_t, service) => {
    await register(service.client(), 'ada')
    const expired = await mailToken(service, address, 1)
    service.clock.advance(24 * hour)
    await service.client().json('POST', '/api/auth/password/forgot', { email: address })
    const reset = await mailToken(service, address, 2)
    const unknown = `gmt_${'A'.repeat(49)}`
    for (const token of [expired, reset, unknown, 'nonsense']) {
      const reply = await service.client().json('POST', '/api/auth/email/verify', { token })
      assert.equal(reply.status, 400)
      assert.deepEqual(fieldErrorsOf(reply), ['token invalid_token'])
    }
    const missing = await service.client().json('POST', '/api/auth/email/verify', {})
    assert.deepEqual(fieldErrorsOf(missing), ['token required'])
  },
)

eachService('POST email/resend returns 202 and sends a new token', async (_t, service) => {
  const client = service.client()
  await register(client, 'ada')
  const first = await mailToken(service, address, 1)
  const reply = await client.json('POST', '/api/auth/email/resend')
  assert.equal(reply.status, 202)
  assert.equal(reply.text, '')
  const second = await mailToken(service, address, 2)
  assert.notEqual(first, second)
  assert.equal((await client.json('POST', '/api/auth/email/verify', { token: second })).status, 204)
  assert.equal((await client.json('POST', '/api/auth/email/verify', { token: first })).status, 400)
})

eachService(
  'POST email/resend returns 202 and sends no mail if the email address is verified',
  async (_t, service) => {
    const client = service.client()
    await register(client, 'ada')
    await client.json('POST', '/api/auth/email/verify', { token: await mailToken(service, address, 1) })
    assert.equal((await client.json('POST', '/api/auth/email/resend')).status, 202)
    assert.deepEqual(await mailSubjects(service, address, 1), ['Verify your email address'])
  },
)

eachService('POST email/resend returns 429 after five mails in an hour', async (_t, service) => {
  const client = service.client()
  await register(client, 'ada')
  for (let i = 0; i < 4; i++) assert.equal((await client.json('POST', '/api/auth/email/resend')).status, 202)
  const limited = await client.json('POST', '/api/auth/email/resend')
  assert.equal(limited.status, 429)
  assert.equal(limited.headers.get('retry-after'), '3600')
  assert.deepEqual(await mailSubjects(service, address, 5), Array(5).fill('Verify your email address'))
  service.clock.advance(hour)
  assert.equal((await client.json('POST', '/api/auth/email/resend')).status, 202)
})
