import type { Sql } from '../../storage/database.ts'

/** False if the user already blocks them. */
export async function insertBlock(
  sql: Sql,
  { userId, blockedId, now }: { userId: string; blockedId: string; now: number },
): Promise<boolean> {
  const rows = await sql.run`
    INSERT INTO blocks (user_id, blocked_id, created_at) VALUES (${userId}, ${blockedId}, ${now})
    ON CONFLICT (user_id, blocked_id) DO NOTHING`
  return rows > 0
}

/** False if the user does not block them. */
export async function deleteBlock(sql: Sql, userId: string, blockedId: string): Promise<boolean> {
  return (await sql.run`DELETE FROM blocks WHERE user_id = ${userId} AND blocked_id = ${blockedId}`) > 0
}

export async function countBlocks(sql: Sql, userId: string): Promise<number> {
  const row = await sql.get<{ n: number }>`SELECT COUNT(*) AS n FROM blocks WHERE user_id = ${userId}`
  return row?.n ?? 0
}

/** Newest first. */
export function listBlocks(sql: Sql, userId: string) {
  return sql.all<{ blockedId: string; createdAt: number }>`
    SELECT blocked_id, created_at FROM blocks WHERE user_id = ${userId} ORDER BY created_at DESC, blocked_id`
}
