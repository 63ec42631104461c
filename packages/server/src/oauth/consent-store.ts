import { list, type Sql } from '../storage/database.ts'

export async function insertConsent(
  sql: Sql,
  consent: { userId: string; applicationId: string; scope: string; now: number },
): Promise<void> {
  await sql.run`
    INSERT INTO oauth_consents (user_id, application_id, scope, granted_at, last_used_at)
    VALUES (${consent.userId}, ${consent.applicationId}, ${consent.scope}, ${consent.now}, ${consent.now})
    ON CONFLICT (user_id, application_id, scope) DO UPDATE SET last_used_at = excluded.last_used_at`
}

/** Returns how many of `scopes` have a consent. Locks their rows until the transaction ends, so that they cannot be deleted. */
export async function touchConsents(
  sql: Sql,
  userId: string,
  applicationId: string,
  scopes: readonly string[],
  now: number,
): Promise<number> {
  return sql.run`
    UPDATE oauth_consents SET last_used_at = ${now}
    WHERE user_id = ${userId} AND application_id = ${applicationId} AND scope IN ${list(scopes)}`
}

export async function countConsents(
  sql: Sql,
  userId: string,
  applicationId: string,
  scopes: readonly string[],
): Promise<number> {
  const row = await sql.get<{ count: number }>`
    SELECT COUNT(*) AS count FROM oauth_consents
    WHERE user_id = ${userId} AND application_id = ${applicationId} AND scope IN ${list(scopes)}`
  return row?.count ?? 0
}

export interface ConsentRecord {
  applicationId: string
  scope: string
  grantedAt: number
  lastUsedAt: number
}

export async function listConsents(sql: Sql, userId: string): Promise<ConsentRecord[]> {
  return sql.all`
    SELECT application_id, scope, granted_at, last_used_at FROM oauth_consents
    WHERE user_id = ${userId} ORDER BY granted_at, application_id, scope`
}

export async function deleteConsentsOfUser(sql: Sql, userId: string): Promise<void> {
  await sql.run`DELETE FROM oauth_consents WHERE user_id = ${userId}`
}

export async function deleteConsentsOfScopes(
  sql: Sql,
  userId: string,
  applicationId: string,
  scopes: readonly string[],
): Promise<void> {
  await sql.run`
    DELETE FROM oauth_consents
    WHERE user_id = ${userId} AND application_id = ${applicationId} AND scope IN ${list(scopes)}`
}

export async function deleteConsents(sql: Sql, userId: string, applicationId: string): Promise<number> {
  return sql.run`DELETE FROM oauth_consents WHERE user_id = ${userId} AND application_id = ${applicationId}`
}
