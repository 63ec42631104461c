import type { Introspection } from '@gatehouse/protocol/oauth'
import type { Clock } from '../kit/clock.ts'
import { parseToken, secretPrefixes } from '../kit/secret.ts'
import type { Database } from '../storage/database.ts'
import type { AuthenticateClient, ClientRequest } from './client-authentication.ts'
import { invalidClient, OAuthError } from './errors.ts'
import { findAccessToken, findGrantByRefreshToken } from './grants.ts'

/** The introspection endpoint (RFC 7662), for tokens of a confidential client (sign-in/introspection). */
export function createIntrospectionEndpoint({
  db,
  clock,
  baseUrl,
  authenticateClient,
}: {
  db: Database
  clock: Clock
  baseUrl: string
  authenticateClient: AuthenticateClient
}) {
  /** Throws OAuthError, or AppError `rate_limited`. */
  return async (request: ClientRequest): Promise<Introspection> => {
    if (request.form.invalidNames().length > 0) {
      throw new OAuthError('invalid_request', 'A parameter is repeated or malformed.')
    }
    const client = await authenticateClient(request)
    if (client.type !== 'confidential') throw invalidClient()
    const token = request.form.get('token')
    if (token === undefined) throw new OAuthError('invalid_request', 'The token is missing.')
    const access = await findAccessToken(db, clock, token)
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
    const locator = parseToken(secretPrefixes.refreshToken, token)
    const grant = locator && (await findGrantByRefreshToken(db, locator))
    return grant && grant.expiresAt > clock() ? grant : undefined
  }
}
