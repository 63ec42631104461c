import { ReferenceViolation, StorageUnavailable, UniqueViolation } from '../database.ts'

/** A serialization failure or a deadlock. A retry can succeed. */
export class Conflict extends StorageUnavailable {}

// https://www.postgresql.org/docs/current/errcodes-appendix.html
const serializationFailure = '40001'
const deadlock = '40P01'
const uniqueViolation = '23505'
const foreignKeyViolation = '23503'
/** The server has become a standby. */
const readOnly = '25006'
const inFailedTransaction = '25P02'
// Connection errors, insufficient resources, shutdown or startup, system errors, statement_timeout, lock_timeout,
// idle_in_transaction_session_timeout and transaction_timeout, read-only standby.
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
 * Whether the connection can no longer be used: after fatal errors of the server, and after errors of the driver or the
 * operating system. A RangeError comes from our parsers of results and does not affect the connection.
 */
export function endsConnection(error: unknown): boolean {
  if (!isServerError(error)) return !(error instanceof RangeError)
  return error.severity === 'FATAL' || error.severity === 'PANIC' || error.code === readOnly
}

/** Whether the server rejected a statement only because an earlier one of the transaction failed. */
export function isAborted(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === inFailedTransaction
}

/**
 * Converts an error of PostgreSQL or of the connection to an error of `database.ts`. It contains no parameter values.
 */
export function translate(error: unknown): Error {
  if (error instanceof RangeError) return new RangeError(error.message)
  const cause = withoutParameters(error)
  if (!isServerError(error)) return new StorageUnavailable(cause)
  if (error.code === uniqueViolation) return new UniqueViolation(error.constraint_name ?? 'unknown', cause)
  if (error.code === foreignKeyViolation) return new ReferenceViolation(cause)
  if (error.code === serializationFailure || error.code === deadlock) return new Conflict(cause)
  // A migration of another node changed the table of a prepared statement. The retry prepares it again.
  if (error.code === '0A000' && error.routine === 'RevalidateCachedQuery') return new Conflict(cause)
  return unavailable.test(error.code) ? new StorageUnavailable(cause) : cause
}

/**
 * The driver adds statement, parameters and the server's detail to its errors. This copy contains only the code and the
 * message. Class 22 (data exception) has the value in its message, which is replaced.
 */
function withoutParameters(error: unknown): Error {
  if (!(error instanceof Error)) return new Error('the query failed')
  const code = 'code' in error ? String(error.code) : error.name
  const message = code.startsWith('22') ? 'a value is not valid for its type' : error.message
  return Object.assign(new Error(`${code}: ${message}`), { code })
}
