import { type CapName, caps } from '@gatehouse/protocol/limits'
import type { Params } from '@gatehouse/protocol/locales'
import { AppError, type ErrorCode } from '../errors/app-error.ts'
import type { Key } from './en.ts'
import { type Translate, translateTo } from './translate.ts'

interface Details {
  params?: Params
  retryAfter?: number
  limit?: CapName
  /** In English, for the developer of an application. Pages show it below the message. */
  technical?: string
}

/** An AppError with a translated message for pages. `message` is in English, for JSON responses and the log. */
export class LocalizedError extends AppError {
  readonly key: Key
  readonly params: Params | undefined
  readonly technical: string | undefined

  constructor(code: ErrorCode, key: Key, { params, technical, ...details }: Details = {}) {
    const text = translateTo('en')(key, params)
    const message = technical === undefined ? text : `${text} ${technical}`
    super(code, message, details)
    this.key = key
    this.params = params
    this.technical = technical
  }
}

/** 429 `rate_limited`. The message has the time to wait in minutes as `count`. */
export function rateLimited(key: Key, retryAfterMs: number): LocalizedError {
  const retryAfter = Math.ceil(retryAfterMs / 1000)
  return new LocalizedError('rate_limited', key, {
    params: { count: Math.ceil(retryAfter / 60) },
    retryAfter,
  })
}

/** 409 for one more than a cap allows (limits/caps). */
export function limitReached(limit: CapName): LocalizedError {
  return new LocalizedError('limit_reached', `limit.${limit}`, { params: { max: caps[limit] }, limit })
}

/** The message of an error on a page. An error that is not localized has the message of its code. */
export function errorText(t: Translate, error: AppError): string {
  return error instanceof LocalizedError ? t(error.key, error.params) : t(`error.${error.code}`)
}
