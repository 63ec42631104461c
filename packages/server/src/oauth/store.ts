import type { Sql } from '../storage/database.ts'

/** An authorization code that was not used yet. `hash` is of hashSecret, times are milliseconds. */
export interface CodeRecord {
  hash: string
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
  /** In which it was given; it ends with it. */
  sessionId: string | null
  expiresAt: number
}

interface CodeRow {
  hash: string
  application_id: string
  user_id: string
  scope: string
  redirect_uri: string
  redirect_uri_sent: number
  code_challenge: string | null
  nonce: string | null
  auth_time: number
  amr: string
  session_id: string | null
  expires_at: number
}

export async function insertCode(sql: Sql, code: CodeRecord): Promise<void> {
  await sql.run`
    INSERT INTO oauth_codes (hash, application_id, user_id, scope, redirect_uri, redirect_uri_sent, code_challenge,
      nonce, auth_time, amr, session_id, expires_at)
    VALUES (${code.hash}, ${code.applicationId}, ${code.userId}, ${code.scope}, ${code.redirectUri},
      ${code.redirectUriSent ? 1 : 0}, ${code.codeChallenge}, ${code.nonce}, ${code.authTime},
      ${JSON.stringify(code.amr)}, ${code.sessionId}, ${code.expiresAt})`
}

export async function findCode(sql: Sql, hash: string): Promise<CodeRecord | undefined> {
  const row = await sql.get<CodeRow>`
    SELECT hash, application_id, user_id, scope, redirect_uri, redirect_uri_sent, code_challenge, nonce, auth_time,
      amr, session_id, expires_at
    FROM oauth_codes WHERE hash = ${hash}`
  return (
    row && {
      hash: row.hash,
      applicationId: row.application_id,
      userId: row.user_id,
      scope: row.scope,
      redirectUri: row.redirect_uri,
      redirectUriSent: row.redirect_uri_sent === 1,
      codeChallenge: row.code_challenge,
      nonce: row.nonce,
      authTime: row.auth_time,
      amr: JSON.parse(row.amr),
      sessionId: row.session_id,
      expiresAt: row.expires_at,
    }
  )
}

/** True for the one who uses the code: all others find nothing. */
export async function consumeCode(sql: Sql, hash: string, now: number): Promise<boolean> {
  const row =
    await sql.get`DELETE FROM oauth_codes WHERE hash = ${hash} AND expires_at > ${now} RETURNING hash`
  return row !== undefined
}

export async function deleteCodesOfUser(sql: Sql, userId: string): Promise<void> {
  await sql.run`DELETE FROM oauth_codes WHERE user_id = ${userId}`
}

export async function deleteCodesOfApplication(sql: Sql, applicationId: string): Promise<void> {
  await sql.run`DELETE FROM oauth_codes WHERE application_id = ${applicationId}`
}

/** A family of tokens: the pair that holds now. */
export interface GrantRecord {
  id: string
  applicationId: string
  userId: string
  /** All that was granted, space separated. */
  scope: string
  authTime: number
  /** RFC 8176. */
  amr: string[]
  /** The session of the sign-in, which may have ended. */
  sid: string | null
  accessScope: string
  issuedAt: number
  expiresAt: number
}

interface GrantRow {
  id: string
  application_id: string
  user_id: string
  scope: string
  auth_time: number
  amr: string
  sid: string | null
  access_scope: string
  issued_at: number
  expires_at: number
}

function grantOf(row: GrantRow): GrantRecord {
  return {
    id: row.id,
    applicationId: row.application_id,
    userId: row.user_id,
    scope: row.scope,
    authTime: row.auth_time,
    amr: JSON.parse(row.amr),
    sid: row.sid,
    accessScope: row.access_scope,
    issuedAt: row.issued_at,
    expiresAt: row.expires_at,
  }
}

/** The hashes and times of a pair of tokens. */
export interface PairRecord {
  accessHash: string
  accessScope: string
  accessExpiresAt: number
  refreshHash: string
  issuedAt: number
  expiresAt: number
}

export async function insertGrant(
  sql: Sql,
  grant: {
    id: string
    applicationId: string
    userId: string
    codeHash: string
    scope: string
    authTime: number
    amr: string[]
    sid?: string | null
  },
  pair: PairRecord,
): Promise<void> {
  await sql.run`
    INSERT INTO oauth_grants (id, application_id, user_id, code_hash, scope, auth_time, amr, sid, access_hash,
      access_scope, access_expires_at, refresh_hash, issued_at, expires_at)
    VALUES (${grant.id}, ${grant.applicationId}, ${grant.userId}, ${grant.codeHash}, ${grant.scope},
      ${grant.authTime}, ${JSON.stringify(grant.amr)}, ${grant.sid ?? null}, ${pair.accessHash},
      ${pair.accessScope}, ${pair.accessExpiresAt}, ${pair.refreshHash}, ${pair.issuedAt}, ${pair.expiresAt})`
}

export async function findGrantByRefreshToken(sql: Sql, hash: string): Promise<GrantRecord | undefined> {
  const row = await sql.get<GrantRow>`
    SELECT id, application_id, user_id, scope, auth_time, amr, sid, access_scope, issued_at, expires_at
    FROM oauth_grants WHERE refresh_hash = ${hash}`
  return row && grantOf(row)
}

/** Puts `pair` in the place of the one whose refresh token is `hash`: true for the one who uses that token. */
export async function rotateGrant(sql: Sql, hash: string, now: number, pair: PairRecord): Promise<boolean> {
  const row = await sql.get`
    UPDATE oauth_grants SET access_hash = ${pair.accessHash}, access_scope = ${pair.accessScope},
      access_expires_at = ${pair.accessExpiresAt}, refresh_hash = ${pair.refreshHash}, issued_at = ${pair.issuedAt},
      expires_at = ${pair.expiresAt}
    WHERE refresh_hash = ${hash} AND expires_at > ${now} RETURNING id`
  return row !== undefined
}

export async function deleteGrant(sql: Sql, id: string): Promise<void> {
  await sql.run`DELETE FROM oauth_grants WHERE id = ${id}`
}

export async function deleteGrantByCode(sql: Sql, codeHash: string, applicationId: string): Promise<void> {
  await sql.run`DELETE FROM oauth_grants WHERE code_hash = ${codeHash} AND application_id = ${applicationId}`
}

export async function deleteGrantByRefreshToken(sql: Sql, hash: string): Promise<boolean> {
  return (await sql.run`DELETE FROM oauth_grants WHERE refresh_hash = ${hash}`) > 0
}

export async function deleteGrantsOfUser(sql: Sql, userId: string): Promise<void> {
  await sql.run`DELETE FROM oauth_grants WHERE user_id = ${userId}`
}

export async function deleteGrantsOfApplication(sql: Sql, applicationId: string): Promise<void> {
  await sql.run`DELETE FROM oauth_grants WHERE application_id = ${applicationId}`
}

/** What a bearer needs: on the way of every request of an application, so one row by its key. */
export async function findAccess(
  sql: Sql,
  hash: string,
  now: number,
): Promise<
  { userId: string; applicationId: string; scope: string; issuedAt: number; expiresAt: number } | undefined
> {
  const row = await sql.get<{
    user_id: string
    application_id: string
    access_scope: string
    issued_at: number
    access_expires_at: number
  }>`
    SELECT user_id, application_id, access_scope, issued_at, access_expires_at
    FROM oauth_grants WHERE access_hash = ${hash} AND access_expires_at > ${now}`
  return (
    row && {
      userId: row.user_id,
      applicationId: row.application_id,
      scope: row.access_scope,
      issuedAt: row.issued_at,
      expiresAt: row.access_expires_at,
    }
  )
}

export async function revokeAccess(sql: Sql, hash: string): Promise<void> {
  await sql.run`UPDATE oauth_grants SET access_hash = NULL WHERE access_hash = ${hash}`
}

/** A refresh token that was used, and the family that it was of. */
export interface UsedRecord {
  hash: string
  grantId: string
  usedAt: number
  expiresAt: number
  /** Sealed. */
  successor: string | null
}

export async function insertUsed(sql: Sql, used: UsedRecord): Promise<void> {
  await sql.run`
    INSERT INTO oauth_used_refresh_tokens (hash, grant_id, used_at, expires_at, successor)
    VALUES (${used.hash}, ${used.grantId}, ${used.usedAt}, ${used.expiresAt}, ${used.successor})`
}

export async function findUsed(
  sql: Sql,
  hash: string,
): Promise<(UsedRecord & { applicationId: string }) | undefined> {
  const row = await sql.get<{
    hash: string
    grant_id: string
    used_at: number
    expires_at: number
    successor: string | null
    application_id: string
  }>`
    SELECT u.hash, u.grant_id, u.used_at, u.expires_at, u.successor, g.application_id
    FROM oauth_used_refresh_tokens u JOIN oauth_grants g ON g.id = u.grant_id WHERE u.hash = ${hash}`
  return (
    row && {
      hash: row.hash,
      grantId: row.grant_id,
      usedAt: row.used_at,
      expiresAt: row.expires_at,
      successor: row.successor,
      applicationId: row.application_id,
    }
  )
}

/** When each application last got tokens for the person. */
export async function lastIssues(sql: Sql, userId: string): Promise<Map<string, number>> {
  const rows = await sql.all<{ application_id: string; issued_at: number }>`
    SELECT application_id, MAX(issued_at) AS issued_at FROM oauth_grants
    WHERE user_id = ${userId} GROUP BY application_id`
  return new Map(rows.map(row => [row.application_id, row.issued_at]))
}

/** Codes before tokens, in the order in which they come about, so that nothing slips through between. */
export async function deleteTokensOf(sql: Sql, userId: string, applicationId: string): Promise<number> {
  await sql.run`DELETE FROM oauth_codes WHERE user_id = ${userId} AND application_id = ${applicationId}`
  return sql.run`DELETE FROM oauth_grants WHERE user_id = ${userId} AND application_id = ${applicationId}`
}

// Small batches: a sweep must not hold up those who are being served.

export async function sweepCodes(sql: Sql, now: number, limit: number): Promise<number> {
  return sql.run`
    DELETE FROM oauth_codes WHERE hash IN
      (SELECT hash FROM oauth_codes WHERE expires_at <= ${now} ORDER BY expires_at LIMIT ${limit})`
}

export async function sweepGrants(sql: Sql, now: number, limit: number): Promise<number> {
  return sql.run`
    DELETE FROM oauth_grants WHERE id IN
      (SELECT id FROM oauth_grants WHERE expires_at <= ${now} ORDER BY expires_at LIMIT ${limit})`
}

export async function sweepUsed(sql: Sql, now: number, limit: number): Promise<number> {
  return sql.run`
    DELETE FROM oauth_used_refresh_tokens WHERE hash IN
      (SELECT hash FROM oauth_used_refresh_tokens WHERE expires_at <= ${now} ORDER BY expires_at LIMIT ${limit})`
}

/** D72: the sealed successor is kept for the grace time only. */
export async function sweepSuccessors(sql: Sql, usedBefore: number, limit: number): Promise<number> {
  return sql.run`
    UPDATE oauth_used_refresh_tokens SET successor = NULL WHERE hash IN
      (SELECT hash FROM oauth_used_refresh_tokens
       WHERE successor IS NOT NULL AND used_at <= ${usedBefore} ORDER BY used_at LIMIT ${limit})`
}
