import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createTestClock } from '@gatehouse/testkit/clock'
import { createOverdueScheduler } from './overdue.ts'

const nextTick = () => new Promise(resolve => setImmediate(resolve))

test('sweeps at once and every 250 ms until all deadlines have passed, and once more after a failure', async () => {
  const clock = createTestClock()
  const errors: unknown[] = []
  let sweeps = 0
  const overdue = createOverdueScheduler(
    { clock: clock.now, timers: clock.timers, onError: error => errors.push(error) },
    async () => {
      if (sweeps++ === 0) throw new Error('no database')
    },
  )
  overdue.start()
  overdue.start()
  assert.equal(sweeps, 1)
  for (let passed = 0; passed < 60_000; passed += 250) {
    await nextTick()
    clock.advance(250)
  }
  assert.equal(errors.length, 1)
  assert.equal(sweeps, 1 + 5000 / 250)
  await overdue.close()
})

test('does not sweep after it is closed', async () => {
  const clock = createTestClock()
  let sweeps = 0
  const overdue = createOverdueScheduler(
    { clock: clock.now, timers: clock.timers, onError: error => assert.fail(String(error)) },
    async () => {
      sweeps++
    },
  )
  overdue.start()
  await overdue.close()
  clock.advance(1000)
  overdue.start()
  assert.equal(sweeps, 1)
})
