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
  /** The error for a status of 400 or more. */
  refused: (status: number, body: unknown, name: string) => Error
}

const timeoutMs = 15_000
const mostTries = 5
// Twice the same change is one change.
const repeatables: ReadonlySet<string> = new Set(['GET', 'PUT', 'PATCH'])

/**
 * Sends JSON and reads JSON. 429 and 503 are tried again after their `Retry-After`; so is what did not get through, if
 * doing it twice does no harm, else it is an UnreachableError. An answer of 400 or more is thrown as what `refused`
 * makes of it.
 */
export function createRest(options: RestOptions): Rest {
  const { clock, timers } = options
  const base = options.url.replace(/\/+$/, '')

  async function once(request: RestRequest): Promise<RestAnswer & { retryAfter: number | undefined }> {
    const ended = new AbortController()
    const cancel = timers.after(timeoutMs, () => ended.abort(new Error('no answer in 15 seconds')))
    const signal = request.signal ? AbortSignal.any([request.signal, ended.signal]) : ended.signal
    const sentAt = clock()
    try {
      const response = await options.fetch(base + request.path, {
        method: request.method,
        headers: headersFor(request, options.authorization),
        ...(request.body === undefined ? {} : { body: JSON.stringify(request.body) }),
        redirect: 'error',
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
    const repeatable = repeatables.has(request.method)
    for (let tries = 1; ; tries++) {
      let delay = 2 ** (tries - 1)
      try {
        const { status, body, retryAfter } = await once(request)
        if (status < 400) return { status, body }
        if ((status !== 429 && status !== 503) || tries === mostTries) {
          throw options.refused(status, body, request.name)
        }
        delay = retryAfter ?? delay
      } catch (error) {
        if (error instanceof GatehouseError || request.signal?.aborted) throw error
        if (!repeatable || tries === mostTries) {
          throw new UnreachableError(`${request.name}: the service could not be reached`, { cause: error })
        }
      }
      await wait(timers, delay * 1000, request.signal)
    }
  }
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
