import type { SqlValue, Transaction } from '../database.ts'
import type { SqliteConnection } from './sqlite-connection.ts'
import { translate } from './sqlite-errors.ts'

/** The handle of one of the transactions that a group commit joins. Only one handle is in use at a time. */
export class SqliteTransaction implements Transaction {
  readonly #connection: SqliteConnection
  readonly hooks: (() => void)[] = []
  #isFinished = false
  #failure: { error: unknown } | undefined

  constructor(connection: SqliteConnection) {
    this.#connection = connection
  }

  /** The first error that a statement threw. */
  get failure(): { error: unknown } | undefined {
    return this.#failure
  }

  async get<Row>(text: TemplateStringsArray, ...values: SqlValue[]): Promise<Row | undefined> {
    return this.#run(() => this.#connection.get(text, values)) as Row | undefined
  }

  async all<Row>(text: TemplateStringsArray, ...values: SqlValue[]): Promise<Row[]> {
    return this.#run(() => this.#connection.all(text, values)) as Row[]
  }

  async run(text: TemplateStringsArray, ...values: SqlValue[]): Promise<number> {
    return this.#run(() => this.#connection.run(text, values))
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
      this.#failure = { error: translate(error, this.#connection.db) }
      throw this.#failure.error
    }
  }

  #assertNotFinished(): void {
    if (this.#isFinished) throw new Error('this transaction has ended')
  }
}
