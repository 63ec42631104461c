import type { TokenResponse } from '@gatehouse/protocol/oauth'
import type { ClientRecord } from '../../applications/index.ts'
import { type ParsedToken, parseToken, secretPrefixes } from '../../kit/secret.ts'
import { invalidGrant, invalidRequest, OAuthError } from '../errors.ts'
import { findGrantByRefreshToken, makeTokens, type TokenDeps } from '../grants.ts'
import * as store from '../grants-store.ts'
import type { Parameters } from '../parameters.ts'
import { parseScopes } from '../scopes.ts'

/**
 * RFC 6749 §6. A refresh token can be used once (sign-in/refresh-rotation). Throws OAuthError; if `authenticated` rejects, with
 * its error.
 */
export async function exchangeRefreshToken(
  deps: TokenDeps,
  authenticated: Promise<ClientRecord>,
  form: Parameters,
): Promise<TokenResponse> {
  const { db, clock, sealer, refreshGraceSeconds } = deps
  const text = form.get('refresh_token')
  const parsed = text === undefined ? undefined : parseToken(secretPrefixes.refreshToken, text)
  // For speed: both are read in one round trip to PostgreSQL.
  const [client, grant] = await Promise.all([authenticated, parsed && findGrantByRefreshToken(db, parsed)])
  if (text === undefined) throw invalidRequest('The refresh_token is missing.')
  if (!parsed) throw invalidGrant()
  if (!grant) return handleUsedToken(deps, client, parsed)
  // A token of another client stays valid (sign-in/refresh-of-another-client).
  if (grant.applicationId !== client.id || grant.expiresAt <= clock()) throw invalidGrant()
  // Core §12.2: an ID token has the claims of the original sign-in, without a nonce.
  const { pair, response } = await makeTokens(
    deps,
    client,
    grant,
    narrowScope(grant.scope, form.get('scope')),
  )
  const successor =
    refreshGraceSeconds > 0 ? sealer.seal(JSON.stringify(response), sealContextOf(parsed)) : null
  const used = { ...parsed, usedAt: pair.issuedAt, expiresAt: grant.expiresAt, successor }
  const rotated = await db.batch(sql => [
    store.rotateGrant(sql, parsed, pair),
    store.insertUsedRefreshToken(sql, used),
  ])
  return rotated ? response : handleUsedToken(deps, client, parsed)
}

/**
 * Within the grace period, a used token gets the same response again (sign-in/refresh-grace). After it, the reuse revokes
 * the token family (RFC 9700 §4.14.2), if the client is the one of the token (sign-in/refresh-reuse).
 */
async function handleUsedToken(
  { db, clock, sealer, refreshGraceSeconds }: TokenDeps,
  client: ClientRecord,
  parsed: ParsedToken,
): Promise<TokenResponse> {
  const used = await store.findUsedRefreshToken(db, parsed)
  if (!used || used.applicationId !== client.id) throw invalidGrant()
  if (used.successor !== null && clock() < used.usedAt + refreshGraceSeconds * 1000) {
    return JSON.parse(sealer.open(used.successor, sealContextOf(parsed)))
  }
  await store.deleteGrant(db, parsed.id)
  throw invalidGrant()
}

/** RFC 6749 §6: the requested scope must be part of the granted scope; if it is omitted, it is the granted scope. */
function narrowScope(granted: string, requested: string | undefined): string {
  const all = parseScopes(granted)
  if (!all) throw new Error('The scope of a grant in the database is malformed.')
  if (requested === undefined) return all.toString()
  const scopes = parseScopes(requested)
  const names = requested.split(' ').filter(name => name !== '')
  const known: readonly string[] = scopes?.names ?? []
  const hasUnknown = names.some(name => !known.includes(name))
  if (!scopes || names.length === 0 || hasUnknown || !scopes.canonical.every(scope => all.has(scope))) {
    throw new OAuthError('invalid_scope', 'The scope is malformed or exceeds the granted scope.')
  }
  return scopes.toString()
}

function sealContextOf({ hash }: ParsedToken): string {
  return `oauth:refresh:${hash}`
}
