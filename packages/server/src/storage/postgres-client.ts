import { connect, type Socket } from 'node:net'
import postgres from 'postgres'
import { StorageUnavailable } from './database.ts'
import { endsConnection, translate } from './postgres-errors.ts'
import type { Parameter } from './template.ts'

export interface ClientOptions {
  connectTimeoutMs: number
  /** The server ends a statement after this; the client ends the connection a little later if it hears nothing. */
  statementTimeoutMs: number
}

export interface Result {
  rows: Record<string, unknown>[]
  /** Rows changed or returned; 0 for what has none. */
  count: number
  /** `COMMIT`, `ROLLBACK`, `SELECT` … */
  command: string
}

const graceMs = 2_000

/**
 * One connection that lives once: when it is lost, whatever was sent is rejected and nothing is ever sent again. The
 * driver's own pool would not do: it connects anew by itself, so that a statement of a transaction could run outside of
 * it, and it writes its ROLLBACK to the closed socket, which ends the process
 * (github.com/porsager/postgres/issues/1208, 1154, 1155).
 *
 * Statements go out at once, one behind the other; the server runs them in the order in which they were asked for.
 */
export class Client {
  readonly #sql: postgres.Sql
  readonly #patienceMs: number
  readonly #connectTimeoutMs: number
  readonly #underWay = new Set<(error: Error) => void>()
  #socket: Socket | undefined
  #lost: Error | undefined
  #isGuarded = false
  #timer: NodeJS.Timeout | undefined
  #onLost: () => void = () => undefined
  #onQuiet: () => void = () => undefined

  constructor(url: string, options: ClientOptions) {
    this.#connectTimeoutMs = options.connectTimeoutMs
    this.#patienceMs = options.connectTimeoutMs + options.statementTimeoutMs + graceMs
    const settings = {
      max: 1,
      idle_timeout: 0,
      max_lifetime: null,
      connect_timeout: Math.ceil(options.connectTimeoutMs / 1000),
      fetch_types: false,
      onnotice: () => undefined,
      onclose: () => this.abort(new Error('the connection was closed')),
      types,
      connection: {
        application_name: 'gatehouse',
        statement_timeout: options.statementTimeoutMs,
        idle_in_transaction_session_timeout: options.statementTimeoutMs,
      },
      // Known to the driver, not to its types.
      socket: (parsed: Address) => this.#connect(parsed),
    }
    this.#sql = postgres(url, settings)
  }

  get isLost(): boolean {
    return this.#lost !== undefined
  }

  /** Called once, when the connection is lost. */
  onLost(f: () => void): void {
    this.#onLost = f
  }

  query(text: string, values: Parameter[] = []): Promise<Result> {
    return this.#send(text, values, { prepare: true, simple: false })
  }

  /** Several statements without parameters. */
  script(text: string): Promise<Result> {
    return this.#send(text, [], { prepare: false, simple: true })
  }

  /**
   * Begins a transaction; statements may follow without waiting for it. From the first one on the connection changes
   * nothing outside of a transaction, so that what follows a BEGIN that failed cannot run on its own.
   */
  begin(): Promise<Result> {
    if (!this.#isGuarded) {
      this.#isGuarded = true
      this.script('SET default_transaction_read_only = on').catch(error => this.abort(error))
    }
    const begun = this.query('BEGIN READ WRITE')
    begun.catch(error => this.abort(error))
    return begun
  }

  /** Ends the connection at once; what is under way is rejected. */
  abort(cause: unknown): void {
    if (this.#lost !== undefined) return
    this.#lost = new StorageUnavailable(cause)
    clearTimeout(this.#timer)
    for (const reject of this.#underWay) reject(this.#lost)
    this.#underWay.clear()
    this.#socket?.destroy()
    this.#onLost()
    this.#onQuiet()
  }

  /** Waits for what is under way, says goodbye, then ends the connection. */
  async close(): Promise<void> {
    if (this.#underWay.size > 0) await new Promise<void>(resolve => (this.#onQuiet = resolve))
    if (this.#lost !== undefined) return
    await this.#sql.end({ timeout: 1 })
    this.abort(new Error('the connection was closed'))
  }

  #send(text: string, values: Parameter[], options: { prepare: boolean; simple: boolean }): Promise<Result> {
    if (this.#lost !== undefined) return Promise.reject(this.#lost)
    return new Promise<Result>((resolve, reject) => {
      this.#underWay.add(reject)
      if (this.#underWay.size === 1) this.#watch()
      this.#sql.unsafe(text, values, options).then(
        result => {
          this.#answered(reject)
          resolve({ rows: result, count: result.count ?? 0, command: result.command })
        },
        error => {
          const translated = translate(error)
          reject(translated)
          this.#answered(reject)
          if (endsConnection(error)) this.abort(translated)
        },
      )
    })
  }

  /** Each answer of the server earns it the same patience for the next. */
  #watch(): void {
    this.#timer ??= setTimeout(() => {
      if (this.#underWay.size > 0) this.abort(new Error('the server did not answer in time'))
    }, this.#patienceMs)
    this.#timer.refresh()
  }

  #answered(reject: (error: Error) => void): void {
    this.#underWay.delete(reject)
    if (this.#underWay.size > 0) this.#watch()
    else this.#onQuiet()
  }

  async #connect(address: Address): Promise<Socket> {
    if (this.#socket !== undefined || this.isLost) throw new Error('this connection lives once')
    let failure: unknown
    const hosts = address.path ? [undefined] : address.host
    for (const [i, host] of hosts.entries()) {
      try {
        return await this.#dial(
          host === undefined ? { path: address.path || '' } : { host, port: address.port[i] ?? 5432 },
        )
      } catch (error) {
        failure = error
      }
    }
    throw failure
  }

  async #dial(to: { path: string } | { host: string; port: number }): Promise<Socket> {
    const socket = connect({ ...to, noDelay: true, keepAlive: true, keepAliveInitialDelay: 30_000 })
    this.#socket = socket
    const timer = setTimeout(
      () => socket.destroy(Object.assign(new Error('no connection in time'), { code: 'ETIMEDOUT' })),
      this.#connectTimeoutMs,
    )
    try {
      await new Promise<void>((resolve, reject) => {
        socket.once('connect', resolve)
        socket.once('error', reject)
        socket.once('close', () => reject(Object.assign(new Error('closed'), { code: 'ECONNABORTED' })))
      })
      // For TLS the driver checks the certificate against this name.
      return 'host' in to ? Object.assign(socket, { host: to.host }) : socket
    } finally {
      clearTimeout(timer)
    }
  }
}

interface Address {
  host: string[]
  port: number[]
  path: string | false | undefined
}

function safeInteger(text: string): number {
  const number = Number(text)
  if (!Number.isSafeInteger(number)) throw new RangeError(`${text} is beyond the safe integers`)
  return number
}

// What comes back is what SQLite gives: SUM of a BIGINT is an integer, truth is 1 or 0, bytes are a Uint8Array.
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
    parse: (text: string) => Uint8Array.fromHex(text.slice(2)),
  },
}
