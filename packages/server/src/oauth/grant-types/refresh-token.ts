import { applicationRefreshGraceSeconds } from '@gatehouse/protocol/limits'
import type { TokenRequest, TokenResponse } from '@gatehouse/protocol/oauth'
import { isScope } from '@gatehouse/protocol/scopes'
import type { ClientRecord } from '../../applications/index.ts'
import { AppError } from '../../errors/app-error.ts'
import {
  constantTimeEqual,
  describeSecret,
  type ParsedToken,
  parseToken,
  secretPrefixes,
} from '../../kit/secret.ts'
import { isAdmitted } from '../admission.ts'
import { recordMissingSignIn, signInOf } from '../back-channel-logout.ts'
import * as store from '../grant-store.ts'
import { createTokens, type TokenDeps } from '../grants.ts'
import { invalidRequest, OAuthError, unusableGrant } from '../oauth-errors.ts'
import { effectiveScopes, parseScopes } from '../scopes.ts'

/**
 * RFC 6749 §6. A refresh token can be used once (sign-in/refresh-rotation). Throws OAuthError, or AppError
 * `rate_limited`.
 */
export async function exchangeRefreshToken(
  deps: TokenDeps,
  client: ClientRecord,
  { refresh_token: text, scope }: TokenRequest,
): Promise<TokenResponse> {
  if (text === undefined) throw invalidRequest('The refresh_token is missing.')
  const token = parseToken(secretPrefixes.refreshToken, text)
  if (!token) throw unusableGrant('a malformed refresh token', describeSecret(text, 'refreshToken'))
  const { allowed, retryAfterMs } = deps.refreshes.peek(token.id)
  if (!allowed) {
    throw new AppError('rate_limited', 'The tokens of this grant are refreshed too often. Try again later.', {
      retryAfter: retryAfterMs / 1000,
    })
  }
  const response = await refresh(deps, client, token, scope)
  // Counts only now: otherwise anyone with the id of a grant could use up its rate with wrong tokens
  // (sign-in/refresh-rate).
  await deps.refreshes.hit(token.id)
  return response
}

async function refresh(
  deps: TokenDeps,
  client: ClientRecord,
  token: ParsedToken,
  requestedScope: string | undefined,
): Promise<TokenResponse> {
  const { db, clock, sealer } = deps
  const grant = await store.findExchangedGrant(db, token.id)
  // A token of another client stays valid (sign-in/refresh-of-another-client).
  if (grant === undefined) throw unusableGrant('unknown refresh token')
  if (grant.applicationId !== client.id) throw unusableGrant('a refresh token of another client')
  const { userId } = grant
  if (!constantTimeEqual(grant.refreshHash, token.hash)) return handleUsedToken(deps, client, token, userId)
  if (grant.refreshExpiresAt <= clock()) throw unusableGrant('the refresh token has expired')
  await requireAdmitted(deps, client, token, userId)
  const scope = narrowScope(client, grant.scope, requestedScope)
  const signIn = signInOf(client, grant, scope)
  // If the refresh fails, the row is still right: the user has signed in.
  if (signIn) await recordMissingSignIn(db, signIn)
  // OIDC Core §12.2: an ID token has the claims of the original sign-in, without a nonce.
  const { columns, response } = await createTokens(deps, client, grant, scope)
  const used = {
    ...token,
    usedAt: columns.issuedAt,
    expiresAt: grant.refreshExpiresAt,
    successor:
      graceMsOf(deps, client) > 0 ? sealer.seal(JSON.stringify(response), sealContextOf(token)) : null,
  }
  const isFirstUse = await db.transaction(async tx => {
    const [isRotated] = await Promise.all([
      store.rotateGrant(tx, token, columns),
      store.insertUsedRefreshToken(tx, used, columns.refreshHash),
    ])
    return isRotated
  })
  return isFirstUse ? response : handleUsedToken(deps, client, token, userId)
}

/** At each refresh, also a repeated one (sign-in/members-only). */
async function requireAdmitted(
  { db }: TokenDeps,
  client: ClientRecord,
  token: ParsedToken,
  userId: string,
): Promise<void> {
  if (await isAdmitted(db, client, userId)) return
  await store.deleteGrant(db, token.id)
  throw unusableGrant('the user is not admitted any more')
}

/** sign-in/refresh-grace */
function graceMsOf({ refreshGraceSeconds }: TokenDeps, { refreshGrace }: ClientRecord): number {
  return Math.max(refreshGraceSeconds, refreshGrace ? applicationRefreshGraceSeconds : 0) * 1000
}

/**
 * For a token of the client. Within the grace period, a used token gets the same response again
 * (sign-in/refresh-grace). After it, the reuse revokes the token family (RFC 9700 §4.14.2, sign-in/refresh-reuse).
 */
async function handleUsedToken(
  deps: TokenDeps,
  client: ClientRecord,
  token: ParsedToken,
  userId: string,
): Promise<TokenResponse> {
  const { db, clock, sealer } = deps
  const used = await store.findUsedRefreshToken(db, token)
  if (!used) throw unusableGrant('unknown refresh token')
  if (used.successor !== null && clock() < used.usedAt + graceMsOf(deps, client)) {
    await requireAdmitted(deps, client, token, userId)
    return JSON.parse(sealer.open(used.successor, sealContextOf(token)))
  }
  await store.deleteGrant(db, token.id)
  throw unusableGrant('the refresh token was used before: its token family is revoked')
}

/**
 * RFC 6749 §6: the requested scope must be part of the granted scope; if it is omitted, it is the granted scope. The
 * settings of the application have the same effect as on the authorization request.
 */
function narrowScope(client: ClientRecord, granted: string, requested: string | undefined): string {
  const all = parseScopes(granted)
  if (!all) throw new Error('The scope of a grant in the database is malformed.')
  if (requested === undefined) return all.toString()
  const scopes = effectiveScopes(client, requested, scope => all.has(scope))
  const names = requested.split(' ').filter(name => name !== '')
  const available: readonly string[] = scopes?.names ?? []
  const isPart = names.some(isScope) ? names.every(name => available.includes(name)) : available.length > 0
  if (!scopes || !isPart) {
    throw new OAuthError('invalid_scope', 'The scope is malformed or exceeds the granted scope.')
  }
  return scopes.toString()
}

function sealContextOf({ hash }: ParsedToken): string {
  return `oauth:refresh:${hash}`
}
