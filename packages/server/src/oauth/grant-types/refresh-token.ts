import type { TokenResponse } from '@gatehouse/protocol/oauth'
import type { ClientRecord } from '../../applications/index.ts'
import { AppError } from '../../kit/app-error.ts'
import { constantTimeEqual, type ParsedToken, parseToken, secretPrefixes } from '../../kit/secret.ts'
import { recordMissingSignIn } from '../back-channel-logout.ts'
import type { ClientAuthentication, ClientCredentials, ClientRequest } from '../client-authentication.ts'
import { invalidGrant, invalidRequest, OAuthError } from '../errors.ts'
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
import { parseScopes } from '../scopes.ts'

/** RFC 6749 §6. A refresh token can be used once (sign-in/refresh-rotation). Throws OAuthError, or AppError `rate_limited`. */
export async function exchangeRefreshToken(
  deps: TokenDeps,
  authentication: ClientAuthentication,
  request: ClientRequest,
): Promise<TokenResponse> {
  const { authenticateClient } = authentication
  const text = request.form.get('refresh_token')
  const parsed = text === undefined ? undefined : parseToken(secretPrefixes.refreshToken, text)
  if (text === undefined || !parsed) {
    // `invalid_client` takes precedence over errors of the token, and a wrong secret counts.
    await authenticateClient(request)
    throw text === undefined ? invalidRequest('The refresh_token is missing.') : invalidGrant()
  }
  const { allowed, retryAfterMs } = deps.refreshes.peek(parsed.id)
  if (!allowed) {
    await authenticateClient(request)
    throw new AppError('rate_limited', 'The tokens of this grant are refreshed too often. Try again later.', {
      retryAfter: retryAfterMs / 1000,
    })
  }
  const response = await refresh(deps, authentication, request, parsed)
  // Counts only now: otherwise anyone with the id of a grant could use up its rate with wrong tokens (sign-in/refresh-rate).
  await deps.refreshes.hit(parsed.id)
  return response
}

async function refresh(
  deps: TokenDeps,
  { authenticateAndTryExchange }: ClientAuthentication,
  request: ClientRequest,
  parsed: ParsedToken,
): Promise<TokenResponse> {
  const { db, clock } = deps
  const { form } = request
  const tokens = generateTokens(clock, parsed.id)
  const { client, attempt } = await authenticateAndTryExchange(request, credentials =>
    readAndTryRotation(deps, parsed, { credentials, tokens, form }),
  )
  const { grant } = attempt
  // The statement that read the grant has also checked everything, the client secret too, and replaced the tokens.
  if (grant && attempt.areTokensStored) return buildResponse(tokens, narrowScope(grant.scope, undefined))
  if (!grant || !constantTimeEqual(grant.refreshHash, parsed.hash)) {
    return handleUsedToken(deps, client, parsed)
  }
  // Each check from here on is also a condition of `rotateGrantWithAllChecks`.
  // A token of another client stays valid (sign-in/refresh-of-another-client).
  if (grant.applicationId !== client.id || grant.refreshExpiresAt <= clock()) throw invalidGrant()
  const scope = narrowScope(grant.scope, form.get('scope'))
  // Starts first, so that its read is sent with those of the ID token. If the refresh fails, the row is still right: the user has signed in.
  const recorded = recordMissingSignIn(db, client, grant, scope)
  // OIDC Core §12.2: an ID token has the claims of the original sign-in, without a nonce.
  const [{ columns, response }] = await Promise.all([
    buildColumnsAndResponse(deps, client, tokens, grant, scope),
    recorded,
  ])
  const successor = sealSuccessor(deps, parsed, response)
  const { refreshes, refreshExpiresAt } = grant
  const used = { ...parsed, usedAt: columns.issuedAt, expiresAt: refreshExpiresAt, successor, refreshes }
  const rotated = await db.batch(sql => [
    store.rotateGrant(sql, parsed, columns),
    store.insertUsedRefreshToken(sql, used),
  ])
  return rotated ? response : handleUsedToken(deps, client, parsed)
}

/**
 * Reads the client and the grant. On PostgreSQL the same statement rotates the tokens if all conditions hold that are checked
 * below otherwise, the client requests no other scope, and no ID token has to be signed first.
 */
async function readAndTryRotation(
  deps: TokenDeps,
  parsed: ParsedToken,
  { credentials, tokens, form }: { credentials: ClientCredentials; tokens: NewTokens; form: Parameters },
) {
  const { found, isChanged } = await deps.db.readAndTryChange(
    sql => store.findClientAndExchangedGrant(sql, credentials.id, parsed.id),
    sql => {
      if (form.get('scope') !== undefined) return []
      const columns = buildColumns(tokens)
      const { scope: _, ...withoutScope } = buildResponse(tokens, '')
      const successor = sealSuccessor(deps, parsed, withoutScope)
      return [
        store.rotateGrantWithAllChecks(sql, parsed, columns, credentials),
        store.insertReplacedRefreshToken(sql, { ...parsed, usedAt: columns.issuedAt, successor }),
      ]
    },
  )
  return { client: found?.client, grant: found?.grant, areTokensStored: isChanged }
}

/** Null without a grace period. Without a scope it is that of the grant. */
function sealSuccessor(
  { sealer, refreshGraceSeconds }: TokenDeps,
  parsed: ParsedToken,
  response: Omit<TokenResponse, 'scope'>,
): string | null {
  return refreshGraceSeconds > 0 ? sealer.seal(JSON.stringify(response), sealContextOf(parsed)) : null
}

/**
 * Within the grace period, a used token gets the same response again (sign-in/refresh-grace). After it, the reuse revokes
 * the token family (RFC 9700 §4.14.2), if the client is the one of the token (sign-in/refresh-reuse).
 */
async function handleUsedToken(
  { db, clock, sealer, refreshGraceSeconds }: TokenDeps,
  client: ClientRecord,
  parsed: ParsedToken,
): Promise<TokenResponse> {
  const used = await store.findUsedRefreshToken(db, parsed)
  if (!used || used.applicationId !== client.id) throw invalidGrant()
  if (used.successor !== null && clock() < used.usedAt + refreshGraceSeconds * 1000) {
    const response = JSON.parse(sealer.open(used.successor, sealContextOf(parsed)))
    return { ...response, scope: response.scope ?? narrowScope(used.scope, undefined) }
  }
  await store.deleteGrant(db, parsed.id)
  throw invalidGrant()
}

/** RFC 6749 §6: the requested scope must be part of the granted scope; if it is omitted, it is the granted scope. */
function narrowScope(granted: string, requested: string | undefined): string {
  const all = parseScopes(granted)
  if (!all) throw new Error('The scope of a grant in the database is malformed.')
  if (requested === undefined) return all.toString()
  const scopes = parseScopes(requested)
  const names = requested.split(' ').filter(name => name !== '')
  const known: readonly string[] = scopes?.names ?? []
  const hasUnknown = names.some(name => !known.includes(name))
  if (!scopes || names.length === 0 || hasUnknown || !scopes.canonical.every(scope => all.has(scope))) {
    throw new OAuthError('invalid_scope', 'The scope is malformed or exceeds the granted scope.')
  }
  return scopes.toString()
}

function sealContextOf({ hash }: ParsedToken): string {
  return `oauth:refresh:${hash}`
}
