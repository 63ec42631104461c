import type { SqlValue, Transaction } from './database.ts'
import type { SqliteConnection } from './sqlite-connection.ts'
import { isSqliteError, translate } from './sqlite-errors.ts'

/** The handle of one of the transactions that a group commit joins. Only one handle is in use at a time. */
export class SqliteTransaction implements Transaction {
  readonly #connection: SqliteConnection
  readonly hooks: (() => void)[] = []
  #isFinished = false
  #hasChanges = false
  #failure: { error: unknown } | undefined

  constructor(connection: SqliteConnection) {
    this.#connection = connection
  }

  /** The first error that a statement threw. */
  get failure(): { error: unknown } | undefined {
    return this.#failure
  }

  /** Whether a statement changed rows. SQLite undoes a failed statement itself, so a failed one does not count. */
  get hasChanges(): boolean {
    return this.#hasChanges
  }

  async get<Row>(text: TemplateStringsArray, ...values: SqlValue[]): Promise<Row | undefined> {
    const row = this.#run(() => this.#connection.get(text, values)) as Row | undefined
    this.#hasChanges ||= row !== undefined && !this.#connection.isReadOnly(text)
    return row
  }

  async all<Row>(text: TemplateStringsArray, ...values: SqlValue[]): Promise<Row[]> {
    const rows = this.#run(() => this.#connection.all(text, values)) as Row[]
    this.#hasChanges ||= rows.length > 0 && !this.#connection.isReadOnly(text)
    return rows
  }

  async run(text: TemplateStringsArray, ...values: SqlValue[]): Promise<number> {
    const changes = this.#run(() => this.#connection.run(text, values))
    this.#hasChanges ||= changes > 0
    return changes
  }

  afterCommit(hook: () => void): void {
    this.#assertNotFinished()
    this.hooks.push(hook)
  }

  finish(): void {
    this.#isFinished = true
  }

  #run<T>(statement: () => T): T {
    this.#assertNotFinished()
    // Same as PostgreSQL: after a failed statement the transaction can only roll back, even if `work` caught the error.
    if (this.#failure !== undefined) {
      throw new Error('a statement of this transaction has failed', { cause: this.#failure.error })
    }
    try {
      return statement()
    } catch (error) {
      // An error of our own code, such as a result that is no safe integer, comes after the statement has run.
      this.#hasChanges ||= !isSqliteError(error)
      this.#failure = { error: translate(error, this.#connection.db) }
      throw this.#failure.error
    }
  }

  #assertNotFinished(): void {
    if (this.#isFinished) throw new Error('this transaction has ended')
  }
}
