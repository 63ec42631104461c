import type { Clock, Timers } from './clock.ts'

/** A clock in the hand of a test: time stands until `advance`, which also runs what falls due, in order. */
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
