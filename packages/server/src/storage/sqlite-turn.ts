import type { SqlValue, Transaction } from './database.ts'
import type { Connection } from './sqlite-connection.ts'
import { isOfSqlite, translate } from './sqlite-errors.ts'

/** The handle of one transaction while it has its turn on the connection that writes. */
export class Turn implements Transaction {
  readonly #connection: Connection
  readonly hooks: (() => void)[] = []
  #over = false
  #hasChanged = false
  #failure: { error: unknown } | undefined

  constructor(connection: Connection) {
    this.#connection = connection
  }

  /** The first error of a statement, as the caller saw it. */
  get failure(): { error: unknown } | undefined {
    return this.#failure
  }

  /** Whether a statement has changed something. One that SQLite fails has not: it undoes what it had begun. */
  get hasChanged(): boolean {
    return this.#hasChanged
  }

  async get<Row>(text: TemplateStringsArray, ...values: SqlValue[]): Promise<Row | undefined> {
    const row = this.#do(() => this.#connection.get(text, values)) as Row | undefined
    this.#hasChanged ||= row !== undefined && !this.#connection.onlyReads(text)
    return row
  }

  async all<Row>(text: TemplateStringsArray, ...values: SqlValue[]): Promise<Row[]> {
    const rows = this.#do(() => this.#connection.all(text, values)) as Row[]
    this.#hasChanged ||= rows.length > 0 && !this.#connection.onlyReads(text)
    return rows
  }

  async run(text: TemplateStringsArray, ...values: SqlValue[]): Promise<number> {
    const changes = this.#do(() => this.#connection.run(text, values))
    this.#hasChanged ||= changes > 0
    return changes
  }

  afterCommit(hook: () => void): void {
    this.#refuseWhenOver()
    this.hooks.push(hook)
  }

  end(): void {
    this.#over = true
  }

  #do<T>(statement: () => T): T {
    this.#refuseWhenOver()
    // As on PostgreSQL: after a failed statement nothing but the roll-back is possible, even where it was caught.
    if (this.#failure !== undefined) {
      throw new Error('a statement of this transaction has failed', { cause: this.#failure.error })
    }
    try {
      return statement()
    } catch (error) {
      // What it gave was refused here, after it was done.
      this.#hasChanged ||= !isOfSqlite(error)
      this.#failure = { error: translate(error, this.#connection.db) }
      throw this.#failure.error
    }
  }

  #refuseWhenOver(): void {
    if (this.#over) throw new Error('this transaction is over: its handle was used after its turn')
  }
}
