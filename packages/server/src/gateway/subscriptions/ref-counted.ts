interface Entry<T> {
  uses: number
  value: Promise<T>
}

/** Shared values by key: opened at the first use, closed after the last. */
export class RefCounted<Args extends unknown[], T extends { close(): void }> {
  readonly #open: (key: string, ...args: Args) => Promise<T>
  readonly #entries = new Map<string, Entry<T>>()

  constructor(open: (key: string, ...args: Args) => Promise<T>) {
    this.#open = open
  }

  /**
   * If it resolves, the caller must call `release` once. If opening fails, it rejects and the next call tries again.
   */
  async acquire(key: string, ...args: Args): Promise<T> {
    const entry = this.#entries.get(key) ?? { uses: 0, value: this.#open(key, ...args) }
    this.#entries.set(key, entry)
    entry.uses++
    try {
      return await entry.value
    } catch (error) {
      if (this.#entries.get(key) === entry) this.#entries.delete(key)
      throw error
    }
  }

  /** Undefined if it is not in use. */
  find(key: string): Promise<T> | undefined {
    return this.#entries.get(key)?.value
  }

  release(key: string): void {
    const entry = this.#entries.get(key)
    if (entry === undefined || --entry.uses > 0) return
    this.#entries.delete(key)
    // Cannot reject: callers release only what they acquired.
    void entry.value.then(value => value.close())
  }
}
