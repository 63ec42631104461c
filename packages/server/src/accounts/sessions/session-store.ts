import { fragment, list, type Sql } from '../../storage/database.ts'

/** Times are in milliseconds. */
export interface SessionRecord {
  id: string
  userId: string
  createdAt: number
  lastUsedAt: number
  expiresAt: number
  authTime: number
  /** Authentication methods (RFC 8176). */
  amr: string[]
  ip: string
  userAgent: string
}

type SessionRow = Omit<SessionRecord, 'amr'> & { amr: string }

function toSession(row: SessionRow): SessionRecord {
  return { ...row, amr: JSON.parse(row.amr) }
}

export async function insertSession(sql: Sql, session: SessionRecord, secretHash: string): Promise<void> {
  const { id, userId, createdAt, lastUsedAt, expiresAt, authTime, ip, userAgent } = session
  const amr = JSON.stringify(session.amr)
  await sql.run`
    INSERT INTO sessions
      (id, user_id, secret_hash, created_at, last_used_at, expires_at, auth_time, amr, ip, user_agent)
    VALUES
      (${id}, ${userId}, ${secretHash}, ${createdAt}, ${lastUsedAt}, ${expiresAt}, ${authTime}, ${amr}, ${ip},
       ${userAgent})`
}

// The view `valid_sessions` has the sessions of users who are not disabled (administration/disable).

/** Runs for every request with a session cookie, so it reads only the columns that authentication needs. */
export function findSessionBySecret(sql: Sql, secretHash: string) {
  return sql.get<Pick<SessionRecord, 'id' | 'userId' | 'lastUsedAt' | 'expiresAt' | 'authTime'>>`
    SELECT id, user_id, last_used_at, expires_at, auth_time FROM valid_sessions WHERE secret_hash = ${secretHash}`
}

const columns = fragment`id, user_id, created_at, last_used_at, expires_at, auth_time, amr, ip, user_agent`

/** Also returns an expired session. */
export async function findSession(sql: Sql, id: string): Promise<SessionRecord | undefined> {
  const row = await sql.get<SessionRow>`
    SELECT ${columns} FROM valid_sessions WHERE id = ${id}`
  return row && toSession(row)
}

/** Like `findSession`. The row does not change before the transaction ends. */
export async function holdSession(sql: Sql, id: string): Promise<SessionRecord | undefined> {
  const row = await sql.get<SessionRow>`
    SELECT ${columns} FROM valid_sessions WHERE id = ${id} FOR SHARE`
  return row && toSession(row)
}

/** Of these sessions, those that exist and are of a user who is not disabled, also expired ones. */
export async function listExistingIds(sql: Sql, ids: readonly string[]): Promise<string[]> {
  const rows = await sql.all<{ id: string }>`SELECT id FROM valid_sessions WHERE id IN ${list(ids)}`
  return rows.map(row => row.id)
}

/** Also of a disabled user. */
export async function listIds(sql: Sql, userId: string): Promise<string[]> {
  const rows = await sql.all<{ id: string }>`SELECT id FROM sessions WHERE user_id = ${userId}`
  return rows.map(row => row.id)
}

/** Sessions that have not expired, also of a disabled user, in the order of creation. */
export async function listSessions(sql: Sql, userId: string, now: number): Promise<SessionRecord[]> {
  const rows = await sql.all<SessionRow>`
    SELECT ${columns} FROM sessions WHERE user_id = ${userId} AND expires_at > ${now} ORDER BY created_at, id`
  return rows.map(toSession)
}

export async function updateLastUsed(
  sql: Sql,
  id: string,
  session: Pick<SessionRecord, 'lastUsedAt' | 'expiresAt' | 'ip' | 'userAgent'>,
): Promise<void> {
  const { lastUsedAt, expiresAt, ip, userAgent } = session
  await sql.run`
    UPDATE sessions
    SET last_used_at = ${lastUsedAt}, expires_at = ${expiresAt}, ip = ${ip}, user_agent = ${userAgent}
    WHERE id = ${id} AND last_used_at < ${lastUsedAt}`
}

/** Returns the `authTime`, or undefined if the session does not exist or has another secret. */
export async function replaceSecret(
  sql: Sql,
  id: string,
  before: string,
  after: string,
): Promise<number | undefined> {
  const row = await sql.get<Pick<SessionRecord, 'authTime'>>`
    UPDATE sessions SET secret_hash = ${after} WHERE id = ${id} AND secret_hash = ${before} RETURNING auth_time`
  return row?.authTime
}

/**
 * Locks the row until the transaction ends. Returns false if the session does not exist or has another secret. SQLite
 * has no `SELECT … FOR UPDATE`, so this is an UPDATE.
 */
export async function lockSession(sql: Sql, id: string, secretHash: string): Promise<boolean> {
  const locked = await sql.run`
    UPDATE sessions SET last_used_at = last_used_at WHERE id = ${id} AND secret_hash = ${secretHash}`
  return locked === 1
}

export async function updateAuthTime(
  sql: Sql,
  id: string,
  session: Pick<SessionRecord, 'authTime' | 'lastUsedAt' | 'expiresAt' | 'amr'>,
): Promise<void> {
  const { authTime, lastUsedAt, expiresAt } = session
  await sql.run`
    UPDATE sessions
    SET auth_time = ${authTime}, last_used_at = ${lastUsedAt}, expires_at = ${expiresAt},
      amr = ${JSON.stringify(session.amr)}
    WHERE id = ${id}`
}

export async function updateAmr(sql: Sql, id: string, amr: readonly string[]): Promise<void> {
  await sql.run`UPDATE sessions SET amr = ${JSON.stringify(amr)} WHERE id = ${id}`
}

/** Returns false if the session does not exist. */
export async function deleteSession(sql: Sql, id: string): Promise<boolean> {
  return (await sql.run`DELETE FROM sessions WHERE id = ${id}`) > 0
}

/** Returns false if `userId` has no such session. */
export async function deleteSessionOfUser(sql: Sql, id: string, userId: string): Promise<boolean> {
  return (await sql.run`DELETE FROM sessions WHERE id = ${id} AND user_id = ${userId}`) > 0
}

/** Returns the ids of the deleted sessions. */
export async function deleteSessionsOfUser(sql: Sql, userId: string, exceptId: string): Promise<string[]> {
  const rows = await sql.all<{ id: string }>`
    DELETE FROM sessions WHERE user_id = ${userId} AND id <> ${exceptId} RETURNING id`
  return rows.map(row => row.id)
}

/**
 * Of the sessions that have not expired, deletes all except the `keep` that were used most recently. Returns their ids.
 * SQLite requires a LIMIT before an OFFSET.
 */
export async function deleteLeastRecentlyUsed(
  sql: Sql,
  userId: string,
  { now, keep }: { now: number; keep: number },
): Promise<string[]> {
  const rows = await sql.all<{ id: string }>`
    DELETE FROM sessions WHERE id IN
      (SELECT id FROM sessions WHERE user_id = ${userId} AND expires_at > ${now}
       ORDER BY last_used_at DESC, id DESC LIMIT 1000000 OFFSET ${keep})
    RETURNING id`
  return rows.map(row => row.id)
}

/** The outer condition retains a session that is used while the statement runs. */
export function deleteExpiredSessions(sql: Sql, now: number, limit: number): Promise<number> {
  return sql.run`
    DELETE FROM sessions
    WHERE id IN (SELECT id FROM sessions WHERE expires_at <= ${now} ORDER BY expires_at LIMIT ${limit})
      AND expires_at <= ${now}`
}
