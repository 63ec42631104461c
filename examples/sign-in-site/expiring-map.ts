/** A map whose entries expire. It removes the oldest entry when it is full. A real site uses a database. */
export interface ExpiringMap<Value> {
  get(key: string | undefined): Value | undefined
  /** Returns and removes the value, for values that may be used only once. */
  take(key: string | undefined): Value | undefined
  set(key: string, value: Value): void
}

export function createExpiringMap<Value>(
  lifetimeMs: number,
  clock: () => number,
  maxEntries = 10_000,
): ExpiringMap<Value> {
  const entries = new Map<string, { value: Value; expiresAt: number }>()

  function get(key: string | undefined): Value | undefined {
    const entry = key === undefined ? undefined : entries.get(key)
    return entry && entry.expiresAt > clock() ? entry.value : undefined
  }

  return {
    get,
    take(key) {
      const value = get(key)
      if (key !== undefined) entries.delete(key)
      return value
    },
    set(key, value) {
      const [oldest] = entries.keys()
      if (entries.size >= maxEntries && oldest !== undefined) entries.delete(oldest)
      entries.set(key, { value, expiresAt: clock() + lifetimeMs })
    },
  }
}
