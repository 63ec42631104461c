import type { Clock, Timer, Timers } from '../kit/clock.ts'

interface Options<T> {
  clock: Clock
  timers: Timers
  /** The time of the item has come. It is not held any more; it may be set again. */
  due: (item: T) => void
}

/** A runtime's timer holds no more than 2³¹ ms, which is less than the life of a session. */
const longestMs = 24 * 60 * 60 * 1000

/** Items that each have a time of their own, mostly far off, with one timer for all. */
export class Expiries<T> {
  readonly #options: Options<T>
  readonly #times = new Map<T, number>()
  #timer: { at: number; timer: Timer } | undefined

  constructor(options: Options<T>) {
    this.#options = options
  }

  /** `at` in milliseconds. */
  set(item: T, at: number): void {
    this.#times.set(item, at)
    this.#plan(at)
  }

  delete(item: T): void {
    this.#times.delete(item)
  }

  clear(): void {
    this.#times.clear()
    this.#timer?.timer.cancel()
    this.#timer = undefined
  }

  #plan(at: number): void {
    if (this.#timer !== undefined && this.#timer.at <= at) return
    this.#timer?.timer.cancel()
    const { clock, timers } = this.#options
    const ms = Math.min(longestMs, Math.max(0, at - clock()))
    this.#timer = { at, timer: timers.after(ms, () => this.#turn()) }
  }

  #turn(): void {
    this.#timer = undefined
    const now = this.#options.clock()
    const over: T[] = []
    let next = Number.POSITIVE_INFINITY
    for (const [item, at] of this.#times) {
      if (at <= now) over.push(item)
      else next = Math.min(next, at)
    }
    for (const item of over) this.#times.delete(item)
    if (next < Number.POSITIVE_INFINITY) this.#plan(next)
    for (const item of over) this.#options.due(item)
  }
}
