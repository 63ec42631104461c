import { list, type Sql } from '../storage/database.ts'

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
 * Revokes all grants, also codes that are not exchanged, with one row that every read of a grant checks
 * (limits/deletion). They are deleted later, by `deleteRevokedGrants`. The stored id exceeds that of every revocation
 * that a grant may have seen (`revocation` of `insertCode`), also if the clock of this node is behind.
 */
export async function revokeGrants(
  sql: Sql,
  { userId = '', applicationId = '' }: Partial<GrantOwners>,
  id: string,
): Promise<void> {
  await sql.run`
    INSERT INTO grant_revocations (user_id, application_id, id)
    SELECT CAST(${userId} AS TEXT), CAST(${applicationId} AS TEXT),
      CASE WHEN CAST(${id} AS TEXT) > last.id THEN CAST(${id} AS TEXT) ELSE last.id || '0' END
    FROM
      (SELECT COALESCE((SELECT r.id FROM grant_revocations r WHERE r.id > '' ORDER BY r.id DESC LIMIT 1), '') AS id
      ) AS last
    WHERE true
    ON CONFLICT (user_id, application_id) DO UPDATE SET id =
      CASE WHEN excluded.id > grant_revocations.id THEN excluded.id ELSE grant_revocations.id || '0' END`
}

/** The same for each of the applications: the grants of the user, or those of all users if `userId` is ''. */
export async function revokeGrantsOfApplications(
  sql: Sql,
  applicationIds: readonly string[],
  userId: string,
  id: string,
): Promise<void> {
  await sql.run`
    INSERT INTO grant_revocations (user_id, application_id, id)
    SELECT CAST(${userId} AS TEXT), a.id,
      CASE WHEN CAST(${id} AS TEXT) > last.id THEN CAST(${id} AS TEXT) ELSE last.id || '0' END
    FROM applications a CROSS JOIN
      (SELECT COALESCE((SELECT r.id FROM grant_revocations r WHERE r.id > '' ORDER BY r.id DESC LIMIT 1), '') AS id
      ) AS last
    WHERE a.id IN ${list(applicationIds)} ORDER BY a.id
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
        (SELECT g.id FROM oauth_grants g WHERE g.application_id = ${applicationId} AND g.revocation < ${id}
          LIMIT ${limit})`
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
