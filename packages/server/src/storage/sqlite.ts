import { type Database, type SqlValue, StorageUnavailable, type Transaction } from './database.ts'
import { GroupCommit, type GroupCommitOptions } from './group-commit.ts'
import { Connection, createFile, whileBusy } from './sqlite-connection.ts'
import { translate } from './sqlite-errors.ts'
import { isRead } from './template.ts'

/** Space for what is read often; a page of the file beyond it is a copy away in the page cache of the system. */
const shared = 'PRAGMA foreign_keys = ON; PRAGMA temp_store = MEMORY; PRAGMA mmap_size = 268435456;'
const readerPragmas = `${shared} PRAGMA cache_size = -32768; PRAGMA busy_timeout = 1000;`
// FULL: in WAL mode each commit is synchronised, so that it outlives a loss of power. No busy timeout on the connection
// that writes: SQLite would sleep in it and hold the event loop; the queue asks again instead.
const writerPragmas = `${shared} PRAGMA cache_size = -32768; PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL;
  PRAGMA wal_autocheckpoint = 4000; PRAGMA journal_size_limit = 67108864; PRAGMA busy_timeout = 0;`

const defaults = {
  busyTimeoutMs: 5_000,
  // Long enough to share the cost of one fsync among hundreds, too short to be felt.
  maxBatchMs: 5,
  onCommit: () => undefined,
} as const satisfies GroupCommitOptions

/**
 * Opens the file, which is made where it is missing, with one connection that reads and one that writes.
 *
 * A second process may work on the same file, because the command line does (keys, users, backups) while the service
 * runs: each waits up to `busyTimeoutMs` for the other's commit, then rejects with StorageUnavailable.
 */
export async function openSqlite(path: string, options: Partial<GroupCommitOptions> = {}): Promise<Database> {
  createFile(path)
  const writer = new Connection(path, 'rw', writerPragmas)
  const reader = new Connection(path, 'ro', readerPragmas)
  const journal = await whileBusy(() => writer.open().prepare('PRAGMA journal_mode').get())
  if (String(journal) !== 'wal') throw new Error(`no write-ahead log is possible where ${path} is`)
  await whileBusy(() => reader.open())
  return new Sqlite(reader, writer, new GroupCommit(writer, { ...defaults, ...options }))
}

class Sqlite implements Database {
  readonly engine = 'sqlite'
  readonly #reader: Connection
  readonly #writer: Connection
  readonly #queue: GroupCommit
  readonly #isRead = new WeakMap<TemplateStringsArray, boolean>()
  #closing: Promise<void> | undefined

  constructor(reader: Connection, writer: Connection, queue: GroupCommit) {
    this.#reader = reader
    this.#writer = writer
    this.#queue = queue
  }

  async get<Row>(text: TemplateStringsArray, ...values: SqlValue[]): Promise<Row | undefined> {
    if (!this.#reads(text)) return this.transaction(tx => tx.get<Row>(text, ...values))
    return this.#read(() => this.#reader.get(text, values)) as Row | undefined
  }

  async all<Row>(text: TemplateStringsArray, ...values: SqlValue[]): Promise<Row[]> {
    if (!this.#reads(text)) return this.transaction(tx => tx.all<Row>(text, ...values))
    return this.#read(() => this.#reader.all(text, values)) as Row[]
  }

  async run(text: TemplateStringsArray, ...values: SqlValue[]): Promise<number> {
    return this.transaction(tx => tx.run(text, ...values))
  }

  async transaction<T>(work: (tx: Transaction) => Promise<T>): Promise<T> {
    this.#refuseWhenClosed()
    return this.#queue.add(work)
  }

  close(): Promise<void> {
    this.#closing ??= this.#close()
    return this.#closing
  }

  async #close(): Promise<void> {
    await this.#queue.idle()
    // The last one to close folds the log into the file, which the connection that reads may not do.
    this.#reader.close()
    this.#writer.close()
  }

  #reads(text: TemplateStringsArray): boolean {
    let reads = this.#isRead.get(text)
    if (reads === undefined) {
      reads = isRead(text.join('?'))
      this.#isRead.set(text, reads)
    }
    return reads
  }

  #read<T>(query: () => T): T {
    this.#refuseWhenClosed()
    try {
      return query()
    } catch (error) {
      throw translate(error, undefined)
    }
  }

  #refuseWhenClosed(): void {
    if (this.#closing !== undefined) throw new StorageUnavailable(new Error('the database is closed'))
  }
}
