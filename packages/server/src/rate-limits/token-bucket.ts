import type { Rate } from '@gatehouse/protocol/limits'
import { type Clock, createMonotonicClock } from '../kit/clock.ts'
import type { RateLimitResult } from './sliding-window.ts'

const maxOwedMs = 60_000

/**
 * A token bucket per key: it refills with the rate and contains at most twice its count, for bursts. Uses the generic
 * cell rate algorithm (ITU-T I.371), which stores one number per key: the time when the bucket is full again. If the
 * clock steps back, buckets continue to refill from the new time.
 */
export function createTokenBucket({
  clock: wallClock,
  rate: { count, seconds },
  maxKeys = 100_000,
}: {
  clock: Clock
  rate: Rate
  maxKeys?: number
}) {
  const clock = createMonotonicClock(wallClock)
  const burst = 2 * count
  const msPerToken = (seconds * 1000) / count
  // In the order of the last hit.
  const fullAt = new Map<string, number>()

  function set(key: string, time: number): void {
    fullAt.delete(key)
    fullAt.set(key, time)
    for (const [oldest, full] of fullAt) {
      if (fullAt.size <= maxKeys && full > clock()) return
      fullAt.delete(oldest)
    }
  }

  /** Tokens that are in the bucket. */
  function tokensAt(now: number, full: number): number {
    return burst - (full - now) / msPerToken
  }

  function fullTime(key: string, now: number): number {
    return Math.max(now, fullAt.get(key) ?? now)
  }

  function toResult(allowed: boolean, now: number, full: number): RateLimitResult {
    const tokens = tokensAt(now, full)
    return {
      allowed,
      remaining: Math.max(0, Math.floor(tokens)),
      retryAfterMs: allowed ? 0 : Math.ceil((1 - tokens) * msPerToken),
      resetAfterMs: Math.ceil(full - now),
    }
  }

  return {
    hit(key: string): RateLimitResult {
      const now = clock()
      const before = fullTime(key, now)
      const allowed = tokensAt(now, before) >= 1
      const full = allowed ? before + msPerToken : before
      if (allowed) set(key, full)
      return toResult(allowed, now, full)
    },
    /** Takes nothing. Not allowed if the bucket owes tokens. */
    peek(key: string): RateLimitResult {
      const now = clock()
      const full = fullTime(key, now)
      return toResult(tokensAt(now, full) >= 0, now, full)
    },
    /**
     * Takes tokens that `hit` did not check, or gives them back if `hits` is negative. The bucket owes at most what it
     * refills in a minute.
     */
    add(key: string, hits: number): void {
      const now = clock()
      set(key, Math.min(fullTime(key, now) + hits * msPerToken, now + burst * msPerToken + maxOwedMs))
    },
    get size() {
      return fullAt.size
    },
  }
}
