import type { Clock, Timer, Timers } from '../kit/clock.ts'

interface Options<T> {
  clock: Clock
  timers: Timers
  /** From `set` on. */
  afterMs: number
  expire: (item: T) => void
}

/** Deadlines of one length for any number of items, with one timer for all: they expire in the order they were set. */
export class Deadlines<T> {
  readonly #options: Options<T>
  readonly #due = new Map<T, number>()
  #timer: Timer | undefined

  constructor(options: Options<T>) {
    this.#options = options
  }

  /** Again for an item that has one: from now on. */
  set(item: T): void {
    this.#due.delete(item)
    this.#due.set(item, this.#options.clock() + this.#options.afterMs)
    this.#timer ??= this.#plan()
  }

  delete(item: T): void {
    this.#due.delete(item)
  }

  clear(): void {
    this.#due.clear()
    this.#timer?.cancel()
    this.#timer = undefined
  }

  #plan(): Timer | undefined {
    const { clock, timers } = this.#options
    for (const at of this.#due.values()) return timers.after(Math.max(0, at - clock()), () => this.#turn())
    return undefined
  }

  #turn(): void {
    this.#timer = undefined
    const now = this.#options.clock()
    for (const [item, at] of this.#due) {
      if (at > now) break
      this.#due.delete(item)
      this.#options.expire(item)
    }
    // What has expired may have set others.
    this.#timer ??= this.#plan()
  }
}
