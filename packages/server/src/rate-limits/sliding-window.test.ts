import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createTestClock } from '@gatehouse/testkit/clock'
import fc from 'fast-check'
import { createSlidingWindow } from './sliding-window.ts'

function window(changes: Partial<Parameters<typeof createSlidingWindow>[0]> = {}) {
  const clock = createTestClock()
  const options = { clock: clock.now, limit: 3, windowMs: 1000, maxKeys: 100, ...changes }
  return { clock, limits: createSlidingWindow(options) }
}

test('hits up to the limit are allowed, and the next one gets the time until a retry', () => {
  const { clock, limits } = window()
  assert.deepEqual(limits.hit('a'), { allowed: true, remaining: 2, retryAfterMs: 0, resetAfterMs: 1000 })
  clock.advance(100)
  assert.deepEqual(limits.hit('a'), { allowed: true, remaining: 1, retryAfterMs: 0, resetAfterMs: 1000 })
  clock.advance(100)
  assert.deepEqual(limits.hit('a'), { allowed: true, remaining: 0, retryAfterMs: 800, resetAfterMs: 1000 })
  clock.advance(100)
  assert.deepEqual(limits.hit('a'), { allowed: false, remaining: 0, retryAfterMs: 700, resetAfterMs: 900 })
})

test('a hit is allowed exactly when the oldest one leaves the window', () => {
  const { clock, limits } = window()
  for (let i = 0; i < 3; i++) limits.hit('a')
  clock.advance(999)
  assert.equal(limits.hit('a').allowed, false)
  clock.advance(1)
  assert.equal(limits.hit('a').allowed, true)
})

test('keys are counted separately', () => {
  const { limits } = window({ limit: 1 })
  assert.equal(limits.hit('a').allowed, true)
  assert.equal(limits.hit('b').allowed, true)
  assert.equal(limits.hit('a').allowed, false)
})

test('add counts hits above the limit, and removes hits with a negative number', () => {
  const { clock, limits } = window({ limit: 2 })
  limits.add('a', 5)
  assert.deepEqual(limits.hit('a'), { allowed: false, remaining: 0, retryAfterMs: 1000, resetAfterMs: 1000 })
  limits.add('a', -1)
  assert.equal(limits.hit('a').allowed, true)
  clock.advance(500)
  limits.add('a', 1)
  assert.equal(limits.peek('a').retryAfterMs, 500)
  limits.reset('a')
  assert.equal(limits.peek('a').remaining, 2)
  assert.equal(limits.size, 0)
})

test('peek does not count a hit', () => {
  const { limits } = window({ limit: 1 })
  for (let i = 0; i < 5; i++) {
    assert.deepEqual(limits.peek('a'), { allowed: true, remaining: 1, retryAfterMs: 0, resetAfterMs: 0 })
  }
  limits.hit('a')
  assert.deepEqual(limits.peek('a'), { allowed: false, remaining: 0, retryAfterMs: 1000, resetAfterMs: 1000 })
})

test('undo removes the newest hit', () => {
  const { limits } = window({ limit: 1 })
  limits.hit('a')
  limits.undo('a')
  limits.undo('a')
  limits.undo('unknown')
  assert.equal(limits.size, 0)
  assert.equal(limits.hit('a').allowed, true)
  assert.equal(limits.hit('a').allowed, false)
})

test('above maxKeys, the key with the oldest last hit is removed', () => {
  const { clock, limits } = window({ limit: 1, maxKeys: 2 })
  for (const key of ['a', 'b', 'c']) {
    limits.hit(key)
    clock.advance(1)
  }
  assert.equal(limits.size, 2)
  assert.equal(limits.peek('a').allowed, true)
  assert.equal(limits.peek('b').allowed, false)
  assert.equal(limits.peek('c').allowed, false)
})

test('a new hit of a key updates its position in the order of removal', () => {
  const { clock, limits } = window({ maxKeys: 2 })
  for (const key of ['a', 'b', 'a', 'c']) {
    limits.hit(key)
    clock.advance(1)
  }
  assert.deepEqual(
    ['a', 'b', 'c'].map(key => limits.peek(key).remaining),
    [1, 3, 2],
  )
})

test('expired keys are removed from memory', () => {
  const { clock, limits } = window()
  for (let i = 0; i < 50; i++) limits.hit(`key ${i}`)
  assert.equal(limits.size, 50)
  clock.advance(1000)
  limits.hit('another')
  assert.equal(limits.size, 1)
})

test('a clock that steps back neither frees the window nor extends it', () => {
  let time = 1_000_000
  const limits = createSlidingWindow({ clock: () => time, limit: 1, windowMs: 1000, maxKeys: 10 })
  limits.hit('a')
  time -= 500_000
  assert.equal(limits.hit('a').allowed, false)
  time += 999
  assert.equal(limits.hit('a').allowed, false)
  time += 1
  assert.equal(limits.hit('a').allowed, true)
})

test('options below 1 are rejected', () => {
  for (const changes of [{ limit: 0 }, { windowMs: 0 }, { maxKeys: 0 }, { limit: Number.NaN }]) {
    assert.throws(() => window(changes), RangeError)
  }
})

test('every period of the window has at most `limit` allowed hits, and no other hit is rejected', () => {
  const pauses = fc.array(fc.integer({ min: 0, max: 700 }), { maxLength: 60 })
  fc.assert(
    fc.property(pauses, fc.integer({ min: 1, max: 6 }), (steps, limit) => {
      const { clock, limits } = window({ limit })
      const start = clock.now()
      const tries: { at: number; allowed: boolean }[] = []
      for (const step of steps) {
        clock.advance(step)
        const at = clock.now() - start
        const counted = tries.filter(each => each.allowed && at - each.at < 1000)
        const looked = limits.peek('a')
        const { allowed, retryAfterMs } = limits.hit('a')
        assert.equal(allowed, counted.length < limit)
        assert.equal(looked.allowed, allowed)
        assert.equal(retryAfterMs > 0, !limits.peek('a').allowed)
        tries.push({ at, allowed })
      }
      const passed = tries.filter(each => each.allowed)
      for (const first of passed) {
        const span = passed.filter(each => each.at >= first.at && each.at < first.at + 1000)
        assert.ok(span.length <= limit)
      }
    }),
  )
})
