import type { SqlValue, Transaction } from '../database.ts'
import { type StatementTexts, toParameters } from '../sql-template.ts'
import type { PostgresConnection, Result } from './postgres-connection.ts'
import { isAborted } from './postgres-errors.ts'

/**
 * The handle of one transaction. Statements are pipelined: each is sent without waiting for the response to the
 * previous one, and the first together with BEGIN. After a failed statement the server rejects those that were sent
 * after it.
 */
export class PostgresTransaction implements Transaction {
  readonly #connection: PostgresConnection
  readonly #texts: StatementTexts
  readonly hooks: (() => void)[] = []
  readonly #sent: Promise<unknown>[]
  #isFinished = false
  #failure: { error: unknown } | undefined

  constructor(connection: PostgresConnection, texts: StatementTexts) {
    this.#connection = connection
    this.#texts = texts
    this.#sent = [this.#recordFailure(connection.begin())]
  }

  /** The first error that a statement threw. */
  get failure(): { error: unknown } | undefined {
    return this.#failure
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

  afterCommit(hook: () => void): void {
    this.#assertNotFinished()
    this.hooks.push(hook)
  }

  /** Makes the handle throw from now on. Resolves when the server has responded to all statements. */
  async finish(): Promise<void> {
    this.#isFinished = true
    await Promise.all(this.#sent)
  }

  #query(template: TemplateStringsArray, values: SqlValue[]): Promise<Result> {
    const result = this.#send(template, values)
    this.#sent.push(this.#recordFailure(result))
    return result.catch(error => {
      throw isAborted(error) ? this.#failedError() : error
    })
  }

  async #send(template: TemplateStringsArray, values: SqlValue[]): Promise<Result> {
    this.#assertNotFinished()
    if (this.#failure !== undefined) throw this.#failedError()
    return this.#connection.query(this.#texts.text(template, values), toParameters(values))
  }

  /** Never rejects. Ignores the errors of statements that the server rejected because of an earlier failure. */
  #recordFailure(result: Promise<Result>): Promise<unknown> {
    return result.catch(error => {
      if (!isAborted(error)) this.#failure ??= { error }
    })
  }

  #failedError(): Error {
    return new Error('a statement of this transaction has failed', { cause: this.#failure?.error })
  }

  #assertNotFinished(): void {
    if (this.#isFinished) throw new Error('this transaction has ended')
  }
}
