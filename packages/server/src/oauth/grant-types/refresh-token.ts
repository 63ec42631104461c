import type { TokenResponse } from '@gatehouse/protocol/oauth'
import type { ClientRecord } from '../../applications/index.ts'
import { parseToken, secretPrefixes, type TokenLocator } from '../../kit/secret.ts'
import { invalidGrant, invalidRequest, OAuthError } from '../errors.ts'
import { createTokens, findGrantByRefreshToken, type TokenDeps } from '../grants.ts'
import * as store from '../grants-store.ts'
import type { Parameters } from '../parameters.ts'
import { parseScopes } from '../scopes.ts'

/** RFC 6749 §6. A refresh token can be used once (sign-in/refresh-rotation). Throws OAuthError. */
export async function exchangeRefreshToken(
  deps: TokenDeps,
  client: ClientRecord,
  form: Parameters,
): Promise<TokenResponse> {
  const { db, clock, sealer, refreshGraceSeconds } = deps
  const text = form.get('refresh_token')
  if (text === undefined) throw invalidRequest('The refresh_token is missing.')
  const locator = parseToken(secretPrefixes.refreshToken, text)
  if (!locator) throw invalidGrant()
  const grant = await findGrantByRefreshToken(db, locator)
  if (!grant) return handleUsedToken(deps, client, locator)
  // A token of another client stays valid (sign-in/refresh-of-another-client).
  if (grant.applicationId !== client.id || grant.expiresAt <= clock()) throw invalidGrant()
  // Core §12.2: an ID token has the claims of the original sign-in, without a nonce.
  const { pair, response } = await createTokens(
    deps,
    client,
    grant,
    narrowScope(grant.scope, form.get('scope')),
  )
  const successor =
    refreshGraceSeconds > 0 ? sealer.seal(JSON.stringify(response), sealContextOf(locator)) : null
  const used = { ...locator, usedAt: pair.issuedAt, expiresAt: grant.expiresAt, successor }
  const rotated = await db.transaction(async tx => {
    if (!(await store.rotateGrant(tx, locator, pair))) return false
    await store.insertUsedRefreshToken(tx, used)
    return true
  })
  return rotated ? response : handleUsedToken(deps, client, locator)
}

/**
 * Within the grace period, a used token gets the same response again (sign-in/refresh-grace). After it, the reuse revokes
 * the token family (RFC 9700 §4.14.2), if the client is the one of the token (sign-in/refresh-reuse).
 */
async function handleUsedToken(
  { db, clock, sealer, refreshGraceSeconds }: TokenDeps,
  client: ClientRecord,
  locator: TokenLocator,
): Promise<TokenResponse> {
  const used = await store.findUsedRefreshToken(db, locator)
  if (!used || used.applicationId !== client.id) throw invalidGrant()
  if (used.successor !== null && clock() < used.usedAt + refreshGraceSeconds * 1000) {
    return JSON.parse(sealer.open(used.successor, sealContextOf(locator)))
  }
  await store.deleteGrant(db, locator.id)
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

function sealContextOf({ hash }: TokenLocator): string {
  return `oauth:refresh:${hash}`
}
