import assert from 'node:assert/strict'
import { setTimeout as wait } from 'node:timers/promises'

/** Longer than any wait on a busy machine. */
const timeoutMs = 60_000

/** Waits for background tasks, other processes and sockets. Rejects if the condition is still false after a minute. */
export async function waitUntil(
  condition: () => boolean | Promise<boolean>,
  message: string | (() => string) = 'The condition is still false after a minute.',
): Promise<void> {
  const end = performance.now() + timeoutMs
  while (!(await condition())) {
    if (performance.now() > end) assert.fail(typeof message === 'string' ? message : message())
    await wait(1)
  }
}

/** Calls `f` until it succeeds and returns its result. After `timeoutMs`, rejects with the error of the last call. */
export async function retry<Result>(timeoutMs: number, f: () => Result | Promise<Result>): Promise<Result> {
  const end = performance.now() + timeoutMs
  for (;;) {
    try {
      return await f()
    } catch (error) {
      if (performance.now() > end) throw error
    }
    await wait(50)
  }
}
