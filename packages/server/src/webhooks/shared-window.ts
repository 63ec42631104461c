import { BusUnavailable, type Transient } from '../bus/bus.ts'
import type { Clock } from '../kit/clock.ts'
import type { Verdict } from '../kit/sliding-window.ts'

interface Options {
  clock: Clock
  transient: Transient
  limit: number
  windowMs: number
}

/** A sliding window that all nodes count in together. */
export interface SharedWindow {
  /** Undefined where the others cannot be reached: each node then counts for itself. */
  hit(key: string): Promise<Verdict | undefined>
}

// A key keeps the time at which it was made: what is hit all the time moves on to the next.
const spanMs = 10_000
const tries = 50

/**
 * The times of the last hits stand under one key, changed only by whoever saw its last revision: of any number of hits
 * at the same moment on any number of nodes, `limit` are allowed.
 */
export function createSharedWindow({ clock, transient, limit, windowMs }: Options): SharedWindow {
  async function read(key: string): Promise<{ times: number[]; revision: number | undefined }> {
    const entry = await transient.get(key)
    return { times: entry === undefined ? [] : parseTimes(entry.value), revision: entry?.revision }
  }

  async function attempt(key: string): Promise<Verdict | undefined> {
    const now = clock()
    const span = Math.floor(now / spanMs)
    const current = `${key}.${span}`
    const { times, revision } = await read(current)
    const early = now - span * spanMs < windowMs ? (await read(`${key}.${span - 1}`)).times : []
    const live = [...early, ...times].filter(time => now - time < windowMs)
    if (live.length >= limit) return verdict(live, now, false)
    const value = JSON.stringify([...times.filter(time => now - time < windowMs), now])
    const counted =
      revision === undefined
        ? await transient.create(current, value, spanMs + windowMs)
        : await transient.update(current, value, revision)
    return counted ? verdict([...live, now], now, true) : undefined
  }

  function verdict(live: readonly number[], now: number, allowed: boolean): Verdict {
    const oldest = Math.min(...live)
    return {
      allowed,
      remaining: Math.max(0, limit - live.length),
      retryAfterMs: live.length < limit ? 0 : Math.max(1, oldest + windowMs - now),
      resetAfterMs: Math.max(0, Math.max(...live) + windowMs - now),
    }
  }

  return {
    async hit(key) {
      try {
        for (let i = 0; i < tries; i++) {
          const found = await attempt(key)
          if (found !== undefined) return found
        }
        // Others were faster each time: more than the limit came at once.
        return { allowed: false, remaining: 0, retryAfterMs: windowMs, resetAfterMs: windowMs }
      } catch (error) {
        if (error instanceof BusUnavailable) return undefined
        throw error
      }
    },
  }
}

// Parse edge: what stands under the key was written above.
function parseTimes(text: string): number[] {
  return JSON.parse(text) as number[]
}
