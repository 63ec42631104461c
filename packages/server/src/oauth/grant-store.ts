import { maxUsedRefreshTokens } from '@gatehouse/protocol/limits'
import type { UserProfile } from '../accounts/users/index.ts'
import type { ParsedToken } from '../kit/secret.ts'
import type { Sql } from '../storage/database.ts'

// docs/decisions/tokens.md says why a code and its tokens share one row. Before the exchange of the code, `expires_at`
// is `codeExpiresAt`, after it `refreshExpiresAt`. The view `valid_grants` has the grants that are not revoked
// (grant-revocation-store.ts), and whose user and owner of the application are not disabled (administration/disable).

/** A grant whose authorization code has not been exchanged. Times are in milliseconds. */
export interface CodeRecord extends ParsedToken {
  applicationId: string
  userId: string
  scope: string
  redirectUri: string
  redirectUriSent: boolean
  codeChallenge: string | null
  nonce: string | null
  authTime: number
  /** RFC 8176. */
  amr: string[]
  /**
   * The session of the sign-in, in two columns: `session_id` is a foreign key that deletes an unused code with its
   * session, and becomes null at the exchange. `sid` has no foreign key, and remains.
   */
  sessionId: string
  codeExpiresAt: number
}

export async function insertCode(sql: Sql, code: CodeRecord): Promise<void> {
  await sql.run`
    INSERT INTO oauth_grants (id, code_hash, application_id, user_id, scope, redirect_uri, redirect_uri_sent,
      code_challenge, nonce, auth_time, amr, session_id, sid, expires_at, revocation)
    VALUES (${code.id}, ${code.hash}, ${code.applicationId}, ${code.userId}, ${code.scope}, ${code.redirectUri},
      ${code.redirectUriSent ? 1 : 0}, ${code.codeChallenge}, ${code.nonce}, ${code.authTime},
      ${JSON.stringify(code.amr)}, ${code.sessionId}, ${code.sessionId}, ${code.codeExpiresAt},
      COALESCE((SELECT MAX(r.id) FROM grant_revocations r
        WHERE r.user_id IN (${code.userId}, '') AND r.application_id IN (${code.applicationId}, '')), ''))`
}

/** A code that may have been used: then it has no `redirectUri`, `codeChallenge` and `nonce` any more. */
export interface IssuedCodeRecord extends Omit<CodeRecord, 'redirectUri'> {
  redirectUri: string | null
  isUsed: boolean
}

interface CodeRow extends Omit<IssuedCodeRecord, 'redirectUriSent' | 'amr' | 'isUsed'> {
  redirectUriSent: number | null
  amr: string
  isUsed: number
}

/** Does not check the hash or `codeExpiresAt`. */
export async function findCode(sql: Sql, id: string): Promise<IssuedCodeRecord | undefined> {
  const row = await sql.get<CodeRow>`
    SELECT id, code_hash AS hash, application_id, user_id, scope, redirect_uri, redirect_uri_sent,
      code_challenge, nonce,
      auth_time, amr, sid AS session_id, expires_at AS code_expires_at, CASE WHEN refresh_hash IS NULL THEN 0
      ELSE 1 END AS is_used
    FROM valid_grants g WHERE id = ${id}`
  return (
    row && {
      ...row,
      redirectUriSent: row.redirectUriSent === 1,
      amr: JSON.parse(row.amr),
      isUsed: row.isUsed === 1,
    }
  )
}

/**
 * Adds the first token pair to the code's row. `code_hash` remains, to recognize a second use. Changes nothing and
 * returns false if the code has been used, has expired at `now`, or does not exist any more. Does not check whether the
 * grant was revoked since `findCode`: every read of its tokens does.
 */
export async function exchangeCode(
  sql: Sql,
  id: string,
  now: number,
  columns: TokenColumns,
): Promise<boolean> {
  const changed = await sql.run`
    UPDATE oauth_grants SET access_hash = ${columns.accessHash}, access_scope = ${columns.accessScope},
      access_expires_at = ${columns.accessExpiresAt}, refresh_hash = ${columns.refreshHash},
      issued_at = ${columns.issuedAt},
      expires_at = ${columns.refreshExpiresAt}, session_id = NULL, redirect_uri = NULL, redirect_uri_sent = NULL,
      code_challenge = NULL, nonce = NULL
    WHERE id = ${id} AND refresh_hash IS NULL AND expires_at > ${now}`
  return changed === 1
}

/** A grant after the exchange of its code, with its current token pair. */
export interface ExchangedGrantRecord {
  id: string
  applicationId: string
  userId: string
  /** All granted scopes, separated by spaces. The access token can have fewer. */
  scope: string
  authTime: number
  /** RFC 8176. */
  amr: string[]
  /** The session of the sign-in. It may have ended. */
  sessionId: string
  refreshHash: string
  issuedAt: number
  refreshExpiresAt: number
  /** The number of refreshes. */
  refreshes: number
}

/** The columns of a grant for its access token and refresh token. */
export interface TokenColumns {
  accessHash: string
  accessScope: string
  accessExpiresAt: number
  refreshHash: string
  issuedAt: number
  refreshExpiresAt: number
}

/** Undefined if the code of the grant has not been exchanged: see `findCode`. */
export async function findExchangedGrant(sql: Sql, id: string): Promise<ExchangedGrantRecord | undefined> {
  const row = await sql.get<Omit<ExchangedGrantRecord, 'amr'> & { amr: string }>`
    SELECT id, application_id, user_id, scope, auth_time, amr, sid AS session_id, refresh_hash, issued_at,
      expires_at AS refresh_expires_at, refreshes
    FROM valid_grants g WHERE id = ${id} AND refresh_hash IS NOT NULL`
  return row && { ...row, amr: JSON.parse(row.amr) }
}

/**
 * Replaces the token pair. Changes nothing and returns false if the refresh token has been used, has expired, or does
 * not exist any more. Does not check whether the grant was revoked, like `exchangeCode`.
 */
export async function rotateGrant(
  sql: Sql,
  { id, hash }: ParsedToken,
  columns: TokenColumns,
): Promise<boolean> {
  const rotated = await sql.run`
    UPDATE oauth_grants SET access_hash = ${columns.accessHash}, access_scope = ${columns.accessScope},
      access_expires_at = ${columns.accessExpiresAt}, refresh_hash = ${columns.refreshHash},
      issued_at = ${columns.issuedAt},
      expires_at = ${columns.refreshExpiresAt}, refreshes = refreshes + 1
    WHERE id = ${id} AND refresh_hash = ${hash} AND expires_at > ${columns.issuedAt}`
  return rotated === 1
}

export async function deleteGrant(sql: Sql, id: string): Promise<void> {
  await sql.run`DELETE FROM oauth_grants WHERE id = ${id}`
}

/** Whether the user has a grant for the application. */
export async function isGranted(sql: Sql, userId: string, applicationId: string): Promise<boolean> {
  const row = await sql.get`
    SELECT 1 AS one FROM valid_grants g WHERE g.user_id = ${userId} AND g.application_id = ${applicationId}
    LIMIT 1`
  return row !== undefined
}

export interface AccessTokenRecord {
  hash: string
  userId: string
  applicationId: string
  scope: string
  issuedAt: number
  expiresAt: number
}

/** Runs on every request with a bearer token, so it reads one row by its primary key. */
export async function findAccessToken(
  sql: Sql,
  id: string,
  now: number,
): Promise<AccessTokenRecord | undefined> {
  return sql.get`
    SELECT access_hash AS hash, user_id, application_id, access_scope AS scope, issued_at,
      access_expires_at AS expires_at
    FROM valid_grants g WHERE id = ${id} AND access_expires_at > ${now} AND access_hash IS NOT NULL`
}

type TokenOfUser = Pick<AccessTokenRecord, 'hash' | 'scope' | 'applicationId'>

/** The access token with its user, for userinfo: one row of each by its primary key. */
export async function findUserOfAccessToken(
  sql: Sql,
  id: string,
  now: number,
): Promise<(TokenOfUser & { user: UserProfile }) | undefined> {
  const row = await sql.get<
    TokenOfUser & Omit<UserProfile, 'emailVerified' | 'bot'> & { emailVerified: number; bot: number }
  >`
    SELECT g.access_hash AS hash, g.access_scope AS scope, g.application_id,
      u.id, u.username, u.display_name, u.email, u.email_verified, u.avatar, u.bot, u.direct_messages,
      u.created_at
    FROM valid_grants g JOIN users u ON u.id = g.user_id
    WHERE g.id = ${id} AND g.access_expires_at > ${now} AND g.access_hash IS NOT NULL`
  if (row === undefined) return undefined
  const { hash, scope, applicationId, ...user } = row
  return {
    hash,
    scope,
    applicationId,
    user: { ...user, emailVerified: user.emailVerified === 1, bot: user.bot === 1 },
  }
}

/** Does nothing if the access token does not exist or has been replaced. */
export async function revokeAccessToken(sql: Sql, { id, hash }: ParsedToken): Promise<void> {
  await sql.run`UPDATE oauth_grants SET access_hash = NULL WHERE id = ${id} AND access_hash = ${hash}`
}

/** A refresh token that has been used. Its `id` is that of the grant. */
interface UsedRefreshTokenRecord extends ParsedToken {
  usedAt: number
  expiresAt: number
  /** The sealed token response. Null after the grace period. */
  successor: string | null
}

/**
 * Does nothing unless `rotateGrant` has replaced the token by that with `successorHash` in the same transaction, so
 * that both statements can be sent together. Overwrites the oldest used token of the grant if there are
 * `maxUsedRefreshTokens`.
 */
export async function insertUsedRefreshToken(
  sql: Sql,
  used: UsedRefreshTokenRecord,
  successorHash: string,
): Promise<void> {
  await sql.run`
    INSERT INTO oauth_used_refresh_tokens (grant_id, hash, used_at, expires_at, successor, slot)
    SELECT g.id, CAST(${used.hash} AS TEXT), CAST(${used.usedAt} AS BIGINT), CAST(${used.expiresAt} AS BIGINT),
      CAST(${used.successor} AS TEXT), (g.refreshes - 1) % ${maxUsedRefreshTokens}
    FROM oauth_grants g WHERE g.id = ${used.id} AND g.refresh_hash = ${successorHash}
    ON CONFLICT (grant_id, slot) DO UPDATE SET hash = excluded.hash, used_at = excluded.used_at,
      expires_at = excluded.expires_at, successor = excluded.successor`
}

export async function findUsedRefreshToken(
  sql: Sql,
  { id, hash }: ParsedToken,
): Promise<UsedRefreshTokenRecord | undefined> {
  return sql.get`
    SELECT u.grant_id AS id, u.hash, u.used_at, u.expires_at, u.successor
    FROM oauth_used_refresh_tokens u JOIN valid_grants g ON g.id = u.grant_id
    WHERE u.grant_id = ${id} AND u.hash = ${hash}`
}

/**
 * Whether it is the refresh token of the grant, or was it before. One statement, because a parallel refresh turns a
 * current token into a used one.
 */
export async function hasRefreshToken(sql: Sql, { id, hash }: ParsedToken): Promise<boolean> {
  const row = await sql.get`
    SELECT 1 AS one FROM oauth_grants WHERE id = ${id} AND refresh_hash = ${hash}
    UNION ALL
    SELECT 1 AS one FROM oauth_used_refresh_tokens WHERE grant_id = ${id} AND hash = ${hash}
    LIMIT 1`
  return row !== undefined
}

/** The scopes for which each application has tokens of the user, with the time of the last token issue. */
export function listIssuedScopes(
  sql: Sql,
  userId: string,
): Promise<{ applicationId: string; scope: string; issuedAt: number }[]> {
  return sql.all`
    SELECT application_id, scope, MAX(issued_at) AS issued_at FROM valid_grants g
    WHERE user_id = ${userId} AND issued_at IS NOT NULL
    GROUP BY application_id, scope ORDER BY application_id, scope`
}

/** The outer condition retains a grant whose tokens are refreshed while the statement runs. */
export async function sweepGrants(sql: Sql, now: number, limit: number): Promise<number> {
  return sql.run`
    DELETE FROM oauth_grants WHERE id IN
      (SELECT id FROM oauth_grants WHERE expires_at <= ${now} ORDER BY expires_at LIMIT ${limit})
      AND expires_at <= ${now}`
}

export async function sweepUsedRefreshTokens(sql: Sql, now: number, limit: number): Promise<number> {
  return sql.run`
    DELETE FROM oauth_used_refresh_tokens WHERE (grant_id, hash) IN
      (SELECT grant_id, hash FROM oauth_used_refresh_tokens WHERE expires_at <= ${now} ORDER BY expires_at
        LIMIT ${limit})`
}

/** The sealed token response is deleted when the grace period ends (sign-in/refresh-grace). */
export async function sweepSuccessors(sql: Sql, usedBefore: number, limit: number): Promise<number> {
  return sql.run`
    UPDATE oauth_used_refresh_tokens SET successor = NULL WHERE (grant_id, hash) IN
      (SELECT grant_id, hash FROM oauth_used_refresh_tokens
       WHERE successor IS NOT NULL AND used_at <= ${usedBefore} ORDER BY used_at LIMIT ${limit})`
}
