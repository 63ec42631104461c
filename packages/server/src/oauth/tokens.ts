import type { TokenResponse } from '@gatehouse/protocol/oauth'
import { type ClientAuthentication, type ClientRequest, readClientId } from './client-authentication.ts'
import { exchangeAuthorizationCode } from './grant-types/authorization-code.ts'
import { exchangeRefreshToken } from './grant-types/refresh-token.ts'
import type { TokenDeps } from './grants.ts'
import { invalidRequest, OAuthError, rejectInvalidParameters } from './oauth-errors.ts'
import type { SignInFailures } from './sign-in-failures.ts'

const knownParameters = [
  'grant_type',
  'code',
  'redirect_uri',
  'code_verifier',
  'refresh_token',
  'scope',
  'client_id',
  'client_secret',
]

const exchanges = {
  authorization_code: exchangeAuthorizationCode,
  refresh_token: exchangeRefreshToken,
}

export const grantTypes = Object.keys(exchanges)

function isGrantType(type: string): type is keyof typeof exchanges {
  return Object.hasOwn(exchanges, type)
}

export type IssueTokens = ReturnType<typeof createIssueTokens>

/** The token endpoint (RFC 6749 §3.2). */
export function createIssueTokens(
  deps: TokenDeps & { failures: Pick<SignInFailures, 'record'> },
  authentication: ClientAuthentication,
) {
  async function exchange(request: ClientRequest): Promise<TokenResponse> {
    const { form } = request
    rejectInvalidParameters(form, knownParameters)
    const type = form.get('grant_type')
    if (type === undefined) throw invalidRequest('The grant_type is missing.')
    if (!isGrantType(type)) {
      const types = grantTypes.join(', ')
      throw new OAuthError('unsupported_grant_type', `The grant_type must be one of ${types}.`)
    }
    return exchanges[type](deps, authentication, request)
  }

  /** Throws OAuthError, or AppError `rate_limited`. */
  return async (request: ClientRequest): Promise<TokenResponse> => {
    try {
      return await exchange(request)
    } catch (error) {
      deps.failures.record('token', readClientId(request), error)
      throw error
    }
  }
}
