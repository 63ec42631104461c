import type { SqlValue, Transaction } from './database.ts'
import type { Client, Result } from './postgres-client.ts'
import { isAborted } from './postgres-errors.ts'
import { parameters, type Texts } from './template.ts'

/**
 * The handle of one transaction. Statements go out at once, one behind the other; the first goes with the BEGIN. Where
 * one fails the server refuses what was sent behind it.
 */
export class Turn implements Transaction {
  readonly #client: Client
  readonly #texts: Texts
  readonly hooks: (() => void)[] = []
  readonly #sent: Promise<unknown>[]
  #over = false
  #failure: { error: unknown } | undefined

  constructor(client: Client, texts: Texts) {
    this.#client = client
    this.#texts = texts
    this.#sent = [this.#watched(client.begin())]
  }

  /** The first error of a statement, as the caller saw it. */
  get failure(): { error: unknown } | undefined {
    return this.#failure
  }

  async get<Row>(text: TemplateStringsArray, ...values: SqlValue[]): Promise<Row | undefined> {
    return (await this.#do(text, values)).rows[0] as Row | undefined
  }

  async all<Row>(text: TemplateStringsArray, ...values: SqlValue[]): Promise<Row[]> {
    return [...(await this.#do(text, values)).rows] as Row[]
  }

  async run(text: TemplateStringsArray, ...values: SqlValue[]): Promise<number> {
    return (await this.#do(text, values)).count
  }

  afterCommit(hook: () => void): void {
    this.#refuseWhenOver()
    this.hooks.push(hook)
  }

  /** From here on the handle throws. Resolves when nothing is under way. */
  async end(): Promise<void> {
    this.#over = true
    await Promise.all(this.#sent)
  }

  #do(template: TemplateStringsArray, values: SqlValue[]): Promise<Result> {
    const result = this.#send(template, values)
    this.#sent.push(this.#watched(result))
    return result.catch(error => {
      throw isAborted(error) ? this.#hasFailed() : error
    })
  }

  async #send(template: TemplateStringsArray, values: SqlValue[]): Promise<Result> {
    this.#refuseWhenOver()
    if (this.#failure !== undefined) throw this.#hasFailed()
    return this.#client.query(this.#texts.text(template, values), parameters(values))
  }

  /** Never rejects. What the server refused because of another failure is none of its own. */
  #watched(result: Promise<Result>): Promise<unknown> {
    return result.catch(error => {
      if (!isAborted(error)) this.#failure ??= { error }
    })
  }

  #hasFailed(): Error {
    return new Error('a statement of this transaction has failed', { cause: this.#failure?.error })
  }

  #refuseWhenOver(): void {
    if (this.#over) throw new Error('this transaction is over: its handle was used after its turn')
  }
}
