import { AuditReasonHeaders } from '@gatehouse/protocol/audit-log'
import type { BodyOf, QueryOf, ResponseOf } from '@gatehouse/protocol/endpoint-types'
import {
  type EndpointId,
  endpointOf,
  isOperation,
  type Method,
  type OperationId,
  type ParameterName,
  type PathParameters,
} from '@gatehouse/protocol/endpoints'
import { PathIds } from '@gatehouse/protocol/ids'
import type { UserRateName } from '@gatehouse/protocol/limits'
import type { Schema } from '@gatehouse/protocol/wire'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { GenericSchema, InferOutput } from 'valibot'
import type { AppError, ErrorCode } from '../errors/app-error.ts'
import type { AcceptedCallers, CallerOf } from './caller.ts'
import type { ErrorFormat } from './error-formats.ts'
import type { Image } from './media.ts'
import type { Tag } from './tags.ts'

/** The request of a hook, outside the files that may import Fastify. */
export type RouteRequest = FastifyRequest

/** The schema of the body for each status of a successful response; null for a response without a body. */
export type Responses = Readonly<Record<number, Schema | null>>

type Headers = Readonly<Record<string, string | string[]>>

type HandlerResponse<R extends Responses> = {
  [S in keyof R & number]: {
    status: S
    headers?: Headers
    /** The further requests that this one counts as, because its work was large (limits/requests). */
    cost?: number
  } & (R[S] extends Schema ? { body: InferOutput<R[S]> } : { body?: undefined })
}[keyof R & number]

export type BodyType = 'json' | 'form' | 'image' | 'any'

type Part<T extends Schema | undefined> = T extends Schema ? InferOutput<T> : undefined

/** A schema for what the contract of an endpoint says. */
type SchemaOf<Type> = [Type] extends [Blob] ? typeof Image : GenericSchema<unknown, Type>
type ParamsSchema<Id extends EndpointId> = GenericSchema<unknown, PathParameters<Id>> | undefined
type QuerySchema<Id extends EndpointId> = SchemaOf<QueryOf<Id>> | undefined
type BodySchema<Id extends EndpointId> = SchemaOf<BodyOf<Id>> | undefined

/** The schemas of the successful responses: null for a status without a body. */
type ResponsesOf<Id extends EndpointId> = Responses & {
  readonly [S in 200 | 201 | 202]?: [ResponseOf<Id>] extends [undefined] ? null : SchemaOf<ResponseOf<Id>>
} & { readonly 204?: undefined extends ResponseOf<Id> ? null : never }

type IdName = 'id' | `${string}Id`
type DefaultParams<Id extends EndpointId> = [Exclude<ParameterName<Id>, IdName>] extends [never]
  ? PathParameters<Id>
  : undefined

/** `never` for a schema that rejects what a client may send. */
type Accepting<Sent, S> = unknown extends Sent
  ? unknown
  : S extends Schema
    ? [Sent] extends [InferOutput<S>]
      ? unknown
      : never
    : unknown

/** A route declares the query and the body of its contract. */
type Declared<Id extends EndpointId> = (undefined extends QueryOf<Id>
  ? unknown
  : { query: SchemaOf<QueryOf<Id>> }) &
  (undefined extends BodyOf<Id>
    ? unknown
    : { body: SchemaOf<BodyOf<Id>> } | { content: NonNullable<RouteOptions['content']> })

/** What the declaration of an endpoint may say besides its contract. */
interface RouteOptions {
  /**
   * The handler authenticates the request itself: an OAuth client (RFC 6749 §2.3), a bearer token (RFC 6750 §2), or the
   * token of the metrics. For the API document; `caller` then accepts requests without a credential.
   */
  documentedAuthentication?: 'client' | 'bearer' | 'metrics'
  /** The act is recorded in an audit log: `caller` has the reason of `X-Audit-Log-Reason` (community/audit-reason). */
  auditReason?: true
  /** The headers that the handler reads, for the API document. */
  requestHeaders?: Schema
  /**
   * The accepted types of the request body. Defaults to `json`. `image` is PNG, JPEG, GIF or WebP as a Buffer. `any` is
   * every type as an unparsed Buffer, or undefined for an empty body without a Content-Type. A malformed Content-Type
   * counts as none.
   */
  bodyTypes?: readonly BodyType[]
  /**
   * The most bytes of the body, if it is not `maxBodyBytes`. Only for routes whose `beforeBody` admits each request.
   */
  maxBodyBytes?: number
  /** The schema of the body for each media type, for the API document, if `handle` parses the body. */
  content?: Readonly<Record<string, Schema>>
  /** The headers of the responses, for the API document. `X-RateLimit` is those of Discord (webhooks/rate-limit). */
  responseHeaders?: readonly ('Set-Cookie' | 'X-RateLimit')[]
  /**
   * Errors of the operation besides those that follow from this declaration, which `http/openapi/openapi-errors.ts`
   * adds to the API document. `missing_permission` includes `timed_out`.
   */
  errors?: readonly ErrorCode[]
  /** Errors whose code only `errorFormat` has, for the API document. */
  documentedErrors?: readonly AppError[]
  /** How error responses are serialized. Defaults to `nativeErrorFormat`. */
  errorFormat?: ErrorFormat
  /** The rates that a valid request counts towards (limits/rates). Image routes count towards `images` without it. */
  rates?: readonly UserRateName[]
  /** The route does not count towards the rate of all requests: it has another one. */
  exemptFromRequestRate?: true
  /**
   * The handler waits for a bot, so it is not one of the requests that a user may run at the same time
   * (limits/concurrent-requests).
   */
  waitsForBot?: true
  /** Sends CORS `*` without credentials (sign-in/cors). */
  cors?: true
  /**
   * Rejects cross-site requests although the route accepts requests without a session: routes that create one
   * (sign-in/form-token).
   */
  rejectCrossSite?: true
  /**
   * Runs after authentication and before the body is read: rate limits, and a 404 that precedes a 400
   * (webhooks/order-of-checks).
   */
  beforeBody?: (request: FastifyRequest, reply: FastifyReply) => Promise<void>
  /** Is called with every error response of this route, and with its status. Must not throw. */
  onErrorResponse?: (request: FastifyRequest, error: AppError, status: number) => void
  /**
   * Runs for a request that matches no route, in two cases: the path is that of this route and the method another one;
   * or no route has the path, and that of this route has the longest common beginning with it. Then `params` is empty.
   * An error that it throws replaces the 405 or 404 (webhooks/order-of-checks).
   */
  onUnrouted?: OnUnrouted
}

export interface RouteCommon<C extends AcceptedCallers> extends RouteOptions {
  /** The heading of the API reference that lists the route. */
  tag: Tag
  caller: C
}

export interface RouteDetails<
  Id extends EndpointId,
  C extends AcceptedCallers,
  P extends ParamsSchema<Id>,
  Q extends QuerySchema<Id>,
  B extends BodySchema<Id>,
  R extends ResponsesOf<Id>,
> extends RouteOptions {
  /** One line for the API reference. */
  summary: string
  /** Defaults to ids if all parameters of the path have the name `id` or one that ends with `Id`. */
  params?: P
  /** Validates the query before `handle`. */
  query?: Q & Accepting<QueryOf<Id>, Q>
  /** Validates the body before `handle`. */
  body?: B & Accepting<BodyOf<Id>, B>
  responses: R
  handle: (input: {
    caller: CallerOf<C>
    params: P extends Schema ? InferOutput<P> : DefaultParams<Id>
    query: Part<Q>
    body: Part<B>
    request: FastifyRequest
    reply: FastifyReply
  }) => Promise<HandlerResponse<R>>
}

type OnUnrouted = (
  request: FastifyRequest,
  reply: FastifyReply,
  params: Readonly<Record<string, string>>,
) => Promise<void>

/**
 * A route without its type parameters, with the defaults. `mountOne` of `http/app.ts` applies it: caller, rate of all
 * requests, validation, `rates`, `handle`.
 */
export interface Route extends RouteCommon<AcceptedCallers> {
  method: Method
  path: string
  /** In the API document. Absent for pages and files for browsers, which are not in the document. */
  operationId?: OperationId
  summary: string
  params?: Schema | undefined
  query?: Schema | undefined
  body?: Schema | undefined
  responses: Responses
  bodyTypes: readonly BodyType[]
  rates: readonly UserRateName[]
  errors: readonly ErrorCode[]
  // Method syntax, because its parameters are bivariant: `mount` passes input that the route's schemas validated.
  handle(input: {
    caller: unknown
    params: unknown
    query: unknown
    body: unknown
    request: FastifyRequest
    reply: FastifyReply
  }): Promise<{ status: number; body?: unknown; headers?: Headers; cost?: number }>
}

/**
 * Declares an endpoint. Its method, path, body, query and response are those of the contract in
 * `@gatehouse/protocol/endpoints`.
 */
export function route<
  Id extends EndpointId,
  const C extends AcceptedCallers,
  const R extends ResponsesOf<Id>,
  P extends ParamsSchema<Id> = undefined,
  Q extends QuerySchema<Id> = undefined,
  B extends BodySchema<Id> = undefined,
>(id: Id, spec: RouteCommon<C> & RouteDetails<Id, C, P, Q, B, R> & Declared<Id>): Route {
  return createRoute(id, spec)
}

/** Returns `route` for endpoints with the same heading, callers and options. */
export function routeGroup<const C extends AcceptedCallers>(common: RouteCommon<C>) {
  return <
    Id extends EndpointId,
    const R extends ResponsesOf<Id>,
    P extends ParamsSchema<Id> = undefined,
    Q extends QuerySchema<Id> = undefined,
    B extends BodySchema<Id> = undefined,
  >(
    id: Id,
    details: RouteDetails<Id, C, P, Q, B, R> & Declared<Id>,
  ): Route => createRoute(id, { ...common, ...details })
}

function createRoute(
  id: EndpointId,
  spec: Omit<Route, 'method' | 'path' | 'bodyTypes' | 'rates' | 'errors'> & RouteOptions,
): Route {
  const { method, path } = endpointOf(id)
  const params = spec.params ?? idParams(path)
  return {
    ...spec,
    method,
    path,
    ...(isOperation(id) ? { operationId: id } : {}),
    ...(params ? { params } : {}),
    ...(spec.auditReason ? { requestHeaders: AuditReasonHeaders } : {}),
    bodyTypes: spec.bodyTypes ?? ['json'],
    rates: spec.rates ?? (spec.bodyTypes?.includes('image') ? ['images'] : []),
    errors: withMemberTimeOut(spec.errors ?? []),
  }
}

function idParams(path: string): Schema | undefined {
  const names = [...path.matchAll(/:(\w+)/g)].map(([, name = '']) => name)
  return names.length > 0 && names.every(name => /^id$|Id$/.test(name)) ? PathIds(...names) : undefined
}

/** Adds `timed_out` to `missing_permission`: a member who is timed out lacks permissions (community/timeouts). */
function withMemberTimeOut(errors: readonly ErrorCode[]): readonly ErrorCode[] {
  return errors.includes('missing_permission') ? [...errors, 'timed_out'] : errors
}

/** A response with any declared status. */
export function respond<const S extends number, T>(
  status: S,
  body: T,
  headers: Headers = {},
): { status: S; body: T; headers: Headers } {
  return { status, body, headers }
}

export function ok<const T>(body: T): { status: 200; body: T } {
  return { status: 200, body }
}

export function created<const T>(body: T): { status: 201; body: T } {
  return { status: 201, body }
}

export function accepted(): { status: 202 } {
  return { status: 202 }
}

/** 204 after `operation` has succeeded. */
export async function noContent(operation?: Promise<unknown>): Promise<{ status: 204 }> {
  await operation
  return { status: 204 }
}

/** The same, for an operation that returns the further requests that it counts as (limits/caused-changes). */
export async function noContentAt(operation: Promise<number>): Promise<{ status: 204; cost: number }> {
  return { status: 204, cost: await operation }
}

/** 303: the browser follows it with GET, also after a POST (RFC 9110 §15.4.4; sign-in/redirect-status). */
export function seeOther(location: string): { status: 303; headers: { location: string } } {
  return { status: 303, headers: { location } }
}
