import type { VerificationLevel } from '@gatehouse/protocol/servers'
import { list, type Sql } from '../../storage/database.ts'
import type { ServerRecord } from '../permissions/index.ts'

export async function insertServer(sql: Sql, server: ServerRecord, now: number): Promise<void> {
  await sql.run`
    INSERT INTO servers (id, name, icon, owner_id, created_at)
    VALUES (${server.id}, ${server.name}, ${server.icon}, ${server.ownerId}, ${now})`
}

/** Does not check that anybody is a member of the server. */
export async function findServer(sql: Sql, id: string): Promise<ServerRecord | undefined> {
  return sql.get`
    SELECT id, name, icon, owner_id, invites_paused, verification_level
    FROM servers WHERE id = ${id} AND deleted_at IS NULL`
}

/** The servers of a user or bot by id. */
export async function listServersOfUser(sql: Sql, userId: string): Promise<ServerRecord[]> {
  return sql.all`
    SELECT s.id, s.name, s.icon, s.owner_id, s.invites_paused, s.verification_level
    FROM members m JOIN servers s ON s.id = m.server_id
    WHERE m.user_id = ${userId} AND s.deleted_at IS NULL ORDER BY m.server_id`
}

export async function countServersOfUser(sql: Sql, userId: string): Promise<number> {
  const row = await sql.get<{ n: number }>`
    SELECT COUNT(*) AS n FROM members m JOIN servers s ON s.id = m.server_id
    WHERE m.user_id = ${userId} AND s.deleted_at IS NULL`
  return row?.n ?? 0
}

/** For each of the servers, the permissions of @everyone and of each role of the user, separated by commas. */
export function listRolePermissionsOfUser(sql: Sql, userId: string, serverIds: readonly string[]) {
  return sql.all<{ serverId: string; permissions: string }>`
    SELECT e.id AS server_id, e.permissions || COALESCE(
      (SELECT ',' || string_agg(r.permissions, ',') FROM member_roles mr JOIN roles r ON r.id = mr.role_id
       WHERE mr.server_id = e.id AND mr.user_id = ${userId} AND r.deleted_at IS NULL), '') AS permissions
    FROM roles e WHERE e.id IN ${list(serverIds)}`
}

export async function countOwnedServers(sql: Sql, ownerId: string): Promise<number> {
  const row = await sql.get<{ n: number }>`
    SELECT COUNT(*) AS n FROM servers WHERE owner_id = ${ownerId} AND deleted_at IS NULL`
  return row?.n ?? 0
}

export async function setName(sql: Sql, id: string, name: string): Promise<void> {
  await sql.run`UPDATE servers SET name = ${name} WHERE id = ${id}`
}

export async function setInvitesPaused(sql: Sql, id: string, paused: boolean): Promise<void> {
  await sql.run`UPDATE servers SET invites_paused = ${paused ? 1 : 0} WHERE id = ${id}`
}

export async function setVerificationLevel(sql: Sql, id: string, level: VerificationLevel): Promise<void> {
  await sql.run`UPDATE servers SET verification_level = ${level} WHERE id = ${id}`
}

export async function setIcon(sql: Sql, id: string, hash: string | null): Promise<void> {
  await sql.run`UPDATE servers SET icon = ${hash} WHERE id = ${id}`
}

/** From now on no read finds the server, nor anything of it (limits/deletion). False if it has another owner. */
export async function markDeleted(
  sql: Sql,
  { id, ownerId }: Pick<ServerRecord, 'id' | 'ownerId'>,
  now: number,
): Promise<boolean> {
  return (
    (await sql.run`UPDATE servers SET deleted_at = ${now} WHERE id = ${id} AND owner_id = ${ownerId}`) > 0
  )
}

/** A server that is not deleted. */
export type AnyServer = ServerRecord & {
  /** Null unless an administrator has disabled it. */
  disabledAt: number | null
}

/** Also a disabled server, which no other read finds. */
export async function findAnyServer(sql: Sql, id: string): Promise<AnyServer | undefined> {
  return sql.get<AnyServer>`
    SELECT id, name, icon, owner_id, invites_paused, -deleted_at AS disabled_at
    FROM servers WHERE id = ${id} AND COALESCE(deleted_at, -1) < 0`
}

/** Negative for a disabled server. */
export async function setDeletedAt(sql: Sql, id: string, time: number | null): Promise<void> {
  await sql.run`UPDATE servers SET deleted_at = ${time} WHERE id = ${id}`
}
