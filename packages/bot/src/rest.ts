import { type Clock, type Timers, wait } from './clock.ts'
import { GatehouseError, UnreachableError } from './errors.ts'
import { allRequests, createRateLimits } from './rate-limits.ts'

export interface RestRequest {
  method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  path: string
  /** Identifies the request in messages, without ids and tokens. */
  name: string
  /** Sent as JSON; a Blob is sent unchanged, with its type. */
  body?: unknown
  headers?: Readonly<Record<string, string>>
  /**
   * The rate limits that the request counts towards: `allRequests`, and one of its own, whose requests are sent in
   * order, one after the other. Without any, the request is sent at once: responses to interactions.
   */
  buckets?: readonly string[]
  /** A repeated request has no further effect. Default: by its method. */
  idempotent?: boolean
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
  /** A request waits so long for rate limits, then throws the error of 429. Default: 15 minutes. */
  maxRateLimitWaitMs?: number | undefined
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
/**
 * The longest `Retry-After` of the rate of all requests: the minute that a bot can owe (limits/response-size), rounded
 * up.
 */
const maxPauseOfAllMs = 61_000
/** The longest rate of limits/rates is 10 minutes. */
const defaultRateLimitWaitMs = 15 * 60_000
// PATCH of this API is idempotent: applying the same change twice has the effect of applying it once.
const idempotentMethods: ReadonlySet<string> = new Set(['GET', 'PUT', 'PATCH', 'DELETE'])

interface Received extends RestResponse {
  retryAfter: number | undefined
}

/**
 * Sends and receives JSON. Retries 429 and 503 after `Retry-After`, 503 up to five attempts; meanwhile, the other
 * requests of the same rate limit wait too. Retries idempotent requests if the service is unreachable, up to five
 * attempts and 30 seconds, then throws UnreachableError. Throws the result of `createError` for a status of 400 or
 * more.
 */
export function createRest(options: RestOptions): Rest {
  const { clock, timers } = options
  const base = options.url.replace(/\/+$/, '')
  const { origin } = new URL(base)
  const limits = createRateLimits(clock)
  const maxWaitMs = options.maxRateLimitWaitMs ?? defaultRateLimitWaitMs

  /** `wasLimited`: the last attempt of the request was 429. */
  async function sendOnce(request: RestRequest, limitMs: number, wasLimited: boolean): Promise<Received> {
    const timeout = new AbortController()
    const reason = new RequestTimeout(`no response within ${Math.round(limitMs / 1000)} s`)
    const cancel = timers.after(limitMs, () => timeout.abort(reason))
    const signal = request.signal ? AbortSignal.any([request.signal, timeout.signal]) : timeout.signal
    const sentAt = clock()
    try {
      const response = await options.fetch(base + request.path, {
        method: request.method,
        headers: headersFor(request, options.authorization),
        ...(request.body === undefined ? {} : { body: encode(request.body) }),
        redirect: 'manual',
        signal,
      })
      const { status, headers } = response
      options.onResponse?.(headers.get('date'), sentAt, clock())
      const retryAfter = parseSeconds(headers.get('retry-after'))
      const { own, all } = bucketsOf(request)
      const bucket = own ?? all
      if (bucket !== undefined) {
        if (status === 429) {
          // At least a second, because the number of attempts has no limit.
          const pauseMs = 1000 * Math.max(1, retryAfter ?? 1)
          limits.pause(bucket, pauseMs)
          // The response does not say which rate was exceeded. After the pause of `own`, its rate allows the first
          // request, so it was that of all requests. A longer pause cannot be of that rate: another process of the bot
          // has used up the rate of `own`.
          if (wasLimited && all !== undefined && pauseMs <= maxPauseOfAllMs) limits.pause(all, pauseMs)
        } else if (headers.get('x-ratelimit-remaining') === '0')
          limits.pause(bucket, 1000 * (parseSeconds(headers.get('x-ratelimit-reset-after')) ?? 0))
      }
      return { status, body: parseJson(await response.text()), retryAfter }
    } finally {
      cancel()
    }
  }

  /** Waits until the rate limit allows a request. Throws if that takes longer than until `deadline`. */
  async function passLimit(bucket: string | undefined, { name, signal }: RestRequest, deadline: number) {
    if (bucket === undefined) return
    // Waits once for each pause, not until the clock shows its end: a timer may fire a millisecond early.
    let until = 0
    while (limits.pausedUntil(bucket) > until) {
      until = limits.pausedUntil(bucket)
      const ms = until - clock()
      if (ms > 0 && until > deadline) {
        const message = `the rate limit allows no request for ${Math.ceil(ms / 1000)} s`
        throw options.createError(429, { code: 'rate_limited', message }, name)
      }
      if (ms > 0) await wait(timers, ms, signal)
    }
  }

  /** Runs `work` when it is its turn in the bucket. */
  async function inTurn<T>(
    bucket: string | undefined,
    signal: AbortSignal | undefined,
    work: () => Promise<T>,
  ) {
    if (bucket === undefined) return work()
    await limits.enter(bucket, signal)
    try {
      return await work()
    } finally {
      limits.leave(bucket)
    }
  }

  async function sendRepeatedly(request: RestRequest, deadline: number): Promise<RestResponse> {
    const { name, signal } = request
    const { own, all } = bucketsOf(request)
    const isIdempotent = request.idempotent ?? idempotentMethods.has(request.method)
    let unreachableSince: number | undefined
    let wasLost = false
    let wasLimited = false
    let attempt = 1
    while (true) {
      let delayMs = 1000 * 2 ** (attempt - 1)
      let reason: string
      try {
        await passLimit(own, request, deadline)
        // A request that waits for its own limit is not one of those that are being sent.
        const { status, body, retryAfter } = await inTurn(all, signal, async () => {
          await passLimit(all, request, deadline)
          unreachableSince ??= clock()
          const limitMs = Math.max(1000, Math.min(timeoutMs, unreachableSince + retryWindowMs - clock()))
          return sendOnce(request, limitMs, wasLimited)
        })
        if (status >= 200 && status < 300) return { status, body }
        // An earlier attempt deleted it, and its response was lost.
        if (status === 404 && request.method === 'DELETE' && wasLost) return { status, body: undefined }
        if (status < 400) {
          throw new GatehouseError(
            `${name}: ${origin} returned a redirect (${status}). Use the URL that it redirects to.`,
          )
        }
        if (retryAfter !== undefined) delayMs = retryAfter * 1000
        wasLimited = status === 429 && (own ?? all) !== undefined
        const isLast =
          (attempt === maxAttempts && !wasLimited) || (status === 429 && clock() + delayMs > deadline)
        if ((status !== 429 && status !== 503) || isLast) throw options.createError(status, body, name)
        reason = `the service returned ${status}`
        unreachableSince = undefined
      } catch (error) {
        if (error instanceof GatehouseError || signal?.aborted) throw error
        reason = `${origin} could not be reached (${causeOf(error)})`
        const isLast =
          attempt === maxAttempts || clock() + delayMs >= (unreachableSince ?? clock()) + retryWindowMs
        if (!isIdempotent || isLast) throw new UnreachableError(`${name}: ${reason}`)
        wasLost = true
        wasLimited = false
      }
      options.onRetry?.(name, reason, delayMs)
      // `passLimit` waits together with the other requests of the rate limit. Only `deadline` limits how often.
      if (wasLimited) continue
      attempt++
      await wait(timers, delayMs, signal)
    }
  }

  return request => {
    const deadline = clock() + maxWaitMs
    return inTurn(bucketsOf(request).own, request.signal, () => sendRepeatedly(request, deadline))
  }
}

function bucketsOf({ buckets = [] }: RestRequest): { own: string | undefined; all: string | undefined } {
  return {
    own: buckets.find(bucket => bucket !== allRequests),
    all: buckets.find(bucket => bucket === allRequests),
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
    // `fetch` sends the type of a Blob.
    ...(request.body === undefined || request.body instanceof Blob
      ? {}
      : { 'content-type': 'application/json' }),
    ...request.headers,
  }
}

function encode(body: unknown): Blob | string {
  return body instanceof Blob ? body : JSON.stringify(body)
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
