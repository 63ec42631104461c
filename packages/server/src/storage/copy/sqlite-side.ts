import { statSync } from 'node:fs'
import { resolve } from 'node:path'
import { DatabaseSync, type SQLInputValue, type StatementSync } from 'node:sqlite'
import { pathToFileURL } from 'node:url'
import { retryWhileBusy } from '../sqlite/sqlite-connection.ts'
import {
  columnList,
  quote,
  type Row,
  type Side,
  type Table,
  toColumnDescription,
  type Value,
} from './side.ts'

// synchronous = NORMAL: a power failure may undo the last commits, and the copy continues from there.
const pragmas = `PRAGMA foreign_keys = ON; PRAGMA synchronous = NORMAL; PRAGMA busy_timeout = 5000;
  PRAGMA temp_store = MEMORY; PRAGMA cache_size = -65536`

/** With `lock`, other connections can only read until this one is closed. */
export async function openSqliteSide(path: string, { lock }: { lock: boolean }): Promise<Side> {
  const location = pathToFileURL(resolve(path))
  location.searchParams.set('mode', 'rw')
  const db = await retryWhileBusy(() => new DatabaseSync(location, { returnArrays: true }))
  try {
    db.exec(pragmas)
    if (lock) await retryWhileBusy(() => db.exec('BEGIN IMMEDIATE'))
  } catch (error) {
    db.close()
    throw error
  }
  const { dev, ino } = statSync(path)
  return new SqliteSide(db, `sqlite ${dev} ${ino}`)
}

class SqliteSide implements Side {
  readonly engine = 'sqlite'
  readonly identity: string
  readonly #db: DatabaseSync
  readonly #statements = new Map<string, StatementSync>()

  constructor(db: DatabaseSync, identity: string) {
    this.#db = db
    this.identity = identity
  }

  async query(text: string, values: readonly Value[] = []): Promise<unknown[][]> {
    const rows: unknown = this.#prepare(text.replaceAll(/\$\d+/g, '?')).all(...toInput(values))
    // The types of `node:sqlite` do not know `returnArrays`.
    return rows as unknown[][]
  }

  async insert(table: Table, rows: readonly Row[]): Promise<void> {
    const places = table.columns.map(() => '?').join(', ')
    // The affinity of the column converts the text of an integer.
    const text = `INSERT INTO ${quote(table.name)} (${columnList(table)}) VALUES (${places})`
    const statement = this.#prepare(text)
    for (const row of rows) statement.run(...toInput(row))
  }

  async describeColumns() {
    const rows = await this.query(`
      SELECT t.name, c.name, c.type, c.pk FROM sqlite_schema t, pragma_table_info(t.name) c
      WHERE t.type = 'table' AND t.name NOT LIKE 'sqlite\\_%' ESCAPE '\\' ORDER BY t.name, c.cid`)
    return rows.map(toColumnDescription)
  }

  async listReferences() {
    const rows = await this.query(`
      SELECT t.name, f."table" FROM sqlite_schema t, pragma_foreign_key_list(t.name) f WHERE t.type = 'table'`)
    return rows.map(([from, to]) => [String(from), String(to)] as const)
  }

  async complete(): Promise<void> {
    this.#db.exec('PRAGMA synchronous = FULL; PRAGMA wal_checkpoint(TRUNCATE)')
  }

  async close(): Promise<void> {
    this.#db.close()
  }

  #prepare(text: string): StatementSync {
    let statement = this.#statements.get(text)
    if (statement === undefined) {
      statement = this.#db.prepare(text)
      this.#statements.set(text, statement)
    }
    return statement
  }
}

function toInput(values: Row): SQLInputValue[] {
  return [...values]
}
