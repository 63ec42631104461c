import { KeySet } from '@gatehouse/protocol/oauth'
import { ok, type Route, route } from '../../http/route.ts'
import { keysMaxAge } from '../signing-keys.ts'
import type { OAuthRouteDeps } from './deps.ts'

/** `/api/oauth2/keys` */
export function keysRoute({ oauth }: OAuthRouteDeps): Route {
  return route({
    method: 'GET',
    path: '/api/oauth2/keys',
    summary: 'The keys that verify id_tokens (RFC 7517).',
    tag: 'Sign-in',
    caller: { anyone: true },
    answers: { 200: KeySet },
    cors: true,
    handle: async () => ({
      ...ok({ keys: await oauth.publicKeys() }),
      headers: { 'cache-control': `public, max-age=${keysMaxAge}` },
    }),
  })
}
