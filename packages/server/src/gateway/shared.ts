interface Entry<T> {
  uses: number
  value: Promise<T>
}

/** What many use at once, by key: opened with the first use, closed with the last. */
export class Shared<Given, T extends { close(): void }> {
  readonly #open: (key: string, given: Given) => Promise<T>
  readonly #entries = new Map<string, Entry<T>>()

  constructor(open: (key: string, given: Given) => Promise<T>) {
    this.#open = open
  }

  /** For who resolves with it, `release` has to follow, once. Rejects as opening does; who comes next tries again. */
  async acquire(key: string, given: Given): Promise<T> {
    const entry = this.#entries.get(key) ?? { uses: 0, value: this.#open(key, given) }
    this.#entries.set(key, entry)
    entry.uses++
    try {
      return await entry.value
    } catch (error) {
      // Nobody holds the failed one: the next to come opens anew.
      if (this.#entries.get(key) === entry) this.#entries.delete(key)
      throw error
    }
  }

  release(key: string): void {
    const entry = this.#entries.get(key)
    if (entry === undefined || --entry.uses > 0) return
    this.#entries.delete(key)
    // It was opened, or nobody could release it.
    void entry.value.then(value => value.close())
  }
}
