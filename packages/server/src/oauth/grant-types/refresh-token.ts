import type { TokenResponse } from '@gatehouse/protocol/oauth'
import type { ClientRecord } from '../../applications/index.ts'
import type { Clock } from '../../kit/clock.ts'
import type { Sealer } from '../../kit/seal.ts'
import { parseToken, secretPrefixes, type TokenLocator } from '../../kit/secret.ts'
import type { Database } from '../../storage/database.ts'
import { sidFor } from '../back-channel-logout.ts'
import { findSelfUser } from '../claims.ts'
import { invalidGrant, OAuthError } from '../errors.ts'
import { createTokenPair, findGrantByRefreshToken, toTokenResponse } from '../grants.ts'
import * as store from '../grants-store.ts'
import type { IdTokens } from '../id-token.ts'
import type { Parameters } from '../parameters.ts'
import { parseScopes, type Scopes } from '../scopes.ts'

interface RefreshTokenDeps {
  db: Database
  clock: Clock
  sealer: Sealer
  idTokens: Pick<IdTokens, 'sign'>
  refreshGraceSeconds: number
}

/** RFC 6749 §6. A refresh token can be used once (sign-in/refresh-rotation). Throws OAuthError. */
export async function exchangeRefreshToken(
  deps: RefreshTokenDeps,
  client: ClientRecord,
  form: Parameters,
): Promise<TokenResponse> {
  const { db, clock, sealer, refreshGraceSeconds } = deps
  const text = form.get('refresh_token')
  if (text === undefined) throw new OAuthError('invalid_request', 'The refresh_token is missing.')
  const locator = parseToken(secretPrefixes.refreshToken, text)
  if (!locator) throw invalidGrant()
  const grant = await findGrantByRefreshToken(db, locator)
  if (!grant) return handleUsedToken(deps, client, locator)
  // A token of another client stays valid (sign-in/refresh-reuse).
  if (grant.applicationId !== client.id || grant.expiresAt <= clock()) throw invalidGrant()
  const scopes = narrowScope(grant.scope, form.get('scope'))
  const now = clock()
  const pair = createTokenPair(grant.id, scopes.toString(), now)
  // Signed before the refresh token is used: if signing fails, the client can send the token again.
  const idToken = await signIdToken(deps, client, grant, scopes, pair.record.accessHash)
  const response = toTokenResponse(pair, idToken)
  const successor =
    refreshGraceSeconds > 0 ? sealer.seal(JSON.stringify(response), sealContextOf(locator)) : null
  const rotated = await db.transaction(async tx => {
    if (!(await store.rotateGrant(tx, locator, now, pair.record))) return false
    await store.insertUsedRefreshToken(tx, {
      grantId: grant.id,
      hash: locator.hash,
      usedAt: now,
      expiresAt: grant.expiresAt,
      successor,
    })
    return true
  })
  return rotated ? response : handleUsedToken(deps, client, locator)
}

/**
 * Within the grace period, a used token gets the same response again. After it, the reuse revokes the token family
 * (RFC 9700 §4.14.2), if the client is the one of the token (sign-in/refresh-reuse).
 */
async function handleUsedToken(
  { db, clock, sealer, refreshGraceSeconds }: RefreshTokenDeps,
  client: ClientRecord,
  locator: TokenLocator,
): Promise<TokenResponse> {
  const used = await store.findUsedRefreshToken(db, locator)
  if (!used || used.applicationId !== client.id) throw invalidGrant()
  if (used.successor !== null && clock() < used.usedAt + refreshGraceSeconds * 1000) {
    return JSON.parse(sealer.open(used.successor, sealContextOf(locator)))
  }
  await store.deleteGrant(db, used.grantId)
  throw invalidGrant()
}

/** Core §12.2: the claims of the original sign-in, without a nonce. Undefined without the scope openid. */
async function signIdToken(
  { db, idTokens }: RefreshTokenDeps,
  client: ClientRecord,
  { applicationId, userId, authTime, amr, sid }: store.GrantRecord,
  scopes: Scopes,
  accessHash: string,
): Promise<string | undefined> {
  if (!scopes.has('openid')) return undefined
  const user = await findSelfUser(db, userId)
  if (!user) throw invalidGrant()
  return idTokens.sign({ user, applicationId, scopes, authTime, amr, accessHash, sid: sidFor(client, sid) })
}

/** RFC 6749 §6: the requested scope must be part of the granted scope; if it is omitted, it is the granted scope. */
function narrowScope(granted: string, requested: string | undefined): Scopes {
  const all = parseScopes(granted)
  if (!all) throw new Error('The scope of a grant in the database is malformed.')
  if (requested === undefined) return all
  const scopes = parseScopes(requested)
  const names = requested.split(' ').filter(name => name !== '')
  const known: readonly string[] = scopes?.names ?? []
  const hasUnknown = names.some(name => !known.includes(name))
  if (!scopes || names.length === 0 || hasUnknown || !scopes.canonical.every(scope => all.has(scope))) {
    throw new OAuthError('invalid_scope', 'The scope is malformed or exceeds the granted scope.')
  }
  return scopes
}

function sealContextOf({ hash }: TokenLocator): string {
  return `oauth:refresh:${hash}`
}
