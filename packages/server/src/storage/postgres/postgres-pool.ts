import { StorageUnavailable } from '../database.ts'
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

/**
 * A connection with fewer users gets the next statement, also if another one is idle: few pipelined statements take one
 * round trip together.
 */
const fewUsers = 8

/**
 * Opens connections on demand, one after another. When all are in use, callers wait in the order of their calls. A
 * caller never waits for a connection that is being opened if another one is free earlier: under load, PostgreSQL needs
 * hundreds of milliseconds to start a process for a connection.
 */
export class PostgresPool {
  readonly #options: PoolOptions
  /** The number of users of each open connection. Lost connections are not in it. */
  readonly #users = new Map<PostgresConnection, number>()
  readonly #waiters: Waiter[] = []
  #inUse = 0
  #opening: PostgresConnection | undefined
  #onIdle: (() => void) | undefined
  #isClosed = false

  constructor(options: PoolOptions) {
    this.#options = options
  }

  async use<T>(f: (connection: PostgresConnection) => Promise<T>): Promise<T> {
    if (this.#isClosed) throw new StorageUnavailable(new Error('the database is closed'))
    const connection = this.#addUser() ?? (await this.#wait())
    try {
      return await f(connection)
    } finally {
      this.#release(connection)
    }
  }

  /** Rejects new callers, waits for current and waiting ones, then closes the connections. */
  async close(): Promise<void> {
    this.#isClosed = true
    if (!this.#isIdle()) await new Promise<void>(resolve => (this.#onIdle = resolve))
    this.#opening?.abort(new Error('the database is closed'))
    await Promise.all([...this.#users.keys()].map(connection => connection.close()))
  }

  /**
   * Adds a user to the first connection with few users, or else the one with the fewest; undefined if all are full. Few
   * statements on one connection take one round trip together. Opens another connection if none has few users.
   */
  #addUser(): PostgresConnection | undefined {
    let best: PostgresConnection | undefined
    let fewest = this.#options.maxUsers
    for (const [connection, users] of this.#users) {
      if (users >= fewest) continue
      best = connection
      fewest = users
      if (users < fewUsers) break
    }
    if (fewest >= Math.min(fewUsers, this.#options.maxUsers)) this.#open()
    if (best === undefined) return undefined
    this.#inUse++
    this.#users.set(best, fewest + 1)
    return best
  }

  #wait(): Promise<PostgresConnection> {
    return new Promise<PostgresConnection>((resolve, reject) => {
      const timer = setTimeout(() => {
        this.#waiters.splice(this.#waiters.indexOf(waiter), 1)
        reject(new StorageUnavailable(new Error(`all ${this.#options.max} connections are in use`)))
        if (this.#isIdle()) this.#onIdle?.()
      }, this.#options.waitTimeoutMs)
      const waiter = { resolve, reject, timer }
      this.#waiters.push(waiter)
    })
  }

  #open(): void {
    if (this.#opening !== undefined || this.#users.size >= this.#options.max) return
    const connection = this.#options.connect()
    this.#opening = connection
    connection.onLost(() => this.#users.delete(connection))
    connection.open().then(
      () => {
        this.#opening = undefined
        this.#users.set(connection, 0)
        this.#serveWaiters()
      },
      error => {
        this.#opening = undefined
        // Other connections, if there are any, serve those that wait.
        if (this.#users.size === 0) this.#rejectWaiters(error)
      },
    )
  }

  #release(connection: PostgresConnection): void {
    this.#inUse--
    const users = this.#users.get(connection)
    if (users !== undefined) this.#users.set(connection, users - 1)
    this.#serveWaiters()
  }

  #serveWaiters(): void {
    while (this.#waiters.length > 0) {
      const connection = this.#addUser()
      if (connection === undefined) return
      const waiter = this.#waiters.shift()
      clearTimeout(waiter?.timer)
      waiter?.resolve(connection)
    }
    if (this.#isIdle()) this.#onIdle?.()
  }

  #rejectWaiters(error: Error): void {
    for (const { reject, timer } of this.#waiters.splice(0)) {
      clearTimeout(timer)
      reject(error)
    }
    if (this.#isIdle()) this.#onIdle?.()
  }

  #isIdle(): boolean {
    return this.#inUse === 0 && this.#waiters.length === 0
  }
}
