import type { Sql } from '../../storage/database.ts'

export interface MessageDeletion {
  id: string
  serverId: string
  authorIds: ReadonlySet<string>
  since: number
}

export async function insertDeletion(
  sql: Sql,
  { id, serverId, authorIds, since }: MessageDeletion,
  dueAt: number,
): Promise<void> {
  await sql.run`
    INSERT INTO message_deletions (id, server_id, author_ids, since, due_at)
    VALUES (${id}, ${serverId}, ${JSON.stringify([...authorIds])}, ${since}, ${dueAt})`
}

/** One that is due, for this node until `dueAt`. Of several nodes, one gets it. */
export async function claimDeletion(
  sql: Sql,
  { now, dueAt }: { now: number; dueAt: number },
): Promise<MessageDeletion | undefined> {
  const row = await sql.get<Omit<MessageDeletion, 'authorIds'> & { authorIds: string }>`
    UPDATE message_deletions SET due_at = ${dueAt}
    WHERE due_at <= ${now}
      AND id IN (SELECT d.id FROM message_deletions d WHERE d.due_at <= ${now} ORDER BY d.due_at LIMIT 1)
    RETURNING id, server_id, author_ids, since`
  return row && { ...row, authorIds: new Set<string>(JSON.parse(row.authorIds)) }
}

/** Any node may continue it. */
export async function releaseDeletion(sql: Sql, id: string, now: number): Promise<void> {
  await sql.run`UPDATE message_deletions SET due_at = ${now} WHERE id = ${id}`
}

export async function deleteDeletion(sql: Sql, id: string): Promise<void> {
  await sql.run`DELETE FROM message_deletions WHERE id = ${id}`
}
