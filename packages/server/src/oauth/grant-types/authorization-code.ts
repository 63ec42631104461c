import type { TokenResponse } from '@gatehouse/protocol/oauth'
import { type ClientRecord, toUri } from '../../applications/index.ts'
import { constantTimeEqual, type ParsedToken, parseToken, secretPrefixes } from '../../kit/secret.ts'
import type { Database, Sql } from '../../storage/database.ts'
import { recordSignIn, sidClaim } from '../back-channel-logout.ts'
import { blockSessionDeletion } from '../back-channel-logout-store.ts'
import type { ClientAuthentication, ClientCredentials, ClientRequest } from '../client-authentication.ts'
import { invalidGrant, invalidRequest } from '../errors.ts'
import {
  buildColumns,
  buildColumnsAndResponse,
  buildResponse,
  generateTokens,
  type NewTokens,
  type TokenDeps,
} from '../grants.ts'
import * as store from '../grants-store.ts'
import type { Parameters } from '../parameters.ts'
import { checkCodeVerifier, toCodeChallenge } from '../pkce.ts'

/** RFC 6749 §4.1.3. Throws OAuthError, or AppError `rate_limited`. */
export async function exchangeAuthorizationCode(
  deps: TokenDeps,
  { authenticateClient, authenticateAndTryExchange }: ClientAuthentication,
  request: ClientRequest,
): Promise<TokenResponse> {
  const { db, clock } = deps
  const { form } = request
  const text = form.get('code')
  const parsed = text === undefined ? undefined : parseToken(secretPrefixes.authorizationCode, text)
  if (text === undefined || !parsed) {
    // `invalid_client` takes precedence over errors of the code, and a wrong secret counts.
    await authenticateClient(request)
    throw text === undefined ? invalidRequest('The code is missing.') : invalidGrant()
  }
  // The code contains the id of its grant. The tokens get the same.
  const tokens = generateTokens(clock, parsed.id)
  const { client, attempt } = await authenticateAndTryExchange(request, credentials =>
    readAndTryExchange(db, parsed, { credentials, tokens, form }),
  )
  const { code } = attempt
  // Only on PostgreSQL: the statement that read the code has also made all checks below and that of the client secret, and stored the
  // tokens. `code` is the row before this change.
  if (code && attempt.areTokensStored) return buildResponse(tokens, code.scope)
  if (!code) {
    await revokeGrantIfCodeWasUsed(db, parsed, client)
    throw invalidGrant()
  }
  // Each check from here on is also a condition of `exchangeCodeWithAllChecks`. If a new check cannot be
  // written in SQL, the second callback in `readAndTryExchange` must return `[]` when the check applies.
  if (!constantTimeEqual(code.hash, parsed.hash)) throw invalidGrant()
  // A code of another client stays valid, and the error does not disclose that it exists.
  if (code.applicationId !== client.id || code.codeExpiresAt <= clock()) throw invalidGrant()
  checkRedirectUri(code, form)
  checkCodeVerifier(code.codeChallenge, form.get('code_verifier'))

  const { columns, response } = await buildColumnsAndResponse(deps, client, tokens, code, code.scope)
  // A batch where possible: PostgreSQL merges those of parallel requests.
  const isExchanged =
    response.id_token === undefined || sidClaim(client, code.sessionId) === undefined
      ? await db.batch(sql => [store.exchangeCode(sql, parsed, clock(), columns)])
      : await db.transaction(async tx => {
          // The session first, as in its deletion, which then deletes its unused codes: another order could cause a deadlock.
          const [, isFound] = await Promise.all([
            blockSessionDeletion(tx, code.sessionId),
            store.exchangeCode(tx, parsed, clock(), columns),
          ])
          if (!isFound) return false
          // The foreign key of the new row cannot fail: the UPDATE has found the code, and codes are deleted with their session.
          await recordSignIn(tx, client, code)
          return true
        })
  if (isExchanged) return response
  // Since the code was read, another request has exchanged it, it has expired, or it was deleted.
  await revokeGrantIfCodeWasUsed(db, parsed, client)
  throw invalidGrant()
}

/**
 * Reads the client and the code. On PostgreSQL the same statement exchanges the code if no ID token has to be signed first and
 * all conditions hold that `exchangeAuthorizationCode` otherwise checks.
 */
async function readAndTryExchange(
  db: Database,
  parsed: ParsedToken,
  { credentials, tokens, form }: { credentials: ClientCredentials; tokens: NewTokens; form: Parameters },
) {
  const { found, isChanged } = await db.readAndTryChange(
    sql => store.findClientAndCode(sql, credentials.id, parsed.id),
    sql => {
      const verifier = form.get('code_verifier')
      const codeChallenge = verifier === undefined ? null : toCodeChallenge(verifier)
      // The verifier is malformed.
      if (codeChallenge === undefined) return []
      const redirectUri = readRedirectUri(form) ?? null
      const sent = { ...credentials, redirectUri, codeChallenge }
      return [store.exchangeCodeWithAllChecks(sql, parsed, buildColumns(tokens), sent)]
    },
  )
  return { client: found?.client, code: found?.grant, areTokensStored: isChanged }
}

/** RFC 6749 §4.1.2: if a client sends a used code again, all tokens of that code are revoked (sign-in/code-single-use). */
async function revokeGrantIfCodeWasUsed(sql: Sql, parsed: ParsedToken, client: ClientRecord): Promise<void> {
  const grant = await store.findExchangedGrant(sql, parsed.id)
  if (grant?.applicationId === client.id && constantTimeEqual(grant.codeHash, parsed.hash)) {
    await store.deleteGrant(sql, grant.id)
  }
}

/**
 * RFC 6749 §4.1.3: the redirect_uri must be the one of the authorization request. It may be omitted if it was omitted there
 * (sign-in/code-redirect-uri). `exchangeCodeWithAllChecks` has the same rule in SQL.
 */
function checkRedirectUri(code: store.CodeRecord, form: Parameters): void {
  const uri = readRedirectUri(form)
  if (uri === undefined && code.redirectUriSent) throw invalidRequest('The redirect_uri is missing.')
  if (uri !== undefined && uri !== code.redirectUri) {
    throw invalidGrant('The redirect_uri differs from that of the authorization request.')
  }
}

function readRedirectUri(form: Parameters): string | undefined {
  const uri = form.get('redirect_uri')
  return uri === undefined ? undefined : toUri(uri)
}
