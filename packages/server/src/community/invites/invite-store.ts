import type { Sql } from '../../storage/database.ts'

export interface NewInvite {
  code: string
  serverId: string
  creatorId: string
  /** Null for no maximum. */
  maxUses: number | null
  createdAt: number
  expiresAt: number
  /** That it was created for; null for none, and when it is deleted. */
  channelId: string | null
}

export async function insertInvite(sql: Sql, invite: NewInvite): Promise<void> {
  await sql.run`
    INSERT INTO invites (code, server_id, creator_id, max_uses, uses, created_at, expires_at, channel_id)
    VALUES (${invite.code}, ${invite.serverId}, ${invite.creatorId}, ${invite.maxUses}, 0, ${invite.createdAt},
      ${invite.expiresAt}, ${invite.channelId})`
}

/** Invites that have expired or have no use left do not count. */
export async function countInvites(sql: Sql, serverId: string, now: number): Promise<number> {
  const row = await sql.get<{ n: number }>`
    SELECT COUNT(*) AS n FROM invites
    WHERE server_id = ${serverId} AND expires_at > ${now} AND (max_uses IS NULL OR uses < max_uses)`
  return row?.n ?? 0
}

export type InviteRecord = NewInvite & { uses: number }

/** Counts one use. Undefined if the invite does not exist, has expired or has no use left. */
export function countUse(sql: Sql, code: string, now: number) {
  return sql.get<InviteRecord>`
    UPDATE invites SET uses = uses + 1
    WHERE code = ${code} AND expires_at > ${now} AND (max_uses IS NULL OR uses < max_uses)
    RETURNING code, server_id, creator_id, max_uses, uses, created_at, expires_at,
      (SELECT c.id FROM channels c WHERE c.id = invites.channel_id AND c.server_id = invites.server_id) AS channel_id`
}

/** The usable invites, newest last. */
export function listInvites(sql: Sql, serverId: string, now: number) {
  return sql.all<InviteRecord>`
    SELECT i.code, i.server_id, i.creator_id, i.max_uses, i.uses, i.created_at, i.expires_at, c.id AS channel_id
    FROM invites i LEFT JOIN channels c ON c.id = i.channel_id AND c.server_id = i.server_id
    WHERE i.server_id = ${serverId} AND i.expires_at > ${now} AND (i.max_uses IS NULL OR i.uses < i.max_uses)
    ORDER BY i.created_at, i.code`
}

/** Undefined if the invite does not exist or has expired. */
export function findInvite(sql: Sql, code: string, now: number) {
  return sql.get<InviteRecord>`
    SELECT i.code, i.server_id, i.creator_id, i.max_uses, i.uses, i.created_at, i.expires_at, c.id AS channel_id
    FROM invites i LEFT JOIN channels c ON c.id = i.channel_id AND c.server_id = i.server_id
    WHERE i.code = ${code} AND i.expires_at > ${now}`
}

export async function deleteInvite(sql: Sql, code: string): Promise<boolean> {
  return (await sql.run`DELETE FROM invites WHERE code = ${code}`) > 0
}

/** Deletes up to `limit` invites and returns their number. */
export function deleteExpiredInvites(sql: Sql, now: number, limit: number): Promise<number> {
  return sql.run`
    DELETE FROM invites
    WHERE code IN (SELECT code FROM invites WHERE expires_at <= ${now} ORDER BY expires_at LIMIT ${limit})`
}
