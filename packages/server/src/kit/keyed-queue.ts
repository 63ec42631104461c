import { AppError } from './app-error.ts'

/**
 * Runs at most `limit` tasks at a time, and at most one of each key. Others wait in order; `unavailable` if `maxWaiting` tasks
 * wait already.
 */
export function createKeyedQueue({ limit, maxWaiting }: { limit: number; maxWaiting: number }) {
  const running = new Set<string>()
  const waiting: { key: string; start: () => void }[] = []

  function startNext(): void {
    while (running.size < limit) {
      const index = waiting.findIndex(({ key }) => !running.has(key))
      const [next] = index < 0 ? [] : waiting.splice(index, 1)
      if (next === undefined) return
      running.add(next.key)
      next.start()
    }
  }

  return {
    async run<T>(key: string, task: () => Promise<T>): Promise<T> {
      if (waiting.length >= maxWaiting) {
        throw new AppError('unavailable', 'The service is busy. Try again in a moment.', { retryAfter: 1 })
      }
      const { promise, resolve: start } = Promise.withResolvers<void>()
      waiting.push({ key, start })
      startNext()
      await promise
      try {
        return await task()
      } finally {
        running.delete(key)
        startNext()
      }
    },
  }
}
