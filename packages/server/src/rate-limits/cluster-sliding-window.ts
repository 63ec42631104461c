import { BusUnavailable, type KeyValueStore } from '../bus/bus.ts'
import type { Clock } from '../kit/clock.ts'
import type { RateLimitResult } from './sliding-window.ts'

const minKeyPeriodMs = 10_000
const maxAttempts = 50

/**
 * A sliding window that all nodes of the cluster share. The times of the last hits are stored under one key per 10 s
 * or half a window, whichever is longer (`keyPeriodMs`), because `update` keeps the time of expiry of a key. A key changes only by
 * compare-and-set, so concurrent hits on any nodes do not exceed the limit. A hit also reads the previous keys that overlap
 * the window. Hits on both sides of a boundary at the same moment, and clocks that differ between the nodes, can exceed the
 * limit.
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
  const keyPeriodMs = Math.max(minKeyPeriodMs, windowMs / 2)

  /** The current key, and the previous keys with hits in the window, newest first. */
  function keysAt(now: number, key: string): [string, ...string[]] {
    const period = Math.floor(now / keyPeriodMs)
    const first = Math.floor((now - windowMs + 1) / keyPeriodMs)
    const previous = Array.from({ length: period - first }, (_, i) => `${key}.${period - 1 - i}`)
    return [`${key}.${period}`, ...previous]
  }

  async function read(key: string): Promise<{ times: number[]; revision: number | undefined }> {
    const entry = await kv.get(key)
    return { times: entry === undefined ? [] : parseTimes(entry.value), revision: entry?.revision }
  }

  /** Returns undefined if another hit changed the key in the meantime. */
  async function attempt(key: string): Promise<RateLimitResult | undefined> {
    const now = clock()
    const [currentKey, ...previousKeys] = keysAt(now, key)
    const { times, revision } = await read(currentKey)
    const previous = await Promise.all(previousKeys.map(read))
    const inWindow = [...previous.flatMap(entry => entry.times), ...times].filter(
      time => now - time < windowMs,
    )
    if (inWindow.length >= limit) return toResult(inWindow, now, false)
    const value = JSON.stringify([...times.filter(time => now - time < windowMs), now])
    const stored =
      revision === undefined
        ? await kv.create(currentKey, value, keyPeriodMs + windowMs)
        : await kv.update(currentKey, value, revision)
    return stored ? toResult([...inWindow, now], now, true) : undefined
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

  /** Removes the newest hit of one key. Returns undefined if another hit changed the key in the meantime. */
  async function attemptUndo(keys: string[]): Promise<boolean | undefined> {
    for (const key of keys) {
      const { times, revision } = await read(key)
      if (revision === undefined || times.length === 0) continue
      return (await kv.update(key, JSON.stringify(times.slice(0, -1)), revision)) ? true : undefined
    }
    return false
  }

  return {
    /** Removes the newest hit. Does nothing if the cluster is unreachable. */
    async undo(key: string): Promise<void> {
      await ignoreUnavailable(async () => {
        for (let i = 0; i < maxAttempts; i++) {
          if ((await attemptUndo(keysAt(clock(), key))) !== undefined) return
        }
      })
    },
    /** Removes all hits. Does nothing if the cluster is unreachable. */
    async reset(key: string): Promise<void> {
      await ignoreUnavailable(async () => {
        await Promise.all(keysAt(clock(), key).map(each => kv.delete(each)))
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

// Needs no validation: only `attempt` writes these keys.
function parseTimes(text: string): number[] {
  return JSON.parse(text) as number[]
}
