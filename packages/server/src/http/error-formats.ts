import { ErrorBody } from '@gatehouse/protocol/errors'
import type { Locale } from '@gatehouse/protocol/locales'
import type { Theme } from '@gatehouse/protocol/themes'
import type { Schema } from '@gatehouse/protocol/wire'
import { BusUnavailable } from '../bus/bus.ts'
import { AppError, type ErrorCode, notFound } from '../errors/app-error.ts'
import { ReferenceViolation, StorageUnavailable } from '../storage/database.ts'
import { fromFastifyError } from './fastify-errors.ts'

/** The parts of a request that the response page depends on. */
export interface PageRequest {
  readonly method: string
  /** Undefined for a malformed or unknown URL: the page must not link to itself then. */
  readonly url: string | undefined
  readonly locale: Locale
  readonly theme: Theme
}

/** A serialized error. */
export interface ErrorResponse {
  status: number
  body: unknown
  /** Defaults to `application/json`. */
  contentType?: string
  headers?: Readonly<Record<string, string>>
  /** The schema of `body`, for the API document. */
  schema?: Schema
}

/** Serializes an error: Gatehouse's own JSON, that of OAuth, Discord's or Slack's format, or an HTML page. */
export type ErrorFormat = (error: AppError, requestId: string, request: PageRequest) => ErrorResponse

/**
 * A route may return these without declaring them. For the API document, `openapi/errors.ts` selects those that apply.
 */
export const commonErrors: readonly ErrorCode[] = [
  'validation_failed',
  'malformed_json',
  'malformed_request',
  'unauthenticated',
  'missing_scope',
  'credential_not_accepted',
  'cross_site',
  'method_not_allowed',
  'request_timeout',
  'body_too_large',
  'uri_too_long',
  'unsupported_media_type',
  'rate_limited',
  'headers_too_large',
  'internal_error',
  'unavailable',
]

/** Gatehouse's own JSON: `{code, message, errors?, limit?, retryAfter?, requestId?}`. */
export const nativeErrorFormat: ErrorFormat = (error, requestId) => {
  const body: Record<string, unknown> = { code: error.code, message: error.message }
  if (error.errors) body.errors = error.errors
  if (error.limit) body.limit = error.limit
  if (error.code === 'rate_limited') body.retryAfter = error.retryAfter ?? 1
  else if (error.retryAfter !== undefined && error.status !== 503) body.retryAfter = error.retryAfter
  if (error.code === 'internal_error') body.requestId = requestId
  return { status: error.status, body, schema: ErrorBody }
}

/** The headers of an error in every format. */
export function errorHeaders(error: AppError): Record<string, string> {
  if (error.retryAfter !== undefined || error.status === 503) {
    return { 'retry-after': String(Math.max(1, Math.ceil(error.retryAfter ?? 1))) }
  }
  return {}
}

/**
 * Converts any thrown value. An unknown error becomes `internal_error` (500), with its cause only in the log.
 * `maxBytes` is the limit of the body that was sent.
 */
export function toAppError(thrown: unknown, maxBytes?: number): AppError {
  if (thrown instanceof AppError) return thrown
  if (thrown instanceof StorageUnavailable || thrown instanceof BusUnavailable) {
    return new AppError('unavailable', 'The service is temporarily unavailable. Try again in a moment.', {
      retryAfter: 1,
      cause: thrown,
    })
  }
  // A concurrent request deleted the referenced row between the read and the write.
  if (thrown instanceof ReferenceViolation) return notFound()
  return (
    fromFastifyError(thrown, maxBytes) ??
    new AppError('internal_error', 'An internal error occurred.', { cause: thrown })
  )
}

/** Whether a route that declares `errors` may return this code. */
export function isDeclared(errors: readonly ErrorCode[], code: ErrorCode): boolean {
  return commonErrors.includes(code) || errors.includes(code)
}
