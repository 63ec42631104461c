import { looseObject } from '@gatehouse/protocol/wire'
import { type Route, route } from '../http/route.ts'
import { createStaticResponse, type StaticResponse } from '../http/static-response.ts'

/** The OpenAPI document is generated from the schemas that validate the requests. */
export function openapiRoute(deps: { routes: () => readonly Route[]; baseUrl: string }): Route {
  let prepared: Promise<StaticResponse> | undefined
  async function prepare(): Promise<StaticResponse> {
    // On demand: few services are asked for the document.
    const { openApiDocument } = await import('../http/openapi/openapi-document.ts')
    return createStaticResponse(
      JSON.stringify(openApiDocument(deps.routes(), deps.baseUrl)),
      'application/json',
    )
  }
  return route('getOpenapi', {
    summary: 'Returns this reference as an OpenAPI 3.1 document.',
    tag: 'Operation',
    caller: { anonymous: true },
    cors: true,
    responses: {
      200: looseObject({}, 'The document.'),
      304: null,
    },
    handle: async ({ request }) => {
      prepared ??= prepare()
      return (await prepared).respondTo(request)
    },
  })
}
