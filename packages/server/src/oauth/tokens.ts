import { accessTokenSeconds, authorizationCodeSeconds, refreshTokenSeconds } from '@gatehouse/protocol/limits'
import type { TokenResponse } from '@gatehouse/protocol/oauth'
import type { BearerCaller } from '../http/caller.ts'
import type { Clock } from '../kit/clock.ts'
import {
  hashSecret,
  makePlacedSecret,
  readPlacedSecret,
  type Secret,
  sameSecret,
  secretPrefixes,
} from '../kit/secret.ts'
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

/** Of the family `id`. `scope` is of the access token: the grant may hold more (RFC 6749 §6). */
export function makePair(id: string, scope: string, now: number): Pair {
  const accessToken = makePlacedSecret(secretPrefixes.accessToken, id)
  const refreshToken = makePlacedSecret(secretPrefixes.refreshToken, id)
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

/** What an access token stands for; undefined where it is none that holds. */
export async function findAccess(
  db: Database,
  clock: Clock,
  token: string,
): Promise<store.AccessRecord | undefined> {
  const placed = readPlacedSecret(secretPrefixes.accessToken, token)
  const access = placed && (await store.findAccess(db, placed.id, clock()))
  return access && sameSecret(access.hash, placed.hash) ? access : undefined
}

/** The family whose refresh token this is; undefined where it is none, or was used. It may have expired. */
export async function findByRefreshToken(
  db: Database,
  placed: store.Placed,
): Promise<store.GrantRecord | undefined> {
  const grant = await store.findGrant(db, placed.id)
  return grant && sameSecret(grant.refreshHash, placed.hash) ? grant : undefined
}

/** For http/authenticate: whom a token of `Authorization: Bearer` stands for, with its scopes by their own names. */
export async function authenticateBearer(
  db: Database,
  clock: Clock,
  token: string,
): Promise<BearerCaller | undefined> {
  const access = await findAccess(db, clock, token)
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
  const access = readPlacedSecret(secretPrefixes.accessToken, token)
  if (access) {
    const hash = (await store.findGrant(db, access.id))?.accessHash ?? undefined
    if (hash !== undefined && sameSecret(hash, access.hash)) await store.revokeAccess(db, access)
    return
  }
  const refresh = readPlacedSecret(secretPrefixes.refreshToken, token)
  if (!refresh) return
  // What is the family's own at this moment is one of its used ones from the next on: either way the family ends.
  const known = (await findByRefreshToken(db, refresh)) ?? (await store.findUsed(db, refresh))
  if (known) await store.deleteGrant(db, refresh.id)
}

/** Every code and token of a person: their password changed (D76). What they allowed stays remembered. */
export async function revokeAllOfUser(tx: Transaction, userId: string): Promise<void> {
  await store.deleteGrantsOfUser(tx, userId)
}

/** Every code and token of an application: its secret was reset (rule 4 of the specification). */
export async function revokeAllOfApplication(tx: Transaction, applicationId: string): Promise<void> {
  await store.deleteGrantsOfApplication(tx, applicationId)
}
