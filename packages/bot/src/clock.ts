/** Milliseconds since the Unix epoch. */
export type Clock = () => number

/** Timers are passed in together with the clock, so that a test can advance both. */
export interface Timers {
  /**
   * Runs `work` once after `ms` milliseconds. Returns a function that cancels the timer. A background timer does not
   * prevent the process from exiting.
   */
  after(ms: number, work: () => void, kind?: 'background'): () => void
}

export const systemClock: Clock = () => Date.now()

export const systemTimers: Timers = {
  after(ms, work, kind) {
    const handle = setTimeout(work, ms)
    if (kind === 'background') unref(handle)
    return () => clearTimeout(handle)
  },
}

/**
 * In Node.js, Bun and Deno timers are objects with `unref`. In other runtimes they are numbers, and this does
 * nothing.
 */
function unref(handle: unknown): void {
  if (typeof handle !== 'object' || handle === null || !('unref' in handle)) return
  if (typeof handle.unref === 'function') handle.unref()
}

/** The time for handlers and listeners. In a test, only `advance` of the test bot changes it. */
export interface HandlerClock {
  /** The service's time in milliseconds since the Unix epoch. Deadlines of events are compared with it. */
  now(): number
  /**
   * Resolves after `ms` milliseconds. Rejects with the reason of the signal when it aborts. Does not prevent the
   * process from exiting.
   */
  wait(ms: number, signal?: AbortSignal): Promise<void>
}

export function createHandlerClock({ clock, timers }: { clock: Clock; timers: Timers }): HandlerClock {
  return { now: () => clock(), wait: (ms, signal) => wait(timers, ms, signal, 'background') }
}

/** Resolves after `ms`. Rejects with the reason of the signal when it aborts. */
export function wait(timers: Timers, ms: number, signal?: AbortSignal, kind?: 'background'): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal?.aborted) return reject(signal.reason)
    const cancel = timers.after(
      ms,
      () => {
        signal?.removeEventListener('abort', onAbort)
        resolve()
      },
      kind,
    )
    function onAbort() {
      cancel()
      reject(signal?.reason)
    }
    signal?.addEventListener('abort', onAbort, { once: true })
  })
}
