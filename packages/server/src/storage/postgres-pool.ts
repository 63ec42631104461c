import { StorageUnavailable } from './database.ts'
import type { Client } from './postgres-client.ts'

interface Waiter {
  resolve: (client: Client) => void
  reject: (error: Error) => void
  timer: NodeJS.Timeout
}

interface PoolOptions {
  make: () => Client
  /** Connections at most. */
  max: number
  /** How many may use one connection at a time. */
  depth: number
  patienceMs: number
}

/** Connections, made when needed; who finds all of them full waits, first come first served. */
export class Pool {
  readonly #options: PoolOptions
  /** How many have each in hand. Those that are lost are not here. */
  readonly #hands = new Map<Client, number>()
  readonly #waiting: Waiter[] = []
  #inUse = 0
  #onQuiet: (() => void) | undefined
  #isClosed = false

  constructor(options: PoolOptions) {
    this.#options = options
  }

  /** `f` may give the connection back before it is over, once what it still has to say has been sent. */
  async use<T>(f: (client: Client, giveBack: () => void) => Promise<T>): Promise<T> {
    const client = this.#pick() ?? (await this.#wait())
    let isGiven = false
    const giveBack = (): void => {
      if (isGiven) return
      isGiven = true
      this.#give(client)
    }
    try {
      return await f(client, giveBack)
    } finally {
      giveBack()
    }
  }

  /** True where somebody waits for a connection. */
  get isWaitedFor(): boolean {
    return this.#waiting.length > 0
  }

  /** Takes nothing new, waits for what is under way or waiting, closes the connections. */
  async close(): Promise<void> {
    this.#isClosed = true
    if (this.#inUse > 0) await new Promise<void>(resolve => (this.#onQuiet = resolve))
    await Promise.all([...this.#hands.keys()].map(client => client.close()))
  }

  /** The one that the fewest have in hand, a new one where all have something to do; undefined where there is no room. */
  #pick(): Client | undefined {
    if (this.#isClosed) throw new StorageUnavailable(new Error('the database is closed'))
    let best: Client | undefined
    let least = this.#options.depth
    for (const [client, hands] of this.#hands) {
      if (hands >= least) continue
      best = client
      least = hands
      if (hands === 0) break
    }
    if (least > 0 && this.#hands.size < this.#options.max) best = this.#add()
    if (best !== undefined) this.#takeInHand(best)
    return best
  }

  #wait(): Promise<Client> {
    return new Promise<Client>((resolve, reject) => {
      const timer = setTimeout(() => {
        this.#waiting.splice(this.#waiting.indexOf(waiter), 1)
        reject(new StorageUnavailable(new Error(`all ${this.#options.max} connections are in use`)))
      }, this.#options.patienceMs)
      const waiter = { resolve, reject, timer }
      this.#waiting.push(waiter)
    })
  }

  #add(): Client {
    const client = this.#options.make()
    this.#hands.set(client, 0)
    client.onLost(() => this.#hands.delete(client))
    return client
  }

  #takeInHand(client: Client): void {
    this.#inUse++
    this.#hands.set(client, (this.#hands.get(client) ?? 0) + 1)
  }

  #give(client: Client): void {
    this.#inUse--
    const hands = this.#hands.get(client)
    if (hands !== undefined) this.#hands.set(client, hands - 1)
    const waiter = this.#waiting.shift()
    if (waiter !== undefined) {
      clearTimeout(waiter.timer)
      const next = hands === undefined ? this.#add() : client
      this.#takeInHand(next)
      waiter.resolve(next)
    } else if (this.#inUse === 0) this.#onQuiet?.()
  }
}
