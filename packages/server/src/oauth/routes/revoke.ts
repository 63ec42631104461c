import { EmptyObject, TokenParameter } from '@gatehouse/protocol/oauth'
import { ok, type Route, route } from '../../http/route.ts'
import { revokeDialect, tokenHeaders } from '../errors.ts'
import { fromForm } from '../parameters.ts'
import type { OAuthRouteDeps } from './deps.ts'

/** `/api/oauth2/token/revoke` */
export function revokeRoute({ oauth }: OAuthRouteDeps): Route {
  return route({
    method: 'POST',
    path: '/api/oauth2/token/revoke',
    summary: 'Ends a token; whoever holds it may (RFC 7009).',
    tag: 'Sign-in',
    caller: { anyone: true },
    body: TokenParameter,
    bodyTypes: ['form'],
    answers: { 200: EmptyObject },
    dialect: revokeDialect,
    cors: true,
    handle: async ({ body }) => {
      // One that is sent twice is meant to end as well.
      for (const [name, value] of fromForm(body).pairs) if (name === 'token') await oauth.revoke(value)
      return { ...ok({}), headers: tokenHeaders }
    },
  })
}
