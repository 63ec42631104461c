import { sql } from '../sql-template.ts'
import type { SqliteConnection } from './sqlite-connection.ts'
import { isBusy, translate } from './sqlite-errors.ts'

type Query<T> = (connection: SqliteConnection) => T

/**
 * Runs reads outside a transaction on the read-write connection, between the groups of `GroupCommit`. All reads of one
 * turn of the event loop share one transaction. While a group is open, or another process has locked the file, reads
 * use the read-only connection.
 *
 * For speed: SQLite locks the file once for each transaction, and drops the page cache of a connection after a commit
 * of another connection (docs/performance.md).
 */
export class SqliteReader {
  readonly #writer: SqliteConnection
  readonly #readOnly: SqliteConnection
  #hasBegun = false

  constructor(writer: SqliteConnection, readOnly: SqliteConnection) {
    this.#writer = writer
    this.#readOnly = readOnly
  }

  /** Whether the statement cannot change rows. Other statements must use `GroupCommit`. */
  isReadOnly(template: TemplateStringsArray): boolean {
    return this.#writer.isReadOnly(template)
  }

  read<T>(query: Query<T>): T {
    try {
      if (this.#begin()) {
        try {
          return query(this.#writer)
        } catch (error) {
          this.end()
          if (!isBusy(error)) throw error
        }
      }
      return query(this.#readOnly)
    } catch (error) {
      throw translate(error, undefined)
    }
  }

  /** Ends the transaction of the reads. A group calls it before it begins its own. */
  end(): void {
    if (!this.#hasBegun) return
    this.#hasBegun = false
    if (this.#writer.isTransaction) this.#writer.run(sql`COMMIT`)
  }

  /** Returns false while a group is open on the read-write connection. */
  #begin(): boolean {
    if (this.#hasBegun) return true
    if (this.#writer.isTransaction) return false
    this.#writer.run(sql`BEGIN`)
    this.#hasBegun = true
    setImmediate(() => this.end())
    return true
  }
}
