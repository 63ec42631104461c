import type { TokenResponse } from '@gatehouse/protocol/oauth'
import type { Clock } from '../kit/clock.ts'
import type { Sealer } from '../kit/seal.ts'
import type { Database } from '../storage/database.ts'
import type { AuthenticateClient, ClientRequest } from './client-authentication.ts'
import { OAuthError } from './errors.ts'
import { exchangeAuthorizationCode } from './grant-types/authorization-code.ts'
import { exchangeRefreshToken } from './grant-types/refresh-token.ts'
import type { IdTokens } from './id-token.ts'

const exchanges = {
  authorization_code: exchangeAuthorizationCode,
  refresh_token: exchangeRefreshToken,
}

export const grantTypes = Object.keys(exchanges)

function isGrantType(type: string): type is keyof typeof exchanges {
  return Object.hasOwn(exchanges, type)
}

/** The token endpoint (RFC 6749 §3.2). */
export function createTokenEndpoint(deps: {
  db: Database
  clock: Clock
  sealer: Sealer
  authenticateClient: AuthenticateClient
  idTokens: Pick<IdTokens, 'sign'>
  refreshGraceSeconds: number
}) {
  /** Throws OAuthError, or AppError `rate_limited`. */
  return async (request: ClientRequest): Promise<TokenResponse> => {
    const { form } = request
    // RFC 6749 §3.2: parameters must not be repeated.
    if (form.invalidNames().length > 0) {
      throw new OAuthError('invalid_request', 'A parameter is repeated or malformed.')
    }
    const type = form.get('grant_type')
    if (type === undefined) throw new OAuthError('invalid_request', 'The grant_type is missing.')
    if (!isGrantType(type)) {
      throw new OAuthError(
        'unsupported_grant_type',
        `The grant_type must be one of ${grantTypes.join(', ')}.`,
      )
    }
    const client = await deps.authenticateClient(request)
    return exchanges[type](deps, client, form)
  }
}
