import { runAfterCommit } from './after-commit.ts'
import { type Database, type SqlValue, StorageUnavailable, type Transaction } from './database.ts'
import { Client, type ClientOptions, type Result } from './postgres-client.ts'
import { Conflict } from './postgres-errors.ts'
import { Pool } from './postgres-pool.ts'
import { Turn } from './postgres-turn.ts'
import { build, isRead, type Parameter, parameters, Texts } from './template.ts'

interface PostgresOptions extends ClientOptions {
  /** Connections for transactions at most; each has one transaction at a time. */
  max: number
  /** Further connections for what is read outside of transactions; they are shared. */
  readers: number
}

const defaults = {
  max: 10,
  readers: 2,
  connectTimeoutMs: 5_000,
  statementTimeoutMs: 10_000,
} as const satisfies PostgresOptions

const reruns = 3
/** Reads that are under way on one connection at most: beyond that they wait here, where patience ends. */
const readDepth = 64

/** Rejects where the server cannot be reached; later it may go and come back. */
export async function openPostgres(url: string, options: Partial<PostgresOptions> = {}): Promise<Database> {
  const { max, readers, ...clientOptions } = { ...defaults, ...options }
  const shared = {
    make: () => new Client(url, clientOptions),
    patienceMs: clientOptions.statementTimeoutMs,
  }
  const db = new Postgres(
    new Pool({ ...shared, max: readers, depth: readDepth }),
    new Pool({ ...shared, max, depth: 1 }),
  )
  await db.get`SELECT 1 AS one`
  return db
}

class Postgres implements Database {
  readonly engine = 'postgres'
  readonly #readers: Pool
  readonly #writers: Pool
  readonly #isRead = new WeakMap<TemplateStringsArray, boolean>()
  readonly #texts = new Texts((template, isList) =>
    build(
      template,
      isList,
      n => `$${n}`,
      n => `(SELECT jsonb_array_elements_text($${n}::text::jsonb))`,
    ),
  )
  #closing: Promise<void> | undefined

  constructor(readers: Pool, writers: Pool) {
    this.#readers = readers
    this.#writers = writers
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

  transaction<T>(work: (tx: Transaction) => Promise<T>): Promise<T> {
    return againOnConflict(() =>
      this.#writers.use((client, giveBack) => this.#transact(client, giveBack, work)),
    )
  }

  close(): Promise<void> {
    this.#closing ??= Promise.all([this.#readers.close(), this.#writers.close()]).then(() => undefined)
    return this.#closing
  }

  async #query(template: TemplateStringsArray, values: SqlValue[]): Promise<Result> {
    const text = this.#texts.text(template, values)
    const bound = parameters(values)
    const [pool, send] = this.#reads(template)
      ? ([this.#readers, read] as const)
      : ([this.#writers, write] as const)
    return againOnConflict(() => pool.use(client => send(client, text, bound)))
  }

  #reads(template: TemplateStringsArray): boolean {
    let reads = this.#isRead.get(template)
    if (reads === undefined) {
      reads = isRead(template.join('?'))
      this.#isRead.set(template, reads)
    }
    return reads
  }

  async #transact<T>(
    client: Client,
    giveBack: () => void,
    work: (tx: Transaction) => Promise<T>,
  ): Promise<T> {
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
    const committed = client.query('COMMIT')
    // Whoever waits for a connection begins right behind: a COMMIT waits for no lock, only for the disk.
    if (this.#writers.isWaitedFor) giveBack()
    refuseRollback(await committed)
    runAfterCommit(turn.hooks)
    return value
  }
}

function read(client: Client, text: string, values: Parameter[]): Promise<Result> {
  return client.query(text, values)
}

/** One statement as a transaction of its own, all of it sent at once. */
async function write(client: Client, text: string, values: Parameter[]): Promise<Result> {
  void client.begin()
  const [result, committed] = await Promise.allSettled([client.query(text, values), client.query('COMMIT')])
  if (result.status === 'rejected') throw result.reason
  if (committed.status === 'rejected') throw committed.reason
  refuseRollback(committed.value)
  return result.value
}

function refuseRollback({ command }: Result): void {
  if (command !== 'COMMIT') throw new StorageUnavailable(new Error(`COMMIT was answered with ${command}`))
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
