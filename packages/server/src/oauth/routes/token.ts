import { EmptyObject, TokenParameter, TokenParameters, TokenResponse } from '@gatehouse/protocol/oauth'
import { ok, type Route, route } from '../../http/route.ts'
import { OAuthError, tokenErrorFormat, tokenHeaders } from '../errors.ts'
import type { OAuth } from '../index.ts'
import { parseForm } from '../parameters.ts'

export function tokenRoutes(oauth: Pick<OAuth, 'issueTokens' | 'revokeToken'>): Route[] {
  return [
    route({
      method: 'POST',
      path: '/api/oauth2/token',
      summary: 'Exchanges an authorization code or a refresh token for tokens.',
      tag: 'Sign-in',
      caller: { anonymous: true },
      body: TokenParameters,
      bodyTypes: ['form'],
      responses: { 200: TokenResponse },
      errorFormat: tokenErrorFormat,
      cors: true,
      handle: async ({ request, body }) => {
        const { authorization } = request.headers
        const response = await oauth.issueTokens({ authorization, form: parseForm(body), ip: request.ip })
        return { ...ok(response), headers: tokenHeaders }
      },
    }),
    route({
      method: 'POST',
      path: '/api/oauth2/token/revoke',
      summary: 'Revokes a token, without client authentication (RFC 7009).',
      tag: 'Sign-in',
      caller: { anonymous: true },
      body: TokenParameter,
      bodyTypes: ['form'],
      responses: { 200: EmptyObject },
      errorFormat: tokenErrorFormat,
      cors: true,
      handle: async ({ body }) => {
        // An empty parameter counts as omitted (RFC 6749 §3.1). If there are several tokens, all of them are revoked.
        const tokens = parseForm(body).pairs.filter(([name, value]) => name === 'token' && value !== '')
        if (tokens.length === 0) throw new OAuthError('invalid_request', 'The token is missing.')
        for (const [, token] of tokens) await oauth.revokeToken(token)
        return { ...ok({}), headers: tokenHeaders }
      },
    }),
  ]
}
