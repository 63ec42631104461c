import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createTestClock } from '@gatehouse/testkit/clock'
import { Timeouts } from './timeouts.ts'

function create(durationMs: number) {
  const clock = createTestClock()
  const expired: string[] = []
  let timerCount = 0
  const timeouts = new Timeouts<string>({
    clock: clock.now,
    timers: {
      after(ms, f) {
        timerCount++
        return clock.timers.after(ms, f)
      },
    },
    durationMs,
    onTimeout: item => expired.push(item),
  })
  return { clock, timeouts, expired, timersSet: () => timerCount }
}

test('items expire in order, each after the duration', () => {
  const { clock, timeouts, expired } = create(100)
  timeouts.set('a')
  clock.advance(40)
  timeouts.set('b')
  clock.advance(59)
  assert.deepEqual(expired, [])
  clock.advance(1)
  assert.deepEqual(expired, ['a'])
  clock.advance(40)
  assert.deepEqual(expired, ['a', 'b'])
})

test('setting an item again restarts its timeout, deleting it cancels it', () => {
  const { clock, timeouts, expired } = create(100)
  timeouts.set('a')
  timeouts.set('b')
  clock.advance(60)
  timeouts.set('a')
  timeouts.delete('b')
  clock.advance(99)
  assert.deepEqual(expired, [])
  clock.advance(1)
  assert.deepEqual(expired, ['a'])
})

test('a thousand items use one timer', () => {
  const { clock, timeouts, expired, timersSet } = create(100)
  for (let n = 0; n < 1000; n++) timeouts.set(String(n))
  assert.equal(timersSet(), 1)
  clock.advance(100)
  assert.equal(expired.length, 1000)
})

test('no item expires after clear', () => {
  const { clock, timeouts, expired } = create(100)
  timeouts.set('a')
  timeouts.clear()
  clock.advance(1000)
  assert.deepEqual(expired, [])
})
