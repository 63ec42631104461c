import { closeSync, fdatasync, openSync } from 'node:fs'
import type { DatabaseSync } from 'node:sqlite'

/** The system's own, or what a test puts in its place. Calls back when what was written to the file is on the disk. */
export type SyncFile = (descriptor: number, callback: (error: Error | null) => void) => void

/**
 * Makes commits durable beside the event loop. With `synchronous=NORMAL` a COMMIT in WAL mode writes its pages to the
 * write-ahead log and leaves it to the system when they reach the disk; what `synchronous=FULL` does then on the event
 * loop is done here on a thread of libuv.
 */
export class LogSync {
  readonly #path: string
  readonly #syncFile: SyncFile
  /** Opened with the connection and kept as long: while that is open, the log is never another file. */
  #log: { db: DatabaseSync; descriptor: number } | undefined
  #running: Promise<void> | undefined

  /** `path` of the database. */
  constructor(path: string, syncFile: SyncFile = fdatasync) {
    this.#path = `${path}-wal`
    this.#syncFile = syncFile
  }

  /** The sync that is under way, whose commits a reader sees already; undefined where there is none. */
  get running(): Promise<void> | undefined {
    return this.#running
  }

  /** Resolves when all that `db` has committed is durable. One at a time; throws or rejects with the system's error. */
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

  /** Not while a sync is under way. */
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
