import { errorStatus } from '@gatehouse/protocol/errors'
import { BusUnavailable } from '../bus/bus.ts'
import { AppError, type ErrorCode, notFound } from '../kit/app-error.ts'
import { ReferenceViolation, StorageUnavailable } from '../storage/database.ts'

/** What an error becomes on the wire. */
export interface ErrorAnswer {
  status: number
  body: unknown
  /** `application/json` unless said. */
  contentType?: string
  headers?: Readonly<Record<string, string>>
}

/** One mapper per dialect turns errors into answers. */
export type ErrorDialect = (error: AppError, requestId: string) => ErrorAnswer

/** The errors that any route can answer with. */
export const commonErrors: readonly ErrorCode[] = [
  'validation_failed',
  'malformed_json',
  'unauthenticated',
  'missing_scope',
  'cross_site',
  'method_not_allowed',
  'request_timeout',
  'body_too_large',
  'unsupported_media_type',
  'rate_limited',
  'internal_error',
  'unavailable',
]

/** The native JSON of the contract: `{code, message, errors?, retryAfter?, requestId?}`. */
export const nativeDialect: ErrorDialect = (error, requestId) => {
  const body: Record<string, unknown> = { code: error.code, message: error.message }
  if (error.errors) body.errors = error.errors
  if (error.code === 'rate_limited') body.retryAfter = error.retryAfter ?? 1
  if (error.code === 'internal_error') body.requestId = requestId
  return { status: error.status, body }
}

/** HTTP headers that belong to an error in every dialect. */
export function errorHeaders(error: AppError): Record<string, string> {
  if (error.retryAfter !== undefined || error.status === 503) {
    return { 'retry-after': String(Math.max(1, Math.ceil(error.retryAfter ?? 1))) }
  }
  return {}
}

/** Whatever was thrown, as one of ours. What is not known is our own fault: 500, with the cause for the log only. */
export function toAppError(thrown: unknown): AppError {
  if (thrown instanceof AppError) return thrown
  if (thrown instanceof StorageUnavailable || thrown instanceof BusUnavailable) {
    return new AppError('unavailable', 'The service cannot do its work right now. Try again in a moment.', {
      retryAfter: 1,
      cause: thrown,
    })
  }
  // What the request names was deleted between the look and the write.
  if (thrown instanceof ReferenceViolation) return notFound()
  const known = fromFramework(thrown)
  return known ?? new AppError('internal_error', 'Something went wrong on our side.', { cause: thrown })
}

const frameworkErrors: Readonly<Record<string, { code: ErrorCode; message: string }>> = {
  FST_ERR_CTP_BODY_TOO_LARGE: { code: 'body_too_large', message: 'The body is larger than 1 MiB.' },
  FST_ERR_CTP_INVALID_MEDIA_TYPE: {
    code: 'unsupported_media_type',
    message: 'This Content-Type is not accepted here.',
  },
  FST_ERR_CTP_INVALID_CONTENT_LENGTH: {
    code: 'malformed_json',
    message: 'The body is shorter or longer than its Content-Length.',
  },
  FST_ERR_CTP_EMPTY_TYPE: { code: 'unsupported_media_type', message: 'The Content-Type is missing.' },
}

function fromFramework(thrown: unknown): AppError | undefined {
  if (!(thrown instanceof Error) || !('code' in thrown)) return undefined
  const known = frameworkErrors[String(thrown.code)]
  if (known) return new AppError(known.code, known.message, { cause: thrown })
  // A connection that broke off in the middle of its body.
  if (thrown.code === 'ECONNRESET') {
    return new AppError('request_timeout', 'The body did not arrive.', { cause: thrown })
  }
  return undefined
}

/** Whether a route that declares `errors` may answer with this code. */
export function isDeclared(errors: readonly ErrorCode[], code: ErrorCode): boolean {
  return commonErrors.includes(code) || errors.includes(code)
}

/** The statuses of `codes`, for the reference. */
export function statusesOf(codes: readonly ErrorCode[]): number[] {
  return [...new Set(codes.map(code => errorStatus[code]))].sort((a, b) => a - b)
}
