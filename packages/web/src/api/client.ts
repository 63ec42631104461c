import type { ErrorBody, ErrorCode } from '@gatehouse/protocol/errors'
import type { Key } from '../i18n/en.ts'
import type { Translate } from '../i18n/translate.ts'

export type Fault = NonNullable<ErrorBody['errors']>[number]

/** The service refused, or could not be reached (`network`). */
export class ApiError extends Error {
  readonly status: number
  readonly code: ErrorCode | 'network'
  /** With `validation_failed`: what is wrong, and where. */
  readonly faults: readonly Fault[]
  readonly retryAfterSeconds: number | undefined

  constructor(status: number, body: Partial<Omit<ErrorBody, 'code'>> & { code: ErrorCode | 'network' }) {
    super(body.message ?? body.code)
    this.name = 'ApiError'
    this.status = status
    this.code = body.code
    this.faults = body.errors ?? []
    this.retryAfterSeconds = body.retryAfter
  }
}

export interface Api {
  get<Answer>(path: string, signal?: AbortSignal): Promise<Answer>
  send<Answer = void>(
    method: 'POST' | 'PATCH' | 'PUT' | 'DELETE',
    path: string,
    body?: unknown,
    /** `keepalive`: goes out though the page is closed. */
    options?: { keepalive: boolean },
  ): Promise<Answer>
  upload<Answer>(path: string, file: Blob): Promise<Answer>
}

interface ApiOptions {
  fetch: typeof fetch
  /** The session ended: 401 on any request. */
  onSignedOut(): void
  /** Each answer of the service, whatever it says. */
  onAnswer?(response: Response): void
}

/** The native API (the contract) with the session's cookie. Paths begin with `/api/`. */
export function createApi({ fetch, onSignedOut, onAnswer }: ApiOptions): Api {
  async function request<Answer>(path: string, init: RequestInit): Promise<Answer> {
    let response: Response
    try {
      response = await fetch(path, { ...init, credentials: 'same-origin' })
    } catch (cause) {
      if (init.signal?.aborted) throw cause
      throw new ApiError(0, { code: 'network' })
    }
    onAnswer?.(response)
    if (response.status === 204) return undefined as Answer
    const body: unknown = await response.json().catch(() => undefined)
    if (response.ok) return body as Answer
    if (response.status === 401) onSignedOut()
    throw new ApiError(response.status, isErrorBody(body) ? body : { code: codeOf(response.status) })
  }
  return {
    get: (path, signal) => request(path, signal ? { signal } : {}),
    send: (method, path, body, options) =>
      request(
        path,
        body === undefined
          ? { method, ...options }
          : {
              method,
              body: JSON.stringify(body),
              headers: { 'content-type': 'application/json' },
              ...options,
            },
      ),
    upload: (path, file) =>
      request(path, { method: 'PUT', body: file, headers: { 'content-type': file.type } }),
  }
}

function isErrorBody(body: unknown): body is ErrorBody {
  return typeof body === 'object' && body !== null && 'code' in body && typeof body.code === 'string'
}

/** For answers that do not come from the service itself, such as those of a proxy before it. */
function codeOf(status: number): ErrorCode {
  if (status === 404) return 'not_found'
  if (status === 429) return 'rate_limited'
  return status >= 502 ? 'unavailable' : 'internal_error'
}

/** What went wrong, in words for the person. */
export function problemText(error: unknown, t: Translate): string {
  if (!(error instanceof ApiError)) return t('error.unknown')
  if (error.code === 'network') return t('error.network')
  if (error.code === 'unavailable') return t('error.unavailable')
  if (error.code === 'rate_limited')
    return t('error.rateLimited', { seconds: Math.ceil(error.retryAfterSeconds ?? 1) })
  if (error.code === 'missing_permission') return t('error.missingPermission')
  if (error.code === 'email_not_verified') return t('error.emailNotVerified')
  if (error.code === 'body_too_large') return t('error.tooLarge')
  if (error.code === 'not_found') return t('error.notFound')
  if (error.code === 'internal_error') return t('error.unknown')
  const [fault] = error.faults
  return fault ? faultText(fault, t) : error.message
}

const faultKeys = {
  required: 'fault.required',
  too_short: 'fault.tooShort',
  too_long: 'fault.tooLong',
  invalid_format: 'fault.invalidFormat',
  invalid_url: 'fault.invalidUrl',
  duplicate: 'fault.duplicate',
  out_of_range: 'fault.outOfRange',
  wrong_password: 'fault.wrongPassword',
  wrong_code: 'fault.wrongCode',
  invalid_passkey: 'fault.invalidPasskey',
  invalid_image: 'fault.invalidImage',
  invalid_text: 'fault.invalidText',
} as const satisfies Record<string, Key>

/** How long a text may be, in characters. */
export interface Bounds {
  min?: number
  max?: number
}

/** One thing wrong with what was entered; with the bound that was passed, where the field says it. */
export function faultText({ code, message }: Fault, t: Translate, { min, max }: Bounds = {}): string {
  if (code === 'too_long' && max !== undefined) return t('fault.atMost', { count: max })
  if (code === 'too_short' && min !== undefined) return t('fault.atLeast', { count: min })
  const key = Object.entries(faultKeys).find(([name]) => name === code)?.[1]
  return key ? t(key) : message
}

/** What is wrong with which of the fields, by the names that the service has for them. */
export function fieldProblems<Name extends string>(
  error: unknown,
  fields: Readonly<Record<Name, Bounds>> | undefined,
  t: Translate,
): { [Field in Name]?: string } {
  const problems: { [Field in Name]?: string } = {}
  if (!(error instanceof ApiError) || !fields) return problems
  for (const fault of error.faults) {
    for (const name in fields) {
      if (fault.path === name) problems[name] ??= faultText(fault, t, fields[name])
    }
  }
  return problems
}

/** Whether trying the same again can help: not where the service judged the request. */
export function isPassing(error: unknown): boolean {
  return error instanceof ApiError && (error.status === 0 || error.status === 429 || error.status >= 500)
}

/** A name for a request, so that its repeat does no harm. */
export function makeNonce(): string {
  return Array.from(crypto.getRandomValues(new Uint8Array(16)), byte =>
    byte.toString(16).padStart(2, '0'),
  ).join('')
}
