import { Discovery } from '@gatehouse/protocol/oauth'
import { ok, type Route, route } from '../../http/route.ts'
import type { OAuth } from '../index.ts'

/** sign-in/metadata */
export function discoveryRoutes(oauth: Pick<OAuth, 'discovery'>): Route[] {
  const paths = ['/.well-known/openid-configuration', '/.well-known/oauth-authorization-server'] as const
  return paths.map(path =>
    route({
      method: 'GET',
      path,
      summary: 'Returns the provider metadata (OpenID Connect Discovery, RFC 8414).',
      tag: 'Sign-in',
      caller: { anonymous: true },
      responses: { 200: Discovery },
      cors: true,
      handle: async () => ({
        ...ok(oauth.discovery),
        headers: { 'cache-control': 'public, max-age=3600' },
      }),
    }),
  )
}
