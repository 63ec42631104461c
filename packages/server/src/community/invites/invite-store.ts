import type { Sql } from '../../storage/database.ts'

export interface NewInvite {
  code: string
  serverId: string
  creatorId: string
  /** Null for no maximum. */
  maxUses: number | null
  createdAt: number
  expiresAt: number
}

export async function insertInvite(sql: Sql, invite: NewInvite): Promise<void> {
  await sql.run`
    INSERT INTO invites (code, server_id, creator_id, max_uses, uses, created_at, expires_at)
    VALUES (${invite.code}, ${invite.serverId}, ${invite.creatorId}, ${invite.maxUses}, 0, ${invite.createdAt},
      ${invite.expiresAt})`
}

/** Invites that have expired or have no use left do not count. */
export async function countInvites(sql: Sql, serverId: string, now: number): Promise<number> {
  const row = await sql.get<{ n: number }>`
    SELECT COUNT(*) AS n FROM invites
    WHERE server_id = ${serverId} AND expires_at > ${now} AND (max_uses IS NULL OR uses < max_uses)`
  return row?.n ?? 0
}

/**
 * Counts one use and returns the server's id. Undefined if the invite does not exist, has expired or has no use left.
 */
export async function countUse(sql: Sql, code: string, now: number): Promise<string | undefined> {
  const row = await sql.get<{ serverId: string }>`
    UPDATE invites SET uses = uses + 1
    WHERE code = ${code} AND expires_at > ${now} AND (max_uses IS NULL OR uses < max_uses)
    RETURNING server_id`
  return row?.serverId
}

export type InviteRecord = NewInvite & { uses: number }

/** The newest usable invites, newest last. */
export async function listInvites(
  sql: Sql,
  { serverId, now, limit }: { serverId: string; now: number; limit: number },
): Promise<InviteRecord[]> {
  const rows = await sql.all<InviteRecord>`
    SELECT code, server_id, creator_id, max_uses, uses, created_at, expires_at
    FROM invites
    WHERE server_id = ${serverId} AND expires_at > ${now} AND (max_uses IS NULL OR uses < max_uses)
    ORDER BY created_at DESC, code DESC LIMIT ${limit}`
  return rows.reverse()
}

/** Undefined if the invite does not exist or has expired. */
export function findInvite(sql: Sql, code: string, now: number) {
  return sql.get<InviteRecord>`
    SELECT code, server_id, creator_id, max_uses, uses, created_at, expires_at
    FROM invites WHERE code = ${code} AND expires_at > ${now}`
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
