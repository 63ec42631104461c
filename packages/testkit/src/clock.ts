import { setTimeout as wait } from 'node:timers/promises'
import { type Clock, systemClock, systemTimers, type Timers } from '../../server/src/kit/clock.ts'

/** A clock that a test controls. `advance` moves the time and runs the timers that are due, in order. */
export interface TestClock {
  now: Clock
  timers: Timers
  advance(ms: number): void
}

export function createTestClock(start = Date.UTC(2026, 0, 15, 12)): TestClock {
  let time = start
  let due: { at: number; f: () => void }[] = []
  return {
    now: () => time,
    timers: {
      after(ms, f) {
        const entry = { at: time + ms, f }
        due.push(entry)
        return {
          cancel() {
            due = due.filter(other => other !== entry)
          },
        }
      },
    },
    advance(ms) {
      const end = time + ms
      for (;;) {
        const next = due.filter(entry => entry.at <= end).sort((a, b) => a.at - b.at)[0]
        if (!next) break
        due = due.filter(other => other !== next)
        time = Math.max(time, next.at)
        next.f()
      }
      time = end
    },
  }
}

/** Advances the clock in steps until the promise settles, for work that sets one timer after another. */
export async function advanceUntilSettled<T>(
  { advance }: Pick<TestClock, 'advance'>,
  promise: Promise<T>,
  stepMs: number,
): Promise<T> {
  let isSettled = false
  const settled = promise.finally(() => {
    isSettled = true
  })
  settled.catch(() => undefined)
  while (!isSettled) {
    advance(stepMs)
    // The work also waits for the network.
    await wait(1)
  }
  return settled
}

/** The system clock with real timers. Timers of a minute or more never run, which disables periodic work. */
export function createRealClock(): TestClock {
  return {
    now: systemClock,
    timers: {
      after: (ms, f) => (ms < 60_000 ? systemTimers.after(ms, f) : { cancel: () => undefined }),
    },
    advance() {
      throw new Error('The system clock cannot be advanced.')
    },
  }
}
