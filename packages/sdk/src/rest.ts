import { type Clock, type Timers, wait } from './clock.ts'
import { GatehouseError, UnreachableError } from './errors.ts'

export interface RestRequest {
  method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  path: string
  /** What it is, for messages: without ids and tokens. */
  name: string
  body?: unknown
  /** Ends the request and the waiting before it is tried again. */
  signal?: AbortSignal
}

export interface RestAnswer {
  status: number
  /** Parsed JSON; undefined where there is none. */
  body: unknown
}

export type Rest = (request: RestRequest) => Promise<RestAnswer>

export interface RestOptions {
  url: string
  authorization?: string
  fetch: typeof fetch
  clock: Clock
  timers: Timers
  /** Every answer's `Date` header and the local times around it. */
  sawAnswer?: (date: string | null, sentAt: number, receivedAt: number) => void
  /** It is tried again after `delayMs`; `why` is fit to be printed. */
  onRetry?: (name: string, why: string, delayMs: number) => void
  /** The error for a status of 400 or more. */
  refused: (status: number, body: unknown, name: string) => Error
}

const timeoutMs = 15_000
const mostTries = 5
/** What does not get through is not tried for longer. */
const giveUpMs = 30_000
// Twice the same change is one change.
const repeatables: ReadonlySet<string> = new Set(['GET', 'PUT', 'PATCH'])

/**
 * Sends JSON and reads JSON. 429 and 503 are tried again after their `Retry-After`; so is what did not get through, if
 * doing it twice does no harm, five times and for 30 seconds at most; then it is an UnreachableError. An answer of 400 or more is thrown as what `refused`
 * makes of it.
 */
export function createRest(options: RestOptions): Rest {
  const { clock, timers } = options
  const base = options.url.replace(/\/+$/, '')
  const { origin } = new URL(base)

  async function once(
    request: RestRequest,
    limitMs: number,
  ): Promise<RestAnswer & { retryAfter: number | undefined }> {
    const ended = new AbortController()
    const noAnswer = new GaveUp(`no answer in ${Math.round(limitMs / 1000)} s`)
    const cancel = timers.after(limitMs, () => ended.abort(noAnswer))
    const signal = request.signal ? AbortSignal.any([request.signal, ended.signal]) : ended.signal
    const sentAt = clock()
    try {
      const response = await options.fetch(base + request.path, {
        method: request.method,
        headers: headersFor(request, options.authorization),
        ...(request.body === undefined ? {} : { body: JSON.stringify(request.body) }),
        redirect: 'manual',
        signal,
      })
      options.sawAnswer?.(response.headers.get('date'), sentAt, clock())
      return {
        status: response.status,
        body: parse(await response.text()),
        retryAfter: seconds(response.headers.get('retry-after')),
      }
    } finally {
      cancel()
    }
  }

  return async request => {
    const { name, signal } = request
    const repeatable = repeatables.has(request.method)
    let unreachedSince = clock()
    for (let tries = 1; ; tries++) {
      let delayMs = 1000 * 2 ** (tries - 1)
      let why: string
      let answered = false
      try {
        const limitMs = Math.max(1000, Math.min(timeoutMs, unreachedSince + giveUpMs - clock()))
        const { status, body, retryAfter } = await once(request, limitMs)
        if (status >= 200 && status < 300) return { status, body }
        if (status < 400) {
          throw new GatehouseError(`${name}: ${origin} leads elsewhere (${status}): its address is another`)
        }
        if ((status !== 429 && status !== 503) || tries === mostTries) {
          throw options.refused(status, body, name)
        }
        if (retryAfter !== undefined) delayMs = retryAfter * 1000
        why = `the service answered with ${status}`
        answered = true
      } catch (error) {
        if (error instanceof GatehouseError || signal?.aborted) throw error
        why = `${origin} could not be reached (${reasonOf(error)})`
        const over = tries === mostTries || clock() + delayMs >= unreachedSince + giveUpMs
        if (!repeatable || over) throw new UnreachableError(`${name}: ${why}`)
      }
      options.onRetry?.(name, why, delayMs)
      await wait(timers, delayMs, signal)
      if (answered) unreachedSince = clock()
    }
  }
}

/** Ends a request that nobody answers. */
class GaveUp extends Error {}

/**
 * In a word what went wrong on the way: `ECONNREFUSED`. Never the runtime's own message or the error itself, which may
 * repeat the address: a token stands in it.
 */
function reasonOf(error: unknown): string {
  if (error instanceof GaveUp) return error.message
  const cause = error instanceof Error && error.cause !== undefined ? error.cause : error
  for (const word of [codeOf(cause), codeOf(error)]) if (word !== undefined) return word
  if (!(cause instanceof Error)) return 'no answer'
  // Deno has no code: the words of the operating system stand at the end, after the address.
  const [, words, dns] = / ([A-Z][A-Za-z ]+) \(os error \d+\)$|(dns error)/.exec(cause.message) ?? []
  return words ?? dns ?? cause.name
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

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

function seconds(header: string | null): number | undefined {
  const value = Number(header ?? Number.NaN)
  return value >= 0 ? value : undefined
}
