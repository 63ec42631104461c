import type { SqlValue, Transaction } from './database.ts'
import type { Connection } from './sqlite-connection.ts'
import { translate } from './sqlite-errors.ts'

/** The handle of one transaction while it has its turn on the connection that writes. */
export class Turn implements Transaction {
  readonly #connection: Connection
  readonly hooks: (() => void)[] = []
  #over = false
  #failure: { error: unknown } | undefined

  constructor(connection: Connection) {
    this.#connection = connection
  }

  /** The first error of a statement, as the caller saw it. */
  get failure(): { error: unknown } | undefined {
    return this.#failure
  }

  async get<Row>(text: TemplateStringsArray, ...values: SqlValue[]): Promise<Row | undefined> {
    return this.#do(() => this.#connection.get(text, values)) as Row | undefined
  }

  async all<Row>(text: TemplateStringsArray, ...values: SqlValue[]): Promise<Row[]> {
    return this.#do(() => this.#connection.all(text, values)) as Row[]
  }

  async run(text: TemplateStringsArray, ...values: SqlValue[]): Promise<number> {
    return this.#do(() => this.#connection.run(text, values))
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
      this.#failure = { error: translate(error, this.#connection.db) }
      throw this.#failure.error
    }
  }

  #refuseWhenOver(): void {
    if (this.#over) throw new Error('this transaction is over: its handle was used after its turn')
  }
}
