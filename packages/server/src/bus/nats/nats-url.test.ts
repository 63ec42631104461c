import assert from 'node:assert/strict'
import { test } from 'node:test'
import { parseNatsUrl } from './nats-url.ts'

test('the default port is 4222', () => {
  assert.deepEqual(parseNatsUrl('nats://bus.example'), { servers: ['bus.example:4222'] })
  assert.deepEqual(parseNatsUrl('nats://127.0.0.1:14222'), { servers: ['127.0.0.1:14222'] })
  assert.deepEqual(parseNatsUrl('nats://[::1]:5222'), { servers: ['[::1]:5222'] })
})

test('the servers of a cluster are separated by commas', () => {
  assert.deepEqual(parseNatsUrl('nats://a:1, nats://b'), { servers: ['a:1', 'b:4222'] })
})

test('a URL can contain a user name and password, or a token', () => {
  const expected = { servers: ['bus:4222'], user: 'me', pass: 'p@ss' }
  assert.deepEqual(parseNatsUrl('nats://me:p%40ss@bus'), expected)
  assert.deepEqual(parseNatsUrl('nats://t0ken@bus'), { servers: ['bus:4222'], token: 't0ken' })
})

test('tls:// requires an encrypted connection', () => {
  assert.deepEqual(parseNatsUrl('tls://bus'), { servers: ['bus:4222'], tls: {} })
})

test('an invalid URL is rejected without its text in the error', () => {
  for (const text of ['', 'bus:4222', 'http://me:secret@bus', 'nats://', 'nats://a,secret', 'nats://a,']) {
    assert.throws(
      () => parseNatsUrl(text),
      (error: unknown) => error instanceof TypeError && !error.message.includes('secret'),
      text,
    )
  }
})
