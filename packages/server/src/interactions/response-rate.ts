import { isId } from '@gatehouse/protocol/ids'
import { isJsonObject } from '@gatehouse/protocol/json-object'
import { firstResponseMs, requestBytesPerRequest } from '@gatehouse/protocol/limits'
import { AppError } from '../errors/app-error.ts'
import type { Route, RouteRequest } from '../http/route.ts'
import { type Clock, delay, type Timers } from '../kit/clock.ts'
import type { RateLimiter } from '../rate-limits/rate-limiter.ts'
import { createTokenBucket } from '../rate-limits/token-bucket.ts'
import type { Responder, ResponseCredentials } from './response-context.ts'

interface Deps {
  clock: Clock
  timers: Timers
  rateLimiter: Pick<RateLimiter, 'responses'>
  findResponder: (credentials: ResponseCredentials) => Promise<Responder | undefined>
}

export type ResponseRate = ReturnType<typeof createResponseRate>

/** Counts the requests with the token of an interaction by application (limits/responses). */
export function createResponseRate({ clock, timers, rateLimiter, findResponder }: Deps) {
  const { responses: bucket } = rateLimiter
  /** Of the callbacks that no rate refuses. It delays them, or invalid bodies would have no limit. */
  const turns = createTokenBucket({ clock, rate: bucket.rate })

  /**
   * Before the body: counts a request of the application, or throws 429 `rate_limited`. `isAwaited` says whether the
   * interaction waits for its first response. Then a callback is admitted beyond the rate too, because the user waits,
   * and counts nevertheless.
   */
  async function admit(
    request: RouteRequest,
    applicationId: string,
    callback?: { isAwaited: () => Promise<boolean> },
  ): Promise<void> {
    const counted = { bucket, key: applicationId }
    const exceeded = findExceeded(applicationId)
    const needsExemption = exceeded !== undefined || hasLargeBody(request)
    const isExempt =
      callback && needsExemption && (await takeTurn(request, applicationId, callback.isAwaited))
    if (exceeded && !isExempt) throw exceeded
    if (exceeded) bucket.add(applicationId, 1)
    request.countedAs = isExempt ? { ...counted, mayOwe: true } : counted
  }

  /** Waits for a turn of the application. False if the interaction does not wait for its first response until then. */
  async function takeTurn(
    request: RouteRequest,
    applicationId: string,
    isAwaited: () => Promise<boolean>,
  ): Promise<boolean> {
    if (!(await isAwaited())) return false
    const { allowed, retryAfterMs } = turns.peek(applicationId)
    if (!allowed && retryAfterMs >= firstResponseMs) return false
    turns.add(applicationId, 1)
    if (allowed) return true
    await delay(timers, retryAfterMs)
    // The token of the bot may have ended, as while a body arrives.
    request.isBodyLate = true
    return isAwaited()
  }

  /** Counts the request unless it exceeds the rate. */
  function findExceeded(applicationId: string): AppError | undefined {
    try {
      bucket.check(applicationId)
      return undefined
    } catch (error) {
      if (error instanceof AppError) return error
      throw error
    }
  }

  /** After the success of a request. What sent or edited a message has another rate (limits/followups). */
  function complete({ method, countedAs }: RouteRequest): void {
    if (countedAs === undefined || (method !== 'POST' && method !== 'PATCH')) return
    countedAs.bucket.add(countedAs.key, -1)
    if (countedAs.mayOwe) turns.add(countedAs.key, -1)
  }

  return {
    admit,
    complete,

    /** Counts the requests of a route of bots. */
    count(route: Route): Route {
      return {
        ...route,
        async beforeBody(request) {
          const { caller } = request
          if (caller?.kind !== 'bot') throw new Error('the route accepts bots only')
          const { applicationId } = caller
          const credentials = { applicationId, ...readParams(request) }
          const callback = {
            isAwaited: async () =>
              isId(credentials.id) && (await findResponder(credentials))?.acceptsCallback === true,
          }
          await admit(request, applicationId, route.operationId === 'createCallback' ? callback : undefined)
        },
        async handle(input) {
          const response = await route.handle(input)
          complete(input.request)
          return response
        },
      }
    },
  }
}

function readParams({ params }: RouteRequest): { id: string; token: string } {
  const { id, token } = isJsonObject(params) ? params : {}
  return { id: String(id), token: String(token) }
}

/** One that counts as further requests (limits/request-size). */
function hasLargeBody({ headers }: RouteRequest): boolean {
  return (
    headers['transfer-encoding'] !== undefined ||
    Number(headers['content-length'] ?? 0) >= requestBytesPerRequest
  )
}
