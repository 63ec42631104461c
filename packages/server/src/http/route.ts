import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Static, TSchema } from 'typebox'
import type { AppError, ErrorCode } from '../kit/app-error.ts'
import type { Accepts, CallerOf } from './caller.ts'
import type { ErrorDialect } from './errors.ts'

/** One schema for each status that a route answers with; null is an answer without a body. */
export type Answers = Readonly<Record<number, TSchema | null>>

type AnswerOf<A extends Answers> = {
  [S in keyof A & number]: {
    status: S
    headers?: Readonly<Record<string, string | string[]>>
  } & (A[S] extends TSchema ? { body: Static<A[S]> } : { body?: undefined })
}[keyof A & number]

export type BodyType = 'json' | 'form' | 'image' | 'any'

type Part<T extends TSchema | undefined> = T extends TSchema ? Static<T> : undefined

export interface RouteSpec<
  C extends Accepts,
  P extends TSchema | undefined,
  Q extends TSchema | undefined,
  B extends TSchema | undefined,
  A extends Answers,
> {
  method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  path: string
  /** One line for the reference: what it does. */
  summary: string
  /** The heading in the reference under which it stands: `Servers`, `Sign-in`, … */
  tag: string
  caller: C
  params?: P
  query?: Q
  body?: B
  /**
   * What the body may come as; `json` unless said. `image`: raw bytes of png, jpeg, gif or webp, as a Buffer. `any`:
   * the bytes of whatever comes, as a Buffer, undefined where there are none; such a route reads them by itself.
   */
  bodyTypes?: readonly BodyType[]
  answers: A
  /** The errors of this route beyond those that any route can give (`commonErrors` in errors.ts). */
  errors?: readonly ErrorCode[]
  /** How errors are put into words; the native JSON unless said. */
  dialect?: ErrorDialect
  /** CORS `*` without credentials (D19). */
  cors?: true
  /** Refuses requests from other sites although no session is asked for: what makes a session (D69). */
  sameSite?: true
  /** Runs after the caller is known and before the body is read: limits, and 404 that goes before 400 (D41). */
  before?: (request: FastifyRequest, reply: FastifyReply) => Promise<void>
  /** Told of every error that this route answers with, whichever step it came from. Must not throw. */
  refused?: (request: FastifyRequest, error: AppError) => void
  /**
   * Runs before a request is refused that no route takes: one with another method at this path, whose parts come as
   * `params`, or one that only begins as this path does. What it throws goes first (D41).
   */
  astray?: Astray
  handle: (input: {
    caller: CallerOf<C>
    params: Part<P>
    query: Part<Q>
    body: Part<B>
    request: FastifyRequest
    reply: FastifyReply
  }) => Promise<AnswerOf<A>>
}

type Astray = (
  request: FastifyRequest,
  reply: FastifyReply,
  params: Readonly<Record<string, string>>,
) => Promise<void>

/** A route with its types forgotten, as `compose.ts` gathers them and `app.ts` mounts them. */
export interface Route {
  method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  path: string
  summary: string
  tag: string
  caller: Accepts
  params?: TSchema | undefined
  query?: TSchema | undefined
  body?: TSchema | undefined
  bodyTypes: readonly BodyType[]
  answers: Answers
  errors: readonly ErrorCode[]
  dialect?: ErrorDialect | undefined
  cors: boolean
  sameSite: boolean
  before?: ((request: FastifyRequest, reply: FastifyReply) => Promise<void>) | undefined
  refused?: ((request: FastifyRequest, error: AppError) => void) | undefined
  astray?: Astray | undefined
  // A method, so that each route's narrower input fits: `mount` gives it what its schemas have let through.
  handle(input: {
    caller: unknown
    params: unknown
    query: unknown
    body: unknown
    request: FastifyRequest
    reply: FastifyReply
  }): Promise<{ status: number; body?: unknown; headers?: Readonly<Record<string, string | string[]>> }>
}

/** Declares an endpoint. The types of `caller`, `params`, `query`, `body` and of the answer follow from the schemas. */
export function route<
  const C extends Accepts,
  const A extends Answers,
  P extends TSchema | undefined = undefined,
  Q extends TSchema | undefined = undefined,
  B extends TSchema | undefined = undefined,
>(spec: RouteSpec<C, P, Q, B, A>): Route {
  return {
    method: spec.method,
    path: spec.path,
    summary: spec.summary,
    tag: spec.tag,
    caller: spec.caller,
    params: spec.params,
    query: spec.query,
    body: spec.body,
    bodyTypes: spec.bodyTypes ?? ['json'],
    answers: spec.answers,
    errors: spec.errors ?? [],
    dialect: spec.dialect,
    cors: spec.cors ?? false,
    sameSite: spec.sameSite ?? false,
    before: spec.before,
    refused: spec.refused,
    astray: spec.astray,
    handle: spec.handle,
  }
}

/** Any declared status, with a body and headers of its own. */
export function answer<const S extends number, T>(
  status: S,
  body: T,
  headers: Readonly<Record<string, string | string[]>> = {},
): { status: S; body: T; headers: Readonly<Record<string, string | string[]>> } {
  return { status, body, headers }
}

/** 200 with a body. */
export function ok<const T>(body: T): { status: 200; body: T } {
  return { status: 200, body }
}

/** 201 with what was made. */
export function created<const T>(body: T): { status: 201; body: T } {
  return { status: 201, body }
}

/** 204: done, and nothing to say. */
export function noContent(): { status: 204 } {
  return { status: 204 }
}

/** 303: the next page is to be fetched with GET (RFC 9110 §15.4.4), also after a form was posted (D24). */
export function seeOther(location: string): { status: 303; headers: { location: string } } {
  return { status: 303, headers: { location } }
}

/** 202: taken, and done later. */
export function accepted(): { status: 202 } {
  return { status: 202 }
}
