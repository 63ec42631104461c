import type { DatabaseSync } from 'node:sqlite'
import { ReferenceViolation, StorageUnavailable, UniqueViolation } from '../database.ts'

// https://www.sqlite.org/rescode.html
const busy = 5
const locked = 6
const readonly = 8
const ioError = 10
const full = 13
const cannotOpen = 14
const protocol = 15
const constraintForeignKey = 787
const constraintPrimaryKey = 1555
const constraintUnique = 2067

/** The primary result code, or undefined for an error that is not from SQLite. */
function resultCode(error: unknown): number | undefined {
  const code = extendedCode(error)
  return code === undefined ? undefined : code & 0xff
}

function extendedCode(error: unknown): number | undefined {
  if (!(error instanceof Error) || !('errcode' in error) || typeof error.errcode !== 'number')
    return undefined
  return error.errcode
}

/** Whether another connection has locked the database. */
export function isBusy(error: unknown): boolean {
  const code = resultCode(error)
  return code === busy || code === locked || code === protocol
}

/** Whether the files may have been replaced or unmounted, so that the connection must be reopened. */
export function needsReopening(error: unknown): boolean {
  const code = resultCode(error)
  return code === readonly || code === ioError || code === cannotOpen
}

/** Converts an error of SQLite to an error of `database.ts`; returns other errors unchanged. */
export function translate(error: unknown, db: DatabaseSync | undefined): unknown {
  const extended = extendedCode(error)
  if (error instanceof Error && (extended === constraintUnique || extended === constraintPrimaryKey)) {
    return new UniqueViolation(constraintName(error.message, extended === constraintPrimaryKey, db), error)
  }
  if (extended === constraintForeignKey) return new ReferenceViolation(error)
  if (isBusy(error) || needsReopening(error) || resultCode(error) === full)
    return new StorageUnavailable(error)
  return error
}

/**
 * Finds the name that PostgreSQL gives the constraint, so that callers can distinguish two indexes of a table on both
 * engines. SQLite's message only contains the columns: `UNIQUE constraint failed: users.email`.
 */
function constraintName(message: string, isPrimaryKey: boolean, db: DatabaseSync | undefined): string {
  const target = message.slice(message.indexOf(': ') + 2)
  const expression = /^index '(.*)'$/.exec(target)?.[1]
  if (expression !== undefined) return expression
  const columns = target.split(', ').map(column => column.slice(column.indexOf('.') + 1))
  const table = target.slice(0, target.indexOf('.'))
  if (isPrimaryKey) return `${table}_pkey`
  return (db && indexName(db, table, columns)) ?? `${table}_${columns.join('_')}_key`
}

function indexName(db: DatabaseSync, table: string, columns: string[]): string | undefined {
  const [row] = db
    .prepare(
      `SELECT l.name FROM pragma_index_list(?) AS l WHERE l."unique" = 1 AND l.origin = 'c'
       AND (SELECT json_group_array(i.name) FROM pragma_index_info(l.name) AS i) = ? ORDER BY l.partial`,
    )
    .all(table, JSON.stringify(columns))
  const name = Array.isArray(row) ? row[0] : undefined
  return typeof name === 'string' ? name : undefined
}
