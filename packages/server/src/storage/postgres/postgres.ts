import { randomInt } from 'node:crypto'
import { setTimeout as wait } from 'node:timers/promises'
import {
  type Database,
  runAfterCommit,
  type SqlValue,
  StorageUnavailable,
  type Traffic,
  type Transaction,
} from '../database.ts'
import { buildText, StatementTexts, toParameters } from '../sql-template.ts'
import type { ConnectionOptions, PostgresConnection, Result } from './postgres-connection.ts'
import { Conflict } from './postgres-errors.ts'
import { createConnector } from './postgres-hosts.ts'
import { PostgresPool } from './postgres-pool.ts'
import { PostgresTransaction } from './postgres-transaction.ts'

export interface PostgresOptions extends ConnectionOptions {
  /** The maximum number of connections for transactions. Each runs one transaction at a time. */
  max: number
  /** The number of further connections for reads outside transactions. They are shared. */
  readers: number
  /** The number of further connections for single statements that change rows. Each runs one at a time. */
  writers: number
}

const defaults = {
  max: 10,
  readers: 2,
  writers: 4,
  connectTimeoutMs: 5_000,
  statementTimeoutMs: 10_000,
} as const satisfies PostgresOptions

const maxRetries = 3
/**
 * The longest delay before a retry. Without one, the retry can take its first lock again before the other transaction
 * of the deadlock does, and both deadlock again.
 */
const maxRetryDelayMs = 100
/**
 * The maximum number of pipelined reads on one connection. Further reads wait in the pool, where the timeout applies.
 */
const maxPipelinedReads = 64
/** How long the `afterCommit` hooks of a transaction wait for those of one that began its COMMIT earlier. */
const maxHookWaitMs = 1000

/** Rejects if the server is unreachable. A connection that is lost later is replaced. */
export async function openPostgres(url: string, options: Partial<PostgresOptions> = {}): Promise<Database> {
  const { max, readers, writers, ...connectionOptions } = { ...defaults, ...options }
  const traffic: Traffic = { roundTrips: 0, statements: 0, transactions: 0 }
  const connect = createConnector(url, { ...connectionOptions, traffic })
  const common = {
    connect,
    waitTimeoutMs: connectionOptions.statementTimeoutMs,
  }
  const db = new Postgres(
    new PostgresPool({ ...common, max: readers, maxUsers: maxPipelinedReads }),
    new PostgresPool({ ...common, max: writers, maxUsers: 1 }),
    new PostgresPool({ ...common, max, maxUsers: 1 }),
    traffic,
  )
  await db.get`SELECT 1 AS one`
  return db
}

class Postgres implements Database {
  readonly engine = 'postgres'
  readonly traffic: Traffic
  readonly #readers: PostgresPool
  readonly #writers: PostgresPool
  readonly #transactions: PostgresPool
  readonly #texts = new StatementTexts((template, kinds) =>
    buildText(
      template,
      kinds,
      n => `$${n}`,
      n => `(SELECT jsonb_array_elements_text($${n}::text::jsonb))`,
    ),
  )
  /** The turn of the transaction with hooks whose COMMIT was sent last. It ends after all earlier ones. */
  #lastTurn: { ended: Promise<void>; isPending: boolean } | undefined
  #closing: Promise<void> | undefined

  constructor(readers: PostgresPool, writers: PostgresPool, transactions: PostgresPool, traffic: Traffic) {
    this.traffic = traffic
    this.#readers = readers
    this.#writers = writers
    this.#transactions = transactions
  }

  async get<Row>(text: TemplateStringsArray, ...values: SqlValue[]): Promise<Row | undefined> {
    return (await this.#query(text, values)).rows[0] as Row | undefined
  }

  async all<Row>(text: TemplateStringsArray, ...values: SqlValue[]): Promise<Row[]> {
    return [...(await this.#query(text, values)).rows] as Row[]
  }

  async run(text: TemplateStringsArray, ...values: SqlValue[]): Promise<number> {
    return (await this.#query(text, values)).count
  }

  async transaction<T>(work: (tx: Transaction) => Promise<T>): Promise<T> {
    const { value, runHooks } = await retryOnConflict(() =>
      this.#transactions.use(connection => this.#transact(connection, work)),
    )
    // Another transaction can use the connection while the hooks wait for those of an earlier COMMIT.
    await runHooks()
    return value
  }

  async describe(): Promise<{ version: string; size: number }> {
    const row = await this.get<{ version: string; size: number }>`
      SELECT current_setting('server_version') AS version, pg_database_size(current_database()) AS size`
    return row ?? { version: '', size: 0 }
  }

  close(): Promise<void> {
    this.#closing ??= this.#close()
    return this.#closing
  }

  async #close(): Promise<void> {
    await Promise.all([this.#readers, this.#writers, this.#transactions].map(pool => pool.close()))
    await this.#lastTurn?.ended
  }

  async #query(template: TemplateStringsArray, values: readonly SqlValue[]): Promise<Result> {
    const text = this.#texts.text(template, values)
    const parameters = toParameters(values)
    const pool = this.#texts.isReadOnly(template) ? this.#readers : this.#writers
    return retryOnConflict(() => pool.use(connection => connection.runAlone(text, parameters)))
  }

  async #transact<T>(
    connection: PostgresConnection,
    work: (tx: Transaction) => Promise<T>,
  ): Promise<{ value: T; runHooks: () => Promise<void> }> {
    const tx = new PostgresTransaction(connection, this.#texts)
    let value: T
    try {
      value = await work(tx)
      await tx.finish()
      if (tx.failure !== undefined) throw tx.failure.error
    } catch (error) {
      await tx.finish()
      await connection.query('ROLLBACK').catch(failure => connection.abort(failure))
      throw tx.failure?.error instanceof Conflict ? tx.failure.error : error
    }
    return { value, runHooks: await this.#commit(connection, tx.hooks) }
  }

  /** Resolves, when the transaction is committed, to a function that runs its hooks in their turn. */
  async #commit(
    connection: PostgresConnection,
    hooks: readonly (() => void)[],
  ): Promise<() => Promise<void>> {
    const committed = connection.query('COMMIT')
    if (hooks.length === 0) {
      assertCommitted(await committed)
      return async () => {}
    }
    const endTurn = this.#takeTurn()
    try {
      assertCommitted(await committed)
    } catch (error) {
      void endTurn([])
      throw error
    }
    return () => endTurn(hooks)
  }

  /**
   * The hooks run in the order in which the COMMITs were sent. PostgreSQL releases the locks of a transaction before it
   * responds, so the response to the next transaction that changes the same row can arrive first. Its event must not be
   * published before the older one. The function waits for the turn of the previous transaction, then runs the hooks.
   * It must be called, without hooks if the COMMIT failed: otherwise the next turn waits for `maxHookWaitMs`.
   */
  #takeTurn(): (hooks: readonly (() => void)[]) => Promise<void> {
    const previous = this.#lastTurn
    const { promise, resolve } = Promise.withResolvers<void>()
    const own = { ended: promise, isPending: true }
    this.#lastTurn = own
    return async hooks => {
      // Usually the responses arrive in order. Then there is no timer.
      if (previous?.isPending) await settledWithin(previous.ended, maxHookWaitMs)
      runAfterCommit(hooks)
      own.isPending = false
      resolve()
    }
  }
}

/** Resolves when `promise` does, but after `ms` at the latest. */
async function settledWithin(promise: Promise<void>, ms: number): Promise<void> {
  const ended = new AbortController()
  const late = wait(ms, undefined, { signal: ended.signal }).catch(() => {})
  await Promise.race([promise, late])
  ended.abort()
}

/** PostgreSQL responds to the COMMIT of a failed transaction with ROLLBACK instead of an error. */
function assertCommitted({ command }: Result): void {
  if (command !== 'COMMIT') throw new StorageUnavailable(new Error(`COMMIT returned ${command}`))
}

async function retryOnConflict<T>(attempt: () => Promise<T>): Promise<T> {
  for (let retry = 0; retry < maxRetries; retry++) {
    try {
      return await attempt()
    } catch (error) {
      if (!(error instanceof Conflict)) throw error
      await wait(randomInt(maxRetryDelayMs))
    }
  }
  return attempt()
}
