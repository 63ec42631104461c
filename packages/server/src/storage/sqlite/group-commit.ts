import { setTimeout as sleep } from 'node:timers/promises'
import { runAfterCommit, StorageUnavailable } from '../database.ts'
import { sql } from '../sql-template.ts'
import type { SqliteConnection } from './sqlite-connection.ts'
import { isBusy, translate } from './sqlite-errors.ts'
import type { SqliteReader } from './sqlite-reader.ts'
import { SqliteTransaction } from './sqlite-transaction.ts'
import type { WalSync } from './wal-sync.ts'

export interface GroupCommitOptions {
  /** How long a group waits for the write lock of another process, in milliseconds. The event loop is not blocked. */
  busyTimeoutMs: number
  /**
   * After this time a group starts no further transaction, because it blocks the event loop. It contains at least one.
   */
  maxGroupMs: number
  /** Is called after each commit with the number of transactions that it contains, without those that failed. */
  onCommit: (transactions: number) => void
}

interface Parts {
  /** The read-write connection. */
  connection: SqliteConnection
  walSync: WalSync
  /** Uses the same connection between the groups. */
  reader: SqliteReader
}

interface Job {
  work: (tx: SqliteTransaction) => unknown
  resolve: (value: unknown) => void
  reject: (error: unknown) => void
}

/** A job that has run in the current group. `finish` resolves or rejects its promise once the commit is durable. */
interface Executed {
  job: Job
  isUndone: boolean
  finish: () => void
}

const maxGroup = 256
const busyRetryMs = 10

/**
 * Group commit: runs all queued transactions one after another inside one SQLite transaction, and makes them durable
 * with one COMMIT and one sync of the write-ahead log. For speed: one fsync for up to 256 transactions instead of one
 * for each.
 *
 * A promise is resolved, or rejected, only after the sync: a failed job may have read data that was not durable yet.
 * Jobs that arrive during the sync form the next group. A savepoint undoes a failed job without the others.
 */
export class GroupCommit {
  readonly #connection: SqliteConnection
  readonly #walSync: WalSync
  readonly #reader: SqliteReader
  readonly #options: GroupCommitOptions
  #queue: Job[] = []
  #draining: Promise<void> | undefined
  #onStall: (() => void) | undefined

  constructor({ connection, walSync, reader, ...options }: Parts & GroupCommitOptions) {
    this.#connection = connection
    this.#walSync = walSync
    this.#reader = reader
    this.#options = options
  }

  add<T>(work: (tx: SqliteTransaction) => Promise<T>): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      // `resolve` is only called with the result of this `work`.
      this.#queue.push({ work, resolve: value => resolve(value as T), reject })
      this.#draining ??= this.#drain()
    })
  }

  /** Resolves when the queue is empty and no group runs. */
  async idle(): Promise<void> {
    while (this.#draining !== undefined) await this.#draining
  }

  async #drain(): Promise<void> {
    try {
      while (this.#queue.length > 0) {
        // Jobs that arrive in the same turn of the event loop join the group.
        await new Promise(resolve => setImmediate(resolve))
        await this.#runGroup()
      }
    } finally {
      this.#draining = undefined
    }
  }

  async #runGroup(): Promise<void> {
    try {
      await this.#begin()
      this.#walSync.repair(this.#connection.open())
    } catch (error) {
      this.#rollback()
      // Rejects all queued jobs, so that none waits for the lock twice.
      this.#rejectAll(this.#queue.splice(0), error)
      return
    }
    const executed: Executed[] = []
    let toCommit = 0
    try {
      await this.#runJobs(executed)
      toCommit = executed.filter(({ isUndone }) => !isUndone).length
      this.#connection.run(toCommit > 0 ? sql`COMMIT` : sql`ROLLBACK`)
    } catch (error) {
      this.#rollback()
      this.#rejectExecuted(executed, error)
      return
    }
    try {
      // Also after a ROLLBACK: the failed jobs may have read a commit of another process, or one whose sync failed.
      await this.#walSync.sync(this.#connection.open())
    } catch (error) {
      // The commit is in the log and may or may not reach the disk, so it cannot be reported as successful. The next
      // group repairs the log.
      this.#rejectExecuted(executed, error)
      return
    }
    if (toCommit > 0) this.#options.onCommit(toCommit)
    for (const { finish } of executed) finish()
  }

  async #begin(): Promise<void> {
    const deadline = performance.now() + this.#options.busyTimeoutMs
    for (;;) {
      try {
        this.#reader.end()
        this.#connection.run(sql`BEGIN IMMEDIATE`)
        return
      } catch (error) {
        if (!isBusy(error) || performance.now() >= deadline) throw error
      }
      await sleep(busyRetryMs)
    }
  }

  /** Throws if SQLite rolled back the group; `executed` then contains the affected jobs. */
  async #runJobs(executed: Executed[]): Promise<void> {
    const count = Math.min(this.#queue.length, maxGroup)
    const deadline = performance.now() + this.#options.maxGroupMs
    const jobs = this.#queue.splice(0, count)
    try {
      this.#detectStall()
      for (const job of jobs) {
        if (executed.length > 0 && performance.now() >= deadline) return
        await this.#runJob(job, executed)
      }
    } finally {
      this.#queue.unshift(...jobs.slice(executed.length))
    }
  }

  async #runJob(job: Job, executed: Executed[]): Promise<void> {
    const tx = new SqliteTransaction(this.#connection)
    const entry: Executed = { job, isUndone: false, finish: () => undefined }
    executed.push(entry)
    this.#connection.run(sql`SAVEPOINT job`)
    try {
      const value = await this.#rejectOnStall(job.work(tx))
      if (tx.failure !== undefined) throw tx.failure.error
      entry.finish = () => {
        runAfterCommit(tx.hooks)
        job.resolve(value)
      }
    } catch (error) {
      entry.finish = () => job.reject(error)
      // SQLite rolls back the whole transaction itself after some errors, such as a full disk.
      if (!this.#connection.isTransaction) throw error
      this.#connection.run(sql`ROLLBACK TO job`)
      entry.isUndone = true
    } finally {
      this.#onStall = undefined
      tx.finish()
    }
    this.#connection.run(sql`RELEASE job`)
  }

  /**
   * Work that awaits only its own handle continues in microtasks. A `process.nextTick` callback that a microtask queued
   * runs when no microtask is left: work that is unfinished then awaits something else, and would block the queue.
   */
  #detectStall(): void {
    process.nextTick(() => this.#onStall?.())
  }

  #rejectOnStall(result: unknown): Promise<unknown> {
    return new Promise((resolve, reject) => {
      this.#onStall = () => {
        reject(new Error('the work of a transaction awaited something other than its own handle'))
        queueMicrotask(() => this.#detectStall())
      }
      Promise.resolve(result).then(resolve, reject)
    })
  }

  #rollback(): void {
    try {
      if (this.#connection.isTransaction) this.#connection.run(sql`ROLLBACK`)
    } catch {
      this.#connection.close()
    }
  }

  #rejectExecuted(executed: readonly Executed[], error: unknown): void {
    this.#rejectAll(
      executed.map(({ job }) => job),
      error,
    )
  }

  #rejectAll(jobs: readonly Job[], error: unknown): void {
    const translated = translate(error, undefined)
    const reason = translated instanceof StorageUnavailable ? translated : new StorageUnavailable(error)
    for (const job of jobs) job.reject(reason)
  }
}
