import { connect, type Socket } from 'node:net'
import postgres from 'postgres'
import { StorageUnavailable, type Traffic } from '../database.ts'
import type { PostgresAddress } from '../database-url.ts'
import { type Parameter, toCamelCase } from '../sql-template.ts'
import { endsConnection, translate } from './postgres-errors.ts'

export interface ConnectionOptions {
  connectTimeoutMs: number
  /** The server's `statement_timeout`. The connection is closed 2 s later if the server has not responded. */
  statementTimeoutMs: number
  /** Is counted up with each statement. */
  traffic?: Traffic
}

export interface Result {
  rows: Record<string, unknown>[]
  /** The number of changed or returned rows; 0 for other commands. */
  count: number
  /** `COMMIT`, `ROLLBACK`, `SELECT` … */
  command: string
}

const graceMs = 2_000

/**
 * A connection that is never reopened: when it is lost, all pending statements are rejected and none is sent again. The
 * driver's pool cannot be used: it reconnects automatically, so that a statement of a transaction could run outside it,
 * and it writes its ROLLBACK to the closed socket, which ends the process
 * (github.com/porsager/postgres/issues/1208, 1154, 1155).
 *
 * For speed, statements are pipelined: each is sent immediately, and the server runs them in the order of the calls.
 * The processor time of a read with 64 concurrent ones falls from 76-95 to 28-37 µs
 * (docs/decisions/postgres-connections.md).
 */
export class PostgresConnection {
  readonly #sql: postgres.Sql
  readonly #responseTimeoutMs: number
  readonly #connectTimeoutMs: number
  readonly #statementTimeoutMs: number
  readonly #traffic: Traffic | undefined
  readonly #locate: (() => Promise<PostgresAddress>) | undefined
  readonly #pending = new Set<(error: Error) => void>()
  #socket: Socket | undefined
  #lost: Error | undefined
  #isOpen = false
  /** Whether a statement was sent in this turn of the event loop. */
  #hasSent = false
  #isReadOnlyByDefault = false
  #timer: NodeJS.Timeout | undefined
  #onLost: () => void = () => undefined
  #onIdle: () => void = () => undefined

  /** `locate` chooses the server. Default: the host of the URL. */
  constructor(url: string, options: ConnectionOptions, locate?: () => Promise<PostgresAddress>) {
    this.#locate = locate
    this.#traffic = options.traffic
    this.#statementTimeoutMs = options.statementTimeoutMs
    this.#connectTimeoutMs = options.connectTimeoutMs
    this.#responseTimeoutMs = options.connectTimeoutMs + options.statementTimeoutMs + graceMs
    const settings = {
      max: 1,
      idle_timeout: 0,
      max_lifetime: null,
      connect_timeout: Math.ceil(options.connectTimeoutMs / 1000),
      fetch_types: false,
      onnotice: () => undefined,
      onclose: () => this.abort(new Error('the connection was closed')),
      types,
      transform: { column: { from: toCamelCase } },
      connection: { application_name: 'gatehouse' },
      // Missing in the types of the driver.
      socket: (parsed: Address) => this.#connect(parsed),
    }
    this.#sql = postgres(url, settings)
  }

  get isLost(): boolean {
    return this.#lost !== undefined
  }

  /** `f` is called once, when the connection is lost. */
  onLost(f: () => void): void {
    this.#onLost = f
  }

  /**
   * Call it before the first statement. Sets the timeouts, and resolves when the server has accepted the connection.
   */
  async open(): Promise<void> {
    // Not parameters of the startup, because PgBouncer rejects those.
    const timeouts = ['statement_timeout', 'idle_in_transaction_session_timeout']
    const timer = setTimeout(
      () => this.abort(new Error('the server did not accept the connection in time')),
      this.#connectTimeoutMs,
    )
    try {
      await this.script(timeouts.map(name => `SET ${name} = ${this.#statementTimeoutMs}`).join(';'))
    } catch (error) {
      this.abort(error)
      throw error
    } finally {
      clearTimeout(timer)
    }
  }

  query(text: string, values: Parameter[] = []): Promise<Result> {
    return this.#send(text, values, { prepare: true, simple: false })
  }

  /** Like `query`, for a statement outside of a transaction. */
  runAlone(text: string, values: Parameter[] = []): Promise<Result> {
    if (this.#traffic) this.#traffic.transactions++
    return this.query(text, values)
  }

  /** Runs several statements without parameters. */
  script(text: string): Promise<Result> {
    return this.#send(text, [], { prepare: false, simple: true })
  }

  /**
   * Begins a transaction. Statements can be sent before it responds. The first call makes the connection read-only
   * outside transactions, so that statements that follow a failed BEGIN cannot change anything.
   */
  begin(): Promise<Result> {
    if (!this.#isReadOnlyByDefault) {
      this.#isReadOnlyByDefault = true
      this.script('SET default_transaction_read_only = on').catch(error => this.abort(error))
    }
    if (this.#traffic) this.#traffic.transactions++
    const response = this.query('BEGIN READ WRITE')
    response.catch(error => this.abort(error))
    return response
  }

  /** Closes the connection immediately and rejects all pending statements with `error`. */
  abort(cause: unknown, error: Error = new StorageUnavailable(cause)): void {
    if (this.#lost !== undefined) return
    this.#lost = error
    clearTimeout(this.#timer)
    for (const reject of this.#pending) reject(this.#lost)
    this.#pending.clear()
    this.#socket?.destroy()
    this.#onLost()
    this.#onIdle()
  }

  /** Waits for pending statements, then terminates the connection. */
  async close(): Promise<void> {
    if (this.#pending.size > 0) await new Promise<void>(resolve => (this.#onIdle = resolve))
    if (this.#lost !== undefined) return
    await this.#sql.end({ timeout: 1 })
    this.abort(new Error('the connection was closed'))
  }

  #send(text: string, values: Parameter[], options: { prepare: boolean; simple: boolean }): Promise<Result> {
    if (this.#lost !== undefined) return Promise.reject(this.#lost)
    this.#count()
    return new Promise((resolve, reject) => {
      this.#pending.add(reject)
      if (this.#pending.size === 1) this.#restartTimer()
      this.#sql.unsafe(text, values, options).then(
        result => {
          this.#isOpen = true
          this.#removePending(reject)
          resolve({ rows: result, count: result.count ?? 0, command: result.command })
        },
        error => {
          const translated = translate(error)
          reject(translated)
          this.#removePending(reject)
          // All statements show why the server rejected the connection, for example that there is no such database.
          if (endsConnection(error)) this.abort(translated, this.#isOpen ? undefined : translated)
        },
      )
    })
  }

  #count(): void {
    if (this.#traffic === undefined) return
    this.#traffic.statements++
    if (this.#hasSent) return
    this.#traffic.roundTrips++
    this.#hasSent = true
    setImmediate(() => {
      this.#hasSent = false
    })
  }

  /** The timeout starts again with each response of the server. */
  #restartTimer(): void {
    this.#timer ??= setTimeout(() => {
      if (this.#pending.size > 0) this.abort(new Error('the server did not respond in time'))
    }, this.#responseTimeoutMs)
    this.#timer.refresh()
  }

  #removePending(reject: (error: Error) => void): void {
    this.#pending.delete(reject)
    if (this.#pending.size > 0) this.#restartTimer()
    else this.#onIdle()
  }

  async #connect(address: Address): Promise<Socket> {
    if (this.#socket !== undefined || this.isLost) throw new Error('this connection cannot be reopened')
    if (this.#locate === undefined) return this.#connectTo(toAddress(address))
    const located = await this.#locate()
    if (this.isLost) throw new Error('this connection was closed')
    return this.#connectTo(located)
  }

  async #connectTo(to: { path: string } | PostgresAddress): Promise<Socket> {
    const socket = connect({ ...to, noDelay: true, keepAlive: true, keepAliveInitialDelay: 30_000 })
    this.#socket = socket
    await new Promise<void>((resolve, reject) => {
      socket.once('connect', resolve)
      socket.once('error', reject)
      socket.once('close', () => reject(Object.assign(new Error('closed'), { code: 'ECONNABORTED' })))
    })
    // The driver verifies the TLS certificate against this name.
    return 'host' in to ? Object.assign(socket, { host: to.host }) : socket
  }
}

/** As the driver parses it. The URL has at most one host. */
interface Address {
  host: string[]
  port: number[]
  path: string | false | undefined
}

function toAddress({ path, host: [host = 'localhost'], port: [port = 5432] }: Address) {
  return path ? { path } : { host, port }
}

function safeInteger(text: string): number {
  const number = Number(text)
  if (!Number.isSafeInteger(number)) throw new RangeError(`${text} is not a safe integer`)
  return number
}

// Converts results to the types that SQLite returns: SUM of a BIGINT is an integer, a boolean is 1 or 0, bytes are a
// Uint8Array.
const types = {
  int8: { to: 20, from: [20], serialize: String, parse: safeInteger },
  numeric: {
    to: 1700,
    from: [1700],
    serialize: String,
    parse: (text: string) => (text.includes('.') ? Number(text) : safeInteger(text)),
  },
  bool: {
    to: 16,
    from: [16],
    serialize: (value: unknown) => (value === 1 ? 't' : 'f'),
    parse: (text: string) => (text === 't' ? 1 : 0),
  },
  bytea: {
    to: 17,
    from: [17],
    serialize: (bytes: Uint8Array) => `\\x${Buffer.from(bytes).toString('hex')}`,
    parse: (text: string) => new Uint8Array(Buffer.from(text.slice(2), 'hex')),
  },
}
