import { type SqlValue, StorageUnavailable } from './database.ts'
import type { LogSync } from './log-sync.ts'
import type { Connection } from './sqlite-connection.ts'
import { isBusy, translate } from './sqlite-errors.ts'
import { sql } from './template.ts'

type Query<T> = (connection: Connection) => T

/**
 * Reads outside a transaction, between two batches on the connection that writes: its own commits leave its cache whole,
 * where one that only reads drops all that it holds after each of them. While a batch is open, and where another process
 * holds the file, they go to the other connection.
 *
 * The reads of one round of the event loop share a transaction of the engine, and with it the locks of the file.
 */
export class Reads {
  readonly #writer: Connection
  readonly #reader: Connection
  readonly #sync: LogSync
  /** A transaction that only reads is open on the connection that writes. */
  #held = false

  constructor(writer: Connection, reader: Connection, sync: LogSync) {
    this.#writer = writer
    this.#reader = reader
    this.#sync = sync
  }

  /** What may be asked here: all else is for a batch. */
  onlyReads(text: TemplateStringsArray): boolean {
    return this.#writer.onlyReads(text)
  }

  get<Row>(text: TemplateStringsArray, values: readonly SqlValue[]): Promise<Row | undefined> {
    return this.#read(connection => connection.get(text, values)) as Promise<Row | undefined>
  }

  all<Row>(text: TemplateStringsArray, values: readonly SqlValue[]): Promise<Row[]> {
    return this.#read(connection => connection.all(text, values)) as Promise<Row[]>
  }

  /** Before a batch begins. */
  release(): void {
    if (!this.#held) return
    this.#held = false
    if (this.#writer.isTransaction) this.#writer.run(sql`COMMIT`)
  }

  /** What is told is durable: a commit that is still on its way to the disk is waited for. */
  async #read<T>(query: Query<T>): Promise<T> {
    const syncing = this.#sync.running
    const result = this.#run(query)
    if (syncing !== undefined) {
      await syncing.catch((error: unknown) => {
        throw new StorageUnavailable(error)
      })
    }
    return result
  }

  #run<T>(query: Query<T>): T {
    try {
      if (this.#hold()) {
        try {
          return query(this.#writer)
        } catch (error) {
          this.release()
          if (!isBusy(error)) throw error
        }
      }
      return query(this.#reader)
    } catch (error) {
      throw translate(error, undefined)
    }
  }

  /** False while the connection that writes is not to be had. */
  #hold(): boolean {
    if (this.#held) return true
    if (this.#writer.isTransaction) return false
    this.#writer.run(sql`BEGIN`)
    this.#held = true
    setImmediate(() => this.release())
    return true
  }
}
