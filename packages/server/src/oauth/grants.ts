import { accessTokenSeconds, refreshTokenSeconds } from '@gatehouse/protocol/limits'
import type { TokenResponse } from '@gatehouse/protocol/oauth'
import type { SelfUser } from '@gatehouse/protocol/users'
import type { ClientRecord } from '../applications/index.ts'
import type { BearerCaller } from '../http/caller.ts'
import type { Clock } from '../kit/clock.ts'
import {
  constantTimeEqual,
  createToken,
  hashSecret,
  type ParsedToken,
  parseToken,
  secretPrefixes,
} from '../kit/secret.ts'
import type { RateWindow } from '../rate-limits/rate-limiter.ts'
import type { Sql } from '../storage/database.ts'
import { sidClaim } from './back-channel-logout.ts'
import { findSelfUser, toSelfUser } from './claims.ts'
import type { Deps } from './deps.ts'
import { invalidGrant } from './errors.ts'
import * as store from './grants-store.ts'
import type { IdTokens } from './id-token.ts'
import { parseScopes } from './scopes.ts'

export type TokenDeps = Pick<Deps, 'db' | 'clock' | 'sealer' | 'refreshGraceSeconds'> & {
  refreshes: Pick<RateWindow, 'hit' | 'peek'>
  idTokens: Pick<IdTokens, 'sign'>
}

/** Two new tokens of a grant. */
export interface NewTokens {
  accessToken: string
  accessHash: string
  refreshToken: string
  refreshHash: string
  issuedAt: number
}

export function generateTokens(clock: Clock, grantId: string): NewTokens {
  const accessToken = createToken(secretPrefixes.accessToken, grantId)
  const refreshToken = createToken(secretPrefixes.refreshToken, grantId)
  return {
    accessToken,
    accessHash: hashSecret(accessToken),
    refreshToken,
    refreshHash: hashSecret(refreshToken),
    issuedAt: clock(),
  }
}

/** The columns of the grant's row for the tokens (sign-in/refresh-lifetime). */
export function buildColumns({
  accessHash,
  refreshHash,
  issuedAt,
}: NewTokens): Omit<store.TokenColumns, 'accessScope'> {
  const accessExpiresAt = issuedAt + accessTokenSeconds * 1000
  const refreshExpiresAt = issuedAt + refreshTokenSeconds * 1000
  return { accessHash, accessExpiresAt, refreshHash, issuedAt, refreshExpiresAt }
}

/** RFC 6749 §5.1. `scope` is the scope of the access token; the grant can have more scopes (RFC 6749 §6). */
export function buildResponse({ accessToken, refreshToken }: NewTokens, scope: string): TokenResponse {
  return {
    access_token: accessToken,
    token_type: 'Bearer',
    expires_in: accessTokenSeconds,
    refresh_token: refreshToken,
    scope,
  }
}

/** What an ID token says about the sign-in of the user. */
export interface SignInOfGrant {
  userId: string
  authTime: number
  amr: string[]
  sessionId: string | null
  nonce?: string | null
}

/**
 * The columns and the response, with an ID token if `scope` has `openid`. Stores nothing: if signing fails, the client can send its code or
 * refresh token again. Throws OAuthError if the user no longer exists.
 */
export async function buildColumnsAndResponse(
  { db, idTokens }: TokenDeps,
  client: ClientRecord,
  tokens: NewTokens,
  grant: SignInOfGrant,
  scope: string,
): Promise<{ columns: store.TokenColumns; response: TokenResponse }> {
  const columns = { ...buildColumns(tokens), accessScope: scope }
  const response = buildResponse(tokens, scope)
  const scopes = parseScopes(scope)
  if (scopes?.has('openid')) {
    response.id_token = await idTokens.sign({
      user: requireSelfUser(db, grant.userId),
      applicationId: client.id,
      scopes,
      authTime: grant.authTime,
      amr: grant.amr,
      accessHash: columns.accessHash,
      nonce: grant.nonce ?? undefined,
      sid: sidClaim(client, grant.sessionId),
    })
  }
  return { columns, response }
}

async function requireSelfUser(sql: Sql, userId: string): Promise<SelfUser> {
  const user = await findSelfUser(sql, userId)
  if (!user) throw invalidGrant()
  return user
}

/** Undefined if the token does not exist, is revoked or has expired. */
export async function findAccessToken(
  { db, clock }: Pick<Deps, 'db' | 'clock'>,
  token: string,
): Promise<store.AccessTokenRecord | undefined> {
  const parsed = parseToken(secretPrefixes.accessToken, token)
  const record = parsed && (await store.findAccessToken(db, parsed.id, clock()))
  return record && constantTimeEqual(record.hash, parsed.hash) ? record : undefined
}

/** Undefined if the token does not exist or has been used. Does not check `refreshExpiresAt`. */
export async function findGrantByRefreshToken(
  sql: Sql,
  parsed: ParsedToken,
): Promise<store.ExchangedGrantRecord | undefined> {
  const grant = await store.findExchangedGrant(sql, parsed.id)
  return grant && constantTimeEqual(grant.refreshHash, parsed.hash) ? grant : undefined
}

export type Grants = ReturnType<typeof createGrants>

export function createGrants(deps: Pick<Deps, 'db' | 'clock'>) {
  const { db } = deps
  return {
    /** Returns the user, the application and the canonical scopes of a bearer token. */
    async authenticateBearer(token: string): Promise<BearerCaller | undefined> {
      const access = await findAccessToken(deps, token)
      if (!access) return undefined
      const { userId, applicationId, scope } = access
      return { kind: 'bearer', userId, applicationId, scopes: parseScopes(scope)?.canonical ?? [] }
    },

    /** Returns the user, the application and the canonical scopes of a bearer token. */
    async findUserOfToken(
      token: string,
    ): Promise<{ user: SelfUser; applicationId: string; scopes: readonly string[] } | undefined> {
      const parsed = parseToken(secretPrefixes.accessToken, token)
      const found = parsed && (await store.findUserOfAccessToken(db, parsed.id, deps.clock()))
      if (!found || !constantTimeEqual(found.hash, parsed.hash)) return undefined
      const user = toSelfUser(found.user)
      return (
        user && {
          user,
          applicationId: found.applicationId,
          scopes: parseScopes(found.scope)?.canonical ?? [],
        }
      )
    },

    /**
     * Revokes only the access token, or with a refresh token the whole token family, even if the refresh token has been
     * used (sign-in/revocation-family, sign-in/refresh-reuse). Does nothing if the token does not exist.
     */
    async revokeToken(token: string): Promise<void> {
      const access = parseToken(secretPrefixes.accessToken, token)
      if (access) {
        if (await findAccessToken(deps, token)) await store.revokeAccessToken(db, access)
        return
      }
      const refresh = parseToken(secretPrefixes.refreshToken, token)
      if (!refresh) return
      // Looks for a current token first: a parallel refresh can only turn a current token into a used one.
      const known =
        (await findGrantByRefreshToken(db, refresh)) ?? (await store.findUsedRefreshToken(db, refresh))
      if (known) await store.deleteGrant(db, refresh.id)
    },
  }
}
