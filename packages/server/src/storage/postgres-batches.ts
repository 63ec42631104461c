import { type Batch, StorageUnavailable } from './database.ts'
import type { PostgresConnection } from './postgres-connection.ts'
import { Conflict } from './postgres-errors.ts'
import { arrayTypes, mergedBatch, mergedReadAndTryChange, toArrays, toRow } from './postgres-merge.ts'
import { type Parameter, toParameters } from './sql-template.ts'

interface Job {
  /** The values of each statement. */
  values: readonly (readonly Parameter[])[]
  resolve: (result: ReadAndChanged) => void
  reject: (error: unknown) => void
}

/** The result of `readAndTryChange`. A batch has no row. */
export interface ReadAndChanged {
  row: Record<string, unknown> | undefined
  isChanged: boolean
}

/** The statements of a batch, or with `isRead` a SELECT and the changes that depend on its UPDATE. */
interface Statements {
  key: string
  templates: readonly TemplateStringsArray[]
  isRead: boolean
}

/** The batches that wait for a connection and have the same statements. */
interface Group {
  statements: Statements
  jobs: Job[]
}

interface Connections {
  use: <T>(f: (connection: PostgresConnection) => Promise<T>) => Promise<T>
  retryOnConflict: <T>(attempt: () => Promise<T>) => Promise<T>
}

const maxMerged = 256
const unchanged: ReadAndChanged = { row: undefined, isChanged: false }
const divisionByZero = '22012'

/**
 * Sends a batch as one statement without BEGIN and COMMIT, and merges those that have the same statements and arrive in one
 * turn of the event loop or while all connections are in use. For speed: one round trip, one commit and one statement for
 * many batches. If one of them fails or must not change anything, all are rolled back, and each is sent on its own. The reads with a
 * change (`readAndTryChange`) are merged too, but each has its own result: one that changes nothing does not affect the others.
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
    return (await this.#add(statements, false)).isChanged
  }

  /** See `readAndTryChange` of the database. */
  async readAndTryChange(
    read: Pick<Batch[number], 'template' | 'values'>,
    changes: Batch,
  ): Promise<ReadAndChanged> {
    return this.#add([{ ...read, method: 'get' }, ...changes], true)
  }

  async #add(statements: Batch, isRead: boolean): Promise<ReadAndChanged> {
    const templates = statements.map(({ template }) => template)
    const values = statements.map(statement => toParameters(statement.values))
    const key = `${isRead ? 'read ' : ''}${templates.map(template => this.#idOf(template))}`
    return new Promise((resolve, reject) => {
      const job = { values, resolve, reject }
      const group = this.#groups.get(key)
      if (group !== undefined) {
        group.jobs.push(job)
        return
      }
      const added: Group = { statements: { key, templates, isRead }, jobs: [job] }
      this.#groups.set(key, added)
      setImmediate(() => void this.#flush(added.statements))
    })
  }

  async #flush(statements: Statements): Promise<void> {
    let jobs: Job[] = []
    try {
      const results = await this.#connections.use(connection => {
        // Batches that have arrived while this one waited for the connection are sent with it.
        jobs = this.#take(statements)
        return this.#send(connection, statements, jobs)
      })
      for (const [i, { resolve }] of jobs.entries()) resolve(results[i] ?? unchanged)
    } catch (error) {
      // No connection was free in time.
      if (jobs.length === 0) jobs = this.#take(statements)
      const canRetry =
        error instanceof Conflict || (jobs.length > 1 && !(error instanceof StorageUnavailable))
      for (const job of jobs) {
        if (canRetry) this.#sendAlone(statements, job).then(job.resolve, job.reject)
        else job.reject(error)
      }
    }
  }

  #take(statements: Statements): Job[] {
    const { key } = statements
    const group = this.#groups.get(key)
    if (group === undefined) throw new Error('the batches of this flush were sent by another one')
    const jobs = group.jobs.splice(0, maxMerged)
    if (group.jobs.length === 0) this.#groups.delete(key)
    else setImmediate(() => void this.#flush(statements))
    return jobs
  }

  async #sendAlone(statements: Statements, job: Job): Promise<ReadAndChanged> {
    const { use, retryOnConflict } = this.#connections
    const results = await retryOnConflict(() => use(connection => this.#send(connection, statements, [job])))
    return results[0] ?? unchanged
  }

  /**
   * The results in the order of the jobs. For batches: throws, and changes nothing, if some statements of the jobs changed a row and
   * others did not: `#flush` then sends each job alone.
   */
  async #send(
    connection: PostgresConnection,
    statements: Statements,
    jobs: readonly Job[],
  ): Promise<ReadAndChanged[]> {
    const { templates, isRead } = statements
    const ordered = jobs.length === 1 ? jobs : inOrderOfKeys(templates, jobs)
    const uses = templates.map((_, i) => ordered.map(({ values }) => values[i] ?? []))
    const text = this.#textOf(statements, uses.map(arrayTypes))
    const arrays = uses.flatMap(toArrays)
    if (isRead) {
      const { columns, rows } = await connection.runAsLists(text, arrays)
      const results = new Map(rows.map(row => [ordered[Number(row[0]) - 1], toReadAndChanged(columns, row)]))
      return jobs.map(job => results.get(job) ?? unchanged)
    }
    try {
      const { rows } = await connection.runAlone(text, [...arrays, jobs.length])
      const isChanged = rows[0]?.rows !== 0
      return jobs.map(() => ({ row: undefined, isChanged }))
    } catch (error) {
      if (jobs.length === 1 && isIncomplete(error)) return [unchanged]
      throw error
    }
  }

  #textOf({ key: statementKey, templates, isRead }: Statements, types: readonly string[][]): string {
    const key = `${statementKey} ${types.join(' ')}`
    let text = this.#texts.get(key)
    if (text === undefined) {
      const [read, ...changes] = templates
      text =
        isRead && read !== undefined
          ? mergedReadAndTryChange(read, changes, types)
          : mergedBatch(templates, types)
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

/** The columns are those of `mergedReadAndTryChange`. */
function toReadAndChanged(columns: readonly string[], values: readonly unknown[]): ReadAndChanged {
  const isChanged = values[1] !== null
  return { row: values[2] === null ? undefined : toRow(columns, values, 3), isChanged }
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
