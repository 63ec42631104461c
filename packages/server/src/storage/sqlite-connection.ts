import { closeSync, mkdirSync, openSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import { DatabaseSync, type SQLInputValue, type SQLOutputValue, type StatementSync } from 'node:sqlite'
import { setTimeout as sleep } from 'node:timers/promises'
import { pathToFileURL } from 'node:url'
import type { SqlValue } from './database.ts'
import { isBusy, needsReopening } from './sqlite-errors.ts'
import { build, isRead, Texts, toParameter } from './template.ts'

interface Prepared {
  statement: StatementSync
  columns: string[]
}

const openingTimeoutMs = 5_000
const openingRetryMs = 10

/** Makes the file, readable by its owner alone, and its folder where they are missing. */
export function createFile(path: string): void {
  mkdirSync(dirname(resolve(path)), { recursive: true, mode: 0o700 })
  try {
    // `x`: closing a second descriptor of a file that is open already would drop SQLite's locks on it.
    closeSync(openSync(path, 'ax', 0o600))
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'EEXIST')) throw error
  }
}

/** Repeats `open` while another process is opening or migrating the same file. */
export async function whileBusy<T>(open: () => T): Promise<T> {
  const deadline = performance.now() + openingTimeoutMs
  for (;;) {
    try {
      return open()
    } catch (error) {
      if (!isBusy(error) || performance.now() >= deadline) throw error
    }
    await sleep(openingRetryMs)
  }
}

/** One connection and its prepared statements. Throws SQLite's own errors. */
export class Connection {
  readonly #location: URL
  readonly #pragmas: string
  readonly #texts = new Texts((template, isList) =>
    build(
      template,
      isList,
      () => '?',
      () => '(SELECT value FROM json_each(?))',
    ),
  )
  readonly #isRead = new WeakMap<TemplateStringsArray, boolean>()
  #prepared = new WeakMap<TemplateStringsArray, Prepared>()
  #db: DatabaseSync | undefined
  #suspect = false

  /** The file must exist; it is never made anew, so that a lost disk does not read as an empty database. */
  constructor(path: string, mode: 'ro' | 'rw', pragmas: string) {
    this.#location = pathToFileURL(resolve(path))
    this.#location.searchParams.set('mode', mode)
    this.#pragmas = pragmas
  }

  /** Undefined while closed. */
  get db(): DatabaseSync | undefined {
    return this.#db
  }

  get isTransaction(): boolean {
    return this.#db?.isTransaction === true
  }

  /** Happens by itself at the first use, and again after an error that only opening anew can help. */
  open(): DatabaseSync {
    if (this.#suspect && !this.isTransaction) this.close()
    if (this.#db !== undefined) return this.#db
    const db = new DatabaseSync(this.#location, { returnArrays: true })
    try {
      db.exec(this.#pragmas)
    } catch (error) {
      db.close()
      throw error
    }
    this.#db = db
    return db
  }

  /** True for what cannot change anything. */
  onlyReads(template: TemplateStringsArray): boolean {
    let reads = this.#isRead.get(template)
    if (reads === undefined) {
      reads = isRead(template.join('?'))
      this.#isRead.set(template, reads)
    }
    return reads
  }

  get(template: TemplateStringsArray, values: readonly SqlValue[]): unknown {
    return this.#execute(template, values, (prepared, parameters) => {
      refuseWithoutRows(prepared)
      const row = cells(prepared.statement.get(...parameters))
      return row && toObject(prepared, row)
    })
  }

  all(template: TemplateStringsArray, values: readonly SqlValue[]): unknown[] {
    return this.#execute(template, values, (prepared, parameters) => {
      refuseWithoutRows(prepared)
      return prepared.statement.all(...parameters).map(row => toObject(prepared, cells(row) ?? []))
    })
  }

  /** The number of rows changed. */
  run(template: TemplateStringsArray, values: readonly SqlValue[] = []): number {
    return this.#execute(template, values, ({ statement }, parameters) =>
      Number(statement.run(...parameters).changes),
    )
  }

  close(): void {
    const db = this.#db
    this.#db = undefined
    this.#suspect = false
    this.#prepared = new WeakMap()
    db?.close()
  }

  #execute<T>(
    template: TemplateStringsArray,
    values: readonly SqlValue[],
    use: (prepared: Prepared, parameters: SQLInputValue[]) => T,
  ): T {
    try {
      return use(this.#prepare(template, values), bound(values))
    } catch (error) {
      this.#suspect ||= needsReopening(error)
      throw error
    }
  }

  #prepare(template: TemplateStringsArray, values: readonly SqlValue[]): Prepared {
    const db = this.open()
    const text = this.#texts.text(template, values)
    let prepared = this.#prepared.get(template)
    if (prepared === undefined) {
      const statement = db.prepare(text)
      prepared = { statement, columns: columnsOf(statement) }
      this.#prepared.set(template, prepared)
    }
    return prepared
  }
}

// A number would be bound as a REAL: 5 / 2.0 is not the 2 that PostgreSQL gives.
function bound(values: readonly SqlValue[]): SQLInputValue[] {
  const parameters: SQLInputValue[] = []
  for (const value of values) {
    const parameter = toParameter(value, parameters.length)
    parameters.push(typeof parameter === 'number' ? BigInt(parameter) : parameter)
  }
  return parameters
}

/** Whether it changed something could not be told by what it gives. */
function refuseWithoutRows({ columns }: Prepared): void {
  if (columns.length === 0) throw new TypeError('a statement that gives no rows is for `run`')
}

/** With `returnArrays`, which the types do not know. */
function cells(row: unknown): SQLOutputValue[] | undefined {
  return row as SQLOutputValue[] | undefined
}

function columnsOf(statement: StatementSync): string[] {
  return statement.columns().map(column => column.name)
}

// Ordinary objects, as PostgreSQL's are, and quicker to make and to read than the engine's own without prototype.
function toObject(prepared: Prepared, row: SQLOutputValue[]): Record<string, SQLOutputValue> {
  // A migration has changed what `SELECT *` means.
  if (row.length !== prepared.columns.length) prepared.columns = columnsOf(prepared.statement)
  const object: Record<string, SQLOutputValue> = {}
  for (let i = 0; i < row.length; i++) object[prepared.columns[i] ?? ''] = row[i] ?? null
  return object
}
