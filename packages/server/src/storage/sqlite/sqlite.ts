import { type Database, type SqlValue, StorageUnavailable, type Transaction } from '../database.ts'
import { GroupCommit, type GroupCommitOptions } from './group-commit.ts'
import { createFile, retryWhileBusy, SqliteConnection } from './sqlite-connection.ts'
import { SqliteReader } from './sqlite-reader.ts'
import { type LogFile, WalSync } from './wal-sync.ts'

const commonPragmas = 'PRAGMA foreign_keys = ON; PRAGMA temp_store = MEMORY; PRAGMA mmap_size = 268435456;'
const readerPragmas = `${commonPragmas} PRAGMA cache_size = -32768; PRAGMA busy_timeout = 1000;`
// synchronous = NORMAL, because `WalSync` makes commits durable. busy_timeout = 0, because SQLite would block the event
// loop while it waits; `GroupCommit` retries instead.
const writerPragmas = `${commonPragmas} PRAGMA cache_size = -32768; PRAGMA journal_mode = WAL;
  PRAGMA synchronous = NORMAL; PRAGMA wal_autocheckpoint = 4000; PRAGMA journal_size_limit = 67108864;
  PRAGMA busy_timeout = 0;`

const defaults = {
  busyTimeoutMs: 5_000,
  // Long enough to share one fsync among hundreds of transactions, too short for a user to notice.
  maxGroupMs: 5,
  onCommit: () => undefined,
} as const satisfies GroupCommitOptions

/**
 * Opens the file with one read-only and one read-write connection, and creates it if it does not exist.
 *
 * A second process can use the same file: the command line does (keys, users, backups) while the service runs. Each
 * process waits up to `busyTimeoutMs` for the other's commit, then rejects with StorageUnavailable.
 */
export async function openSqlite(
  path: string,
  options: Partial<GroupCommitOptions & LogFile> = {},
): Promise<Database> {
  createFile(path)
  const writer = new SqliteConnection(path, 'rw', writerPragmas)
  const readOnly = new SqliteConnection(path, 'ro', readerPragmas)
  const journalMode = await retryWhileBusy(() => writer.open().prepare('PRAGMA journal_mode').get())
  if (String(journalMode) !== 'wal')
    throw new Error(`the file system of ${path} does not support a write-ahead log`)
  await retryWhileBusy(() => readOnly.open())
  const walSync = new WalSync(path, options)
  const reader = new SqliteReader(writer, readOnly)
  const queue = new GroupCommit({ connection: writer, walSync, reader, ...defaults, ...options })
  return new Sqlite(reader, walSync, queue, () => {
    reader.end()
    walSync.close()
    // The last connection to close checkpoints the log, which a read-only connection cannot do.
    readOnly.close()
    writer.close()
  })
}

class Sqlite implements Database {
  readonly engine = 'sqlite'
  readonly #reader: SqliteReader
  readonly #walSync: WalSync
  readonly #queue: GroupCommit
  readonly #closeFiles: () => void
  #closing: Promise<void> | undefined

  constructor(reader: SqliteReader, walSync: WalSync, queue: GroupCommit, closeFiles: () => void) {
    this.#reader = reader
    this.#walSync = walSync
    this.#queue = queue
    this.#closeFiles = closeFiles
  }

  async get<Row>(text: TemplateStringsArray, ...values: SqlValue[]): Promise<Row | undefined> {
    this.#assertOpen()
    if (!this.#reader.isReadOnly(text)) return this.#queue.add(tx => tx.get<Row>(text, ...values))
    return this.#read(connection => connection.get(text, values) as Row | undefined)
  }

  async all<Row>(text: TemplateStringsArray, ...values: SqlValue[]): Promise<Row[]> {
    this.#assertOpen()
    if (!this.#reader.isReadOnly(text)) return this.#queue.add(tx => tx.all<Row>(text, ...values))
    return this.#read(connection => connection.all(text, values) as Row[])
  }

  async run(text: TemplateStringsArray, ...values: SqlValue[]): Promise<number> {
    return this.transaction(tx => tx.run(text, ...values))
  }

  async transaction<T>(work: (tx: Transaction) => Promise<T>): Promise<T> {
    this.#assertOpen()
    return this.#queue.add(work)
  }

  async describe(): Promise<{ version: string; size: number }> {
    const row = await this.get<{ version: string; size: number }>`
      SELECT sqlite_version() AS version, page_count * page_size AS size
      FROM pragma_page_count(), pragma_page_size()`
    return row ?? { version: '', size: 0 }
  }

  close(): Promise<void> {
    this.#closing ??= this.#close()
    return this.#closing
  }

  async #close(): Promise<void> {
    await this.#queue.idle()
    this.#closeFiles()
  }

  /**
   * Waits for a running sync, because its commits are visible already, and a power failure can still remove them. After
   * a failed sync, they stay visible until the next group writes them again (docs/decisions/durable-commits.md).
   */
  async #read<T>(query: (connection: SqliteConnection) => T): Promise<T> {
    const syncing = this.#walSync.running
    const result = this.#reader.read(query)
    await syncing?.catch(error => {
      throw new StorageUnavailable(error)
    })
    return result
  }

  #assertOpen(): void {
    if (this.#closing !== undefined) throw new StorageUnavailable(new Error('the database is closed'))
  }
}
