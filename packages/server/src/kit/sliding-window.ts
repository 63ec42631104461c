import type { Clock } from './clock.ts'

interface Options {
  clock: Clock
  /** How many hits of one key any span of `windowMs` may hold. */
  limit: number
  windowMs: number
  /** Keys remembered; beyond it the one that was quiet longest is forgotten. */
  maxKeys: number
  /** Refused hits count too: who hammers stays out until it was quiet. Default false. */
  countRefused?: boolean
}

export interface Verdict {
  allowed: boolean
  /** Hits that would be allowed right now, after this one. */
  remaining: number
  /** Until a hit is allowed again; 0 where it is now. For `Retry-After`. */
  retryAfterMs: number
  /** Until the whole limit is free again. For `X-RateLimit-Reset-After`, which clients read that way. */
  resetAfterMs: number
}

export interface SlidingWindow {
  hit(key: string): Verdict
  /** What `hit` would say, without counting (`remaining` as it stands). */
  peek(key: string): Verdict
  /** Takes the newest counted hit back: what counts only failures hits first, so that parallel tries cannot pass. */
  undo(key: string): void
  readonly size: number
}

/**
 * An exact sliding window: never more than `limit` allowed hits in any half-open span of `windowMs`. It keeps the times
 * of at most `limit` hits of a key. The clock may step back: what was counted then ages on from there.
 */
export function createSlidingWindow(options: Options): SlidingWindow {
  const { limit, windowMs, maxKeys, countRefused = false } = options
  for (const value of [limit, windowMs, maxKeys]) {
    if (!(value >= 1)) throw new RangeError('limit, windowMs and maxKeys are at least 1')
  }
  // In the order of their newest hit, so that what has expired stands in front.
  const hits = new Map<string, number[]>()
  const now = steadily(options.clock)

  function live(key: string, at: number): number[] {
    const times = hits.get(key) ?? []
    const first = times.findIndex(time => at - time < windowMs)
    if (first !== 0) times.splice(0, first < 0 ? times.length : first)
    return times
  }

  function sweep(at: number): void {
    for (const [key, times] of hits) {
      const newest = times.at(-1)
      const over = hits.size > maxKeys
      if (!over && newest !== undefined && at - newest < windowMs) return
      hits.delete(key)
    }
  }

  function verdict(times: number[], at: number, allowed: boolean): Verdict {
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
    hit(key) {
      const at = now()
      const times = live(key, at)
      const allowed = times.length < limit
      if (allowed || countRefused) {
        if (!allowed) times.shift()
        times.push(at)
        hits.delete(key)
        hits.set(key, times)
      }
      sweep(at)
      return verdict(times, at, allowed)
    },
    peek(key) {
      const at = now()
      const times = live(key, at)
      return verdict(times, at, times.length < limit)
    },
    undo(key) {
      const times = hits.get(key)
      times?.pop()
      if (times?.length === 0) hits.delete(key)
    },
    get size() {
      return hits.size
    },
  }
}

/** A clock that stands still where the given one steps back, and goes on with it from there. */
function steadily(clock: Clock): Clock {
  let last = Number.NEGATIVE_INFINITY
  let ahead = 0
  return () => {
    const read = clock()
    if (read < last) ahead += last - read
    last = read
    return read + ahead
  }
}
