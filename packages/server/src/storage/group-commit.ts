import { setTimeout as sleep } from 'node:timers/promises'
import { runAfterCommit } from './after-commit.ts'
import { StorageUnavailable, type Transaction } from './database.ts'
import type { LogSync } from './log-sync.ts'
import type { Connection } from './sqlite-connection.ts'
import { isBusy, translate } from './sqlite-errors.ts'
import type { Reads } from './sqlite-reads.ts'
import { Turn } from './sqlite-turn.ts'
import { sql } from './template.ts'

export interface GroupCommitOptions {
  /** How long a batch waits while another process writes, in milliseconds; the event loop goes on meanwhile. */
  busyTimeoutMs: number
  /** After this long a batch takes nothing more: it holds the event loop. At least one transaction is in it. */
  maxBatchMs: number
  /** Called after each commit with the number of transactions in it. */
  onCommit: (transactions: number) => void
}

interface Parts {
  /** The connection that writes. */
  connection: Connection
  sync: LogSync
  /** They use the same connection between the batches. */
  reads: Reads
}

interface Job {
  work: (tx: Transaction) => unknown
  resolve: (value: unknown) => void
  reject: (error: unknown) => void
}

/** A job that has had its turn; `settle` waits for the commit to be durable. */
interface Done {
  job: Job
  settle: () => void
}

/** What the work of a batch can be undone by: all of it at once, or each by a savepoint of its own. */
type Undo = 'together' | 'apart'

const maxBatch = 256
const busyRetryMs = 10

/**
 * The queue of the connection that writes. All that waits is run in turn inside one transaction of the engine, made
 * durable by one commit and one sync of the log, and only then settled: also those that failed, because what they saw was
 * not durable before. What arrives while the disk is waited for makes the next batch.
 *
 * One that fails has mostly changed nothing. Where it has, the batch is rolled back and its works are run again, each under
 * a savepoint: SQLite keeps a copy of each page that is changed under one, which costs as much as a statement.
 */
export class GroupCommit {
  readonly #connection: Connection
  readonly #sync: LogSync
  readonly #reads: Reads
  readonly #options: GroupCommitOptions
  #queue: Job[] = []
  #draining: Promise<void> | undefined
  #onStall: (() => void) | undefined

  constructor({ connection, sync, reads, ...options }: Parts & GroupCommitOptions) {
    this.#connection = connection
    this.#sync = sync
    this.#reads = reads
    this.#options = options
  }

  add<T>(work: (tx: Transaction) => Promise<T>): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      // The only value that reaches `resolve` is what this very `work` gave.
      this.#queue.push({ work, resolve: value => resolve(value as T), reject })
      this.#draining ??= this.#drain()
    })
  }

  /** Resolves when nothing waits and nothing runs. */
  async idle(): Promise<void> {
    while (this.#draining !== undefined) await this.#draining
  }

  async #drain(): Promise<void> {
    while (this.#queue.length > 0) {
      // What arrives in this round of the event loop shares the batch.
      await new Promise(resolve => setImmediate(resolve))
      await this.#batch()
    }
    this.#draining = undefined
  }

  async #batch(): Promise<void> {
    try {
      await this.#begin()
    } catch (error) {
      // All that waits has the same lot: nobody waits for the lock twice.
      this.#rejectAll(this.#queue.splice(0), error)
      return
    }
    const done: Done[] = []
    let isCommitted = false
    try {
      isCommitted = (await this.#takeTurns(done, 'together')) || (await this.#again(done))
      this.#connection.run(isCommitted ? sql`COMMIT` : sql`ROLLBACK`)
    } catch (error) {
      this.#abandon()
      this.#rejectDone(done, error)
      return
    }
    try {
      await this.#sync.sync(this.#connection.open())
    } catch (error) {
      // It stands in the log and may yet reach the disk: nobody knows, so nobody is told that it has.
      this.#rejectDone(done, error)
      return
    }
    if (isCommitted) this.#options.onCommit(done.length)
    for (const { settle } of done) settle()
  }

  /** The same works, where one of them left behind what must not stand. False where that was the only one. */
  async #again(done: Done[]): Promise<boolean> {
    if (done.length === 1) return false
    this.#connection.run(sql`ROLLBACK`)
    await this.#begin()
    this.#queue.unshift(...done.splice(0).map(({ job }) => job))
    return this.#takeTurns(done, 'apart')
  }

  async #begin(): Promise<void> {
    const deadline = performance.now() + this.#options.busyTimeoutMs
    for (;;) {
      try {
        this.#reads.release()
        this.#connection.run(sql`BEGIN IMMEDIATE`)
        return
      } catch (error) {
        if (!isBusy(error) || performance.now() >= deadline) throw error
      }
      await sleep(busyRetryMs)
    }
  }

  /**
   * False where the last of `done` failed and what it did stands: nothing of the batch may be committed. Throws where the
   * whole batch is lost; `done` then names whose work was in it.
   */
  async #takeTurns(done: Done[], undo: Undo): Promise<boolean> {
    const waiting = Math.min(this.#queue.length, maxBatch)
    const deadline = performance.now() + this.#options.maxBatchMs
    const jobs = this.#queue.splice(0, waiting)
    try {
      this.#watch()
      while (done.length < jobs.length && (done.length === 0 || performance.now() < deadline)) {
        const job = jobs[done.length]
        if (job !== undefined && !(await this.#takeTurn(job, done, undo))) return false
      }
      return true
    } finally {
      if (done.length < jobs.length) this.#queue.unshift(...jobs.slice(done.length))
    }
  }

  /** False where what a failed work did stands. */
  async #takeTurn(job: Job, done: Done[], undo: Undo): Promise<boolean> {
    const turn = new Turn(this.#connection)
    const entry: Done = { job, settle: () => undefined }
    done.push(entry)
    if (undo === 'apart') this.#connection.run(sql`SAVEPOINT job`)
    try {
      const value = await this.#withoutStall(job.work(turn))
      if (turn.failure !== undefined) throw turn.failure.error
      entry.settle = () => {
        runAfterCommit(turn.hooks)
        job.resolve(value)
      }
    } catch (error) {
      entry.settle = () => job.reject(error)
      // A full disk, for one, makes SQLite roll back by itself all that stands uncommitted.
      if (!this.#connection.isTransaction) throw error
      if (undo === 'together') return !turn.hasChanged
      this.#connection.run(sql`ROLLBACK TO job`)
    } finally {
      this.#onStall = undefined
      turn.end()
    }
    if (undo === 'apart') this.#connection.run(sql`RELEASE job`)
    return true
  }

  /**
   * Work that awaits its handle alone goes on from microtask to microtask. `process.nextTick`, asked for from a
   * microtask, comes when none is left: work that has not settled by then waits for something else, and would keep
   * everybody behind it waiting too.
   */
  #watch(): void {
    process.nextTick(() => this.#onStall?.())
  }

  #withoutStall(result: unknown): Promise<unknown> {
    return new Promise((resolve, reject) => {
      this.#onStall = () => {
        reject(new Error('the work of a transaction awaited something other than its own handle'))
        queueMicrotask(() => this.#watch())
      }
      Promise.resolve(result).then(resolve, reject)
    })
  }

  #abandon(): void {
    try {
      if (this.#connection.isTransaction) this.#connection.run(sql`ROLLBACK`)
    } catch {
      this.#connection.close()
    }
  }

  #rejectDone(done: readonly Done[], error: unknown): void {
    this.#rejectAll(
      done.map(({ job }) => job),
      error,
    )
  }

  #rejectAll(jobs: readonly Job[], error: unknown): void {
    const translated = translate(error, undefined)
    const reason = translated instanceof StorageUnavailable ? translated : new StorageUnavailable(error)
    for (const job of jobs) job.reject(reason)
  }
}
