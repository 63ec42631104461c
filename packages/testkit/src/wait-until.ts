import assert from 'node:assert/strict'

const timeoutMs = 10_000

/** Waits for background tasks. Rejects if the condition is still false after 10 seconds. */
export async function waitUntil(condition: () => boolean | Promise<boolean>): Promise<void> {
  const end = performance.now() + timeoutMs
  while (!(await condition())) {
    assert.ok(performance.now() < end, 'The condition is still false after 10 seconds.')
    await new Promise(resolve => setImmediate(resolve))
  }
}
