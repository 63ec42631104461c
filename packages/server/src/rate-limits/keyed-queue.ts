import { AppError, type ExceededRate } from '../errors/app-error.ts'
import type { Clock } from '../kit/clock.ts'

interface KeyedQueueOptions {
  /** What the error of a key with too many tasks tells. */
  name: ExceededRate['name']
  limit: number
  limitPerKey: number
  /** However many tasks of a key wait, it counts once: nobody can fill the queue alone. */
  maxWaitingKeys: number
  maxWaitingPerKey: number
}

type Start = () => void

/**
 * Runs at most `limit` tasks at a time, and at most `limitPerKey` of each key. Others wait, and the keys take turns.
 * Throws 503 `unavailable` if tasks of `maxWaitingKeys` other keys wait, and 429 `rate_limited` if `maxWaitingPerKey`
 * of the key do.
 */
export function createKeyedQueue({
  name,
  limit,
  limitPerKey,
  maxWaitingKeys,
  maxWaitingPerKey,
}: KeyedQueueOptions) {
  let running = 0
  const runningPerKey = new Map<string, number>()
  /** By key, in the order of the turns. */
  const waiting = new Map<string, Start[]>()

  function startNext(): void {
    while (running < limit) {
      const next = waiting.entries().find(([key]) => (runningPerKey.get(key) ?? 0) < limitPerKey)
      if (next === undefined) return
      const [key, [start, ...others]] = next
      waiting.delete(key)
      if (others.length > 0) waiting.set(key, others)
      count(key, 1)
      start?.()
    }
  }

  function count(key: string, change: 1 | -1): void {
    running += change
    const ofKey = (runningPerKey.get(key) ?? 0) + change
    if (ofKey === 0) runningPerKey.delete(key)
    else runningPerKey.set(key, ofKey)
  }

  return {
    async run<T>(clock: Clock, key: string, task: () => Promise<T>): Promise<T> {
      const ofKey = waiting.get(key) ?? []
      if (ofKey.length >= maxWaitingPerKey) {
        const rate = { name, count: maxWaitingPerKey, resetAfterMs: 1000, at: clock() }
        throw new AppError('rate_limited', 'Too many of your requests are in progress.', {
          retryAfter: 1,
          rate,
        })
      }
      if (ofKey.length === 0 && waiting.size >= maxWaitingKeys) {
        throw new AppError('unavailable', 'The service is busy. Try again in a moment.', { retryAfter: 1 })
      }
      const { promise, resolve: start } = Promise.withResolvers<void>()
      waiting.set(key, [...ofKey, start])
      startNext()
      await promise
      try {
        return await task()
      } finally {
        count(key, -1)
        startNext()
      }
    },
  }
}
