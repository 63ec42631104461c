import { TokenParameters, TokenResponse } from '@gatehouse/protocol/oauth'
import { ok, type Route, route } from '../../http/route.ts'
import { tokenDialect, tokenHeaders } from '../errors.ts'
import { fromForm } from '../parameters.ts'
import type { OAuthRouteDeps } from './deps.ts'

/** `/api/oauth2/token` */
export function tokenRoute({ oauth }: OAuthRouteDeps): Route {
  return route({
    method: 'POST',
    path: '/api/oauth2/token',
    summary: 'Tokens for a code or for a refresh token.',
    tag: 'Sign-in',
    caller: { anyone: true },
    body: TokenParameters,
    bodyTypes: ['form'],
    answers: { 200: TokenResponse },
    dialect: tokenDialect,
    cors: true,
    handle: async ({ request, body }) => {
      const answer = await oauth.exchange({
        authorization: request.headers.authorization,
        form: fromForm(body),
        ip: request.ip,
      })
      return { ...ok(answer), headers: tokenHeaders }
    },
  })
}
