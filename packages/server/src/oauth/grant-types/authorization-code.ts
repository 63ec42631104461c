import type { TokenResponse } from '@gatehouse/protocol/oauth'
import type { ClientRecord } from '../../applications/index.ts'
import { constantTimeEqual, type ParsedToken, parseToken, secretPrefixes } from '../../kit/secret.ts'
import type { Database, Sql } from '../../storage/database.ts'
import { recordSignIn, sidFor } from '../back-channel-logout.ts'
import type { ClientCredentials, ReadClient } from '../client-authentication.ts'
import { invalidGrant, invalidRequest } from '../errors.ts'
import {
  buildTokenPair,
  buildTokenPairWithIdToken,
  generateTokens,
  type NewTokens,
  type TokenDeps,
} from '../grants.ts'
import * as store from '../grants-store.ts'
import type { Parameters } from '../parameters.ts'
import { checkCodeVerifier, toCodeChallenge } from '../pkce.ts'

/** RFC 6749 §4.1.3. Throws OAuthError; if `authenticate` rejects, with its error. */
export async function exchangeAuthorizationCode(
  deps: TokenDeps,
  authenticate: (readClient?: ReadClient) => Promise<ClientRecord>,
  form: Parameters,
): Promise<TokenResponse> {
  const { db, clock } = deps
  const text = form.get('code')
  const parsed = text === undefined ? undefined : parseToken(secretPrefixes.authorizationCode, text)
  if (text === undefined || !parsed) {
    await authenticate()
    throw text === undefined ? invalidRequest('The code is missing.') : invalidGrant()
  }
  const tokens = generateTokens(clock, parsed.id)
  let attempt: ExchangeAttempt | undefined
  const client = await authenticate(async credentials => {
    attempt = await readAndTryExchange(db, parsed, { credentials, tokens, form })
    return { client: attempt.found?.client, isExchanged: attempt.isChanged }
  })
  // `authenticate` resolves only after the callback, so the attempt is set.
  const code = attempt?.found?.grant
  // The statement that read the code has also exchanged it.
  if (code && attempt?.isChanged) return buildTokenPair(tokens, { scope: code.scope, endsAt: null }).response
  if (!code || !constantTimeEqual(code.hash, parsed.hash)) {
    await revokeGrantIfCodeWasUsed(db, parsed, client)
    throw invalidGrant()
  }
  // A code of another client stays valid, and the error does not disclose that it exists.
  if (code.applicationId !== client.id || code.expiresAt <= clock()) throw invalidGrant()
  checkRedirectUri(code, form)
  checkCodeVerifier(code.codeChallenge, form.get('code_verifier'))

  // `sid` and `session_id` of a code are equal: see `CodeRecord`.
  const grant = { ...code, sid: code.sessionId, endsAt: null }
  const { pair, response } = await buildTokenPairWithIdToken(deps, client, tokens, grant, code.scope)
  const isExchanged =
    response.id_token === undefined || sidFor(client, code.sessionId) === undefined
      ? await db.batch(sql => [store.exchangeCode(sql, parsed, clock(), pair)])
      : await db.transaction(async tx => {
          if (!(await store.exchangeCode(tx, parsed, clock(), pair))) return false
          await recordSignIn(tx, client, code)
          return true
        })
  if (isExchanged) return response
  // Another request has exchanged the code since it was read.
  await revokeGrantIfCodeWasUsed(db, parsed, client)
  throw invalidGrant()
}

type ExchangeAttempt = Awaited<ReturnType<typeof readAndTryExchange>>

/**
 * Reads the client and the code. On PostgreSQL the same statement exchanges the code if no ID token has to be signed first and
 * all conditions hold that `exchangeAuthorizationCode` otherwise checks.
 */
function readAndTryExchange(
  db: Database,
  parsed: ParsedToken,
  { credentials, tokens, form }: { credentials: ClientCredentials; tokens: NewTokens; form: Parameters },
) {
  return db.readAndTryChange(
    sql => store.findClientAndCode(sql, credentials.id, parsed.id),
    sql => {
      const verifier = form.get('code_verifier')
      const codeChallenge = verifier === undefined ? null : toCodeChallenge(verifier)
      const isMalformedVerifier = codeChallenge === undefined
      if (credentials.isLimited || isMalformedVerifier) return []
      // Without the scope, which is not known yet: the statement takes it from the grant.
      const { pair } = buildTokenPair(tokens, { scope: '', endsAt: null })
      const redirectUri = form.get('redirect_uri') ?? null
      return [
        store.exchangeCodeWithAllChecks(sql, parsed, pair, { ...credentials, redirectUri, codeChallenge }),
      ]
    },
  )
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
  const uri = form.get('redirect_uri')
  if (uri === undefined && code.redirectUriSent) throw invalidRequest('The redirect_uri is missing.')
  if (uri !== undefined && uri !== code.redirectUri) {
    throw invalidGrant('The redirect_uri differs from that of the authorization request.')
  }
}
