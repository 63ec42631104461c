import { looseObject } from '@gatehouse/protocol/wire'
import { type Route, route } from '../http/route.ts'
import { createStaticResponse, type StaticResponse } from '../http/static-response.ts'

/** The AsyncAPI document is generated from the schemas of the events. */
export function asyncapiRoute({ baseUrl }: { baseUrl: string }): Route {
  let prepared: Promise<StaticResponse> | undefined
  async function prepare(): Promise<StaticResponse> {
    // On demand, as for the OpenAPI document.
    const { asyncApiDocument } = await import('../http/openapi/asyncapi.ts')
    return createStaticResponse(JSON.stringify(asyncApiDocument(baseUrl)), 'application/json')
  }
  return route('getAsyncapi', {
    summary: 'Returns the frames and events of the gateway as an AsyncAPI 3.0 document.',
    tag: 'Gateway',
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
