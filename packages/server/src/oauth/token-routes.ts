import {
  EmptyObject,
  RevocationParameters,
  TokenRequestParameters,
  TokenResponse,
} from '@gatehouse/protocol/oauth'
import { type Route, respond, routeGroup } from '../http/route.ts'
import type { Grants } from './grants.ts'
import {
  invalidClient,
  OAuthError,
  revocationErrorFormat,
  tokenErrorFormat,
  tokenHeaders,
  unusableGrant,
} from './oauth-errors.ts'
import { toParameters } from './parameters.ts'
import { readRevokedTokens } from './revoked-tokens.ts'
import type { TokenEndpoint } from './tokens.ts'

const route = routeGroup({ tag: 'Sign-in', caller: { anonymous: true } })

export function tokenRoutes(grantTokens: TokenEndpoint, grants: Grants): Route[] {
  return [
    route('createToken', {
      summary: 'Exchanges an authorization code or a refresh token for tokens.',
      // For the API document, like the members of `body`: `grantTokens` authenticates the client and checks the
      // parameters. The validation only rejects a missing body.
      documentedAuthentication: 'client',
      body: TokenRequestParameters,
      bodyTypes: ['form'],
      responses: { 200: TokenResponse },
      // After too many wrong secrets (`oauth/client-authentication.ts`), or refreshes of a grant.
      errors: ['rate_limited'],
      documentedErrors: [
        invalidClient(),
        unusableGrant(),
        new OAuthError('unsupported_grant_type', ''),
        new OAuthError('invalid_scope', ''),
      ],
      errorFormat: tokenErrorFormat,
      cors: true,
      handle: async ({ request, body }) => {
        const { authorization } = request.headers
        const response = await grantTokens({ authorization, form: toParameters(body), ip: request.ip })
        return respond(200, response, tokenHeaders)
      },
    }),
    route('revokeToken', {
      summary: 'Revokes a token, without client authentication (RFC 7009).',
      bodyTypes: ['any'],
      content: { 'application/x-www-form-urlencoded': RevocationParameters },
      responses: { 200: EmptyObject },
      errorFormat: revocationErrorFormat,
      cors: true,
      handle: async ({ request }) => {
        for (const token of readRevokedTokens(request)) await grants.revokeToken(token)
        return respond(200, {}, tokenHeaders)
      },
    }),
  ]
}
