import { accessTokenSeconds, refreshTokenSeconds } from '@gatehouse/protocol/limits'
import type { TokenResponse } from '@gatehouse/protocol/oauth'
import type { BearerCaller } from '../http/caller.ts'
import type { Clock } from '../kit/clock.ts'
import {
  constantTimeEqual,
  createToken,
  hashSecret,
  parseToken,
  type Secret,
  secretPrefixes,
  type TokenLocator,
} from '../kit/secret.ts'
import type { Database } from '../storage/database.ts'
import * as store from './grants-store.ts'
import { parseScopes } from './scopes.ts'

export interface TokenPair {
  accessToken: Secret<'gat_'>
  refreshToken: Secret<'grt_'>
  record: store.PairRecord
}

/** `scope` is the scope of the access token. The grant can have more scopes (RFC 6749 §6). */
export function createTokenPair(grantId: string, scope: string, now: number): TokenPair {
  const accessToken = createToken(secretPrefixes.accessToken, grantId)
  const refreshToken = createToken(secretPrefixes.refreshToken, grantId)
  return {
    accessToken,
    refreshToken,
    record: {
      accessHash: hashSecret(accessToken),
      accessScope: scope,
      accessExpiresAt: now + accessTokenSeconds * 1000,
      refreshHash: hashSecret(refreshToken),
      issuedAt: now,
      // sign-in/refresh-rotation: each rotation extends the 60 days.
      expiresAt: now + refreshTokenSeconds * 1000,
    },
  }
}

/** RFC 6749 §5.1. */
export function toTokenResponse(pair: TokenPair, idToken: string | undefined): TokenResponse {
  return {
    access_token: pair.accessToken,
    token_type: 'Bearer',
    expires_in: accessTokenSeconds,
    refresh_token: pair.refreshToken,
    scope: pair.record.accessScope,
    ...(idToken === undefined ? {} : { id_token: idToken }),
  }
}

/** Undefined if the token does not exist, is revoked or has expired. */
export async function findAccessToken(
  db: Database,
  clock: Clock,
  token: string,
): Promise<store.AccessTokenRecord | undefined> {
  const locator = parseToken(secretPrefixes.accessToken, token)
  const record = locator && (await store.findAccessToken(db, locator.id, clock()))
  return record && constantTimeEqual(record.hash, locator.hash) ? record : undefined
}

/** Undefined if the token does not exist or has been used. Does not check `expiresAt`. */
export async function findGrantByRefreshToken(
  db: Database,
  locator: TokenLocator,
): Promise<store.GrantRecord | undefined> {
  const grant = await store.findGrant(db, locator.id)
  return grant && constantTimeEqual(grant.refreshHash, locator.hash) ? grant : undefined
}

export function createGrants({ db, clock }: { db: Database; clock: Clock }) {
  return {
    /** Returns the user, the application and the canonical scopes of a bearer token. */
    async authenticateBearer(token: string): Promise<BearerCaller | undefined> {
      const access = await findAccessToken(db, clock, token)
      return (
        access && {
          kind: 'bearer',
          userId: access.userId,
          applicationId: access.applicationId,
          scopes: parseScopes(access.scope)?.canonical ?? [],
        }
      )
    },

    /**
     * Revokes only the access token, or with a refresh token the whole token family, even if the refresh token has been
     * used (sign-in/revocation, sign-in/refresh-reuse). Does nothing if the token does not exist.
     */
    async revokeToken(token: string): Promise<void> {
      const access = parseToken(secretPrefixes.accessToken, token)
      if (access) {
        const hash = (await store.findGrant(db, access.id))?.accessHash ?? undefined
        if (hash !== undefined && constantTimeEqual(hash, access.hash))
          await store.revokeAccessToken(db, access)
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
