import type { Clock, Timers } from './clock.ts'

/** A clock that only `advance` changes. */
export interface TestClock {
  now: Clock
  timers: Timers
  /**
   * Advances the time and runs the timers that are due, in order. Waits for pending promises after each
   * timer.
   */
  advance(ms: number): Promise<void>
}

export function createTestClock(start: number = Date.UTC(2026, 0, 15, 12)): TestClock {
  let time = start
  const due = new Set<{ at: number; work: () => void }>()

  function earliest(end: number) {
    let first: { at: number; work: () => void } | undefined
    for (const entry of due) {
      if (entry.at <= end && (!first || entry.at < first.at)) first = entry
    }
    return first
  }

  return {
    now: () => time,
    timers: {
      after(ms, work) {
        const entry = { at: time + ms, work }
        due.add(entry)
        return () => due.delete(entry)
      },
    },
    async advance(ms) {
      const end = time + ms
      await runMicrotasks()
      for (let next = earliest(end); next; next = earliest(end)) {
        due.delete(next)
        time = Math.max(time, next.at)
        next.work()
        await runMicrotasks()
      }
      time = end
    },
  }
}

/** Resolves in a new task of the event loop, after all pending microtasks. */
function runMicrotasks(): Promise<void> {
  return new Promise(resolve => {
    const { port1, port2 } = new MessageChannel()
    port1.onmessage = () => {
      port1.close()
      resolve()
    }
    port2.postMessage(undefined)
  })
}
