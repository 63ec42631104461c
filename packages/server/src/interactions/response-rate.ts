import { isId } from '@gatehouse/protocol/ids'
import { isJsonObject } from '@gatehouse/protocol/json-object'
import { firstResponseMs, requestBytesPerRequest } from '@gatehouse/protocol/limits'
import { AppError } from '../errors/app-error.ts'
import type { Route, RouteRequest } from '../http/route.ts'
import type { Clock } from '../kit/clock.ts'
import type { RateLimiter } from '../rate-limits/rate-limiter.ts'
import { createSlidingWindow } from '../rate-limits/sliding-window.ts'
import type { Responder, ResponseCredentials } from './response-context.ts'

/** Of one interaction, on one node. A bot may correct a response that was refused. */
const exemptCallbacks = 5

interface Deps {
  clock: Clock
  rateLimiter: Pick<RateLimiter, 'responses'>
  findResponder: (credentials: ResponseCredentials) => Promise<Responder | undefined>
}

export type ResponseRate = ReturnType<typeof createResponseRate>

/** Counts the requests with the token of an interaction by application (limits/responses). */
export function createResponseRate({ clock, rateLimiter: { responses: bucket }, findResponder }: Deps) {
  /** The callbacks that no rate refuses, by the id of the interaction. */
  const exempt = createSlidingWindow({ clock, limit: exemptCallbacks, windowMs: firstResponseMs })

  /**
   * Before the body: counts a request of the application, or throws 429 `rate_limited`. `isAwaited` says whether the
   * interaction waits for its first response. Then a callback is admitted beyond the rate too, because the user waits,
   * and counts nevertheless. That holds only for the first few, or invalid bodies would have no limit.
   */
  async function admit(
    request: RouteRequest,
    applicationId: string,
    callback?: { id: string; isAwaited: () => Promise<boolean> },
  ): Promise<void> {
    const counted = { bucket, key: applicationId }
    const exceeded = findExceeded(applicationId)
    const needsExemption = exceeded !== undefined || hasLargeBody(request)
    const isExempt =
      callback && needsExemption && (await callback.isAwaited()) && exempt.hit(callback.id).allowed
    if (exceeded && !isExempt) throw exceeded
    if (exceeded) bucket.add(applicationId, 1)
    request.countedAs = isExempt ? { ...counted, mayOwe: true } : counted
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
    if (countedAs && (method === 'POST' || method === 'PATCH')) countedAs.bucket.add(countedAs.key, -1)
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
            id: credentials.id,
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
