import { KeySet } from '@gatehouse/protocol/oauth'
import { type Route, respond, route } from '../http/route.ts'
import { keysMaxAge, type SigningKeys } from './signing-keys.ts'

export function signingKeyRoute(keys: SigningKeys): Route {
  return route('listKeys', {
    summary: 'Returns the JWK Set that verifies ID tokens (RFC 7517).',
    tag: 'Sign-in',
    caller: { anonymous: true },
    responses: { 200: KeySet },
    cors: true,
    handle: async () =>
      respond(
        200,
        { keys: await keys.listPublicKeys() },
        { 'cache-control': `public, max-age=${keysMaxAge}` },
      ),
  })
}
