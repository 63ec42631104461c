import { closeSync, mkdirSync, openSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import { DatabaseSync, type SQLInputValue, type SQLOutputValue, type StatementSync } from 'node:sqlite'
import { setTimeout as sleep } from 'node:timers/promises'
import { pathToFileURL } from 'node:url'
import type { SqlValue } from '../database.ts'
import { buildText, StatementTexts, toCamelCase, toParameters } from '../sql-template.ts'
import { isBusy, needsReopening } from './sqlite-errors.ts'

interface Prepared {
  statement: StatementSync
  /** The names of the result columns in camel case. */
  columns: readonly string[]
}

type Row = Record<string, SQLOutputValue>

/** Not needed, because transactions run one after the other. */
const rowLock = /\s+FOR (KEY )?SHARE\s*$/

const openTimeoutMs = 5_000
const openRetryMs = 10

/** Creates the file with mode 0600 and its directory, if they do not exist. */
export function createFile(path: string): void {
  mkdirSync(dirname(resolve(path)), { recursive: true, mode: 0o700 })
  try {
    // `x` fails on an existing file: closing a second descriptor of an open database would drop SQLite's POSIX locks.
    closeSync(openSync(path, 'ax', 0o600))
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'EEXIST')) throw error
  }
}

/** Retries `open` while another process opens or migrates the same file. */
export async function retryWhileBusy<T>(open: () => T): Promise<T> {
  const deadline = performance.now() + openTimeoutMs
  for (;;) {
    try {
      return open()
    } catch (error) {
      if (!isBusy(error) || performance.now() >= deadline) throw error
    }
    await sleep(openRetryMs)
  }
}

/** A connection and its prepared statements. Throws the errors of SQLite. */
export class SqliteConnection {
  readonly #location: URL
  readonly #pragmas: string
  readonly #texts = new StatementTexts((template, kinds) =>
    buildText(
      template,
      kinds,
      () => '?',
      () => '(SELECT value FROM json_each(?))',
    ).replace(rowLock, ''),
  )
  #prepared = new WeakMap<TemplateStringsArray, Prepared>()
  #db: DatabaseSync | undefined
  #needsReopening = false

  /** The file must exist. It is never created here, so that an unmounted disk does not look like an empty database. */
  constructor(path: string, mode: 'ro' | 'rw', pragmas: string) {
    this.#location = pathToFileURL(resolve(path))
    this.#location.searchParams.set('mode', mode)
    this.#pragmas = pragmas
  }

  /** Undefined while the connection is closed. */
  get db(): DatabaseSync | undefined {
    return this.#db
  }

  get isTransaction(): boolean {
    return this.#db?.isTransaction === true
  }

  /** Every statement calls this: it opens the file on first use, and again after an I/O error. */
  open(): DatabaseSync {
    if (this.#needsReopening && !this.isTransaction) this.close()
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

  /** Whether the statement cannot change rows. */
  isReadOnly(template: TemplateStringsArray): boolean {
    return this.#texts.isReadOnly(template)
  }

  get(template: TemplateStringsArray, values: readonly SqlValue[]): unknown {
    return this.#execute(template, values, (prepared, parameters) => {
      assertHasColumns(prepared)
      const row = toArray(prepared.statement.get(...parameters))
      return row && toRow(prepared, row)
    })
  }

  all(template: TemplateStringsArray, values: readonly SqlValue[]): unknown[] {
    return this.#execute(template, values, (prepared, parameters) => {
      assertHasColumns(prepared)
      return prepared.statement.all(...parameters).map(row => toRow(prepared, toArray(row) ?? []))
    })
  }

  /** The number of changed rows. */
  run(template: TemplateStringsArray, values: readonly SqlValue[] = []): number {
    return this.#execute(template, values, ({ statement }, parameters) =>
      Number(statement.run(...parameters).changes),
    )
  }

  close(): void {
    const db = this.#db
    this.#db = undefined
    this.#needsReopening = false
    this.#prepared = new WeakMap()
    db?.close()
  }

  #execute<T>(
    template: TemplateStringsArray,
    values: readonly SqlValue[],
    use: (prepared: Prepared, parameters: SQLInputValue[]) => T,
  ): T {
    try {
      return use(this.#prepare(template, values), toInputValues(values))
    } catch (error) {
      this.#needsReopening ||= needsReopening(error)
      throw error
    }
  }

  #prepare(template: TemplateStringsArray, values: readonly SqlValue[]): Prepared {
    const db = this.open()
    const text = this.#texts.text(template, values)
    let prepared = this.#prepared.get(template)
    if (prepared === undefined) {
      const statement = db.prepare(text)
      prepared = { statement, columns: namesOfColumns(statement) }
      this.#prepared.set(template, prepared)
    }
    return prepared
  }
}

// SQLite binds a JavaScript number as REAL, so that 5 / 2 would be 2.5 instead of PostgreSQL's 2. A bigint is an
// INTEGER.
function toInputValues(values: readonly SqlValue[]): SQLInputValue[] {
  return toParameters(values).map(parameter =>
    typeof parameter === 'number' ? BigInt(parameter) : parameter,
  )
}

/** `get` and `all` derive from the returned rows whether a statement changed anything. */
function assertHasColumns({ columns }: Prepared): void {
  if (columns.length === 0) throw new TypeError('use `run` for a statement that returns no rows')
}

/** The types of `node:sqlite` do not know `returnArrays`. */
function toArray(row: unknown): SQLOutputValue[] | undefined {
  return row as SQLOutputValue[] | undefined
}

function namesOfColumns(statement: StatementSync): string[] {
  return statement.columns().map(column => toCamelCase(column.name))
}

function toRow(prepared: Prepared, values: SQLOutputValue[]): Row {
  // A migration added or removed a column of `SELECT *`.
  if (values.length !== prepared.columns.length) prepared.columns = namesOfColumns(prepared.statement)
  const row: Row = {}
  for (let i = 0; i < values.length; i++) row[prepared.columns[i] ?? ''] = values[i] ?? null
  return row
}
