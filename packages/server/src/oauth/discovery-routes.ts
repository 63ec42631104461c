import { Discovery } from '@gatehouse/protocol/oauth'
import { type Route, respond, route } from '../http/route.ts'
import { createDiscovery } from './discovery.ts'

/** sign-in/metadata */
export function discoveryRoutes(baseUrl: string): Route[] {
  const body = createDiscovery(baseUrl)
  const metadataRoute = (id: 'getOpenidConfiguration' | 'getAuthorizationServerMetadata') =>
    route(id, {
      summary: 'Returns the provider metadata (OpenID Connect Discovery, RFC 8414).',
      tag: 'Sign-in',
      caller: { anonymous: true },
      responses: { 200: Discovery },
      cors: true,
      handle: async () => respond(200, body, { 'cache-control': 'public, max-age=3600' }),
    })
  return [metadataRoute('getOpenidConfiguration'), metadataRoute('getAuthorizationServerMetadata')]
}
