import type { Introspection } from '@gatehouse/protocol/oauth'
import type { Clock } from '../kit/clock.ts'
import { readPlacedSecret, secretPrefixes } from '../kit/secret.ts'
import type { Database } from '../storage/database.ts'
import type { AuthenticateClient, Presented } from './client-authentication.ts'
import { invalidClient, OAuthError } from './errors.ts'
import { findAccess, findByRefreshToken } from './tokens.ts'

/** RFC 7662: a confidential application asks about a token of its own (D21). Throws OAuthError. */
export async function introspect(
  deps: { db: Database; clock: Clock; baseUrl: string; authenticateClient: AuthenticateClient },
  presented: Presented,
): Promise<Introspection> {
  const { db, clock } = deps
  if (presented.form.faulty().length > 0) {
    throw new OAuthError('invalid_request', 'A parameter came more than once, or is malformed.')
  }
  const client = await deps.authenticateClient(presented)
  if (client.type !== 'confidential') throw invalidClient()
  const token = presented.form.get('token')
  if (token === undefined) throw new OAuthError('invalid_request', 'The token is missing.')
  const found = await find(db, clock, token)
  // RFC 7662 §2.2: nothing is said of what is not theirs.
  if (!found || found.applicationId !== client.id) return { active: false }
  return {
    active: true,
    scope: found.scope,
    client_id: found.applicationId,
    ...(found.access ? { token_type: 'Bearer' } : {}),
    exp: Math.floor(found.expiresAt / 1000),
    iat: Math.floor(found.issuedAt / 1000),
    sub: found.userId,
    aud: found.applicationId,
    iss: deps.baseUrl,
  }
}

interface Found {
  access: boolean
  userId: string
  applicationId: string
  scope: string
  issuedAt: number
  expiresAt: number
}

async function find(db: Database, clock: Clock, token: string): Promise<Found | undefined> {
  const access = await findAccess(db, clock, token)
  if (access) return { access: true, ...access }
  const placed = readPlacedSecret(secretPrefixes.refreshToken, token)
  const grant = placed && (await findByRefreshToken(db, placed))
  return grant && grant.expiresAt > clock() ? { access: false, ...grant } : undefined
}
