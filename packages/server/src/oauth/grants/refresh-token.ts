import type { TokenResponse } from '@gatehouse/protocol/oauth'
import type { ClientRecord } from '../../applications/index.ts'
import { readPlacedSecret, secretPrefixes } from '../../kit/secret.ts'
import { invalidGrant, OAuthError } from '../errors.ts'
import { sidFor } from '../logout/index.ts'
import type { Parameters } from '../parameters.ts'
import { findPerson } from '../people.ts'
import { readScopes, type Scopes } from '../scopes.ts'
import * as store from '../store.ts'
import { findByRefreshToken, makePair, tokenAnswer } from '../tokens.ts'
import type { GrantDeps } from './grant.ts'

/** RFC 6749 §6: the next pair of a family. The token is single use (D13). */
export async function refreshToken(
  deps: GrantDeps,
  client: ClientRecord,
  form: Parameters,
): Promise<TokenResponse> {
  const { db, clock } = deps
  const text = form.get('refresh_token')
  if (text === undefined) throw new OAuthError('invalid_request', 'The refresh_token is missing.')
  const placed = readPlacedSecret(secretPrefixes.refreshToken, text)
  if (!placed) throw invalidGrant()
  const grant = await findByRefreshToken(db, placed)
  if (!grant) return usedBefore(deps, client, placed)
  // Another client's: no harm comes to the family of its owner (D72).
  if (grant.applicationId !== client.id || grant.expiresAt <= clock()) throw invalidGrant()
  const scopes = narrowed(grant.scope, form.get('scope'))
  const now = clock()
  const pair = makePair(grant.id, scopes.toString(), now)
  // Signed before anything is used up: what fails here can be tried again.
  const idToken = await idTokenFor(deps, client, grant, scopes, pair.record.accessHash)
  const answer = tokenAnswer(pair, idToken)
  const successor =
    deps.refreshGraceSeconds > 0 ? deps.sealer.seal(JSON.stringify(answer), contextOf(placed)) : null
  const rotated = await db.transaction(async tx => {
    if (!(await store.rotateGrant(tx, placed, now, pair.record))) return false
    await store.insertUsed(tx, {
      grantId: grant.id,
      hash: placed.hash,
      usedAt: now,
      expiresAt: grant.expiresAt,
      successor,
    })
    return true
  })
  return rotated ? answer : usedBefore(deps, client, placed)
}

/** Core §12.2: the same sign-in as before, and no nonce. */
async function idTokenFor(
  deps: GrantDeps,
  client: ClientRecord,
  grant: store.GrantRecord,
  scopes: Scopes,
  accessHash: string,
): Promise<string | undefined> {
  if (!scopes.has('openid')) return undefined
  const { applicationId, userId, authTime, amr } = grant
  const person = await findPerson(deps.db, userId)
  if (!person) throw invalidGrant()
  const sid = sidFor(client, grant.sid)
  return deps.signIdToken({ person, applicationId, scopes, authTime, amr, accessHash, sid })
}

/**
 * A token that was used: within the grace time the same successor again, after it the end of its family (RFC 9700
 * §4.14.2), where it is the owning client that asks (D72).
 */
async function usedBefore(
  deps: GrantDeps,
  client: ClientRecord,
  placed: store.Placed,
): Promise<TokenResponse> {
  const used = await store.findUsed(deps.db, placed)
  if (!used || used.applicationId !== client.id) throw invalidGrant()
  if (used.successor !== null && deps.clock() < used.usedAt + deps.refreshGraceSeconds * 1000) {
    return JSON.parse(deps.sealer.open(used.successor, contextOf(placed)))
  }
  await store.deleteGrant(deps.db, used.grantId)
  throw invalidGrant()
}

/** RFC 6749 §6: no more than was granted; left out it is all of that. */
function narrowed(granted: string, asked: string | undefined): Scopes {
  const all = readScopes(granted)
  if (!all) throw new Error('a grant holds a malformed scope')
  if (asked === undefined) return all
  const scopes = readScopes(asked)
  const names = asked.split(' ').filter(name => name !== '')
  const known: readonly string[] = scopes?.names ?? []
  const wider = names.some(name => !known.includes(name))
  if (!scopes || names.length === 0 || wider || !scopes.meanings.every(meaning => all.has(meaning))) {
    throw new OAuthError('invalid_scope', 'The scope is malformed, or more than was granted.')
  }
  return scopes
}

function contextOf({ hash }: store.Placed): string {
  return `oauth:refresh:${hash}`
}
