import { accessTokenSeconds, refreshTokenSeconds } from '@gatehouse/protocol/limits'
import type { TokenResponse } from '@gatehouse/protocol/oauth'
import type { SelfUser } from '@gatehouse/protocol/users'
import type { ClientRecord } from '../applications/index.ts'
import type { BearerCaller } from '../http/caller.ts'
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
import * as store from './grant-store.ts'
import { readGroupClaims } from './groups.ts'
import type { IdTokens } from './id-token.ts'
import type { Deps } from './oauth-deps.ts'
import { unusableGrant } from './oauth-errors.ts'
import { parseScopes } from './scopes.ts'

export type TokenDeps = Pick<Deps, 'db' | 'clock' | 'sealer' | 'refreshGraceSeconds'> & {
  refreshes: Pick<RateWindow, 'hit' | 'peek'>
  idTokens: Pick<IdTokens, 'sign'>
}

/** What the tokens of a grant say about the sign-in of the user. */
interface SignInOfGrant {
  /** The id of the grant, which its tokens contain. */
  id: string
  userId: string
  authTime: number
  amr: string[]
  sessionId: string
  nonce?: string | null
}

/**
 * Two new tokens of a grant: what is stored of them, and the response (RFC 6749 §5.1), with an ID token if `scope` has
 * `openid`. `scope` is the scope of the access token; the grant can have more scopes (RFC 6749 §6). Stores nothing: if
 * signing fails, the client can send its code or refresh token again. Throws OAuthError if an ID token is needed and
 * the user no longer exists.
 */
export async function createTokens(
  { db, clock, idTokens }: TokenDeps,
  client: ClientRecord,
  grant: SignInOfGrant,
  scope: string,
): Promise<{ columns: store.TokenColumns; response: TokenResponse }> {
  const accessToken = createToken(secretPrefixes.accessToken, grant.id)
  const refreshToken = createToken(secretPrefixes.refreshToken, grant.id)
  const issuedAt = clock()
  const columns = {
    accessHash: hashSecret(accessToken),
    accessScope: scope,
    accessExpiresAt: issuedAt + accessTokenSeconds * 1000,
    refreshHash: hashSecret(refreshToken),
    issuedAt,
    // sign-in/refresh-lifetime
    refreshExpiresAt: issuedAt + refreshTokenSeconds * 1000,
  }
  const response: TokenResponse = {
    access_token: accessToken,
    token_type: 'Bearer',
    expires_in: accessTokenSeconds,
    refresh_token: refreshToken,
    scope,
  }
  const scopes = parseScopes(scope)
  if (scopes?.has('openid')) {
    const [user, groups] = await Promise.all([
      findSelfUser(db, grant.userId),
      scopes.has('groups') ? readGroupClaims(db, client, grant.userId) : {},
    ])
    if (!user) throw unusableGrant('the user does not exist any more')
    response.id_token = await idTokens.sign({
      user,
      applicationId: client.id,
      scopes,
      authTime: grant.authTime,
      amr: grant.amr,
      accessHash: columns.accessHash,
      groups,
      nonce: grant.nonce ?? undefined,
      sid: sidClaim(client, grant.sessionId),
    })
  }
  return { columns, response }
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
    /** The caller with a bearer token. Undefined if the token does not exist, is revoked or has expired. */
    async authenticateBearer(token: string): Promise<BearerCaller | undefined> {
      const access = await findAccessToken(deps, token)
      if (!access) return undefined
      const { userId, applicationId, scope } = access
      return { kind: 'bearer', userId, applicationId, scopes: parseScopes(scope)?.canonical ?? [] }
    },

    /**
     * The same for a request that reads the user: token and user in one statement. Undefined also if the user is
     * deleted.
     */
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
     * Revokes only the access token, or with a refresh token the whole token family, even if the refresh token has
     * been used (sign-in/revocation-family, sign-in/refresh-reuse). Does nothing if the token does not exist. A token
     * that is not valid now, because its user or the owner of its application is disabled, is revoked too.
     */
    async revokeToken(token: string): Promise<void> {
      const access = parseToken(secretPrefixes.accessToken, token)
      if (access) return store.revokeAccessToken(db, access)
      const refresh = parseToken(secretPrefixes.refreshToken, token)
      if (refresh && (await store.hasRefreshToken(db, refresh))) await store.deleteGrant(db, refresh.id)
    },
  }
}
