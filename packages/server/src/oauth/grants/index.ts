// Owns the ways to tokens (RFC 6749 §4): one file a grant. Who the client is, is decided here for all of them.
// Does not own: how a code comes about (authorize/), what a token is worth (tokens.ts).

import type { TokenResponse } from '@gatehouse/protocol/oauth'
import type { AuthenticateClient, Presented } from '../client-authentication.ts'
import { OAuthError } from '../errors.ts'
import { authorizationCode } from './authorization-code.ts'
import type { Grant, GrantDeps } from './grant.ts'
import { refreshToken } from './refresh-token.ts'

export type { GrantDeps } from './grant.ts'

const grants = {
  authorization_code: authorizationCode,
  refresh_token: refreshToken,
} as const satisfies Record<string, Grant>

export const grantTypes = Object.keys(grants)

/** The token endpoint (RFC 6749 §3.2). Throws OAuthError, or `rate_limited`. */
export async function exchange(
  deps: GrantDeps & { authenticateClient: AuthenticateClient },
  presented: Presented,
): Promise<TokenResponse> {
  const { form } = presented
  const [faulty] = form.faulty()
  // RFC 6749 §3.2: no parameter more than once.
  if (faulty !== undefined)
    throw new OAuthError('invalid_request', 'A parameter came more than once, or is malformed.')
  const type = form.get('grant_type')
  if (type === undefined) throw new OAuthError('invalid_request', 'The grant_type is missing.')
  const grant = isGrantType(type) ? grants[type] : undefined
  if (!grant)
    throw new OAuthError('unsupported_grant_type', `The grant_type is one of ${grantTypes.join(', ')}.`)
  const client = await deps.authenticateClient(presented)
  return grant(deps, client, form)
}

function isGrantType(type: string): type is keyof typeof grants {
  return Object.hasOwn(grants, type)
}
