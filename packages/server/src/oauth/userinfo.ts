import type { UserInfo } from '@gatehouse/protocol/oauth'
import { findClient } from '../applications/index.ts'
import { AppError } from '../errors/app-error.ts'
import { limitKeyOf } from '../http/caller.ts'
import { describeSecret } from '../kit/secret.ts'
import { emailClaims, profileClaims } from './claims.ts'
import type { Grants } from './grants.ts'
import { readGroupClaims } from './groups.ts'
import type { Deps } from './oauth-deps.ts'
import { invalidRequest, OAuthError } from './oauth-errors.ts'
import type { Parameters } from './parameters.ts'

const insufficientScope = {
  identify:
    'The access token lacks the scope identify, also called profile: request openid profile ' +
    'email. The scope openid alone reads userinfo only if the service runs with ' +
    'USERINFO_SCOPE=openid.',
  openid: 'The access token lacks the scopes openid and identify, also called profile.',
} as const

export type UserinfoEndpoint = ReturnType<typeof createUserinfoEndpoint>

/** The userinfo endpoint (Core §5.3). */
export function createUserinfoEndpoint({ db, baseUrl, userinfoScope, rateLimiter }: Deps, grants: Grants) {
  /**
   * Omits the claims whose scope is not granted or that have no value (sign-in/userinfo-claims). Throws OAuthError, or
   * AppError `rate_limited`.
   */
  return async (token: string): Promise<UserInfo> => {
    const caller = await grants.findUserOfToken(token)
    if (!caller) {
      const misplaced = describeSecret(token, 'accessToken')
      const problem =
        misplaced === undefined ? 'The access token is invalid, expired or revoked.' : `This is ${misplaced}.`
      throw new OAuthError('invalid_token', problem)
    }
    const { user, applicationId, scopes } = caller
    // The route counts only callers that it authenticates (limits/requests).
    rateLimiter.checkRequest(limitKeyOf({ kind: 'bearer', userId: user.id, applicationId }))
    const hasScope = (scope: string) => scopes.includes(scope)
    if (!hasScope('identify') && !(userinfoScope === 'openid' && hasScope('openid'))) {
      throw new OAuthError('insufficient_scope', insufficientScope[userinfoScope], { scope: 'identify' })
    }
    const client = hasScope('groups') ? await findClient(db, applicationId) : undefined
    return {
      ...(client ? await readGroupClaims(db, client, user.id) : {}),
      sub: user.id,
      ...(hasScope('identify') ? profileClaims(user, baseUrl) : {}),
      ...(hasScope('email') ? emailClaims(user) : {}),
    }
  }
}

/**
 * RFC 6750 §2: the access token is in the Authorization header or in the form, not in both, and never in the query
 * (RFC 9700 §4.3.2). Throws OAuthError, or `unauthenticated` if there is no token.
 */
export function readAccessToken(
  authorization: string | undefined,
  query: Parameters,
  form: Parameters,
): string {
  const fromHeader = /^bearer +([A-Za-z0-9._~+/=-]+) *$/i.exec(authorization ?? '')?.[1]
  const fromForm = form.get('access_token')
  if (query.get('access_token') !== undefined) {
    throw invalidRequest('The access token must not be in the URL.')
  }
  if (form.isRepeated('access_token') || (fromForm !== undefined && authorization !== undefined)) {
    throw invalidRequest('Send the access token once, in the header or in the body.')
  }
  const token = fromHeader ?? fromForm
  if (token !== undefined) return token
  if (authorization !== undefined) {
    throw new OAuthError('invalid_token', 'The Authorization header has no bearer token.')
  }
  // RFC 6750 §3.1: the response to a request without a credential has no error code.
  throw new AppError('unauthenticated', 'Send an access token.')
}
