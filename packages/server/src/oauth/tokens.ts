import { TokenRequest, type TokenResponse } from '@gatehouse/protocol/oauth'
import { parse } from '@gatehouse/protocol/parse'
import type { ClientRecord } from '../applications/index.ts'
import { type ClientAuthentication, type ClientRequest, readClientId } from './client-authentication.ts'
import { exchangeAuthorizationCode } from './grant-types/authorization-code.ts'
import { exchangeRefreshToken } from './grant-types/refresh-token.ts'
import type { TokenDeps } from './grants.ts'
import { invalidRequest, OAuthError, rejectInvalidParameters } from './oauth-errors.ts'
import type { Parameters } from './parameters.ts'
import type { SignInFailures } from './sign-in-failures.ts'

/** Exchanges the code or token of an authenticated client (RFC 6749 §1.3). */
type Exchange = (deps: TokenDeps, client: ClientRecord, request: TokenRequest) => Promise<TokenResponse>

const exchanges: Record<TokenRequest['grant_type'], Exchange> = {
  authorization_code: exchangeAuthorizationCode,
  refresh_token: exchangeRefreshToken,
}

export const grantTypes = Object.keys(exchanges)

export type TokenEndpoint = ReturnType<typeof createTokenEndpoint>

/** The token endpoint (RFC 6749 §3.2). */
export function createTokenEndpoint(
  deps: TokenDeps & { failures: Pick<SignInFailures, 'record'> },
  { authenticateClient }: ClientAuthentication,
) {
  /** Throws OAuthError, or AppError `rate_limited`. */
  return async function grantTokens({ authorization, form, ip }: ClientRequest): Promise<TokenResponse> {
    try {
      const request = readTokenRequest(form)
      const client = await authenticateClient({ ...request, authorization, ip })
      return await exchanges[request.grant_type](deps, client, request)
    } catch (error) {
      deps.failures.record('token', readClientId(authorization, form.get('client_id')), error)
      throw error
    }
  }
}

/** RFC 6749 §3.2: an empty parameter counts as omitted, and others than those of `TokenRequest` are ignored. */
function readTokenRequest(form: Parameters): TokenRequest {
  rejectInvalidParameters(form, Object.keys(TokenRequest.entries))
  if (form.get('grant_type') === undefined) throw invalidRequest('The grant_type is missing.')
  const { value } = parse(TokenRequest, Object.fromEntries(form.pairs.filter(([, text]) => text !== '')))
  if (value !== undefined) return value
  throw new OAuthError('unsupported_grant_type', `The grant_type must be one of ${grantTypes.join(', ')}.`)
}
