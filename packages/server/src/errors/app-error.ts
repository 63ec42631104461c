import { type ErrorCode, errorStatus } from '@gatehouse/protocol/errors'
import {
  type FieldError,
  formatFieldErrors,
  type UrlReason,
  urlViolation,
} from '@gatehouse/protocol/field-errors'
import type { CapName, RateName } from '@gatehouse/protocol/limits'

export type { ErrorCode } from '@gatehouse/protocol/errors'
export type { FieldError } from '@gatehouse/protocol/field-errors'

/** The rate that a request exceeds, or the queue that is full. */
export interface ExceededRate {
  name: RateName | 'waitingImages' | 'waitingPictures'
  /** The requests that it allows, or that may wait. */
  count: number
  resetAfterMs: number
  /** When the request was refused, in ms. */
  at: number
}

interface Details {
  /** Only with `validation_failed`. */
  errors?: FieldError[]
  /** Only with `limit_reached`. */
  limit?: CapName
  /** `Retry-After` in seconds. Only with `rate_limited` and `unavailable`. */
  retryAfter?: number
  /** Only with `rate_limited`. */
  rate?: ExceededRate
  /** Is logged, but never sent to the client. */
  cause?: unknown
  /** Why the request was rejected. Without secrets: the log has it at `debug`. Never sent to the client. */
  reason?: string
}

/** An error response. `message` is sent to the client, so it must not contain secrets or internal details. */
export class AppError extends Error {
  readonly code: ErrorCode
  readonly status: number
  readonly errors: FieldError[] | undefined
  readonly limit: CapName | undefined
  readonly retryAfter: number | undefined
  readonly rate: ExceededRate | undefined
  readonly reason: string | undefined

  constructor(code: ErrorCode, message: string, details: Details = {}) {
    super(message, { cause: details.cause })
    this.name = 'AppError'
    this.code = code
    this.status = errorStatus[code]
    this.errors = details.errors
    this.limit = details.limit
    this.retryAfter = details.retryAfter
    this.rate = details.rate
    this.reason = details.reason
  }
}

/** The response is the same for a resource that does not exist and one that the user may not view. */
export function notFound(): AppError {
  return new AppError('not_found', 'This resource does not exist, or you may not view it.')
}

/** 400 with one field error: `invalid('name', 'too_long', 'must have at most 80 characters')`. */
export function invalid(path: string, code: string, message: string): AppError {
  return invalidAll([{ path, code, message }])
}

/** 400 with several field errors. */
export function invalidAll(errors: FieldError[]): AppError {
  return new AppError('validation_failed', formatFieldErrors(errors), { errors })
}

/** 400 with one `invalid_url` field error. */
export function invalidUrl(path: string, reason: UrlReason): AppError {
  return invalidAll([{ path, ...urlViolation(reason) }])
}
