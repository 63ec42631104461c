import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createTestClock } from '../kit/testing.ts'
import { Deadlines } from './deadlines.ts'

function create(afterMs: number) {
  const clock = createTestClock()
  const expired: string[] = []
  let timers = 0
  const deadlines = new Deadlines<string>({
    clock: clock.now,
    timers: {
      after(ms, f) {
        timers++
        return clock.timers.after(ms, f)
      },
    },
    afterMs,
    expire: item => expired.push(item),
  })
  return { clock, deadlines, expired, timersSet: () => timers }
}

test('each item expires when its own time is over, in order', () => {
  const { clock, deadlines, expired } = create(100)
  deadlines.set('a')
  clock.advance(40)
  deadlines.set('b')
  clock.advance(59)
  assert.deepEqual(expired, [])
  clock.advance(1)
  assert.deepEqual(expired, ['a'])
  clock.advance(40)
  assert.deepEqual(expired, ['a', 'b'])
})

test('what is set again expires later, what is deleted never', () => {
  const { clock, deadlines, expired } = create(100)
  deadlines.set('a')
  deadlines.set('b')
  clock.advance(60)
  deadlines.set('a')
  deadlines.delete('b')
  clock.advance(99)
  assert.deepEqual(expired, [])
  clock.advance(1)
  assert.deepEqual(expired, ['a'])
})

test('a thousand items share one timer', () => {
  const { clock, deadlines, expired, timersSet } = create(100)
  for (let n = 0; n < 1000; n++) deadlines.set(String(n))
  assert.equal(timersSet(), 1)
  clock.advance(100)
  assert.equal(expired.length, 1000)
})

test('after clear nothing expires', () => {
  const { clock, deadlines, expired } = create(100)
  deadlines.set('a')
  deadlines.clear()
  clock.advance(1000)
  assert.deepEqual(expired, [])
})
