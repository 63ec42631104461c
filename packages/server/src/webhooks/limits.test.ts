import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createTestClock } from '../kit/testing.ts'
import { createWebhookLimits } from './limits.ts'
import { eachOutside, makeWebhook } from './testing.ts'

eachOutside(
  '429: check 64: the sixth post in 2 s, with when to come again in headers and body (D42)',
  async from => {
    const { service, program, path, contents } = from
    const post = (body: unknown) => program.json('POST', path, body)
    const now = () => service.clock.now() / 1000
    for (let i = 0; i < 5; i++) {
      const reply = await post(i === 2 ? { content: 1 } : { content: String(i) })
      assert.equal(reply.status, i === 2 ? 400 : 204)
      assert.equal(reply.headers.get('x-ratelimit-limit'), '5')
      assert.equal(reply.headers.get('x-ratelimit-remaining'), String(4 - i))
      assert.equal(reply.headers.get('x-ratelimit-reset-after'), '2.000')
      assert.equal(Number(reply.headers.get('x-ratelimit-reset')), now() + 2)
      assert.ok(reply.headers.get('x-ratelimit-bucket'))
      service.clock.advance(100)
    }
    const refused = await post('not looked at')
    assert.equal(refused.status, 429)
    assert.deepEqual(refused.body, {
      message: 'You are being rate limited.',
      retry_after: 1.5,
      global: false,
    })
    assert.equal(refused.headers.get('retry-after'), '2')
    assert.equal(refused.headers.get('x-ratelimit-remaining'), '0')
    service.clock.advance(1499)
    assert.equal((await post({ content: 'x' })).status, 429)
    service.clock.advance(1)
    assert.equal((await post({ content: 'again' })).status, 204)
    assert.equal((await post({ content: 'x' })).status, 429)
    assert.deepEqual(await contents(), ['0', '1', '3', '4', 'again'])
  },
  'limited',
)

eachOutside(
  'check 64: of 50 posts at once five pass, counted by webhook and over all routes',
  async from => {
    const { program, path, owner, general } = from
    const other = new URL((await makeWebhook(owner, general.id)).url).pathname
    const replies = await Promise.all(
      Array.from({ length: 50 }, (_, i) =>
        i % 2 === 0
          ? program.json('POST', path, { content: 'x' })
          : program.json('POST', `${path.replace('/api/', '/api/v10/')}/slack`, { text: 'x' }),
      ),
    )
    assert.equal(replies.filter(reply => reply.status === 429).length, 45)
    assert.equal(
      replies.filter(reply => reply.status === 429 && reply.text === 'rate_limited').length > 0,
      true,
    )
    assert.equal(replies.filter(reply => reply.status === 200 || reply.status === 204).length, 5)
    assert.equal((await program.json('POST', other, { content: 'x' })).status, 204)
  },
  'limited',
)

eachOutside(
  'edits and deletions have a window of their own; reading has none, with headers all the same',
  async from => {
    const { post, program, path, raw } = from
    const posted = await post({ content: 'x' })
    const message = `${path}/messages/${posted.body.id}`
    for (let i = 0; i < 4; i++) await post({ content: 'x' })
    assert.equal((await raw('{', 'application/json')).status, 429)
    for (let i = 0; i < 5; i++) {
      const reply = await program.json('PATCH', message, { content: String(i) })
      assert.equal(reply.status, 200)
      assert.equal(reply.headers.get('x-ratelimit-remaining'), String(4 - i))
    }
    assert.equal((await program.json('PATCH', message, { content: 'x' })).status, 429)
    assert.equal((await program.json('DELETE', message)).status, 429)
    for (let i = 0; i < 10; i++) {
      const reply = await program.get(message)
      assert.deepEqual([reply.status, reply.headers.get('x-ratelimit-limit')], [200, '5'])
    }
    assert.equal((await program.get(path)).headers.get('x-ratelimit-remaining'), '0')
  },
  'limited',
)

eachOutside(
  'D42: every answer of a known webhook carries the headers, whatever it refuses',
  async from => {
    const { program, path } = from
    for (const [suffix, method] of [
      ['', 'PUT'],
      ['/slack', 'GET'],
      ['/messages/1', 'POST'],
    ] as const) {
      const reply = await program.send(`${path}${suffix}`, { method })
      assert.equal(reply.status, 405)
      // Another method is no post: it counts for nothing.
      assert.equal(reply.headers.get('x-ratelimit-remaining'), '5')
    }
    for (const [init, status] of [
      [{ headers: { 'content-type': 'text/plain' }, body: 'x' }, 400],
      [{ headers: { 'content-type': 'application/json' }, body: 'x'.repeat(1024 * 1024 + 1) }, 413],
      [{ headers: { 'content-encoding': 'gzip', 'content-type': 'application/json' }, body: 'x' }, 415],
    ] as const) {
      const reply = await program.send(path, { method: 'POST', ...init })
      assert.equal(reply.status, status)
      assert.equal(reply.headers.get('x-ratelimit-limit'), '5')
    }
  },
  'limited',
)

eachOutside(
  'check 65: who asks for 300 addresses that are not there is put off for a minute',
  async from => {
    const { program, path, service } = from
    const misses = [
      (i: number) => program.json('POST', `/api/webhooks/1234567890123456789/${i}`, {}),
      (i: number) => program.json('PUT', `/api/v9/webhooks/1234567890123456789/${i}`, {}),
      (i: number) => program.get(`/api/webhooks/1234567890123456789/${i}/`),
    ] as const
    const miss = (i: number) => misses[(i % 3) as 0 | 1 | 2](i)
    const statuses = async (count: number) => {
      const found = new Set<number>()
      for (let i = 0; i < count; i += 50) {
        for (const reply of await Promise.all(Array.from({ length: 50 }, (_, j) => miss(i + j))))
          found.add(reply.status)
      }
      return [...found]
    }
    assert.deepEqual(await statuses(300), [404])
    const refused = await miss(0)
    assert.equal(refused.status, 429)
    assert.deepEqual(refused.body, { message: 'You are being rate limited.', retry_after: 60, global: false })
    assert.equal(refused.headers.get('retry-after'), '60')
    // Who has an address that holds is no guesser, even behind the same proxy.
    assert.equal((await program.json('POST', path, { content: 'x' })).status, 204)
    service.clock.advance(59_999)
    assert.equal((await miss(0)).status, 429)
    service.clock.advance(1)
    assert.equal((await miss(0)).status, 404)
  },
  'limited',
)

eachOutside('RATE_LIMITS=off lifts all of it', async ({ post, program }) => {
  for (let i = 0; i < 20; i++) assert.equal((await post({ content: 'x' })).status, 200)
  for (let i = 0; i < 301; i++) {
    assert.equal((await program.json('POST', '/api/webhooks/1/x', {})).status, 404)
  }
})

test('misses count by address, IPv6 by network', () => {
  const clock = createTestClock()
  const limits = createWebhookLimits({ clock: clock.now, shared: undefined })
  for (let i = 0; i < 300; i++) limits.missed(`2001:db8::${(i + 1).toString(16)}`)
  assert.throws(() => limits.refuseGuesser('2001:db8::ffff'), { status: 429 })
  limits.refuseGuesser('2001:db8:0:1::1')
  limits.refuseGuesser('192.0.2.1')
})
