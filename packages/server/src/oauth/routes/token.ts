import {
  EmptyObject,
  RevocationParameters,
  TokenRequestParameters,
  TokenResponse,
} from '@gatehouse/protocol/oauth'
import { type Route, respond, route } from '../../http/route.ts'
import {
  invalidClient,
  invalidGrant,
  invalidRequest,
  OAuthError,
  tokenErrorFormat,
  tokenHeaders,
} from '../errors.ts'
import type { Grants } from '../grants.ts'
import { toParameters } from '../parameters.ts'
import type { IssueTokens } from '../token.ts'

export function tokenRoutes(issueTokens: IssueTokens, grants: Grants): Route[] {
  return [
    route({
      method: 'POST',
      path: '/api/oauth2/token',
      operationId: 'createToken',
      summary: 'Exchanges an authorization code or a refresh token for tokens.',
      tag: 'Sign-in',
      caller: { anonymous: true },
      // For the API document, like the members of `body`: `issueTokens` authenticates the client and checks the parameters. The
      // validation only rejects a missing body.
      documentedAuthentication: 'client',
      body: TokenRequestParameters,
      bodyTypes: ['form'],
      responses: { 200: TokenResponse },
      // `oauth/client-authentication.ts` throws it after too many wrong secrets. Token requests have no other rate.
      errors: ['rate_limited'],
      documentedErrors: [
        invalidClient(),
        invalidGrant(),
        new OAuthError('unsupported_grant_type', ''),
        new OAuthError('invalid_scope', ''),
      ],
      errorFormat: tokenErrorFormat,
      cors: true,
      handle: async ({ request, body }) => {
        const { authorization } = request.headers
        const response = await issueTokens({ authorization, form: toParameters(body), ip: request.ip })
        return respond(200, response, tokenHeaders)
      },
    }),
    route({
      method: 'POST',
      path: '/api/oauth2/token/revoke',
      operationId: 'revokeToken',
      summary: 'Revokes a token, without client authentication (RFC 7009).',
      tag: 'Sign-in',
      caller: { anonymous: true },
      body: RevocationParameters,
      bodyTypes: ['form'],
      responses: { 200: EmptyObject },
      errorFormat: tokenErrorFormat,
      cors: true,
      handle: async ({ body }) => {
        // An empty parameter counts as omitted (RFC 6749 §3.1). If there are several tokens, all of them are revoked.
        const tokens = toParameters(body).pairs.filter(([name, value]) => name === 'token' && value !== '')
        if (tokens.length === 0) throw invalidRequest('The token is missing.')
        for (const [, token] of tokens) await grants.revokeToken(token)
        return respond(200, {}, tokenHeaders)
      },
    }),
  ]
}
