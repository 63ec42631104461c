import { type Clock, runAt, type Timer, type Timers } from '../../kit/clock.ts'

interface Options<T> {
  clock: Clock
  timers: Timers
  /** The item is already removed, and may be set again. */
  onExpire: (item: T) => void
}

/** Items that each have their own time of expiry, with one timer. Each expiry reads all items, so it must be rare. */
export class Expirations<T> {
  readonly #options: Options<T>
  readonly #times = new Map<T, number>()
  #timer: { time: number; timer: Timer } | undefined

  constructor(options: Options<T>) {
    this.#options = options
  }

  /** `time` in milliseconds. */
  set(item: T, time: number): void {
    this.#times.set(item, time)
    this.#schedule(time)
  }

  delete(item: T): void {
    this.#times.delete(item)
  }

  clear(): void {
    this.#times.clear()
    this.#timer?.timer.cancel()
    this.#timer = undefined
  }

  /** Replaces a later timer. */
  #schedule(time: number): void {
    if (this.#timer !== undefined && this.#timer.time <= time) return
    this.#timer?.timer.cancel()
    this.#timer = { time, timer: runAt(this.#options, time, () => this.#onTimer()) }
  }

  #onTimer(): void {
    this.#timer = undefined
    const now = this.#options.clock()
    const expired: T[] = []
    let next = Number.POSITIVE_INFINITY
    for (const [item, time] of this.#times) {
      if (time <= now) expired.push(item)
      else next = Math.min(next, time)
    }
    for (const item of expired) this.#times.delete(item)
    if (next < Number.POSITIVE_INFINITY) this.#schedule(next)
    for (const item of expired) this.#options.onExpire(item)
  }
}
