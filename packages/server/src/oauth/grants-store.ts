import { maxUsedRefreshTokens } from '@gatehouse/protocol/limits'
import type { ClientRecord } from '../applications/index.ts'
import type { ParsedToken } from '../kit/secret.ts'
import type { UserRecord } from '../platform/users/index.ts'
import type { BatchSql, Sql } from '../storage/database.ts'

// The table is defined in storage/migrations/0014-codes-as-grants.sql and 0018-lifetimes.sql. docs/decisions/tokens.md says why a code and
// its tokens share one row. Before the exchange of the code, `expires_at` is `codeExpiresAt`, after it `refreshExpiresAt`. `ends_at` is
// not used any more; it remains for nodes of an older version that run during an upgrade. The view `valid_grants` of
// 0027-grant-revocations.sql has the grants that are not revoked.

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
   * The session of the sign-in, in two columns: `session_id` is a foreign key that deletes an unused code with its session, and
   * becomes null at the exchange. `sid` has no foreign key, and remains.
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

type CodeRow = Omit<CodeRecord, 'redirectUriSent' | 'amr'> & { redirectUriSent: 0 | 1; amr: string }

function toCode(row: CodeRow): CodeRecord {
  return { ...row, redirectUriSent: row.redirectUriSent === 1, amr: JSON.parse(row.amr) }
}

/** A client, and a grant that may belong to another client: `CodeRecord` before the exchange of its code, `ExchangedGrantRecord` after it. */
interface ClientAnd<Grant> {
  client: ClientRecord
  grant: Grant | undefined
}

interface ClientAndGrantRow {
  clientId: string
  clientType: ClientRecord['type']
  secretHash: string | null
  backchannelLogoutUri: string | null
  /** The id of the grant. Null if there is none. */
  id: string | null
}

/** For speed, `toGrant` gets the whole row: copying it without the columns of the client takes longer than reading it. */
function toClientAnd<Row extends ClientAndGrantRow, Grant>(
  row: Row | undefined,
  toGrant: (row: Row & { id: string }) => Grant,
): ClientAnd<Grant> | undefined {
  if (row === undefined) return undefined
  const { clientId, clientType: type, secretHash, backchannelLogoutUri } = row
  const client = { id: clientId, type, secretHash, backchannelLogoutUri }
  return { client, grant: hasGrant(row) ? toGrant(row) : undefined }
}

function hasGrant<Row extends ClientAndGrantRow>(row: Row): row is Row & { id: string } {
  return row.id !== null
}

/** The client with the code, if it has not been exchanged, in one statement. Does not check the hash or `codeExpiresAt`. */
export async function findClientAndCode(
  sql: Pick<Sql, 'get'>,
  clientId: string,
  id: string,
): Promise<ClientAnd<CodeRecord> | undefined> {
  const row = await sql.get<Omit<CodeRow, 'id'> & ClientAndGrantRow>`
    SELECT a.id AS client_id, a.type AS client_type, a.secret_hash, a.backchannel_logout_uri,
      g.id, g.code_hash AS hash, g.application_id, g.user_id, g.scope, g.redirect_uri, g.redirect_uri_sent,
      g.code_challenge, g.nonce, g.auth_time, g.amr, g.sid AS session_id,
      g.expires_at AS code_expires_at
    FROM applications a LEFT JOIN valid_grants g ON g.id = ${id} AND g.refresh_hash IS NULL
    WHERE a.id = ${clientId} AND a.deleted_at IS NULL`
  return toClientAnd(row, toCode)
}

/** The client with the grant, if its code has been exchanged: `findClient` and `findExchangedGrant` in one statement. */
export async function findClientAndExchangedGrant(
  sql: Pick<Sql, 'get'>,
  clientId: string,
  id: string,
): Promise<ClientAnd<ExchangedGrantRecord> | undefined> {
  const row = await sql.get<Omit<GrantRow, 'id'> & ClientAndGrantRow>`
    SELECT a.id AS client_id, a.type AS client_type, a.secret_hash, a.backchannel_logout_uri,
      g.id, g.application_id, g.user_id, g.code_hash, g.scope, g.auth_time, g.amr, g.sid AS session_id, g.access_hash, g.refresh_hash,
      g.issued_at, g.expires_at AS refresh_expires_at, g.refreshes
    FROM applications a LEFT JOIN valid_grants g ON g.id = ${id} AND g.refresh_hash IS NOT NULL
    WHERE a.id = ${clientId} AND a.deleted_at IS NULL`
  return toClientAnd(row, toGrant)
}

/**
 * Adds the first token pair to the code's row. `code_hash` remains, to recognize a second use. Changes nothing and returns
 * false if the code has been used or has expired. (In a batch only `db.batch` returns the result: see `BatchSql`.) The expiry is checked
 * at `now`, because signing an ID token after `columns.issuedAt` takes time.
 */
export async function exchangeCode(
  sql: BatchSql,
  { id, hash }: ParsedToken,
  now: number,
  columns: TokenColumns,
): Promise<boolean> {
  const changed = await sql.run`
    UPDATE oauth_grants SET access_hash = ${columns.accessHash}, access_scope = ${columns.accessScope},
      access_expires_at = ${columns.accessExpiresAt}, refresh_hash = ${columns.refreshHash}, issued_at = ${columns.issuedAt},
      expires_at = ${columns.refreshExpiresAt}, session_id = NULL, redirect_uri = NULL, redirect_uri_sent = NULL,
      code_challenge = NULL, nonce = NULL
    WHERE id = ${id} AND code_hash = ${hash} AND refresh_hash IS NULL AND expires_at > ${now}
      AND EXISTS (SELECT 1 FROM valid_grants v WHERE v.id = oauth_grants.id)`
  return changed === 1
}

/**
 * Like `exchangeCode`, with all conditions of an exchange: also that the code is one of the client, the client's secret is
 * correct (`createClientAuthentication`), redirect URI and code_challenge are those of the authorization request
 * (`checkRedirectUri`, `checkCodeVerifier`), and no ID token is needed. A change of those rules must be made here too. The
 * access token gets the scope of the grant. Only `isChanged` of `db.readAndTryChange` says whether it took effect.
 */
export async function exchangeCodeWithAllChecks(
  sql: Pick<BatchSql, 'run'>,
  { id, hash }: ParsedToken,
  columns: Omit<TokenColumns, 'accessScope'>,
  sent: SentCredentials & { redirectUri: string | null; codeChallenge: string | null },
): Promise<unknown> {
  return sql.run`
    UPDATE oauth_grants SET access_hash = ${columns.accessHash}, access_scope = scope,
      access_expires_at = ${columns.accessExpiresAt}, refresh_hash = ${columns.refreshHash}, issued_at = ${columns.issuedAt},
      expires_at = ${columns.refreshExpiresAt}, session_id = NULL, redirect_uri = NULL, redirect_uri_sent = NULL,
      code_challenge = NULL, nonce = NULL
    WHERE id = ${id} AND code_hash = ${hash} AND refresh_hash IS NULL AND expires_at > ${columns.issuedAt}
      AND EXISTS (SELECT 1 FROM valid_grants v WHERE v.id = oauth_grants.id)
      AND (redirect_uri = ${sent.redirectUri} OR (CAST(${sent.redirectUri} AS TEXT) IS NULL AND redirect_uri_sent = 0))
      AND (code_challenge = ${sent.codeChallenge} OR (code_challenge IS NULL AND CAST(${sent.codeChallenge} AS TEXT) IS NULL))
      AND ' ' || scope || ' ' NOT LIKE '% openid %'
      AND application_id = (SELECT a.id FROM applications a WHERE a.id = ${sent.id} AND a.deleted_at IS NULL AND CASE a.type
        WHEN 'public' THEN CAST(${sent.secretHash} AS TEXT) IS NULL ELSE a.secret_hash = ${sent.secretHash} END)`
}

/** The id of a client, and the hash of the secret that it sent; null without one, which only a public client may send. */
interface SentCredentials {
  id: string
  secretHash: string | null
}

/** A grant after the exchange of its code, with its current token pair. */
export interface ExchangedGrantRecord {
  id: string
  applicationId: string
  userId: string
  codeHash: string
  /** All granted scopes, separated by spaces. The access token can have fewer. */
  scope: string
  authTime: number
  /** RFC 8176. */
  amr: string[]
  /** The session of the sign-in. It may have ended. Null for a grant from before migration 0010. */
  sessionId: string | null
  /** Null if only the access token is revoked. */
  accessHash: string | null
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

type GrantRow = Omit<ExchangedGrantRecord, 'amr'> & { amr: string }

function toGrant(row: GrantRow): ExchangedGrantRecord {
  return { ...row, amr: JSON.parse(row.amr) }
}

/** Undefined if the code of the grant has not been exchanged: see `findClientAndCode`. */
export async function findExchangedGrant(sql: Sql, id: string): Promise<ExchangedGrantRecord | undefined> {
  const row = await sql.get<GrantRow>`
    SELECT id, application_id, user_id, code_hash, scope, auth_time, amr, sid AS session_id, access_hash, refresh_hash,
      issued_at, expires_at AS refresh_expires_at, refreshes
    FROM valid_grants g WHERE id = ${id} AND refresh_hash IS NOT NULL`
  return row && toGrant(row)
}

/** Replaces the token pair. Returns false if the refresh token has been used or has expired. */
export async function rotateGrant(
  sql: BatchSql,
  { id, hash }: ParsedToken,
  columns: TokenColumns,
): Promise<boolean> {
  const rotated = await sql.run`
    UPDATE oauth_grants SET access_hash = ${columns.accessHash}, access_scope = ${columns.accessScope},
      access_expires_at = ${columns.accessExpiresAt}, refresh_hash = ${columns.refreshHash}, issued_at = ${columns.issuedAt},
      expires_at = ${columns.refreshExpiresAt}, refreshes = refreshes + 1
    WHERE id = ${id} AND refresh_hash = ${hash} AND expires_at > ${columns.issuedAt}
      AND EXISTS (SELECT 1 FROM valid_grants v WHERE v.id = oauth_grants.id)`
  return rotated === 1
}

/**
 * Like `rotateGrant`, with all conditions of a refresh: also that the token is one of the client, the client's secret is
 * correct, and no ID token is needed. The access token gets the scope of the grant.
 */
export async function rotateGrantWithAllChecks(
  sql: Pick<BatchSql, 'run'>,
  { id, hash }: ParsedToken,
  columns: Omit<TokenColumns, 'accessScope'>,
  sent: SentCredentials,
): Promise<unknown> {
  return sql.run`
    UPDATE oauth_grants SET access_hash = ${columns.accessHash}, access_scope = scope,
      access_expires_at = ${columns.accessExpiresAt}, refresh_hash = ${columns.refreshHash}, issued_at = ${columns.issuedAt},
      expires_at = ${columns.refreshExpiresAt}, refreshes = refreshes + 1
    WHERE id = ${id} AND refresh_hash = ${hash} AND expires_at > ${columns.issuedAt}
      AND EXISTS (SELECT 1 FROM valid_grants v WHERE v.id = oauth_grants.id)
      AND ' ' || scope || ' ' NOT LIKE '% openid %'
      AND application_id = (SELECT a.id FROM applications a WHERE a.id = ${sent.id} AND a.deleted_at IS NULL AND CASE a.type
        WHEN 'public' THEN CAST(${sent.secretHash} AS TEXT) IS NULL ELSE a.secret_hash = ${sent.secretHash} END)`
}

export async function deleteGrant(sql: Sql, id: string): Promise<void> {
  await sql.run`DELETE FROM oauth_grants WHERE id = ${id}`
}

/** The grants that a revocation is about: '' stands for all users, or for all applications. */
interface GrantOwners {
  userId: string
  applicationId: string
}

export interface GrantRevocation extends GrantOwners {
  id: string
  /** The id of the last one that is about the consents of the user too; '' for none. */
  consentsId: string
}

/**
 * Revokes all grants, also codes that are not exchanged, with one row that every read of a grant checks (limits/deletion). They are
 * deleted later, by `deleteRevokedGrants`. An `id` of another node may be lower than that of an earlier revocation.
 */
export async function revokeGrants(
  sql: Sql,
  { userId = '', applicationId = '' }: Partial<GrantOwners>,
  id: string,
): Promise<void> {
  await sql.run`
    INSERT INTO grant_revocations (user_id, application_id, id) VALUES (${userId}, ${applicationId}, ${id})
    ON CONFLICT (user_id, application_id) DO UPDATE SET id =
      CASE WHEN excluded.id > grant_revocations.id THEN excluded.id ELSE grant_revocations.id || '0' END`
}

/** All grants and consents of the user. */
export async function revokeGrantsAndConsents(sql: Sql, userId: string, id: string): Promise<void> {
  await revokeGrants(sql, { userId }, id)
  await sql.run`
    UPDATE grant_revocations SET consents_id = id WHERE user_id = ${userId} AND application_id = ''`
}

export function listGrantRevocations(sql: Sql): Promise<GrantRevocation[]> {
  return sql.all`SELECT user_id, application_id, id, consents_id FROM grant_revocations WHERE user_id >= ''`
}

/** Deletes up to `limit` grants and returns their number. */
export function deleteRevokedGrants(
  sql: Sql,
  { userId, applicationId, id }: GrantRevocation,
  limit: number,
): Promise<number> {
  if (userId === '') {
    return sql.run`
      DELETE FROM oauth_grants WHERE id IN
        (SELECT g.id FROM oauth_grants g WHERE g.application_id = ${applicationId} AND g.revocation < ${id} LIMIT ${limit})`
  }
  return sql.run`
    DELETE FROM oauth_grants WHERE id IN
      (SELECT g.id FROM oauth_grants g WHERE g.user_id = ${userId} AND g.revocation < ${id}
         AND (${applicationId} = '' OR g.application_id = ${applicationId}) LIMIT ${limit})`
}

/** Does nothing if there has been another revocation since. */
export async function deleteGrantRevocation(sql: Sql, { userId, applicationId, id }: GrantRevocation) {
  await sql.run`
    DELETE FROM grant_revocations WHERE user_id = ${userId} AND application_id = ${applicationId} AND id = ${id}`
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
    SELECT access_hash AS hash, user_id, application_id, access_scope AS scope, issued_at, access_expires_at AS expires_at
    FROM valid_grants g WHERE id = ${id} AND access_expires_at > ${now} AND access_hash IS NOT NULL`
}

type TokenOfUser = Pick<AccessTokenRecord, 'hash' | 'scope' | 'applicationId'>

/** The access token with its user, for userinfo: one row of each by its primary key. */
export async function findUserOfAccessToken(
  sql: Sql,
  id: string,
  now: number,
): Promise<(TokenOfUser & { user: UserRecord }) | undefined> {
  const row = await sql.get<
    TokenOfUser & Omit<UserRecord, 'emailVerified' | 'bot'> & { emailVerified: number; bot: number }
  >`
    SELECT g.access_hash AS hash, g.access_scope AS scope, g.application_id,
      u.id, u.username, u.display_name, u.email, u.email_verified, u.avatar, u.bot, u.created_at
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

/** Does nothing if the access token has been replaced. */
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

/** Overwrites the oldest of the grant if there are `maxUsedRefreshTokens`. `refreshes` is that of the grant before this refresh. */
export async function insertUsedRefreshToken(
  sql: BatchSql,
  used: UsedRefreshTokenRecord & Pick<ExchangedGrantRecord, 'refreshes'>,
): Promise<void> {
  await sql.run`
    INSERT INTO oauth_used_refresh_tokens (grant_id, hash, used_at, expires_at, successor, slot)
    VALUES (${used.id}, ${used.hash}, ${used.usedAt}, ${used.expiresAt}, ${used.successor},
      ${used.refreshes % maxUsedRefreshTokens})
    ON CONFLICT (grant_id, slot) DO UPDATE SET hash = excluded.hash, used_at = excluded.used_at,
      expires_at = excluded.expires_at, successor = excluded.successor`
}

/** Like `insertUsedRefreshToken`, in the statement that rotates the grant: it expires with the token that was replaced. */
export async function insertReplacedRefreshToken(
  sql: Pick<BatchSql, 'run'>,
  used: Omit<UsedRefreshTokenRecord, 'expiresAt'>,
): Promise<unknown> {
  return sql.run`
    INSERT INTO oauth_used_refresh_tokens (grant_id, hash, used_at, expires_at, successor, slot)
    VALUES (${used.id}, ${used.hash}, ${used.usedAt}, (SELECT g.expires_at FROM oauth_grants g WHERE g.id = ${used.id}),
      ${used.successor}, (SELECT g.refreshes % ${maxUsedRefreshTokens} FROM oauth_grants g WHERE g.id = ${used.id}))
    ON CONFLICT (grant_id, slot) DO UPDATE SET hash = excluded.hash, used_at = excluded.used_at,
      expires_at = excluded.expires_at, successor = excluded.successor`
}

export async function findUsedRefreshToken(
  sql: Sql,
  { id, hash }: ParsedToken,
): Promise<(UsedRefreshTokenRecord & { applicationId: string; scope: string }) | undefined> {
  return sql.get`
    SELECT u.grant_id AS id, u.hash, u.used_at, u.expires_at, u.successor, g.application_id, g.scope
    FROM oauth_used_refresh_tokens u JOIN valid_grants g ON g.id = u.grant_id
    WHERE u.grant_id = ${id} AND u.hash = ${hash}`
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
      (SELECT grant_id, hash FROM oauth_used_refresh_tokens WHERE expires_at <= ${now} ORDER BY expires_at LIMIT ${limit})`
}

/** The sealed token response is deleted when the grace period ends (sign-in/refresh-grace). */
export async function sweepSuccessors(sql: Sql, usedBefore: number, limit: number): Promise<number> {
  return sql.run`
    UPDATE oauth_used_refresh_tokens SET successor = NULL WHERE (grant_id, hash) IN
      (SELECT grant_id, hash FROM oauth_used_refresh_tokens
       WHERE successor IS NOT NULL AND used_at <= ${usedBefore} ORDER BY used_at LIMIT ${limit})`
}
