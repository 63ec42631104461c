import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createTestClock } from '@gatehouse/testkit/clock'
import { createRateLimiter } from '../rate-limits/rate-limiter.ts'
import { createWebhookRateLimits } from './webhook-rate-limits.ts'
import { createWebhook, eachWebhook } from './webhooks-testing.ts'

eachWebhook(
  'returns 429 with the retry time in headers and body for the sixth post in 2 s (webhooks/rate-limit)',
  async setup => {
    const { service, anonymous, path, listContents } = setup
    const post = (body: unknown) => anonymous.json('POST', path, body)
    const now = () => service.clock.now() / 1000
    for (let i = 0; i < 5; i++) {
      const reply = await post(i === 2 ? { content: {} } : { content: String(i) })
      assert.equal(reply.status, i === 2 ? 400 : 204)
      assert.equal(reply.headers.get('x-ratelimit-limit'), '5')
      assert.equal(reply.headers.get('x-ratelimit-remaining'), String(4 - i))
      assert.equal(reply.headers.get('x-ratelimit-reset-after'), '2.000')
      assert.equal(Number(reply.headers.get('x-ratelimit-reset')), now() + 2)
      assert.ok(reply.headers.get('x-ratelimit-bucket'))
      service.clock.advance(100)
    }
    const rejected = await post('not validated')
    assert.equal(rejected.status, 429)
    assert.deepEqual(rejected.body, {
      message: 'You are being rate limited.',
      retry_after: 1.5,
      global: false,
    })
    assert.equal(rejected.headers.get('retry-after'), '2')
    assert.equal(rejected.headers.get('x-ratelimit-remaining'), '0')
    service.clock.advance(1499)
    assert.equal((await post({ content: 'x' })).status, 429)
    service.clock.advance(1)
    assert.equal((await post({ content: 'again' })).status, 204)
    assert.equal((await post({ content: 'x' })).status, 429)
    assert.deepEqual(await listContents(), ['0', '1', '3', '4', 'again'])
  },
  { rateLimits: 'on' },
)

eachWebhook(
  'allows 5 of 50 concurrent posts of a webhook, counted over all routes (webhooks/rate-limit)',
  async setup => {
    const { anonymous, path, owner, general } = setup
    const other = new URL((await createWebhook(owner, general.id)).url).pathname
    const replies = await Promise.all(
      Array.from({ length: 50 }, (_, i) =>
        i % 2 === 0
          ? anonymous.json('POST', path, { content: 'x' })
          : anonymous.json('POST', `${path.replace('/api/', '/api/v10/')}/slack`, { text: 'x' }),
      ),
    )
    assert.equal(replies.filter(reply => reply.status === 429).length, 45)
    assert.equal(
      replies.filter(reply => reply.status === 429 && reply.text === 'rate_limited').length > 0,
      true,
    )
    assert.equal(replies.filter(reply => reply.status === 200 || reply.status === 204).length, 5)
    assert.equal((await anonymous.json('POST', other, { content: 'x' })).status, 204)
  },
  { rateLimits: 'on' },
)

eachWebhook(
  'counts edits and deletions separately and does not count reads, which have the headers too',
  async setup => {
    const { post, anonymous, path, postRaw } = setup
    const posted = await post({ content: 'x' })
    const message = `${path}/messages/${posted.body.id}`
    for (let i = 0; i < 4; i++) await post({ content: 'x' })
    assert.equal((await postRaw('{', 'application/json')).status, 429)
    for (let i = 0; i < 5; i++) {
      const reply = await anonymous.json('PATCH', message, { content: String(i) })
      assert.equal(reply.status, 200)
      assert.equal(reply.headers.get('x-ratelimit-remaining'), String(4 - i))
    }
    assert.equal((await anonymous.json('PATCH', message, { content: 'x' })).status, 429)
    assert.equal((await anonymous.json('DELETE', message)).status, 429)
    for (let i = 0; i < 10; i++) {
      const reply = await anonymous.get(message)
      assert.deepEqual([reply.status, reply.headers.get('x-ratelimit-limit')], [200, '5'])
    }
    assert.equal((await anonymous.get(path)).headers.get('x-ratelimit-remaining'), '0')
  },
  { rateLimits: 'on' },
)

eachWebhook(
  'sends the rate limit headers with every response of a known webhook, errors included (webhooks/rate-limit)',
  async setup => {
    const { anonymous, path } = setup
    for (const [suffix, method] of [
      ['', 'PUT'],
      ['/slack', 'GET'],
      ['/messages/1', 'POST'],
    ] as const) {
      const reply = await anonymous.send(`${path}${suffix}`, { method })
      assert.equal(reply.status, 405)
      // A request with another method is not counted.
      assert.equal(reply.headers.get('x-ratelimit-remaining'), '5')
    }
    for (const [init, status] of [
      [{ headers: { 'content-type': 'text/plain' }, body: 'x' }, 400],
      [{ headers: { 'content-type': 'application/json' }, body: 'x'.repeat(1024 * 1024 + 1) }, 413],
      [{ headers: { 'content-encoding': 'gzip', 'content-type': 'application/json' }, body: 'x' }, 415],
    ] as const) {
      const reply = await anonymous.send(path, { method: 'POST', ...init })
      assert.equal(reply.status, status)
      assert.equal(reply.headers.get('x-ratelimit-limit'), '5')
    }
  },
  { rateLimits: 'on' },
)

eachWebhook(
  'returns 429 for a minute after 300 responses of 404 to an IP address (webhooks/unknown-webhook-limit)',
  async setup => {
    const { anonymous, path, service } = setup
    const requests = [
      (i: number) => anonymous.json('POST', `/api/webhooks/1234567890123456789/${i}`, {}),
      (i: number) => anonymous.json('PUT', `/api/v9/webhooks/1234567890123456789/${i}`, {}),
      (i: number) => anonymous.get(`/api/webhooks/1234567890123456789/${i}/`),
    ] as const
    const requestUnknown = (i: number) => requests[(i % 3) as 0 | 1 | 2](i)
    const statuses = async (count: number) => {
      const seen = new Set<number>()
      for (let i = 0; i < count; i += 50) {
        for (const reply of await Promise.all(Array.from({ length: 50 }, (_, j) => requestUnknown(i + j))))
          seen.add(reply.status)
      }
      return [...seen]
    }
    assert.deepEqual(await statuses(300), [404])
    const rejected = await requestUnknown(0)
    assert.equal(rejected.status, 429)
    assert.deepEqual(rejected.body, {
      message: 'You are being rate limited.',
      retry_after: 60,
      global: false,
    })
    assert.equal(rejected.headers.get('retry-after'), '60')
    // Requests with a valid token are not blocked, because other clients may share the IP address.
    assert.equal((await anonymous.json('POST', path, { content: 'x' })).status, 204)
    service.clock.advance(59_999)
    assert.equal((await requestUnknown(0)).status, 429)
    service.clock.advance(1)
    assert.equal((await requestUnknown(0)).status, 404)
  },
  { rateLimits: 'on' },
)

eachWebhook('applies no rate limit with RATE_LIMITS=off', async ({ post, anonymous }) => {
  for (let i = 0; i < 20; i++) assert.equal((await post({ content: 'x' })).status, 200)
  for (let i = 0; i < 301; i++) {
    assert.equal((await anonymous.json('POST', '/api/webhooks/1/x', {})).status, 404)
  }
})

test('counts 404 responses by IPv4 address and by IPv6 network', async () => {
  const clock = createTestClock()
  const limits = createWebhookRateLimits({
    clock: clock.now,
    rateLimiter: createRateLimiter({ clock: clock.now, limits: {} }),
  })
  for (let i = 0; i < 300; i++) await limits.recordNotFound(`2001:db8::${(i + 1).toString(16)}`)
  assert.throws(() => limits.checkNotFoundLimit('2001:db8::ffff'), { status: 429 })
  limits.checkNotFoundLimit('2001:db8:0:1::1')
  limits.checkNotFoundLimit('192.0.2.1')
})
