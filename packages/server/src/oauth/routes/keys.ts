import { KeySet } from '@gatehouse/protocol/oauth'
import { ok, type Route, route } from '../../http/route.ts'
import type { OAuth } from '../index.ts'
import { keysMaxAge } from '../keys.ts'

export function keysRoutes(oauth: Pick<OAuth, 'listPublicKeys'>): Route[] {
  return [
    route({
      method: 'GET',
      path: '/api/oauth2/keys',
      summary: 'Returns the JWK Set that verifies ID tokens (RFC 7517).',
      tag: 'Sign-in',
      caller: { anonymous: true },
      responses: { 200: KeySet },
      cors: true,
      handle: async () => ({
        ...ok({ keys: await oauth.listPublicKeys() }),
        headers: { 'cache-control': `public, max-age=${keysMaxAge}` },
      }),
    }),
  ]
}
