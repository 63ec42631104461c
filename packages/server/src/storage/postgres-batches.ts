import { type Batch, StorageUnavailable } from './database.ts'
import type { PostgresConnection } from './postgres-connection.ts'
import { Conflict } from './postgres-errors.ts'
import { arrayTypes, mergedBatch, toArrays } from './postgres-merge.ts'
import { type Parameter, toParameters } from './sql-template.ts'

interface Job {
  /** The values of each statement. */
  values: readonly (readonly Parameter[])[]
  resolve: (isDone: boolean) => void
  reject: (error: unknown) => void
}

/** The batches that wait for a connection and have the same statements. */
interface Group {
  templates: readonly TemplateStringsArray[]
  jobs: Job[]
}

interface Connections {
  use: <T>(f: (connection: PostgresConnection) => Promise<T>) => Promise<T>
  retryOnConflict: <T>(attempt: () => Promise<T>) => Promise<T>
}

const maxMerged = 256
const divisionByZero = '22012'

/**
 * Sends a batch as one statement without BEGIN and COMMIT, and merges those that have the same statements and arrive in one
 * turn of the event loop or while all connections are in use. For speed: one round trip, one commit and one statement for
 * many batches. If one of them fails, nothing is changed, and each is sent on its own.
 */
export class PostgresBatches {
  readonly #connections: Connections
  readonly #groups = new Map<string, Group>()
  readonly #templateIds = new WeakMap<TemplateStringsArray, number>()
  readonly #texts = new Map<string, string>()
  #nextTemplateId = 0

  constructor(connections: Connections) {
    this.#connections = connections
  }

  async run(statements: Batch): Promise<boolean> {
    const templates = statements.map(({ template }) => template)
    const values = statements.map(statement => toParameters(statement.values))
    const key = templates.map(template => this.#idOf(template)).join()
    return new Promise((resolve, reject) => {
      const job = { values, resolve, reject }
      const group = this.#groups.get(key)
      if (group !== undefined) {
        group.jobs.push(job)
        return
      }
      this.#groups.set(key, { templates, jobs: [job] })
      setImmediate(() => void this.#flush(key))
    })
  }

  async #flush(key: string): Promise<void> {
    const templates = this.#groups.get(key)?.templates ?? []
    let jobs: Job[] = []
    try {
      const isDone = await this.#connections.use(connection => {
        // Batches that have arrived while this one waited for the connection are sent with it.
        jobs = this.#take(key)
        return this.#send(connection, templates, jobs)
      })
      for (const { resolve } of jobs) resolve(isDone)
    } catch (error) {
      // No connection was free in time.
      if (jobs.length === 0) jobs = this.#take(key)
      const canRetry =
        error instanceof Conflict || (jobs.length > 1 && !(error instanceof StorageUnavailable))
      for (const job of jobs) {
        if (canRetry) this.#sendAlone(templates, job).then(job.resolve, job.reject)
        else job.reject(error)
      }
    }
  }

  #take(key: string): Job[] {
    const group = this.#groups.get(key)
    if (group === undefined) throw new Error('the batches of this flush were sent by another one')
    const jobs = group.jobs.splice(0, maxMerged)
    if (group.jobs.length === 0) this.#groups.delete(key)
    else setImmediate(() => void this.#flush(key))
    return jobs
  }

  #sendAlone(templates: readonly TemplateStringsArray[], job: Job): Promise<boolean> {
    const { use, retryOnConflict } = this.#connections
    return retryOnConflict(() => use(connection => this.#send(connection, templates, [job])))
  }

  /** False if no statement changed a row. Throws, and changes nothing, if only some did. */
  async #send(
    connection: PostgresConnection,
    templates: readonly TemplateStringsArray[],
    jobs: readonly Job[],
  ): Promise<boolean> {
    const ordered = jobs.length === 1 ? jobs : inOrderOfKeys(templates, jobs)
    const uses = templates.map((_, i) => ordered.map(({ values }) => values[i] ?? []))
    const types = uses.map(arrayTypes)
    const parameters = [...uses.flatMap(toArrays), jobs.length]
    try {
      const { rows } = await connection.runAlone(this.#textOf(templates, types), parameters)
      return rows[0]?.rows !== 0
    } catch (error) {
      if (jobs.length === 1 && isIncomplete(error)) return false
      throw error
    }
  }

  #textOf(templates: readonly TemplateStringsArray[], types: readonly string[][]): string {
    const key = `${templates.map(template => this.#idOf(template))} ${types.join(' ')}`
    let text = this.#texts.get(key)
    if (text === undefined) {
      text = mergedBatch(templates, types)
      this.#texts.set(key, text)
    }
    return text
  }

  #idOf(template: TemplateStringsArray): number {
    let id = this.#templateIds.get(template)
    if (id === undefined) {
      id = this.#nextTemplateId++
      this.#templateIds.set(template, id)
    }
    return id
  }
}

/**
 * By the key of the first UPDATE, its first value after WHERE. All nodes lock rows in this order, so that two batches with the
 * same rows do not cause a deadlock.
 */
function inOrderOfKeys(templates: readonly TemplateStringsArray[], jobs: readonly Job[]): readonly Job[] {
  const update = templates.findIndex(([verb = '']) => /^\s*UPDATE\b/i.test(verb))
  const key = templates[update]?.findIndex(part => /\bWHERE\b/i.test(part)) ?? -1
  if (key < 0) return jobs
  const keyOf = ({ values }: Job) => String(values[update]?.[key])
  return jobs.toSorted((a, b) => (keyOf(a) < keyOf(b) ? -1 : 1))
}

/** See `mergedBatch`. */
function isIncomplete(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === divisionByZero
}
