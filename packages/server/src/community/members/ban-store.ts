import { fragment, type Sql } from '../../storage/database.ts'

export interface BanRecord {
  serverId: string
  userId: string
  reason: string | null
  /** Null, with `createdAt`, for a ban of a version before 0.4.0. */
  moderatorId: string | null
  createdAt: number | null
}

/** True if the user was not banned yet; otherwise only replaces the reason. */
export async function putBan(
  sql: Sql,
  { serverId, userId, reason, moderatorId, createdAt }: BanRecord,
): Promise<boolean> {
  const inserted = await sql.run`
    INSERT INTO bans (server_id, user_id, reason, moderator_id, created_at)
    VALUES (${serverId}, ${userId}, ${reason}, ${moderatorId}, ${createdAt})
    ON CONFLICT (server_id, user_id) DO NOTHING`
  if (inserted > 0) return true
  await sql.run`UPDATE bans SET reason = ${reason} WHERE server_id = ${serverId} AND user_id = ${userId}`
  return false
}

/** False if the user is not banned. */
export async function deleteBan(sql: Sql, serverId: string, userId: string): Promise<boolean> {
  return (await sql.run`DELETE FROM bans WHERE server_id = ${serverId} AND user_id = ${userId}`) > 0
}

const columns = fragment`server_id, user_id, reason, moderator_id, created_at`

export function findBan(sql: Sql, serverId: string, userId: string) {
  return sql.get<BanRecord>`
    SELECT ${columns} FROM bans
    WHERE server_id = ${serverId} AND user_id = ${userId}`
}

interface Page {
  after: string
  before: string
  limit: number
}

/** The first bans between `after` and `before`, by user id. */
export function listBans(sql: Sql, serverId: string, { after, before, limit }: Page) {
  return sql.all<BanRecord>`
    SELECT ${columns} FROM bans
    WHERE (server_id, user_id) > ((SELECT ${serverId}), ${after})
      AND (server_id, user_id) < ((SELECT ${serverId}), ${before})
    ORDER BY server_id, user_id LIMIT ${limit}`
}

/** The last bans before `before`, by user id. */
export async function listBansBefore(
  sql: Sql,
  serverId: string,
  { before, limit }: Omit<Page, 'after'>,
): Promise<BanRecord[]> {
  const rows = await sql.all<BanRecord>`
    SELECT ${columns} FROM bans
    WHERE server_id >= (SELECT ${serverId}) AND (server_id, user_id) < ((SELECT ${serverId}), ${before})
    ORDER BY server_id DESC, user_id DESC LIMIT ${limit}`
  return rows.reverse()
}
