import { Type } from '@gatehouse/protocol/type'
import { ok, type Route, route } from '../../http/route.ts'

/** The OpenAPI document is generated from the schemas that validate the requests. */
export function openapiRoute(deps: { document: () => Record<string, unknown> }): Route {
  return route({
    method: 'GET',
    path: '/api/openapi.json',
    summary: 'Returns this reference as an OpenAPI 3.1 document.',
    tag: 'Operation',
    caller: { anonymous: true },
    cors: true,
    responses: { 200: Type.Object({}, { additionalProperties: true }) },
    handle: async () => ok(deps.document()),
  })
}
