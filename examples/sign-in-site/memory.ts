/** A map whose entries expire. It removes the oldest entry when it is full. A real site uses a database. */
export interface Memory<Value> {
  get(key: string | undefined): Value | undefined
  /** Returns and removes the value, for values that may be used only once. */
  take(key: string | undefined): Value | undefined
  put(key: string, value: Value): void
}

export function createMemory<Value>(lifeMs: number, clock: () => number, most = 10_000): Memory<Value> {
  const entries = new Map<string, { value: Value; until: number }>()

  function get(key: string | undefined): Value | undefined {
    const entry = key === undefined ? undefined : entries.get(key)
    return entry && entry.until > clock() ? entry.value : undefined
  }

  return {
    get,
    take(key) {
      const value = get(key)
      if (key !== undefined) entries.delete(key)
      return value
    },
    put(key, value) {
      const [oldest] = entries.keys()
      if (entries.size >= most && oldest !== undefined) entries.delete(oldest)
      entries.set(key, { value, until: clock() + lifeMs })
    },
  }
}
