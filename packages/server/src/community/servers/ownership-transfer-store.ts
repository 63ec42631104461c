import { fragment, type Sql } from '../../storage/database.ts'
import type { ServerRecord } from '../permissions/index.ts'

/** The offer of a server to a member. */
export interface TransferRecord {
  serverId: string
  ownerId: string
  userId: string
  createdAt: number
}

/** Replaces the offer of the server. */
export async function putTransfer(sql: Sql, transfer: TransferRecord): Promise<void> {
  const { serverId, ownerId, userId, createdAt } = transfer
  await sql.run`
    INSERT INTO ownership_transfers (server_id, owner_id, user_id, created_at)
    VALUES (${serverId}, ${ownerId}, ${userId}, ${createdAt})
    ON CONFLICT (server_id)
      DO UPDATE SET owner_id = excluded.owner_id, user_id = excluded.user_id, created_at = excluded.created_at`
}

/** Those that the user has made or received since the time, by server id. */
export function listTransfers(sql: Sql, userId: string, createdAfter: number) {
  return sql.all<TransferRecord & Pick<ServerRecord, 'name' | 'icon'>>`
    SELECT t.server_id, t.owner_id, t.user_id, t.created_at, s.name, s.icon
    FROM ownership_transfers t
    JOIN servers s ON s.id = t.server_id AND s.owner_id = t.owner_id AND s.deleted_at IS NULL
    WHERE (t.owner_id = ${userId} OR t.user_id = ${userId}) AND t.created_at > ${createdAfter}
    ORDER BY t.server_id`
}

const columns = fragment`server_id, owner_id, user_id, created_at`

export function findTransfer(sql: Sql, serverId: string) {
  return sql.get<TransferRecord>`
    SELECT ${columns} FROM ownership_transfers WHERE server_id = ${serverId}`
}

/**
 * Returns the offer that the user has made or received; undefined if there is none. An offer has no effect while the
 * server is disabled, and when it has another owner.
 */
export function deleteTransfer(sql: Sql, serverId: string, userId: string) {
  return sql.get<TransferRecord>`
    DELETE FROM ownership_transfers WHERE server_id = ${serverId} AND (owner_id = ${userId} OR user_id = ${userId})
      AND owner_id = (SELECT s.owner_id FROM servers s WHERE s.id = ${serverId} AND s.deleted_at IS NULL)
    RETURNING ${columns}`
}

/** Returns the offer; undefined if there is none. */
export function deleteTransferOfServer(sql: Sql, serverId: string) {
  return sql.get<TransferRecord>`
    DELETE FROM ownership_transfers WHERE server_id = ${serverId}
    RETURNING ${columns}`
}

/** False if the server has another owner or is deleted. */
export async function setOwner(
  sql: Sql,
  { serverId, ownerId, userId }: Omit<TransferRecord, 'createdAt'>,
): Promise<boolean> {
  const rows = await sql.run`
    UPDATE servers SET owner_id = ${userId}
    WHERE id = ${serverId} AND owner_id = ${ownerId} AND deleted_at IS NULL`
  return rows > 0
}
