import { type Clock, type Timers, wait } from './clock.ts'
import { GatehouseError, UnreachableError } from './errors.ts'

export interface RestRequest {
  method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  path: string
  /** Identifies the request in messages, without ids and tokens. */
  name: string
  body?: unknown
  /** Aborts the request, and the delay before a retry. */
  signal?: AbortSignal
}

export interface RestResponse {
  status: number
  /** Parsed JSON; undefined if the body is not JSON. */
  body: unknown
}

export type Rest = (request: RestRequest) => Promise<RestResponse>

export interface RestOptions {
  url: string
  authorization?: string
  fetch: typeof fetch
  clock: Clock
  timers: Timers
  /** Called with the `Date` header of each response and the local times before and after the request. */
  onResponse?: (date: string | null, sentAt: number, receivedAt: number) => void
  /** Called before a retry after `delayMs`. `reason` contains no secret. */
  onRetry?: (name: string, reason: string, delayMs: number) => void
  /** Creates the error for a status of 400 or more. */
  createError: (status: number, body: unknown, name: string) => Error
}

const timeoutMs = 15_000
const maxAttempts = 5
/** An unreachable service is retried for this long. */
const retryWindowMs = 30_000
// PATCH of this API is idempotent: applying the same change twice has the effect of applying it once.
const idempotentMethods: ReadonlySet<string> = new Set(['GET', 'PUT', 'PATCH'])

/**
 * Sends and receives JSON. Retries 429 and 503 after `Retry-After`. Retries idempotent requests if the service is
 * unreachable, up to five attempts and 30 seconds, then throws UnreachableError. Throws the result of `createError` for a
 * status of 400 or more.
 */
export function createRest(options: RestOptions): Rest {
  const { clock, timers } = options
  const base = options.url.replace(/\/+$/, '')
  const { origin } = new URL(base)

  async function sendOnce(
    request: RestRequest,
    limitMs: number,
  ): Promise<RestResponse & { retryAfter: number | undefined }> {
    const timeout = new AbortController()
    const reason = new RequestTimeout(`no response within ${Math.round(limitMs / 1000)} s`)
    const cancel = timers.after(limitMs, () => timeout.abort(reason))
    const signal = request.signal ? AbortSignal.any([request.signal, timeout.signal]) : timeout.signal
    const sentAt = clock()
    try {
      const response = await options.fetch(base + request.path, {
        method: request.method,
        headers: headersFor(request, options.authorization),
        ...(request.body === undefined ? {} : { body: JSON.stringify(request.body) }),
        redirect: 'manual',
        signal,
      })
      options.onResponse?.(response.headers.get('date'), sentAt, clock())
      return {
        status: response.status,
        body: parseJson(await response.text()),
        retryAfter: parseSeconds(response.headers.get('retry-after')),
      }
    } finally {
      cancel()
    }
  }

  return async request => {
    const { name, signal } = request
    const isIdempotent = idempotentMethods.has(request.method)
    let unreachableSince = clock()
    for (let attempt = 1; ; attempt++) {
      let delayMs = 1000 * 2 ** (attempt - 1)
      let reason: string
      let hasResponse = false
      try {
        const limitMs = Math.max(1000, Math.min(timeoutMs, unreachableSince + retryWindowMs - clock()))
        const { status, body, retryAfter } = await sendOnce(request, limitMs)
        if (status >= 200 && status < 300) return { status, body }
        if (status < 400) {
          throw new GatehouseError(
            `${name}: ${origin} returned a redirect (${status}). Use the URL that it redirects to.`,
          )
        }
        if ((status !== 429 && status !== 503) || attempt === maxAttempts) {
          throw options.createError(status, body, name)
        }
        if (retryAfter !== undefined) delayMs = retryAfter * 1000
        reason = `the service returned ${status}`
        hasResponse = true
      } catch (error) {
        if (error instanceof GatehouseError || signal?.aborted) throw error
        reason = `${origin} could not be reached (${causeOf(error)})`
        const isLast = attempt === maxAttempts || clock() + delayMs >= unreachableSince + retryWindowMs
        if (!isIdempotent || isLast) throw new UnreachableError(`${name}: ${reason}`)
      }
      options.onRetry?.(name, reason, delayMs)
      await wait(timers, delayMs, signal)
      if (hasResponse) unreachableSince = clock()
    }
  }
}

/** The reason to abort a request that exceeds its timeout. */
class RequestTimeout extends Error {}

/**
 * A short cause of a network error, such as `ECONNREFUSED`. Never the message of the runtime or the error itself, which
 * may contain the URL and therefore a token.
 */
function causeOf(error: unknown): string {
  if (error instanceof RequestTimeout) return error.message
  const cause = error instanceof Error && error.cause !== undefined ? error.cause : error
  const code = codeOf(cause) ?? codeOf(error)
  if (code !== undefined) return code
  if (!(cause instanceof Error)) return 'no response'
  // Errors of Deno have no code: the message of the operating system is at the end, after the URL.
  const [, systemError, dnsError] =
    / ([A-Z][A-Za-z ]+) \(os error \d+\)$|(dns error)/.exec(cause.message) ?? []
  return systemError ?? dnsError ?? cause.name
}

function codeOf(error: unknown): string | undefined {
  if (typeof error !== 'object' || error === null || !('code' in error)) return undefined
  return typeof error.code === 'string' && /^\w{1,64}$/.test(error.code) ? error.code : undefined
}

function headersFor(request: RestRequest, authorization: string | undefined): Record<string, string> {
  return {
    accept: 'application/json',
    ...(authorization === undefined ? {} : { authorization }),
    ...(request.body === undefined ? {} : { 'content-type': 'application/json' }),
  }
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

function parseSeconds(header: string | null): number | undefined {
  const value = Number(header ?? Number.NaN)
  return value >= 0 ? value : undefined
}
