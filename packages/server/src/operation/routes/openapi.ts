import { Type } from '@gatehouse/protocol/type'
import { ok, type Route, route } from '../../http/route.ts'

/** The OpenAPI document, made from the schemas that validate the requests. */
export function openapiRoute(deps: { document: () => Record<string, unknown> }): Route {
  return route({
    method: 'GET',
    path: '/api/openapi.json',
    summary: 'This reference for programs (OpenAPI 3.1)',
    tag: 'Operation',
    caller: { anyone: true },
    cors: true,
    answers: { 200: Type.Object({}, { additionalProperties: true }) },
    handle: async () => ok(deps.document()),
  })
}
