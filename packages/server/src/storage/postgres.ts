import { runAfterCommit } from './after-commit.ts'
import { type Database, type SqlValue, StorageUnavailable, type Transaction } from './database.ts'
import { Client, type ClientOptions, type Result } from './postgres-client.ts'
import { Conflict } from './postgres-errors.ts'
import { Pool } from './postgres-pool.ts'
import { Turn } from './postgres-turn.ts'
import { build, parameters, Texts } from './template.ts'

interface PostgresOptions extends ClientOptions {
  /** Connections at most. */
  max: number
}

const defaults = {
  max: 10,
  connectTimeoutMs: 5_000,
  statementTimeoutMs: 10_000,
} as const satisfies PostgresOptions

const reruns = 3

/** Rejects where the server cannot be reached; later it may go and come back. */
export async function openPostgres(url: string, options: Partial<PostgresOptions> = {}): Promise<Database> {
  const { max, ...clientOptions } = { ...defaults, ...options }
  const pool = new Pool({
    make: () => new Client(url, clientOptions),
    max,
    patienceMs: clientOptions.statementTimeoutMs,
  })
  await pool.use(client => client.query('SELECT 1'))
  return new Postgres(pool)
}

class Postgres implements Database {
  readonly engine = 'postgres'
  readonly #pool: Pool
  readonly #texts = new Texts((template, isList) =>
    build(
      template,
      isList,
      n => `$${n}`,
      n => `(SELECT jsonb_array_elements_text($${n}::text::jsonb))`,
    ),
  )
  #closing: Promise<void> | undefined

  constructor(pool: Pool) {
    this.#pool = pool
  }

  async get<Row>(text: TemplateStringsArray, ...values: SqlValue[]): Promise<Row | undefined> {
    return (await this.#query(text, values)).rows[0] as Row | undefined
  }

  async all<Row>(text: TemplateStringsArray, ...values: SqlValue[]): Promise<Row[]> {
    return (await this.#query(text, values)).rows as Row[]
  }

  async run(text: TemplateStringsArray, ...values: SqlValue[]): Promise<number> {
    return (await this.#query(text, values)).count
  }

  transaction<T>(work: (tx: Transaction) => Promise<T>): Promise<T> {
    return this.#pool.use(client => againOnConflict(() => this.#transact(client, work)))
  }

  close(): Promise<void> {
    this.#closing ??= this.#pool.close()
    return this.#closing
  }

  async #query(template: TemplateStringsArray, values: SqlValue[]): Promise<Result> {
    const text = this.#texts.text(template, values)
    const bound = parameters(values)
    return this.#pool.use(client => againOnConflict(() => client.query(text, bound)))
  }

  async #transact<T>(client: Client, work: (tx: Transaction) => Promise<T>): Promise<T> {
    await client.query('BEGIN')
    const turn = new Turn(client, this.#texts)
    let value: T
    try {
      value = await work(turn)
      await turn.end()
      if (turn.failure !== undefined) throw turn.failure.error
    } catch (error) {
      await turn.end()
      await client.query('ROLLBACK').catch(failure => client.abort(failure))
      throw turn.failure?.error instanceof Conflict ? turn.failure.error : error
    }
    const { command } = await client.query('COMMIT')
    if (command !== 'COMMIT') throw new StorageUnavailable(new Error(`COMMIT was answered with ${command}`))
    runAfterCommit(turn.hooks)
    return value
  }
}

async function againOnConflict<T>(attempt: () => Promise<T>): Promise<T> {
  for (let run = 0; run < reruns; run++) {
    try {
      return await attempt()
    } catch (error) {
      if (!(error instanceof Conflict)) throw error
    }
  }
  return attempt()
}
