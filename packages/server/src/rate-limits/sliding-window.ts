import { type Clock, createMonotonicClock } from '../kit/clock.ts'

export interface SlidingWindowOptions {
  clock: Clock
  /** The most allowed hits of one key in any period of `windowMs`. */
  limit: number
  windowMs: number
  /** Above it, the key with the oldest last hit is removed. Default 100,000. */
  maxKeys?: number
}

export interface RateLimitResult {
  allowed: boolean
  /** Hits that are still allowed after this one. */
  remaining: number
  /** Time until a hit is allowed again, for `Retry-After`. 0 if one is allowed now. */
  retryAfterMs: number
  /** Time until the full limit is available again, for `X-RateLimit-Reset-After`. */
  resetAfterMs: number
}

/**
 * A sliding window log: at most `limit` allowed hits in any half-open period of `windowMs`. Stores the times of at most
 * `limit` hits per key. If the clock steps back, stored hits continue to age from the new time.
 */
export function createSlidingWindow(options: SlidingWindowOptions) {
  const { limit, windowMs, maxKeys = 100_000 } = options
  for (const value of [limit, windowMs, maxKeys]) {
    if (!(value >= 1)) throw new RangeError('"limit", "windowMs" and "maxKeys" must be at least 1.')
  }
  // In the order of the newest hit, so that expired keys are first.
  const hits = new Map<string, number[]>()
  const now = createMonotonicClock(options.clock)

  function currentHits(key: string, at: number): number[] {
    const times = hits.get(key) ?? []
    const first = times.findIndex(time => at - time < windowMs)
    if (first !== 0) times.splice(0, first < 0 ? times.length : first)
    return times
  }

  function removeExpired(at: number): void {
    for (const [key, times] of hits) {
      const newest = times.at(-1)
      const full = hits.size > maxKeys
      if (!full && newest !== undefined && at - newest < windowMs) return
      hits.delete(key)
    }
  }

  function toResult(times: number[], at: number, allowed: boolean): RateLimitResult {
    const [oldest = at] = times
    const newest = times.at(-1)
    const remaining = Math.max(0, limit - times.length)
    return {
      allowed,
      remaining,
      retryAfterMs: remaining > 0 ? 0 : oldest + windowMs - at,
      resetAfterMs: newest === undefined ? 0 : newest + windowMs - at,
    }
  }

  return {
    hit(key: string): RateLimitResult {
      const at = now()
      const times = currentHits(key, at)
      const allowed = times.length < limit
      if (allowed) {
        times.push(at)
        hits.delete(key)
        hits.set(key, times)
      }
      removeExpired(at)
      return toResult(times, at, allowed)
    },
    /** The result of `hit` without counting one. */
    peek(key: string): RateLimitResult {
      const at = now()
      const times = currentHits(key, at)
      return toResult(times, at, times.length < limit)
    },
    /**
     * Removes the newest hit. A caller that counts only failures calls `hit` before the attempt and `undo` after a
     * success, or when another limit rejects the same hit. So concurrent attempts cannot exceed the limit.
     */
    undo(key: string): void {
      const times = hits.get(key)
      times?.pop()
      if (times?.length === 0) hits.delete(key)
    },
    /** Counts hits that another node allowed, also above the limit. A negative number removes the newest hits. */
    add(key: string, count: number): void {
      const at = now()
      const times = currentHits(key, at)
      if (count < 0) times.splice(count)
      else times.push(...Array<number>(Math.min(count, limit)).fill(at))
      hits.delete(key)
      if (times.length > 0) hits.set(key, times.slice(-limit))
      removeExpired(at)
    },
    reset(key: string): void {
      hits.delete(key)
    },
    get size() {
      return hits.size
    },
  }
}
