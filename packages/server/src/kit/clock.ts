/** Milliseconds since the Unix epoch. Passed as an argument, so that tests can control the time (community/time). */
export type Clock = () => number

/** Passed as an argument together with the clock, so that a test advances both. */
export interface Timers {
  /**
   * Runs `f` once after `ms` milliseconds, unless cancelled. Does not keep the process alive. Node.js may fire a timer
   * up to 1 ms before the clock shows the time. Use `runAt` if `f` compares a time with the clock.
   */
  after(ms: number, f: () => void): Timer
}

export interface Timer {
  cancel(): void
}

export const systemClock: Clock = () => Date.now()

/** Stops while the given clock steps back, and advances with it again after that. */
export function createMonotonicClock(clock: Clock): Clock {
  let last = Number.NEGATIVE_INFINITY
  let offset = 0
  return () => {
    const read = clock()
    if (read < last) offset += last - read
    last = read
    return read + offset
  }
}

export const systemTimers: Timers = {
  after(ms, f) {
    const handle = setTimeout(f, ms)
    handle.unref()
    return { cancel: () => clearTimeout(handle) }
  },
}

/** Resolves after `ms` milliseconds, or when `signal` aborts. */
export async function delay(timers: Timers, ms: number, signal?: AbortSignal): Promise<void> {
  const { promise: passed, resolve } = Promise.withResolvers<void>()
  const timer = timers.after(ms, resolve)
  await (signal ? Promise.race([passed, aborted(signal)]) : passed)
  timer.cancel()
}

export function aborted(signal: AbortSignal): Promise<void> {
  return new Promise(resolve => {
    if (signal.aborted) resolve()
    else signal.addEventListener('abort', () => resolve(), { once: true })
  })
}

/** Node.js fires a timer with a delay of more than 2³¹ - 1 ms immediately, so longer delays use several timers. */
const maxDelayMs = 24 * 60 * 60 * 1000

/** Runs `f` once, unless cancelled, when the clock shows `time` or later, never before. */
export function runAt(
  { clock, timers }: { clock: Clock; timers: Timers },
  time: number,
  f: () => void,
): Timer {
  let timer = set()
  function set(): Timer {
    return timers.after(Math.min(maxDelayMs, Math.max(0, time - clock())), fire)
  }
  function fire(): void {
    if (clock() >= time) f()
    else timer = set()
  }
  return { cancel: () => timer.cancel() }
}

export interface Interval {
  /** Stops the interval. Resolves when the current run of `f` has finished. */
  close(): Promise<void>
}

/** Runs `f` repeatedly until closed, `ms` milliseconds after the previous run has finished. */
export function runEvery(timers: Timers, ms: number, f: () => Promise<void>): Interval {
  let closed = false
  let timer = timers.after(ms, run)
  let running: Promise<void> | undefined
  function run() {
    running = f().finally(() => {
      running = undefined
      if (!closed) timer = timers.after(ms, run)
    })
  }
  return {
    async close() {
      closed = true
      timer.cancel()
      await running
    },
  }
}

/** Registers a function that runs at shutdown, before the database closes. The last one registered runs first. */
export type OnClose = (close: () => unknown) => void
