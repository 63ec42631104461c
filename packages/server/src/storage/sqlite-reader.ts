import { type SqlValue, StorageUnavailable } from './database.ts'
import { sql } from './sql-template.ts'
import type { SqliteConnection } from './sqlite-connection.ts'
import { isBusy, translate } from './sqlite-errors.ts'
import type { WalSync } from './wal-sync.ts'

type Query<T> = (connection: SqliteConnection) => T
/** A promise only if a sync is running: for speed, because a promise costs turns of the microtask queue. */
type Result<T> = T | Promise<T>

/**
 * Runs reads outside a transaction on the read-write connection, between the groups of `GroupCommit`. All reads of one
 * turn of the event loop share one transaction. While a group is open, or another process has locked the file, reads use
 * the read-only connection.
 *
 * For speed: SQLite drops the page cache of a connection after a commit of another connection, and locks the file once for
 * each transaction. The webhook lookup takes 5 µs instead of 19 µs (docs/performance.md).
 */
export class SqliteReader {
  readonly #writer: SqliteConnection
  readonly #readOnly: SqliteConnection
  readonly #walSync: WalSync
  /** Whether a read transaction is open on the read-write connection. */
  #inTransaction = false

  constructor(writer: SqliteConnection, readOnly: SqliteConnection, walSync: WalSync) {
    this.#writer = writer
    this.#readOnly = readOnly
    this.#walSync = walSync
  }

  /** Whether the statement cannot change rows. Other statements must use `GroupCommit`. */
  isReadOnly(text: TemplateStringsArray): boolean {
    return this.#writer.isReadOnly(text)
  }

  get<Row>(text: TemplateStringsArray, values: readonly SqlValue[]): Result<Row | undefined> {
    return this.#read(connection => connection.get(text, values)) as Result<Row | undefined>
  }

  all<Row>(text: TemplateStringsArray, values: readonly SqlValue[]): Result<Row[]> {
    return this.#read(connection => connection.all(text, values)) as Result<Row[]>
  }

  /** Must be called before a group begins. */
  endTransaction(): void {
    if (!this.#inTransaction) return
    this.#inTransaction = false
    if (this.#writer.isTransaction) this.#writer.run(sql`COMMIT`)
  }

  /** Waits for a running sync, so that no response contains data that a power failure can still remove. */
  #read<T>(query: Query<T>): Result<T> {
    const syncing = this.#walSync.running
    const result = this.#run(query)
    if (syncing === undefined) return result
    return syncing.then(
      () => result,
      (error: unknown) => {
        throw new StorageUnavailable(error)
      },
    )
  }

  #run<T>(query: Query<T>): T {
    try {
      if (this.#beginTransaction()) {
        try {
          return query(this.#writer)
        } catch (error) {
          this.endTransaction()
          if (!isBusy(error)) throw error
        }
      }
      return query(this.#readOnly)
    } catch (error) {
      throw translate(error, undefined)
    }
  }

  /** Returns false while a group is open on the read-write connection. */
  #beginTransaction(): boolean {
    if (this.#inTransaction) return true
    if (this.#writer.isTransaction) return false
    this.#writer.run(sql`BEGIN`)
    this.#inTransaction = true
    setImmediate(() => this.endTransaction())
    return true
  }
}
