import type { TokenResponse } from '@gatehouse/protocol/oauth'
import type { ClientRecord } from '../../applications/index.ts'
import { readPlacedSecret, sameSecret, secretPrefixes } from '../../kit/secret.ts'
import type { Sql } from '../../storage/database.ts'
import { invalidGrant, OAuthError } from '../errors.ts'
import { sidFor, signedInWith } from '../logout/index.ts'
import type { Parameters } from '../parameters.ts'
import { findPerson } from '../people.ts'
import { checkVerifier } from '../pkce.ts'
import { readScopes, scopesOf } from '../scopes.ts'
import * as store from '../store.ts'
import { makePair, tokenAnswer } from '../tokens.ts'
import type { GrantDeps } from './grant.ts'

/** RFC 6749 §4.1.3: tokens for a code, once. */
export async function authorizationCode(
  deps: GrantDeps,
  client: ClientRecord,
  form: Parameters,
): Promise<TokenResponse> {
  const { db, clock } = deps
  const text = form.get('code')
  if (text === undefined) throw new OAuthError('invalid_request', 'The code is missing.')
  const placed = readPlacedSecret(secretPrefixes.authorizationCode, text)
  if (!placed) throw invalidGrant()
  const code = await store.findCode(db, placed.id)
  if (!code || !sameSecret(code.hash, placed.hash)) {
    await endWhatItGave(db, placed, client)
    throw invalidGrant()
  }
  // Another client's: it is not told so, and the code stays good for its own.
  if (code.applicationId !== client.id || code.expiresAt <= clock()) throw invalidGrant()
  checkRedirectUri(code, form)
  checkVerifier(code.codeChallenge, form.get('code_verifier'))

  const pair = makePair(code.id, code.scope, clock())
  // Signed before anything is used up: what fails here can be tried again.
  const idToken = await idTokenFor(deps, client, code, pair.record.accessHash)
  const used = await db.transaction(async tx => {
    if (!(await store.exchangeCode(tx, placed, clock(), pair.record))) {
      await endWhatItGave(tx, placed, client)
      return false
    }
    if (idToken !== undefined) await signedInWith(tx, client, code)
    return true
  })
  if (!used) throw invalidGrant()
  return tokenAnswer(pair, idToken)
}

/** RFC 6749 §4.1.2: a code that its client presents again ends what it gave (D13). */
async function endWhatItGave(sql: Sql, code: store.Placed, client: ClientRecord): Promise<void> {
  const grant = await store.findGrant(sql, code.id)
  if (grant?.applicationId === client.id && sameSecret(grant.codeHash, code.hash)) {
    await store.deleteGrant(sql, grant.id)
  }
}

/** RFC 6749 §4.1.3: as it was sent to the authorization endpoint; D74 where it was left out there. */
function checkRedirectUri(code: store.CodeRecord, form: Parameters): void {
  const sent = form.get('redirect_uri')
  if (sent === undefined && code.redirectUriSent) {
    throw new OAuthError('invalid_request', 'The redirect_uri is missing.')
  }
  if (sent !== undefined && sent !== code.redirectUri) throw invalidGrant()
}

async function idTokenFor(
  deps: GrantDeps,
  client: ClientRecord,
  code: store.CodeRecord,
  accessHash: string,
): Promise<string | undefined> {
  const scopes = readScopes(code.scope) ?? scopesOf([])
  if (!scopes.has('openid')) return undefined
  const person = await findPerson(deps.db, code.userId)
  if (!person) throw invalidGrant()
  const { applicationId, authTime, amr } = code
  const nonce = code.nonce ?? undefined
  const sid = sidFor(client, code.sessionId)
  return deps.signIdToken({ person, applicationId, scopes, authTime, amr, accessHash, nonce, sid })
}
