import { list, type Sql } from '../storage/database.ts'

export async function insertConsent(
  sql: Sql,
  consent: { userId: string; applicationId: string; scope: string; now: number },
): Promise<void> {
  await sql.run`
    INSERT INTO oauth_consents (user_id, application_id, scope, granted_at, last_used_at, revocation)
    VALUES (${consent.userId}, ${consent.applicationId}, ${consent.scope}, ${consent.now}, ${consent.now},
      COALESCE((SELECT r.id FROM grant_revocations r WHERE r.user_id = ${consent.userId}
      AND r.application_id = ''), ''))
    ON CONFLICT (user_id, application_id, scope) DO UPDATE SET last_used_at = excluded.last_used_at,
      revocation = excluded.revocation, granted_at = COALESCE(
        (SELECT v.granted_at FROM valid_consents v WHERE v.user_id = oauth_consents.user_id
           AND v.application_id = oauth_consents.application_id AND v.scope = oauth_consents.scope),
        excluded.granted_at)`
}

/**
 * Returns how many of `scopes` have a consent. Locks their rows until the transaction ends, so that they cannot be
 * deleted.
 */
export async function touchConsents(
  sql: Sql,
  userId: string,
  applicationId: string,
  scopes: readonly string[],
  now: number,
): Promise<number> {
  return sql.run`
    UPDATE oauth_consents SET last_used_at = ${now}
    WHERE user_id = ${userId} AND application_id = ${applicationId} AND scope IN ${list(scopes)}
      AND EXISTS (SELECT 1 FROM valid_consents v WHERE v.user_id = oauth_consents.user_id
        AND v.application_id = oauth_consents.application_id AND v.scope = oauth_consents.scope)`
}

export async function countConsents(
  sql: Sql,
  userId: string,
  applicationId: string,
  scopes: readonly string[],
): Promise<number> {
  const row = await sql.get<{ count: number }>`
    SELECT COUNT(*) AS count FROM valid_consents
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
    SELECT application_id, scope, granted_at, last_used_at FROM valid_consents
    WHERE user_id = ${userId} ORDER BY granted_at, application_id, scope`
}

/** Deletes up to `limit` consents that `revokeGrantsAndConsents` revoked, and returns their number. */
export function deleteRevokedConsents(
  sql: Sql,
  { userId, consentsId }: { userId: string; consentsId: string },
  limit: number,
): Promise<number> {
  return sql.run`
    DELETE FROM oauth_consents WHERE (user_id, application_id, scope) IN
      (SELECT c.user_id, c.application_id, c.scope FROM oauth_consents c
       WHERE c.user_id = ${userId} AND c.revocation < ${consentsId} LIMIT ${limit})`
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
