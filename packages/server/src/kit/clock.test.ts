import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createTestClock } from '@gatehouse/testkit/clock'
import { delay, runAt, runEvery, systemClock, systemTimers, type Timers } from './clock.ts'

test('with system timers, `runAt` never runs before the clock shows the time', async () => {
  const system = { clock: systemClock, timers: systemTimers }
  // System timers do not keep the process alive.
  const keepAlive = setInterval(() => undefined, 1000)
  const early: number[] = []
  const fired = Array.from({ length: 2000 }, (_, n) => {
    const time = systemClock() + 20 + (n % 400)
    return new Promise<void>(resolve => {
      runAt(system, time, () => {
        const now = systemClock()
        if (now < time) early.push(time - now)
        resolve()
      })
    })
  })
  await Promise.all(fired)
  clearInterval(keepAlive)
  assert.deepEqual(early, [])
})

test('`runAt` sets another timer if the first one fires early', () => {
  const clock = createTestClock()
  const delays: number[] = []
  const timers: Timers = {
    after(ms, f) {
      delays.push(ms)
      return clock.timers.after(delays.length === 1 ? ms - 1 : ms, f)
    },
  }
  let runs = 0
  runAt({ clock: clock.now, timers }, clock.now() + 3000, () => runs++)
  clock.advance(2999)
  assert.deepEqual([runs, delays], [0, [3000, 1]])
  clock.advance(1)
  assert.equal(runs, 1)
})

test('`runAt` runs immediately for a time in the past, and not after `cancel`', () => {
  const clock = createTestClock()
  let runs = 0
  runAt({ clock: clock.now, timers: clock.timers }, clock.now() - 5, () => runs++)
  clock.advance(0)
  assert.equal(runs, 1)
  const timer = runAt({ clock: clock.now, timers: clock.timers }, clock.now() + 5, () => runs++)
  timer.cancel()
  clock.advance(5)
  assert.equal(runs, 1)
})

test('closing an interval waits for the current run and starts no other', async () => {
  const clock = createTestClock()
  const run = Promise.withResolvers<void>()
  let runs = 0
  const interval = runEvery(clock.timers, 1000, () => {
    runs++
    return run.promise
  })
  clock.advance(1000)
  let closed = false
  const closing = interval.close().then(() => {
    closed = true
  })
  await new Promise(resolve => setImmediate(resolve))
  assert.deepEqual([runs, closed], [1, false])
  run.resolve()
  await closing
  clock.advance(5000)
  assert.equal(runs, 1)
})

test('a delay ends when its time has passed or its signal aborts, and leaves no timer', async () => {
  const clock = createTestClock()
  let running = 0
  const timers: Timers = {
    after(ms, f) {
      running++
      const timer = clock.timers.after(ms, f)
      return {
        cancel() {
          running--
          timer.cancel()
        },
      }
    },
  }
  const abort = new AbortController()
  const delays = [delay(timers, 250, abort.signal), delay(timers, 500, abort.signal)]
  clock.advance(250)
  await delays[0]
  assert.equal(running, 1)
  abort.abort()
  await delays[1]
  await delay(timers, 250, abort.signal)
  assert.equal(running, 0)
})
