import { type ErrorCode, errorStatus } from '@gatehouse/protocol/errors'

export type { ErrorCode } from '@gatehouse/protocol/errors'

/** One thing wrong with a request body: where (`options[0].name`), which rule, and what to do, in words. */
export interface Fault {
  path: string
  code: string
  message: string
}

interface Details {
  /** Only for `validation_failed`. */
  errors?: Fault[]
  /** Seconds until the caller may try again: `rate_limited` and `unavailable` only. */
  retryAfter?: number
  /** For the log, never for the caller. */
  cause?: unknown
}

/** An expected failure. `message` is public text: no secret, no detail of ours. */
export class AppError extends Error {
  readonly code: ErrorCode
  readonly status: number
  readonly errors: Fault[] | undefined
  readonly retryAfter: number | undefined

  constructor(code: ErrorCode, message: string, details: Details = {}) {
    super(message, { cause: details.cause })
    this.name = 'AppError'
    this.code = code
    this.status = errorStatus[code]
    this.errors = details.errors
    this.retryAfter = details.retryAfter
  }
}

/** The same words for all that does not exist and all that the caller may not know of. */
export function notFound(): AppError {
  return new AppError('not_found', 'There is nothing here, or nothing that you may see.')
}

/** 400 with one fault: `invalid('name', 'too_long', '…')`. */
export function invalid(path: string, code: string, message: string): AppError {
  return new AppError('validation_failed', 'The request is not valid.', { errors: [{ path, code, message }] })
}

/** 400 with several faults. */
export function invalidAll(errors: Fault[]): AppError {
  return new AppError('validation_failed', 'The request is not valid.', { errors })
}
