import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createTestClock } from '@gatehouse/testkit/clock'
import { Expirations } from './expirations.ts'

const day = 24 * 60 * 60 * 1000

function create() {
  const clock = createTestClock()
  const expired: string[] = []
  const delays: number[] = []
  const timers = {
    after(ms: number, f: () => void) {
      delays.push(ms)
      return clock.timers.after(ms, f)
    },
  }
  const expirations = new Expirations<string>({
    clock: clock.now,
    timers,
    onExpire: item => expired.push(item),
  })
  return { clock, expired, delays, expirations, start: clock.now() }
}

test('each item expires at its own time, in any order of setting', () => {
  const { clock, expired, expirations, start } = create()
  expirations.set('b', start + 200)
  expirations.set('a', start + 100)
  expirations.set('c', start + 300)
  clock.advance(99)
  assert.deepEqual(expired, [])
  clock.advance(1)
  assert.deepEqual(expired, ['a'])
  clock.advance(200)
  assert.deepEqual(expired, ['a', 'b', 'c'])
})

test('setting an item again replaces its time, deleting it cancels it', () => {
  const { clock, expired, expirations, start } = create()
  expirations.set('a', start + 100)
  expirations.set('b', start + 100)
  expirations.set('a', start + 200)
  expirations.delete('b')
  clock.advance(199)
  assert.deepEqual(expired, [])
  clock.advance(1)
  assert.deepEqual(expired, ['a'])
})

test('a time beyond the longest timer delay uses several timers', () => {
  const { clock, expired, delays, expirations, start } = create()
  expirations.set('a', start + 30 * day)
  clock.advance(30 * day - 1)
  assert.deepEqual(expired, [])
  clock.advance(1)
  assert.deepEqual(expired, ['a'])
  assert.ok(Math.max(...delays) < 2 ** 31)
})

test('a thousand items use one timer, and no item expires after clear', () => {
  const { clock, expired, delays, expirations, start } = create()
  for (let n = 0; n < 1000; n++) expirations.set(String(n), start + 100 + n)
  assert.equal(delays.length, 1)
  expirations.clear()
  clock.advance(day)
  assert.deepEqual(expired, [])
})
