import type { SecurityEvent } from '@gatehouse/protocol/security-log'
import { maxSnowflake } from '../../kit/snowflake.ts'
import type { Sql } from '../../storage/database.ts'

export interface SecurityRecord {
  id: string
  userId: string
  kind: SecurityEvent
  applicationId: string | null
  targetName: string | null
  ip: string | null
  userAgent: string | null
  /** Milliseconds. */
  createdAt: number
}

export async function insertEntry(sql: Sql, entry: SecurityRecord): Promise<void> {
  await sql.run`
    INSERT INTO security_log (id, user_id, kind, application_id, target_name, ip, user_agent, created_at)
    VALUES (${entry.id}, ${entry.userId}, ${entry.kind}, ${entry.applicationId}, ${entry.targetName}, ${entry.ip},
      ${entry.userAgent}, ${entry.createdAt})`
}

/** Deletes the entries of the kind except the newest `keep`. */
export async function deleteOldEntries(
  sql: Sql,
  { userId, kind }: Pick<SecurityRecord, 'userId' | 'kind'>,
  keep: number,
): Promise<void> {
  await sql.run`
    DELETE FROM security_log
    WHERE (user_id, kind, id) > ((SELECT ${userId}), (SELECT ${kind}), '')
      AND (user_id, kind, id) <= ((SELECT ${userId}), (SELECT ${kind}),
      (SELECT l.id FROM security_log l
       WHERE (l.user_id, l.kind, l.id) > ((SELECT ${userId}), (SELECT ${kind}), '')
         AND (l.user_id, l.kind, l.id) < ((SELECT ${userId}), (SELECT ${kind}), ${maxSnowflake})
       ORDER BY l.user_id DESC, l.kind DESC, l.id DESC LIMIT 1 OFFSET ${keep}))`
}

/** Newest first. */
export function listEntries(
  sql: Sql,
  userId: string,
  { before, limit }: { before: string; limit: number },
): Promise<SecurityRecord[]> {
  return sql.all<SecurityRecord>`
    SELECT id, user_id, kind, application_id, target_name, ip, user_agent, created_at
    FROM security_log
    WHERE (user_id, id) > ((SELECT ${userId}), '') AND (user_id, id) < ((SELECT ${userId}), ${before})
    ORDER BY user_id DESC, id DESC LIMIT ${limit}`
}

/** Deletes up to `limit` entries from before `createdBefore`, and returns their number. */
export function deleteEntriesBefore(sql: Sql, createdBefore: number, limit: number): Promise<number> {
  return sql.run`
    DELETE FROM security_log WHERE id IN
      (SELECT l.id FROM security_log l WHERE l.created_at < ${createdBefore} ORDER BY l.created_at LIMIT ${limit})`
}
