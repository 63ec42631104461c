import type { Introspection } from '@gatehouse/protocol/oauth'
import { parseToken, secretPrefixes } from '../kit/secret.ts'
import type { ClientAuthentication, ClientRequest } from './client-authentication.ts'
import { findAccessToken, findGrantByRefreshToken } from './grants.ts'
import type { Deps } from './oauth-deps.ts'
import { invalidClient, invalidRequest, rejectInvalidParameters } from './oauth-errors.ts'

const knownParameters = ['token', 'token_type_hint', 'client_id', 'client_secret']

export type IntrospectionEndpoint = ReturnType<typeof createIntrospectionEndpoint>

/** The introspection endpoint (RFC 7662), for tokens of a confidential client (sign-in/introspection). */
export function createIntrospectionEndpoint(deps: Deps, { authenticateClient }: ClientAuthentication) {
  const { db, clock, baseUrl } = deps

  /** Throws OAuthError, or AppError `rate_limited`. */
  return async ({ authorization, form, ip }: ClientRequest): Promise<Introspection> => {
    rejectInvalidParameters(form, knownParameters)
    const client = await authenticateClient({
      authorization,
      client_id: form.get('client_id'),
      client_secret: form.get('client_secret'),
      ip,
    })
    if (client.type !== 'confidential') throw invalidClient('the client is public')
    const token = form.get('token')
    if (token === undefined) throw invalidRequest('The token is missing.')
    const access = await findAccessToken(deps, token)
    const found = access ?? (await findRefreshToken(token))
    // RFC 7662 §2.2: the response discloses nothing about tokens of other clients.
    if (!found || found.applicationId !== client.id) return { active: false }
    return {
      active: true,
      scope: found.scope,
      client_id: found.applicationId,
      ...(access ? { token_type: 'Bearer' } : {}),
      exp: Math.floor(found.expiresAt / 1000),
      iat: Math.floor(found.issuedAt / 1000),
      sub: found.userId,
      aud: found.applicationId,
      iss: baseUrl,
    }
  }

  async function findRefreshToken(token: string) {
    const parsed = parseToken(secretPrefixes.refreshToken, token)
    const grant = parsed && (await findGrantByRefreshToken(db, parsed))
    if (!grant || grant.refreshExpiresAt <= clock()) return undefined
    return { ...grant, expiresAt: grant.refreshExpiresAt }
  }
}
