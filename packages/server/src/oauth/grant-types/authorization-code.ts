import type { TokenRequest, TokenResponse } from '@gatehouse/protocol/oauth'
import { type ClientRecord, toUri } from '../../applications/index.ts'
import { constantTimeEqual, describeSecret, parseToken, secretPrefixes } from '../../kit/secret.ts'
import { lockAdmission } from '../admission.ts'
import { signInOf } from '../back-channel-logout.ts'
import { blockSessionDeletion, insertSignIn } from '../back-channel-logout-store.ts'
import * as store from '../grant-store.ts'
import { createTokens, type TokenDeps } from '../grants.ts'
import { invalidGrant, invalidRequest, unusableGrant } from '../oauth-errors.ts'
import { checkCodeVerifier } from '../pkce.ts'

/** RFC 6749 §4.1.3. Throws OAuthError. */
export async function exchangeAuthorizationCode(
  deps: TokenDeps,
  client: ClientRecord,
  { code: text, redirect_uri: redirectUri, code_verifier: verifier }: TokenRequest,
): Promise<TokenResponse> {
  const { db, clock } = deps
  if (text === undefined) throw invalidRequest('The code is missing.')
  const parsed = parseToken(secretPrefixes.authorizationCode, text)
  const code = parsed && (await store.findCode(db, parsed.id))
  if (!code || !constantTimeEqual(code.hash, parsed.hash)) {
    throw unusableGrant('unknown code', describeSecret(text, 'authorizationCode'))
  }
  // A code of another client stays valid, and the error does not disclose that it exists.
  if (code.applicationId !== client.id) throw unusableGrant('a code of another client')
  if (code.isUsed) return rejectUsedCode(deps, code)
  if (code.codeExpiresAt <= clock()) throw unusableGrant('the code has expired')
  checkRedirectUri(code, redirectUri)
  checkCodeVerifier(client, code.codeChallenge, verifier)
  const { columns, response } = await createTokens(deps, client, code, code.scope)
  const isFirstUse = await storeTokens(deps, client, code, columns)
  return isFirstUse ? response : rejectUsedCode(deps, code)
}

/**
 * RFC 6749 §4.1.3: the redirect_uri must be the one of the authorization request. It may be omitted if it was omitted
 * there (sign-in/code-redirect-uri).
 */
function checkRedirectUri(code: store.IssuedCodeRecord, sent: string | undefined): void {
  if (sent === undefined && code.redirectUriSent) throw invalidRequest('The redirect_uri is missing.')
  if (sent !== undefined && toUri(sent) !== code.redirectUri) {
    throw invalidGrant('The redirect_uri differs from that of the authorization request.')
  }
}

/**
 * Returns false if the code cannot be used any more. In the same transaction it records the sign-in, and checks that
 * the user is still admitted: a loss of the admission either is seen here, or notifies the client of the ID token.
 */
async function storeTokens(
  { db, clock }: TokenDeps,
  client: ClientRecord,
  code: store.IssuedCodeRecord,
  columns: store.TokenColumns,
): Promise<boolean> {
  const signIn = signInOf(client, code, code.scope)
  if (signIn === undefined && !client.server?.membersOnly)
    return store.exchangeCode(db, code.id, clock(), columns)
  return db.transaction(async tx => {
    // The session first, as in its deletion, which then deletes its unused codes: another order could cause a deadlock.
    const [, isFirstUse] = await Promise.all([
      signIn && blockSessionDeletion(tx, signIn.sessionId),
      store.exchangeCode(tx, code.id, clock(), columns),
    ])
    if (!isFirstUse) return false
    if (!(await lockAdmission(tx, client, code.userId)))
      throw unusableGrant('the user is not admitted any more')
    // The foreign key of the new row cannot fail: the UPDATE has found the code, and codes are deleted with their
    // session.
    if (signIn) await insertSignIn(tx, signIn)
    return true
  })
}

/**
 * RFC 6749 §4.1.2: if a client sends a used code again, all tokens of that code are revoked (sign-in/code-single-use).
 */
async function rejectUsedCode({ db }: TokenDeps, code: store.IssuedCodeRecord): Promise<never> {
  await store.deleteGrant(db, code.id)
  throw unusableGrant('the code was used before: its tokens are revoked')
}
