/**
 * Runs at most `maxRunning` operations of a user at the same time. Further ones wait, and run in the order of their
 * calls.
 */
export function createUserQueue(maxRunning: number) {
  /** Only users with running operations. */
  const users = new Map<string, { running: number; waiting: (() => void)[] }>()

  return {
    /** Runs `operation`, and tells it whether it had to wait. */
    async run<T>(userId: string, operation: (hasWaited: boolean) => Promise<T>): Promise<T> {
      const user = users.get(userId) ?? { running: 0, waiting: [] }
      users.set(userId, user)
      const mustWait = user.running >= maxRunning
      // The operation that ends starts the next one, so `running` does not change.
      if (mustWait) await new Promise<void>(resolve => user.waiting.push(resolve))
      else user.running++
      try {
        return await operation(mustWait)
      } finally {
        const next = user.waiting.shift()
        if (next) next()
        else if (--user.running === 0) users.delete(userId)
      }
    },
    /** The number of users with running operations. */
    get size() {
      return users.size
    },
  }
}
