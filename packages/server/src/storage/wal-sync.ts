import { closeSync, fdatasync, openSync } from 'node:fs'
import type { DatabaseSync } from 'node:sqlite'

/** `fdatasync`, or its replacement in a test. */
export type SyncFile = (descriptor: number, callback: (error: Error | null) => void) => void

/**
 * Makes commits durable without blocking the event loop. With `synchronous=NORMAL` a COMMIT in WAL mode only writes to
 * the write-ahead log. This class calls `fdatasync` on the log in a libuv thread, which `synchronous=FULL` does inside
 * COMMIT. For speed: it saves 0.4 to 1 ms of event loop time for each commit (docs/decisions/durable-commits.md).
 */
export class WalSync {
  readonly #path: string
  readonly #syncFile: SyncFile
  /** Opened and closed with the connection: SQLite does not replace the log while a connection is open. */
  #log: { db: DatabaseSync; descriptor: number } | undefined
  #running: Promise<void> | undefined

  /** `path` is the path of the database file. */
  constructor(path: string, syncFile: SyncFile = fdatasync) {
    this.#path = `${path}-wal`
    this.#syncFile = syncFile
  }

  /** The running sync, or undefined. Reads can already see the commits that it makes durable. */
  get running(): Promise<void> | undefined {
    return this.#running
  }

  /** Resolves when all commits of `db` are durable. Must not be called while a sync is running. */
  sync(db: DatabaseSync): Promise<void> {
    const descriptor = this.#descriptor(db)
    this.#running = new Promise<void>((resolve, reject) => {
      this.#syncFile(descriptor, error => {
        this.#running = undefined
        if (error) reject(error)
        else resolve()
      })
    })
    return this.#running
  }

  /** Must not be called while a sync is running. */
  close(): void {
    if (this.#log) closeSync(this.#log.descriptor)
    this.#log = undefined
  }

  #descriptor(db: DatabaseSync): number {
    if (this.#log?.db !== db) {
      this.close()
      this.#log = { db, descriptor: openSync(this.#path, 'r+') }
    }
    return this.#log.descriptor
  }
}
