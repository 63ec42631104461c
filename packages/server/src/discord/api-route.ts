import type { Method } from '@gatehouse/protocol/endpoints'
import { type ErrorCode, errorStatus } from '@gatehouse/protocol/errors'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { unknown } from 'valibot'
import type { AcceptedCallers, CallerOf } from '../http/caller.ts'
import type { BodyType, Route } from '../http/route.ts'
import { apiErrorFormat, type Unknown, unknownPath } from './api-errors.ts'
import { findUnsupported } from './unsupported-path.ts'

/** The path of Discord's API. Version 9 has the same routes (`http/api-version.ts`). */
export const apiPath = '/api/v10'

/** A request to Discord's API, whose parts are not validated: the operation that it is translated to validates them. */
export interface ApiRequest<C extends AcceptedCallers> {
  caller: CallerOf<C>
  params: Readonly<Record<string, string>>
  query: Readonly<Record<string, unknown>>
  body: unknown
  request: FastifyRequest
  reply: FastifyReply
}

interface ApiRoute<C extends AcceptedCallers> {
  summary: string
  /** Defaults to the bot with its token. */
  caller?: C
  /** What a 404 of the route means. */
  missing: Unknown
  /** `any` for a body that `readDiscordBody` reads. Defaults to `json`. */
  bodyTypes?: readonly BodyType[]
  exemptFromRequestRate?: true
  waitsForBot?: true
  beforeBody?: (request: FastifyRequest) => Promise<void>
  /** Returns the body of a 200 response, or undefined for 204. */
  handle: (request: ApiRequest<C>) => Promise<unknown>
}

const allErrors = Object.keys(errorStatus) as ErrorCode[]

/**
 * Declares a route of Discord's API: `route('GET /channels/:channelId', …)`. It is not in the document of our API.
 */
export function route<const C extends AcceptedCallers = { readonly bot: true }>(
  methodAndPath: `${Method} /${string}`,
  { caller, missing, handle, ...options }: ApiRoute<C>,
): Route {
  const [method, path] = methodAndPath.split(' ') as [Method, string]
  return {
    ...options,
    method,
    path: `${apiPath}${path}`,
    tag: 'Bots',
    caller: caller ?? { bot: true },
    responses: { 200: unknown(), 204: null },
    bodyTypes: options.bodyTypes ?? ['json'],
    rates: [],
    errors: allErrors,
    errorFormat: apiErrorFormat(missing),
    async onUnrouted({ server, url }) {
      const { path, routes } = server.routeLookup.find(url)
      const unsupported = findUnsupported(path.slice(apiPath.length))
      if (unsupported) throw unsupported
      if (routes.length > 0) return
      const suggestion = server.routeLookup.suggest(path)
      throw unknownPath(suggestion?.startsWith(apiPath) ? suggestion : undefined)
    },
    async handle(input) {
      const body = await handle(input as ApiRequest<C>)
      return body === undefined ? { status: 204 } : { status: 200, body }
    },
  }
}
