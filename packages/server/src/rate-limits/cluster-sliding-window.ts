import { BusUnavailable, type KeyValueStore, MAX_TTL_MS } from '../bus/bus.ts'
import type { Clock } from '../kit/clock.ts'
import type { RateLimitResult } from './sliding-window.ts'

const maxAttempts = 50

/**
 * A sliding window that all nodes of the cluster share: the times of the last hits. They change only by
 * compare-and-set, so concurrent hits on any nodes do not exceed the limit. If the clocks of the nodes differ, more
 * hits are allowed.
 */
export function createClusterSlidingWindow({
  clock,
  kv,
  limit,
  windowMs,
}: {
  clock: Clock
  kv: KeyValueStore
  limit: number
  windowMs: number
}) {
  async function read(key: string, now: number): Promise<{ times: number[]; revision: number | undefined }> {
    const entry = await kv.get(key)
    const times = entry === undefined ? [] : parseTimes(entry.value)
    // Ignores times a window or more in the future: the clock was set back after them.
    return { times: times.filter(time => Math.abs(now - time) < windowMs), revision: entry?.revision }
  }

  /** Returns false if another hit changed the times in the meantime. */
  function write(key: string, times: readonly number[], revision: number | undefined): Promise<boolean> {
    const value = JSON.stringify(times)
    // Longer than the window, because it takes more requests to replace a value that has expired.
    return revision === undefined
      ? kv.create(key, value, MAX_TTL_MS)
      : kv.update(key, value, revision, MAX_TTL_MS)
  }

  /** Returns undefined if another hit changed the times in the meantime. */
  async function attempt(key: string): Promise<RateLimitResult | undefined> {
    const now = clock()
    const { times, revision } = await read(key, now)
    if (times.length >= limit) return toResult(times, now, false)
    const hits = [...times, now]
    return (await write(key, hits, revision)) ? toResult(hits, now, true) : undefined
  }

  function toResult(times: readonly number[], now: number, allowed: boolean): RateLimitResult {
    const oldest = Math.min(...times)
    return {
      allowed,
      remaining: Math.max(0, limit - times.length),
      retryAfterMs: times.length < limit ? 0 : Math.max(1, oldest + windowMs - now),
      resetAfterMs: Math.max(0, Math.max(...times) + windowMs - now),
    }
  }

  /** Removes the newest hit. Returns false if another hit changed the times in the meantime. */
  async function attemptUndo(key: string): Promise<boolean> {
    const { times, revision } = await read(key, clock())
    return times.length === 0 || write(key, times.slice(0, -1), revision)
  }

  return {
    /** Removes the newest hit. Does nothing if the cluster is unreachable. */
    async undo(key: string): Promise<void> {
      await ignoreUnavailable(async () => {
        for (let i = 0; i < maxAttempts; i++) {
          if (await attemptUndo(key)) return
        }
      })
    },
    /** Removes all hits. Does nothing if the cluster is unreachable. */
    async reset(key: string): Promise<void> {
      await ignoreUnavailable(async () => {
        await kv.delete(key)
      })
    },
    /** Returns undefined if the cluster is unreachable. The caller then uses the window of its own node. */
    async hit(key: string): Promise<RateLimitResult | undefined> {
      try {
        for (let i = 0; i < maxAttempts; i++) {
          const result = await attempt(key)
          if (result !== undefined) return result
        }
        // Each failed attempt means that another hit was counted: more concurrent hits than the limit.
        return { allowed: false, remaining: 0, retryAfterMs: windowMs, resetAfterMs: windowMs }
      } catch (error) {
        if (error instanceof BusUnavailable) return undefined
        throw error
      }
    },
  }
}

async function ignoreUnavailable(work: () => Promise<void>): Promise<void> {
  await work().catch(error => {
    if (!(error instanceof BusUnavailable)) throw error
  })
}

// Needs no validation: only `write` writes these keys.
function parseTimes(text: string): number[] {
  return JSON.parse(text) as number[]
}
