import type { TokenResponse } from '@gatehouse/protocol/oauth'
import type { ApplicationRecord } from '../../applications/index.ts'
import { hashSecret, isWellFormedSecret, secretPrefixes } from '../../kit/secret.ts'
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
  client: ApplicationRecord,
  form: Parameters,
): Promise<TokenResponse> {
  const { db, clock, ids } = deps
  const text = form.get('code')
  if (text === undefined) throw new OAuthError('invalid_request', 'The code is missing.')
  if (!isWellFormedSecret(secretPrefixes.authorizationCode, text)) throw invalidGrant()
  const hash = hashSecret(text)
  const code = await store.findCode(db, hash)
  if (!code) {
    // RFC 6749 §4.1.2: a code that comes again ends what it gave (D13).
    await store.deleteGrantByCode(db, hash, client.id)
    throw invalidGrant()
  }
  // Another client's: it is not told so, and the code stays good for its own.
  if (code.applicationId !== client.id || code.expiresAt <= clock()) throw invalidGrant()
  checkRedirectUri(code, form)
  checkVerifier(code.codeChallenge, form.get('code_verifier'))

  const pair = makePair(code.scope, clock())
  // Signed before anything is used up: what fails here can be tried again.
  const idToken = await idTokenFor(deps, client, code, pair.accessToken)
  const used = await db.transaction(async tx => {
    if (!(await store.consumeCode(tx, hash, clock()))) {
      await store.deleteGrantByCode(tx, hash, client.id)
      return false
    }
    const grant = { id: ids(), applicationId: client.id, userId: code.userId, codeHash: hash }
    const { scope, authTime, amr, sessionId: sid } = code
    await store.insertGrant(tx, { ...grant, scope, authTime, amr, sid }, pair.record)
    if (idToken !== undefined) await signedInWith(tx, client, code)
    return true
  })
  if (!used) throw invalidGrant()
  return tokenAnswer(pair, idToken)
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
  client: ApplicationRecord,
  code: store.CodeRecord,
  accessToken: string,
): Promise<string | undefined> {
  const scopes = readScopes(code.scope) ?? scopesOf([])
  if (!scopes.has('openid')) return undefined
  const person = await findPerson(deps.db, code.userId)
  if (!person) throw invalidGrant()
  const { applicationId, authTime, amr } = code
  const nonce = code.nonce ?? undefined
  const sid = sidFor(client, code.sessionId)
  return deps.signIdToken({ person, applicationId, scopes, authTime, amr, accessToken, nonce, sid })
}
