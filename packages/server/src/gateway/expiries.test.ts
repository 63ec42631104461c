import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createTestClock } from '../kit/testing.ts'
import { Expiries } from './expiries.ts'

const day = 24 * 60 * 60 * 1000

function create() {
  const clock = createTestClock()
  const over: string[] = []
  const waits: number[] = []
  const timers = {
    after(ms: number, f: () => void) {
      waits.push(ms)
      return clock.timers.after(ms, f)
    },
  }
  const expiries = new Expiries<string>({ clock: clock.now, timers, due: item => over.push(item) })
  return { clock, over, waits, expiries, from: clock.now() }
}

test('each item is due at its own time, in whatever order they were set', () => {
  const { clock, over, expiries, from } = create()
  expiries.set('b', from + 200)
  expiries.set('a', from + 100)
  expiries.set('c', from + 300)
  clock.advance(99)
  assert.deepEqual(over, [])
  clock.advance(1)
  assert.deepEqual(over, ['a'])
  clock.advance(200)
  assert.deepEqual(over, ['a', 'b', 'c'])
})

test('what is set again is due later, what is deleted never', () => {
  const { clock, over, expiries, from } = create()
  expiries.set('a', from + 100)
  expiries.set('b', from + 100)
  expiries.set('a', from + 200)
  expiries.delete('b')
  clock.advance(199)
  assert.deepEqual(over, [])
  clock.advance(1)
  assert.deepEqual(over, ['a'])
})

test('a time that no timer of the runtime holds is waited for in parts', () => {
  const { clock, over, waits, expiries, from } = create()
  expiries.set('a', from + 30 * day)
  clock.advance(30 * day - 1)
  assert.deepEqual(over, [])
  clock.advance(1)
  assert.deepEqual(over, ['a'])
  assert.ok(Math.max(...waits) < 2 ** 31)
})

test('a thousand items set one timer, and none is left after clear', () => {
  const { clock, over, waits, expiries, from } = create()
  for (let n = 0; n < 1000; n++) expiries.set(String(n), from + 100 + n)
  assert.equal(waits.length, 1)
  expiries.clear()
  clock.advance(day)
  assert.deepEqual(over, [])
})
