import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createTestClock } from '@gatehouse/testkit/clock'
import { createTokenBucket } from './token-bucket.ts'

const rate = { count: 50, seconds: 1 }

test('allows a burst of twice the count, then the rate', () => {
  const clock = createTestClock()
  const bucket = createTokenBucket({ clock: clock.now, rate })
  for (let i = 0; i < 100; i++) assert.equal(bucket.hit('a').allowed, true)
  assert.deepEqual(bucket.hit('a'), { allowed: false, remaining: 0, retryAfterMs: 20, resetAfterMs: 2000 })
  assert.equal(bucket.hit('b').allowed, true)
  clock.advance(19)
  assert.equal(bucket.hit('a').allowed, false)
  clock.advance(1)
  assert.equal(bucket.hit('a').allowed, true)
  let allowed = 0
  for (let ms = 0; ms < 10_000; ms++) {
    clock.advance(1)
    if (bucket.hit('a').allowed) allowed++
  }
  assert.equal(allowed, 500)
})

test('counts more hits than allowed, and never owes more than a minute', () => {
  const clock = createTestClock()
  const bucket = createTokenBucket({ clock: clock.now, rate })
  bucket.add('a', 99)
  assert.equal(bucket.hit('a').allowed, true)
  assert.equal(bucket.hit('a').allowed, false)
  bucket.add('a', 10_000)
  assert.equal(bucket.hit('a').retryAfterMs, 60_020)
  clock.advance(60_020)
  assert.equal(bucket.hit('a').allowed, true)
})

test('peek takes nothing and rejects a key that owes', () => {
  const clock = createTestClock()
  const bucket = createTokenBucket({ clock: clock.now, rate })
  bucket.add('a', 99)
  for (let i = 0; i < 2; i++) assert.equal(bucket.peek('a').remaining, 1)
  assert.equal(bucket.hit('a').allowed, true)
  assert.deepEqual(bucket.peek('a'), { allowed: true, remaining: 0, retryAfterMs: 0, resetAfterMs: 2000 })
  bucket.add('a', 4)
  assert.deepEqual(bucket.peek('a'), { allowed: false, remaining: 0, retryAfterMs: 100, resetAfterMs: 2080 })
  clock.advance(80)
  assert.equal(bucket.peek('a').allowed, true)
})

test('forgets full buckets, and the oldest ones above the maximum', () => {
  const clock = createTestClock()
  const bucket = createTokenBucket({ clock: clock.now, rate, maxKeys: 3 })
  for (const key of ['a', 'b', 'c', 'd']) bucket.hit(key)
  assert.equal(bucket.size, 3)
  clock.advance(1000)
  bucket.hit('e')
  assert.equal(bucket.size, 1)
})

test('a clock that steps back neither fills a bucket nor delays it', () => {
  const clock = createTestClock()
  const bucket = createTokenBucket({ clock: clock.now, rate })
  bucket.add('a', 100)
  clock.advance(-3_600_000)
  assert.equal(bucket.hit('a').allowed, false)
  clock.advance(20)
  assert.deepEqual(bucket.hit('a'), { allowed: true, remaining: 0, retryAfterMs: 0, resetAfterMs: 2000 })
  clock.advance(2000)
  bucket.hit('b')
  assert.equal(bucket.size, 1)
})
