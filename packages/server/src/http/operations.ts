import type { QueryOf, ResponseOf } from '@gatehouse/protocol/endpoint-types'
import type { OperationId, PathParameters } from '@gatehouse/protocol/endpoints'
import type { Schema } from '@gatehouse/protocol/wire'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { AppError } from '../errors/app-error.ts'
import type { RateLimiter } from '../rate-limits/rate-limiter.ts'
import { readAuditReason } from './audit-reason.ts'
import { type Caller, limitKeyOf } from './caller.ts'
import type { Route } from './route.ts'
import { createRateCheck } from './route-rates.ts'
import { compileValidator } from './validation.ts'

/** What `handle` of a route gets. `caller` is authenticated, the other parts are valid. */
export interface RouteInput {
  caller: Caller | undefined
  params: unknown
  query: unknown
  body: unknown
  request: FastifyRequest
  reply: FastifyReply
}

type RouteResponse = Awaited<ReturnType<Route['handle']>>

/** Returns the function that counts a valid request towards the rates of the route and handles it. */
export function createHandler(
  route: Route,
  rateLimiter: RateLimiter,
): (input: RouteInput) => Promise<RouteResponse> {
  const checkRates = createRateCheck(rateLimiter, route.rates)
  return async input => {
    const reason = route.auditReason && readAuditReason(input.request.headers)
    const undoRates = await checkRates?.(input.caller, input.params, input.body)
    try {
      const caller = input.caller && reason ? { ...input.caller, reason } : input.caller
      return await route.handle({ ...input, caller })
    } catch (error) {
      // Some rules are checked by the handler. Like an error of the schema, theirs do not count (limits/rates).
      if (undoRates && error instanceof AppError && error.code === 'validation_failed') await undoRates()
      throw error
    }
  }
}

/** The request that runs an operation. */
export interface OperationContext {
  caller: Caller
  request: FastifyRequest
  reply: FastifyReply
}

/** The parts of a request to an operation. */
interface Parts {
  params?: object
  query?: object | undefined
  /** In the format of the operation. It is validated as the body of a request is. */
  body?: unknown
}

export type OperationParts<Id extends OperationId> = Parts & {
  query?: Partial<Record<keyof QueryOf<Id>, unknown>>
} & ([keyof PathParameters<Id>] extends [never] ? unknown : { params: PathParameters<Id> })

export type OperationRequest<Id extends OperationId> = OperationContext & OperationParts<Id>

export type Operations = ReturnType<typeof createOperations>

/**
 * Runs operations of the contract for an API that only translates. The rules, the rates of the route, the validation
 * and the errors are those of a request to the operation itself. The route of that API authenticates the caller and
 * counts the request (limits/requests).
 */
export function createOperations(routes: readonly Route[], rateLimiter: RateLimiter) {
  const byId = new Map(
    routes.flatMap(route =>
      route.operationId === undefined
        ? []
        : [[route.operationId, createOperation(route, rateLimiter)] as const],
    ),
  )
  return {
    /** Returns the body of the response. Throws the error of the operation, whose field errors have its names. */
    async run<Id extends OperationId>(id: Id, input: OperationRequest<Id>): Promise<ResponseOf<Id>> {
      const operation = byId.get(id)
      if (operation === undefined) throw new Error(`the service has no operation ${id}`)
      const { body, cost = 0 } = await operation(input)
      rateLimiter.addRequests(limitKeyOf(input.caller), cost)
      return body as ResponseOf<Id>
    },
  }
}

/** Validates the parts of a request and handles it. */
function createOperation(route: Route, rateLimiter: RateLimiter) {
  const handle = createHandler(route, rateLimiter)
  const validators = {
    params: createValidator(route.params, 'params'),
    query: createValidator(route.query, 'querystring'),
    body: createValidator(route.body, 'body'),
  }
  return async ({ caller, request, reply, ...parts }: OperationContext & Parts): Promise<RouteResponse> => {
    const accepts = Boolean(route.caller[caller.kind])
    if (!accepts && !route.caller.anonymous) {
      throw new Error(`${route.method} ${route.path} accepts no ${caller.kind}`)
    }
    const params = validators.params(parts.params)
    const query = validators.query({ ...parts.query })
    const body = validators.body(parts.body ?? {})
    return handle({ caller: accepts ? caller : undefined, request, reply, params, query, body })
  }
}

function createValidator(schema: Schema | undefined, httpPart: string): (given: unknown) => unknown {
  if (schema === undefined) return () => undefined
  const validate = compileValidator({ schema, httpPart })
  return given => {
    const result = validate(given)
    if (result.error) throw result.error
    return result.value
  }
}
