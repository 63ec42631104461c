/** Milliseconds since the Unix epoch. Passed in wherever a rule needs the time (D7). */
export type Clock = () => number

/** What happens later. Passed in beside the clock, so that a test moves both together. */
export interface Timers {
  /** Runs `f` once after `ms` milliseconds, unless cancelled. Does not keep the process alive. */
  after(ms: number, f: () => void): Timer
}

export interface Timer {
  cancel(): void
}

export const systemClock: Clock = () => Date.now()

export const systemTimers: Timers = {
  after(ms, f) {
    const handle = setTimeout(f, ms)
    handle.unref()
    return { cancel: () => clearTimeout(handle) }
  },
}

/** Runs `f` every `ms` milliseconds until cancelled; the next turn is set only when the last has settled. */
export function every(timers: Timers, ms: number, f: () => Promise<void>): Timer {
  let cancelled = false
  let timer = timers.after(ms, turn)
  function turn() {
    void f().finally(() => {
      if (!cancelled) timer = timers.after(ms, turn)
    })
  }
  return {
    cancel() {
      cancelled = true
      timer.cancel()
    },
  }
}
