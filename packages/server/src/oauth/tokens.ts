import { accessTokenSeconds, authorizationCodeSeconds, refreshTokenSeconds } from '@gatehouse/protocol/limits'
import type { TokenResponse } from '@gatehouse/protocol/oauth'
import type { BearerCaller } from '../http/caller.ts'
import type { Clock } from '../kit/clock.ts'
import { hashSecret, isWellFormedSecret, makeSecret, type Secret, secretPrefixes } from '../kit/secret.ts'
import type { Database, Transaction } from '../storage/database.ts'
import { readScopes } from './scopes.ts'
import * as store from './store.ts'

/** How long a code can be exchanged, in milliseconds. */
export const codeLifeMs = authorizationCodeSeconds * 1000

/** A new pair of tokens, and what is kept of it. */
export interface Pair {
  accessToken: Secret<'gat_'>
  refreshToken: Secret<'grt_'>
  record: store.PairRecord
}

/** `scope` is of the access token: the grant may hold more (RFC 6749 §6). */
export function makePair(scope: string, now: number): Pair {
  const accessToken = makeSecret(secretPrefixes.accessToken)
  const refreshToken = makeSecret(secretPrefixes.refreshToken)
  return {
    accessToken,
    refreshToken,
    record: {
      accessHash: hashSecret(accessToken),
      accessScope: scope,
      accessExpiresAt: now + accessTokenSeconds * 1000,
      refreshHash: hashSecret(refreshToken),
      issuedAt: now,
      // D13: rotation extends the 60 days.
      expiresAt: now + refreshTokenSeconds * 1000,
    },
  }
}

export function tokenAnswer(pair: Pair, idToken: string | undefined): TokenResponse {
  return {
    access_token: pair.accessToken,
    token_type: 'Bearer',
    expires_in: accessTokenSeconds,
    refresh_token: pair.refreshToken,
    scope: pair.record.accessScope,
    ...(idToken === undefined ? {} : { id_token: idToken }),
  }
}

/** For http/authenticate: whom a token of `Authorization: Bearer` stands for, with its scopes by their own names. */
export async function authenticateBearer(
  db: Database,
  clock: Clock,
  token: string,
): Promise<BearerCaller | undefined> {
  if (!isWellFormedSecret(secretPrefixes.accessToken, token)) return undefined
  const access = await store.findAccess(db, hashSecret(token), clock())
  return (
    access && {
      kind: 'bearer',
      userId: access.userId,
      applicationId: access.applicationId,
      scopes: readScopes(access.scope)?.meanings ?? [],
    }
  )
}

/**
 * Ends a token that somebody holds (D20): a refresh token, used or not, takes its family along (D72), an access token
 * dies alone. Nothing happens with what is no token.
 */
export async function revokeToken(db: Database, token: string): Promise<void> {
  if (isWellFormedSecret(secretPrefixes.accessToken, token)) {
    await store.revokeAccess(db, hashSecret(token))
  } else if (isWellFormedSecret(secretPrefixes.refreshToken, token)) {
    const hash = hashSecret(token)
    await db.transaction(async tx => {
      if (await store.deleteGrantByRefreshToken(tx, hash)) return
      const used = await store.findUsed(tx, hash)
      if (used) await store.deleteGrant(tx, used.grantId)
    })
  }
}

/** Every code and token of a person: their password changed (D76). What they allowed stays remembered. */
export async function revokeAllOfUser(tx: Transaction, userId: string): Promise<void> {
  // Codes first: who exchanges one at this moment is waited for, and the tokens go with the rest.
  await store.deleteCodesOfUser(tx, userId)
  await store.deleteGrantsOfUser(tx, userId)
}

/** Every code and token of an application: its secret was reset (rule 4 of the specification). */
export async function revokeAllOfApplication(tx: Transaction, applicationId: string): Promise<void> {
  await store.deleteCodesOfApplication(tx, applicationId)
  await store.deleteGrantsOfApplication(tx, applicationId)
}
