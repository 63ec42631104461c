import { type Database, type SqlValue, StorageUnavailable, type Transaction } from './database.ts'
import { GroupCommit, type GroupCommitOptions } from './group-commit.ts'
import { LogSync, type SyncFile } from './log-sync.ts'
import { Connection, createFile, whileBusy } from './sqlite-connection.ts'
import { Reads } from './sqlite-reads.ts'

/** Space for what is read often; a page of the file beyond it is a copy away in the page cache of the system. */
const shared = 'PRAGMA foreign_keys = ON; PRAGMA temp_store = MEMORY; PRAGMA mmap_size = 268435456;'
const readerPragmas = `${shared} PRAGMA cache_size = -32768; PRAGMA busy_timeout = 1000;`
// NORMAL: a commit does not wait for the disk on the event loop; `LogSync` does, beside it, before anybody is told that it
// has been made (docs/decisions/durable-commits.md). No busy timeout on the connection that writes: SQLite would sleep in
// it and hold the event loop; the queue asks again instead.
const writerPragmas = `${shared} PRAGMA cache_size = -32768; PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL;
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
export async function openSqlite(
  path: string,
  { syncFile, ...options }: Partial<GroupCommitOptions> & { syncFile?: SyncFile } = {},
): Promise<Database> {
  createFile(path)
  const writer = new Connection(path, 'rw', writerPragmas)
  const reader = new Connection(path, 'ro', readerPragmas)
  const journal = await whileBusy(() => writer.open().prepare('PRAGMA journal_mode').get())
  if (String(journal) !== 'wal') throw new Error(`no write-ahead log is possible where ${path} is`)
  await whileBusy(() => reader.open())
  const sync = new LogSync(path, syncFile)
  const reads = new Reads(writer, reader, sync)
  const queue = new GroupCommit({ connection: writer, sync, reads, ...defaults, ...options })
  return new Sqlite(reads, queue, () => {
    sync.close()
    // The last one to close folds the log into the file, which the connection that reads may not do.
    reader.close()
    writer.close()
  })
}

class Sqlite implements Database {
  readonly engine = 'sqlite'
  readonly #reads: Reads
  readonly #queue: GroupCommit
  readonly #closeFiles: () => void
  #closing: Promise<void> | undefined

  constructor(reads: Reads, queue: GroupCommit, closeFiles: () => void) {
    this.#reads = reads
    this.#queue = queue
    this.#closeFiles = closeFiles
  }

  async get<Row>(text: TemplateStringsArray, ...values: SqlValue[]): Promise<Row | undefined> {
    this.#refuseWhenClosed()
    if (!this.#reads.onlyReads(text)) return this.#queue.add(tx => tx.get<Row>(text, ...values))
    return this.#reads.get<Row>(text, values)
  }

  async all<Row>(text: TemplateStringsArray, ...values: SqlValue[]): Promise<Row[]> {
    this.#refuseWhenClosed()
    if (!this.#reads.onlyReads(text)) return this.#queue.add(tx => tx.all<Row>(text, ...values))
    return this.#reads.all<Row>(text, values)
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
    this.#reads.release()
    this.#closeFiles()
  }

  #refuseWhenClosed(): void {
    if (this.#closing !== undefined) throw new StorageUnavailable(new Error('the database is closed'))
  }
}
