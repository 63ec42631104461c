import { fragment, list, type Sql } from '../../storage/database.ts'

export interface RoleRecord {
  id: string
  serverId: string
  name: string
  permissions: bigint
  color: number
  position: number
  /** The bot of a managed role, otherwise null. */
  botId: string | null
}

type RoleRow = Omit<RoleRecord, 'permissions'> & { permissions: string }

function toRoleRecord(row: RoleRow): RoleRecord {
  return { ...row, permissions: BigInt(row.permissions) }
}

export async function insertRole(sql: Sql, role: RoleRecord): Promise<void> {
  await sql.run`
    INSERT INTO roles (id, server_id, name, permissions, color, position, bot_id)
    VALUES (${role.id}, ${role.serverId}, ${role.name}, ${role.permissions.toString()}, ${role.color}, ${role.position},
      ${role.botId})`
}

export async function countRoles(sql: Sql, serverId: string): Promise<number> {
  const row = await sql.get<{
    n: number
  }>`SELECT COUNT(*) AS n FROM roles WHERE server_id = ${serverId} AND deleted_at IS NULL`
  return row?.n ?? 0
}

const columns = fragment`id, server_id, name, permissions, color, position, bot_id`

export async function findRole(sql: Sql, serverId: string, roleId: string): Promise<RoleRecord | undefined> {
  const row = await sql.get<RoleRow>`
    SELECT ${columns} FROM roles WHERE id = ${roleId} AND server_id = ${serverId} AND deleted_at IS NULL`
  return row && toRoleRecord(row)
}

export async function findManagedRole(
  sql: Sql,
  serverId: string,
  botId: string,
): Promise<RoleRecord | undefined> {
  const row = await sql.get<RoleRow>`
    SELECT ${columns} FROM roles WHERE bot_id = ${botId} AND server_id = ${serverId}`
  return row && toRoleRecord(row)
}

/** Those of `ids` that are roles of the server, in no order. */
export async function findRoles(sql: Sql, serverId: string, ids: readonly string[]): Promise<RoleRecord[]> {
  const rows = await sql.all<RoleRow>`
    SELECT ${columns} FROM roles WHERE server_id = ${serverId} AND id IN ${list(ids)} AND deleted_at IS NULL`
  return rows.map(toRoleRecord)
}

export async function findRoleIds(sql: Sql, serverId: string, ids: readonly string[]): Promise<string[]> {
  return (await findRoles(sql, serverId, ids)).map(role => role.id)
}

/** In no order. */
export async function listRoles(sql: Sql, serverId: string): Promise<RoleRecord[]> {
  const rows = await sql.all<RoleRow>`
    SELECT ${columns} FROM roles WHERE server_id = ${serverId} AND deleted_at IS NULL`
  return rows.map(toRoleRecord)
}

export async function updateRole(sql: Sql, role: RoleRecord): Promise<void> {
  await sql.run`
    UPDATE roles
    SET name = ${role.name}, permissions = ${role.permissions.toString()}, color = ${role.color},
      position = ${role.position}
    WHERE id = ${role.id}`
}

/**
 * Also deletes its overwrites in all channels, which have a cap. From now on no read finds the role, its members or its
 * overrides of commands (limits/deletion). A managed role has no bot any more, so that the bot can get another one.
 * False if the role does not exist.
 */
export async function deleteRole(sql: Sql, id: string, now: number): Promise<boolean> {
  await sql.run`DELETE FROM overwrites WHERE target_id = ${id}`
  const marked = await sql.run`
    UPDATE roles SET deleted_at = ${now}, bot_id = NULL WHERE id = ${id} AND deleted_at IS NULL`
  return marked > 0
}
