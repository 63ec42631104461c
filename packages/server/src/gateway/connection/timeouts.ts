import { type Clock, runAt, type Timer, type Timers } from '../../kit/clock.ts'

interface Options<T> {
  clock: Clock
  timers: Timers
  durationMs: number
  onTimeout: (item: T) => void
}

/** Timeouts of the same duration for any number of items, with one timer. They expire in the order of `set`. */
export class Timeouts<T> {
  readonly #options: Options<T>
  readonly #deadlines = new Map<T, number>()
  #timer: Timer | undefined

  constructor(options: Options<T>) {
    this.#options = options
  }

  /** Restarts the timeout of an item that has one. */
  set(item: T): void {
    // Deleted first, so that the item becomes the last one in the order of the map.
    this.#deadlines.delete(item)
    this.#deadlines.set(item, this.#options.clock() + this.#options.durationMs)
    this.#timer ??= this.#schedule()
  }

  delete(item: T): void {
    this.#deadlines.delete(item)
  }

  clear(): void {
    this.#deadlines.clear()
    this.#timer?.cancel()
    this.#timer = undefined
  }

  /** Sets the timer for the first deadline. */
  #schedule(): Timer | undefined {
    for (const deadline of this.#deadlines.values()) {
      return runAt(this.#options, deadline, () => this.#onTimer())
    }
    return undefined
  }

  #onTimer(): void {
    this.#timer = undefined
    const now = this.#options.clock()
    for (const [item, deadline] of this.#deadlines) {
      if (deadline > now) break
      this.#deadlines.delete(item)
      this.#options.onTimeout(item)
    }
    // `onTimeout` may have set other timeouts, and with them the timer.
    this.#timer ??= this.#schedule()
  }
}
