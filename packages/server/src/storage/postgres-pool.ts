import { StorageUnavailable } from './database.ts'
import type { Client } from './postgres-client.ts'

interface Waiter {
  resolve: (client: Client) => void
  reject: (error: Error) => void
  timer: NodeJS.Timeout
}

/** Connections, each in one hand at a time; made when needed, `max` at most, first come first served. */
export class Pool {
  readonly #make: () => Client
  readonly #max: number
  readonly #patienceMs: number
  readonly #idle: Client[] = []
  readonly #waiting: Waiter[] = []
  #size = 0
  #onQuiet: (() => void) | undefined
  #isClosed = false

  constructor(options: { make: () => Client; max: number; patienceMs: number }) {
    this.#make = options.make
    this.#max = options.max
    this.#patienceMs = options.patienceMs
  }

  async use<T>(f: (client: Client) => Promise<T>): Promise<T> {
    const client = await this.#take()
    try {
      return await f(client)
    } finally {
      this.#give(client)
    }
  }

  /** Takes nothing new, waits for what is under way or waiting, closes the connections. */
  async close(): Promise<void> {
    this.#isClosed = true
    if (this.#size > this.#idle.length) await new Promise<void>(resolve => (this.#onQuiet = resolve))
    await Promise.all(this.#idle.splice(0).map(client => client.close()))
  }

  async #take(): Promise<Client> {
    if (this.#isClosed) throw new StorageUnavailable(new Error('the database is closed'))
    const idle = this.#idle.pop()
    if (idle !== undefined) return idle
    if (this.#size < this.#max) return this.#add()
    return new Promise<Client>((resolve, reject) => {
      const timer = setTimeout(() => {
        this.#waiting.splice(this.#waiting.indexOf(waiter), 1)
        reject(new StorageUnavailable(new Error(`all ${this.#max} connections are in use`)))
      }, this.#patienceMs)
      const waiter = { resolve, reject, timer }
      this.#waiting.push(waiter)
    })
  }

  #add(): Client {
    const client = this.#make()
    this.#size++
    client.onLost(() => this.#forgetIdle(client))
    return client
  }

  #give(client: Client): void {
    if (client.isLost) this.#size--
    const waiter = this.#waiting.shift()
    if (waiter !== undefined) {
      clearTimeout(waiter.timer)
      waiter.resolve(client.isLost ? this.#add() : client)
      return
    }
    if (!client.isLost) this.#idle.push(client)
    if (this.#size === this.#idle.length) this.#onQuiet?.()
  }

  #forgetIdle(client: Client): void {
    const index = this.#idle.indexOf(client)
    if (index < 0) return
    this.#idle.splice(index, 1)
    this.#size--
  }
}
