/** Milliseconds since the Unix epoch. */
export type Clock = () => number

/** What happens later. Passed in beside the clock, so that a test moves both together. */
export interface Timers {
  /**
   * Runs `work` once after `ms` milliseconds; what it returns cancels it. A timer in the background does not keep the
   * process alive.
   */
  after(ms: number, work: () => void, kind?: 'background'): () => void
}

export const systemClock: Clock = () => Date.now()

export const systemTimers: Timers = {
  after(ms, work, kind) {
    const handle = setTimeout(work, ms)
    if (kind === 'background') letGo(handle)
    return () => clearTimeout(handle)
  },
}

/** Where the runtime's timers are objects they can be told not to keep the process; where they are numbers, they stay. */
function letGo(handle: unknown): void {
  if (typeof handle !== 'object' || handle === null || !('unref' in handle)) return
  if (typeof handle.unref === 'function') handle.unref()
}

/** Resolves after `ms`; rejects with the signal's reason as soon as it is aborted. */
export function wait(timers: Timers, ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal?.aborted) return reject(signal.reason)
    const cancel = timers.after(ms, () => {
      signal?.removeEventListener('abort', give)
      resolve()
    })
    function give() {
      cancel()
      reject(signal?.reason)
    }
    signal?.addEventListener('abort', give, { once: true })
  })
}
