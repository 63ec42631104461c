import { Introspection, TokenParameter } from '@gatehouse/protocol/oauth'
import { ok, type Route, route } from '../../http/route.ts'
import { tokenDialect, tokenHeaders } from '../errors.ts'
import { fromForm } from '../parameters.ts'
import type { OAuthRouteDeps } from './deps.ts'

/** `/api/oauth2/introspect` */
export function introspectRoute({ oauth }: OAuthRouteDeps): Route {
  return route({
    method: 'POST',
    path: '/api/oauth2/introspect',
    summary: 'A confidential application asks about a token of its own (RFC 7662).',
    tag: 'Sign-in',
    caller: { anyone: true },
    body: TokenParameter,
    bodyTypes: ['form'],
    answers: { 200: Introspection },
    dialect: tokenDialect,
    handle: async ({ request, body }) => {
      const answer = await oauth.introspect({
        authorization: request.headers.authorization,
        form: fromForm(body),
        ip: request.ip,
      })
      return { ...ok(answer), headers: tokenHeaders }
    },
  })
}
