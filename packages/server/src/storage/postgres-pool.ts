import { StorageUnavailable } from './database.ts'
import type { PostgresConnection } from './postgres-connection.ts'

interface Waiter {
  resolve: (connection: PostgresConnection) => void
  reject: (error: Error) => void
  timer: NodeJS.Timeout
}

interface PoolOptions {
  connect: () => PostgresConnection
  /** The maximum number of connections. */
  max: number
  /** The maximum number of concurrent users of one connection. */
  maxUsers: number
  waitTimeoutMs: number
}

/** So many statements are run one after the other, although another connection is idle. */
const fewUsers = 8

/** Opens connections on demand. When all are in use, callers wait in the order of their calls. */
export class PostgresPool {
  readonly #options: PoolOptions
  /** The number of users of each connection. Lost connections are not in it. */
  readonly #users = new Map<PostgresConnection, number>()
  readonly #waiters: Waiter[] = []
  #inUse = 0
  #onIdle: (() => void) | undefined
  #isClosed = false

  constructor(options: PoolOptions) {
    this.#options = options
  }

  /** `f` may release the connection before it returns, after it has sent its last statement. */
  async use<T>(f: (connection: PostgresConnection, release: () => void) => Promise<T>): Promise<T> {
    const connection = this.#acquire() ?? (await this.#wait())
    let isReleased = false
    const release = (): void => {
      if (isReleased) return
      isReleased = true
      this.#release(connection)
    }
    try {
      return await f(connection, release)
    } finally {
      release()
    }
  }

  get hasWaiters(): boolean {
    return this.#waiters.length > 0
  }

  /** Rejects new callers, waits for current and waiting ones, then closes the connections. */
  async close(): Promise<void> {
    this.#isClosed = true
    if (this.#inUse > 0) await new Promise<void>(resolve => (this.#onIdle = resolve))
    await Promise.all([...this.#users.keys()].map(connection => connection.close()))
  }

  #acquire(): PostgresConnection | undefined {
    if (this.#isClosed) throw new StorageUnavailable(new Error('the database is closed'))
    return this.#findRoom()
  }

  /**
   * Adds a user to the first connection with few users, or else the one with the fewest; undefined if all are full. Few
   * statements on one connection take one round trip together. A new connection is opened if none has few users.
   */
  #findRoom(): PostgresConnection | undefined {
    let best: PostgresConnection | undefined
    let fewest = this.#options.maxUsers
    for (const [connection, users] of this.#users) {
      if (users >= fewest) continue
      best = connection
      fewest = users
      if (users < fewUsers) break
    }
    if (fewest >= Math.min(fewUsers, this.#options.maxUsers) && this.#users.size < this.#options.max)
      best = this.#connect()
    if (best !== undefined) this.#addUser(best)
    return best
  }

  #wait(): Promise<PostgresConnection> {
    return new Promise<PostgresConnection>((resolve, reject) => {
      const timer = setTimeout(() => {
        this.#waiters.splice(this.#waiters.indexOf(waiter), 1)
        reject(new StorageUnavailable(new Error(`all ${this.#options.max} connections are in use`)))
      }, this.#options.waitTimeoutMs)
      const waiter = { resolve, reject, timer }
      this.#waiters.push(waiter)
    })
  }

  #connect(): PostgresConnection {
    const connection = this.#options.connect()
    this.#users.set(connection, 0)
    connection.onLost(() => this.#users.delete(connection))
    return connection
  }

  #addUser(connection: PostgresConnection): void {
    this.#inUse++
    this.#users.set(connection, (this.#users.get(connection) ?? 0) + 1)
  }

  #release(connection: PostgresConnection): void {
    this.#inUse--
    const users = this.#users.get(connection)
    if (users !== undefined) this.#users.set(connection, users - 1)
    // Several, because they may share a connection that replaces a lost one.
    while (this.#waiters.length > 0) {
      const next = this.#findRoom()
      if (next === undefined) return
      const waiter = this.#waiters.shift()
      clearTimeout(waiter?.timer)
      waiter?.resolve(next)
    }
    if (this.#inUse === 0) this.#onIdle?.()
  }
}
