import { Discovery } from '@gatehouse/protocol/oauth'
import { ok, type Route, route } from '../../http/route.ts'
import type { OAuthRouteDeps } from './deps.ts'

/** The well-known addresses (D19). */
export function discoveryRoutes({ oauth }: OAuthRouteDeps): Route[] {
  const paths = ['/.well-known/openid-configuration', '/.well-known/oauth-authorization-server'] as const
  return paths.map(path =>
    route({
      method: 'GET',
      path,
      summary: 'What the service offers to clients (OpenID Connect Discovery, RFC 8414).',
      tag: 'Sign-in',
      caller: { anyone: true },
      answers: { 200: Discovery },
      cors: true,
      handle: async () => ({
        ...ok(oauth.discovery),
        headers: { 'cache-control': 'public, max-age=3600' },
      }),
    }),
  )
}
