import type { TokenResponse } from '@gatehouse/protocol/oauth'
import type { ClientRecord } from '../../applications/index.ts'
import { constantTimeEqual, parseToken, secretPrefixes, type TokenLocator } from '../../kit/secret.ts'
import type { Sql } from '../../storage/database.ts'
import { recordSignIn } from '../back-channel-logout.ts'
import { invalidGrant, invalidRequest } from '../errors.ts'
import { createTokens, type TokenDeps } from '../grants.ts'
import * as store from '../grants-store.ts'
import type { Parameters } from '../parameters.ts'
import { checkCodeVerifier } from '../pkce.ts'

/** RFC 6749 §4.1.3. Throws OAuthError. */
export async function exchangeAuthorizationCode(
  deps: TokenDeps,
  client: ClientRecord,
  form: Parameters,
): Promise<TokenResponse> {
  const { db, clock } = deps
  const text = form.get('code')
  if (text === undefined) throw invalidRequest('The code is missing.')
  const locator = parseToken(secretPrefixes.authorizationCode, text)
  if (!locator) throw invalidGrant()
  const code = await store.findCode(db, locator.id)
  if (!code || !constantTimeEqual(code.hash, locator.hash)) {
    await revokeGrantIfCodeWasUsed(db, locator, client)
    throw invalidGrant()
  }
  // A code of another client stays valid, and the error does not disclose that it exists.
  if (code.applicationId !== client.id || code.expiresAt <= clock()) throw invalidGrant()
  checkRedirectUri(code, form)
  checkCodeVerifier(code.codeChallenge, form.get('code_verifier'))

  const { pair, response } = await createTokens(deps, client, { ...code, sid: code.sessionId }, code.scope)
  const exchanged = await db.transaction(async tx => {
    if (!(await store.exchangeCode(tx, locator, clock(), pair))) {
      await revokeGrantIfCodeWasUsed(tx, locator, client)
      // Returns instead of throwing: an error would roll the revocation back.
      return false
    }
    if (response.id_token !== undefined) await recordSignIn(tx, client, code)
    return true
  })
  if (!exchanged) throw invalidGrant()
  return response
}

/** RFC 6749 §4.1.2: if a client sends a used code again, all tokens of that code are revoked (sign-in/code-single-use). */
async function revokeGrantIfCodeWasUsed(
  sql: Sql,
  locator: TokenLocator,
  client: ClientRecord,
): Promise<void> {
  const grant = await store.findExchangedGrant(sql, locator.id)
  if (grant?.applicationId === client.id && constantTimeEqual(grant.codeHash, locator.hash)) {
    await store.deleteGrant(sql, grant.id)
  }
}

/**
 * RFC 6749 §4.1.3: the redirect_uri must be the one of the authorization request. It may be omitted if it was omitted there
 * (sign-in/code-redirect-uri).
 */
function checkRedirectUri(code: store.CodeRecord, form: Parameters): void {
  const uri = form.get('redirect_uri')
  if (uri === undefined && code.redirectUriSent) throw invalidRequest('The redirect_uri is missing.')
  if (uri !== undefined && uri !== code.redirectUri) throw invalidGrant()
}
