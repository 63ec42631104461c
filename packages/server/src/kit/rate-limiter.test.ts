import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createTestClock } from '@gatehouse/testkit/clock'
import { createRateLimiter } from './rate-limiter.ts'

const options = { limit: 1, windowMs: 1000, maxKeys: 10 }

test('an enabled rate limiter rejects hits over the limit', () => {
  const clock = createTestClock()
  const window = createRateLimiter({ clock: clock.now, enabled: true }).createWindow(options)
  assert.equal(window.hit('a').allowed, true)
  assert.deepEqual(window.hit('a'), { allowed: false, remaining: 0, retryAfterMs: 1000, resetAfterMs: 1000 })
  clock.advance(1000)
  assert.equal(window.hit('a').allowed, true)
})

test('a disabled rate limiter allows every hit and stores nothing', () => {
  const window = createRateLimiter({ clock: createTestClock().now, enabled: false }).createWindow(options)
  const allowed = { allowed: true, remaining: 1, retryAfterMs: 0, resetAfterMs: 0 }
  for (let i = 0; i < 3; i++) assert.deepEqual(window.hit('a'), allowed)
  assert.deepEqual(window.peek('a'), allowed)
  window.undo('a')
  assert.equal(window.size, 0)
})
