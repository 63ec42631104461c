import { ReferenceViolation, StorageUnavailable, UniqueViolation } from './database.ts'

/** A serialization failure or a deadlock: the same work may well succeed when it is run again. */
export class Conflict extends StorageUnavailable {}

// https://www.postgresql.org/docs/current/errcodes-appendix.html
const serializationFailure = '40001'
const deadlock = '40P01'
const uniqueViolation = '23505'
const foreignKeyViolation = '23503'
/** Connected to what is a standby by now. */
const readOnly = '25006'
const inFailedTransaction = '25P02'
// Connection; no room; shut down or starting; the system under the server; statement_timeout; lock_timeout; too long in
// a transaction; standby.
const unavailable = /^(08|53|57P|58|57014$|55P03$|25P0[34]$|25006$)/

interface ServerError extends Error {
  code: string
  severity: string
  constraint_name?: string
  routine?: string
}

function isServerError(error: unknown): error is ServerError {
  return error instanceof Error && 'severity' in error && 'code' in error && typeof error.code === 'string'
}

/**
 * True where the connection is of no use any more: what the server calls fatal (all of its errors before the first
 * answer are), and what the driver or the system says. A RangeError is our own, about a value that came back.
 */
export function endsConnection(error: unknown): boolean {
  if (!isServerError(error)) return !(error instanceof RangeError)
  return error.severity === 'FATAL' || error.severity === 'PANIC' || error.code === readOnly
}

/** True where the server refused a statement only because one before it in its transaction had failed. */
export function isAborted(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === inFailedTransaction
}

/** What the port promises for an error of PostgreSQL or of the connection to it; never with a value of a parameter. */
export function translate(error: unknown): Error {
  if (error instanceof RangeError) return new RangeError(error.message)
  const cause = plain(error)
  if (!isServerError(error)) return new StorageUnavailable(cause)
  if (error.code === uniqueViolation) return new UniqueViolation(error.constraint_name ?? 'unknown', cause)
  if (error.code === foreignKeyViolation) return new ReferenceViolation(cause)
  if (error.code === serializationFailure || error.code === deadlock) return new Conflict(cause)
  // A migration of another node changed the table under a prepared statement; it is prepared anew in the next run.
  if (error.code === '0A000' && error.routine === 'RevalidateCachedQuery') return new Conflict(cause)
  return unavailable.test(error.code) ? new StorageUnavailable(cause) : cause
}

/**
 * The driver hangs text, parameters and the server's detail on its errors: a copy has the code and the message. Class
 * 22 (data exception) repeats the value in the message itself.
 */
function plain(error: unknown): Error {
  if (!(error instanceof Error)) return new Error('the query failed')
  const code = 'code' in error ? String(error.code) : error.name
  const message = code.startsWith('22') ? 'a value does not fit' : error.message
  return Object.assign(new Error(`${code}: ${message}`), { code })
}
