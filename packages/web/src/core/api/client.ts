import { auditReasonHeader } from '@gatehouse/protocol/audit-log'
import type { RequestArguments, ResponseOf } from '@gatehouse/protocol/endpoint-types'
import { type EndpointId, type PathParameters, requestLine } from '@gatehouse/protocol/endpoints'
import type { ErrorBody, ErrorCode } from '@gatehouse/protocol/errors'
import { type CapName, caps } from '@gatehouse/protocol/limits'
import type { Key } from '../i18n/en.ts'
import type { Translate } from '../i18n/translate.ts'

export type FieldError = NonNullable<ErrorBody['errors']>[number]

/** The service returned an error, or could not be reached (`network`). */
export class ApiError extends Error {
  readonly status: number
  readonly code: ErrorCode | 'network'
  /** With `validation_failed`. */
  readonly fieldErrors: readonly FieldError[]
  /** With `limit_reached`. */
  readonly limit: CapName | undefined
  readonly retryAfterSeconds: number | undefined

  constructor(status: number, body: Partial<Omit<ErrorBody, 'code'>> & { code: ErrorCode | 'network' }) {
    super(body.message ?? body.code)
    this.name = 'ApiError'
    this.status = status
    this.code = body.code
    this.fieldErrors = body.errors ?? []
    this.limit = body.limit
    this.retryAfterSeconds = body.retryAfter
  }
}

/** An `ApiError` that can be stored as JSON. `new ApiError(problem.status, problem)` restores it. */
export type Problem = { status: number; code: ErrorCode | 'network' } & Partial<Omit<ErrorBody, 'code'>>

export function toProblem(error: unknown): Problem {
  if (!(error instanceof ApiError)) return { status: 0, code: 'internal_error' }
  const { status, code, message, fieldErrors, limit, retryAfterSeconds } = error
  return {
    status,
    code,
    message,
    ...(fieldErrors.length > 0 ? { errors: [...fieldErrors] } : {}),
    ...(limit === undefined ? {} : { limit }),
    ...(retryAfterSeconds === undefined ? {} : { retryAfter: retryAfterSeconds }),
  }
}

interface CallOptions {
  /** Completes the request even if the page is closed. */
  keepalive?: boolean
  /** Without a response by then, the request fails with `network`. */
  timeoutMs?: number
  /** Ends the request. It rejects with the reason of the signal. */
  signal?: AbortSignal
  /** Why, for the audit log; empty for none. */
  reason?: string
}

export type Api = ReturnType<typeof createApi>

interface ApiOptions {
  fetch: typeof fetch
  /** A response had the status 401: the session has ended. */
  onSignedOut(): void
  /** Receives every response, of any status. */
  onResponse?(response: Response): void
  /** Waits before a request is sent again. */
  wait?(ms: number): Promise<void>
}

/** In this time, the browser receives a new session cookie that the service sent to another request. */
const newCookieMs = 500

const waitFor = (ms: number) => new Promise<void>(resolve => setTimeout(resolve, ms))

/**
 * Calls the service with the session cookie. Rejects with an `ApiError`, or with the reason of `signal` if that ended
 * the request.
 */
export function createApi({ fetch, onSignedOut, onResponse, wait = waitFor }: ApiOptions) {
  let hadSession = false

  async function exchange(path: string, init: RequestInit): Promise<Response> {
    try {
      const response = await fetch(path, { ...init, credentials: 'same-origin' })
      onResponse?.(response)
      return response
    } catch (cause) {
      if (init.signal?.aborted && !isTimeout(cause)) throw cause
      throw new ApiError(0, { code: 'network' })
    }
  }

  async function request<Body>(path: string, init: RequestInit): Promise<Body> {
    let response = await exchange(path, init)
    // A new sign-in in another tab or a new password replaces the session cookie while other requests are on their way.
    if (response.status === 401 && hadSession) {
      await wait(newCookieMs)
      response = await exchange(path, init)
    }
    hadSession ||= response.ok
    if (response.status === 204) return undefined as Body
    const body: unknown = await response.json().catch(() => undefined)
    if (response.ok) {
      // The connection was lost while the body was being received.
      if (body === undefined && isJson(response)) throw new ApiError(0, { code: 'network' })
      return body as Body
    }
    if (response.status === 401) onSignedOut()
    throw new ApiError(response.status, {
      ...readRetryAfter(response.headers),
      ...(isErrorBody(body) ? body : { code: statusToCode(response.status) }),
    })
  }
  return {
    /** Sends a Blob unchanged, with its type, and any other body as JSON. */
    call<Id extends EndpointId>(
      id: Id,
      ...[call]: RequestArguments<Id, CallOptions>
    ): Promise<ResponseOf<Id>> {
      const { body, timeoutMs, keepalive, signal, reason } = (call ?? {}) as CallOptions & { body?: unknown }
      const { method, path } = requestLine(id, (call ?? {}) as PathParameters<Id>)
      return request(path, {
        method,
        ...(keepalive ? { keepalive } : {}),
        ...(signal ? { signal } : {}),
        ...(timeoutMs === undefined ? {} : { signal: AbortSignal.timeout(timeoutMs) }),
        ...encode(body, reason),
      })
    },
  }
}

function encode(body: unknown, reason: string | undefined): RequestInit {
  const headers = reason ? { [auditReasonHeader]: encodeURIComponent(reason) } : {}
  if (body === undefined) return reason ? { headers } : {}
  if (body instanceof Blob) return { body, headers: { ...headers, 'content-type': body.type } }
  return { body: JSON.stringify(body), headers: { ...headers, 'content-type': 'application/json' } }
}

function isJson({ headers }: Response): boolean {
  return headers.get('content-type')?.startsWith('application/json') ?? false
}

function isTimeout(cause: unknown): boolean {
  return cause instanceof DOMException && cause.name === 'TimeoutError'
}

/** Returns seconds. The header is a number of seconds or a date (RFC 9110, section 10.2.3). */
function readRetryAfter(headers: Headers): { retryAfter?: number } {
  const value = headers.get('retry-after') ?? ''
  const now = Date.parse(headers.get('date') ?? '')
  const seconds = /^\d+$/.test(value) ? Number(value) : (Date.parse(value) - now) / 1000
  return seconds >= 0 ? { retryAfter: seconds } : {}
}

function isErrorBody(body: unknown): body is ErrorBody {
  return typeof body === 'object' && body !== null && 'code' in body && typeof body.code === 'string'
}

/** For a response without an error body, such as that of a proxy. */
function statusToCode(status: number): ErrorCode {
  if (status === 404) return 'not_found'
  if (status === 429) return 'rate_limited'
  return status >= 502 ? 'unavailable' : 'internal_error'
}

/** The error as a text for the user. */
export function problemText(error: unknown, t: Translate): string {
  if (!(error instanceof ApiError)) return t('error.unknown')
  if (error.code === 'network') return t('error.network')
  if (error.code === 'unavailable') return t('error.unavailable')
  if (error.code === 'rate_limited')
    return t('error.rateLimited', { seconds: Math.ceil(error.retryAfterSeconds ?? 1) })
  if (error.limit !== undefined && error.limit in caps)
    return t(`limit.${error.limit}`, { max: caps[error.limit] })
  if (error.code === 'missing_permission') return t('error.missingPermission')
  if (error.code === 'banned') return t('error.banned')
  if (error.code === 'invites_paused') return t('error.invitesPaused')
  if (error.code === 'timed_out') return t('error.timedOut')
  if (error.code === 'member_too_new')
    return t('error.memberTooNew', { seconds: error.retryAfterSeconds ?? 1 })
  if (error.code === 'slow_mode') return t('error.slowMode')
  if (error.code === 'cannot_message_user') return t('error.cannotMessage')
  if (error.code === 'email_not_verified') return t('error.emailNotVerified')
  if (error.code === 'body_too_large') return t('error.tooLarge')
  if (error.code === 'not_found') return t('error.notFound')
  if (error.code === 'internal_error') return t('error.unknown')
  const [first, ...others] = error.fieldErrors
  if (!first) return error.message
  if (others.length === 0) return fieldErrorText(first, t)
  return error.fieldErrors.map(fieldError => pathAndText(fieldError, t)).join(' ')
}

/** The text after its path, for a list of errors: `embeds[0].title: At most 256 characters.` */
export function pathAndText(fieldError: FieldError, t: Translate, path: string = fieldError.path): string {
  const text = fieldErrorText(fieldError, t)
  return path === '' ? text : `${path}: ${text}`
}

const textKeys = {
  required: 'fieldError.required',
  too_short: 'fieldError.tooShort',
  too_long: 'fieldError.tooLong',
  invalid_format: 'fieldError.invalidFormat',
  invalid_url: 'fieldError.invalidUrl',
  invalid_timestamp: 'fieldError.timestamp',
  invalid_emoji: 'fieldError.emoji',
  empty: 'fieldError.empty',
  duplicate: 'fieldError.duplicate',
  out_of_range: 'fieldError.outOfRange',
  too_common: 'fieldError.tooCommon',
  wrong_password: 'fieldError.wrongPassword',
  wrong_code: 'fieldError.wrongCode',
  invalid_passkey: 'fieldError.invalidPasskey',
  invalid_image: 'fieldError.invalidImage',
  invalid_text: 'fieldError.invalidText',
} as const satisfies Record<string, Key>

/** JSON types, as in `accepted` of `invalid_type`. */
const typeKeys = {
  string: 'fieldError.type.string',
  number: 'fieldError.type.number',
  integer: 'fieldError.type.integer',
  boolean: 'fieldError.type.boolean',
  array: 'fieldError.type.array',
  object: 'fieldError.type.object',
  null: 'fieldError.type.null',
} as const satisfies Record<string, Key>

/** The accepted length of a text, in characters. */
export interface Bounds {
  min?: number
  max?: number
}

/** The error as a text that says what is accepted. `bounds` are those of the field. */
export function fieldErrorText(fieldError: FieldError, t: Translate, bounds: Bounds = {}): string {
  const min = bounds.min ?? fieldError.min
  const max = bounds.max ?? fieldError.max
  return acceptedText(fieldError, t, {
    ...fieldError,
    ...(min === undefined ? {} : { min }),
    ...(max === undefined ? {} : { max }),
  })
}

function acceptedText(
  { code, message }: FieldError,
  t: Translate,
  { min, max, accepted, reason }: Partial<FieldError>,
): string {
  if (code === 'too_long' && max !== undefined) return t('fieldError.atMost', { count: max })
  if (code === 'total_too_long' && max !== undefined) return t('fieldError.totalAtMost', { count: max })
  if (code === 'too_short' && min !== undefined) return t('fieldError.atLeast', { count: min })
  if (code === 'too_many_pixels' && max !== undefined) return t('fieldError.tooManyPixels', { count: max })
  if (code === 'too_many_frames' && max !== undefined) return t('fieldError.tooManyFrames', { count: max })
  if (code === 'too_many' && max !== undefined) return t('fieldError.entriesAtMost', { count: max })
  if (code === 'too_few' && min !== undefined) return t('fieldError.entriesAtLeast', { count: min })
  if (code === 'out_of_range') {
    if (min !== undefined && max !== undefined) return t('fieldError.between', { min, max })
    if (min !== undefined) return t('command.min', { min })
    if (max !== undefined) return t('command.max', { max })
  }
  if (code === 'invalid_url' && reason !== undefined) return t(`fieldError.url.${reason}`)
  if (accepted !== undefined && accepted.length > 0) {
    const names = accepted.join(', ')
    if (code === 'invalid_choice') return t('fieldError.oneOf', { names })
    if (code === 'unknown_member') return t('fieldError.unknownMember', { names })
    if (code === 'invalid_type') return t('fieldError.type', { types: typeNames(accepted, t) })
  }
  const key = Object.entries(textKeys).find(([name]) => name === code)?.[1]
  return key ? t(key) : message
}

function typeNames(types: readonly string[], t: Translate): string {
  const keys: Readonly<Record<string, Key>> = typeKeys
  return types.map(type => (keys[type] ? t(keys[type]) : type)).join(t('fieldError.or'))
}

/** The text of the first error of each field. `fields` has the names of the fields in the request. */
export function fieldErrorTexts<Name extends string>(
  error: unknown,
  fields: Readonly<Partial<Record<Name, Bounds>>> | undefined,
  t: Translate,
): { [Field in Name]?: string } {
  const texts: { [Field in Name]?: string } = {}
  if (!(error instanceof ApiError) || !fields) return texts
  for (const fieldError of error.fieldErrors) {
    for (const name in fields) {
      if (fieldError.path === name) texts[name] ??= fieldErrorText(fieldError, t, fields[name])
    }
  }
  return texts
}

/** The error without the errors of these fields, which are shown beside them. Undefined if no others remain. */
export function withoutFieldErrors(error: unknown, fields: readonly string[]): unknown {
  if (!(error instanceof ApiError) || fields.length === 0) return error
  const errors = error.fieldErrors.filter(({ path }) => !fields.includes(path))
  return errors.length === 0 ? undefined : new ApiError(error.status, { code: error.code, errors })
}

/** True if the resource does not exist, or the user has no access to it. */
export function isMissing(error: unknown): boolean {
  return error instanceof ApiError && error.status === 404
}

/** Whether a retry of the same request can succeed soon. */
export function isTransient(error: unknown): boolean {
  if (!(error instanceof ApiError) || error.code === 'slow_mode') return false
  return [0, 408, 429].includes(error.status) || error.status >= 500
}

/** Whether there was no response. The service may have handled the request. */
export function isLost(error: unknown): boolean {
  return error instanceof ApiError && error.code === 'network'
}

/** The service accepts a nonce once, so a request with it can be repeated. */
export function createNonce(): string {
  return Array.from(crypto.getRandomValues(new Uint8Array(16)), byte =>
    byte.toString(16).padStart(2, '0'),
  ).join('')
}
