import type { SqlValue, Transaction } from './database.ts'
import type { Client, Result } from './postgres-client.ts'
import { parameters, type Texts } from './template.ts'

/** The handle of one transaction. Statements go out one after the other, also where the work does not wait. */
export class Turn implements Transaction {
  readonly #client: Client
  readonly #texts: Texts
  readonly hooks: (() => void)[] = []
  #last: Promise<unknown> = Promise.resolve()
  #over = false
  #failure: { error: unknown } | undefined

  constructor(client: Client, texts: Texts) {
    this.#client = client
    this.#texts = texts
  }

  /** The first error of a statement, as the caller saw it. */
  get failure(): { error: unknown } | undefined {
    return this.#failure
  }

  async get<Row>(text: TemplateStringsArray, ...values: SqlValue[]): Promise<Row | undefined> {
    return (await this.#do(text, values)).rows[0] as Row | undefined
  }

  async all<Row>(text: TemplateStringsArray, ...values: SqlValue[]): Promise<Row[]> {
    return (await this.#do(text, values)).rows as Row[]
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
    await this.#last
  }

  async #do(template: TemplateStringsArray, values: SqlValue[]): Promise<Result> {
    this.#refuseWhenOver()
    const result = this.#last.then(() => {
      if (this.#failure !== undefined) {
        throw new Error('a statement of this transaction has failed', { cause: this.#failure.error })
      }
      return this.#client.query(this.#texts.text(template, values), parameters(values))
    })
    this.#last = result.catch(error => {
      this.#failure ??= { error }
    })
    return result
  }

  #refuseWhenOver(): void {
    if (this.#over) throw new Error('this transaction is over: its handle was used after its turn')
  }
}
