import { list, type Sql } from '../../storage/database.ts'
import type { MemberRecord, ServerRecord } from '../permissions/index.ts'

interface MemberRow {
  server_id: string
  user_id: string
  nick: string | null
  joined_at: number
}

function toRecord(row: MemberRow): MemberRecord {
  return { serverId: row.server_id, userId: row.user_id, nick: row.nick, joinedAt: row.joined_at }
}

/** False where they are a member already. `readTo`: what was said before it is no news to them. */
export async function insertMember(
  sql: Sql,
  member: MemberRecord,
  { readTo }: { readTo: string },
): Promise<boolean> {
  const rows = await sql.run`
    INSERT INTO members (server_id, user_id, nick, joined_at, read_to)
    VALUES (${member.serverId}, ${member.userId}, ${member.nick}, ${member.joinedAt}, ${readTo})
    ON CONFLICT (server_id, user_id) DO NOTHING`
  return rows > 0
}

/** False where they were no member. Their roles go with them. */
export async function deleteMember(sql: Sql, serverId: string, userId: string): Promise<boolean> {
  return (await sql.run`DELETE FROM members WHERE server_id = ${serverId} AND user_id = ${userId}`) > 0
}

export async function findMember(
  sql: Sql,
  serverId: string,
  userId: string,
): Promise<MemberRecord | undefined> {
  const row = await sql.get<MemberRow>`
    SELECT server_id, user_id, nick, joined_at FROM members
    WHERE server_id = ${serverId} AND user_id = ${userId}`
  return row && toRecord(row)
}

/** Of all servers of the user. */
export async function listMemberships(sql: Sql, userId: string): Promise<MemberRecord[]> {
  const rows = await sql.all<MemberRow>`
    SELECT server_id, user_id, nick, joined_at FROM members WHERE user_id = ${userId} ORDER BY server_id`
  return rows.map(toRecord)
}

/** Those of `userIds` that are members of the server. */
export async function findMemberIds(
  sql: Sql,
  serverId: string,
  userIds: readonly string[],
): Promise<string[]> {
  const rows = await sql.all<{ user_id: string }>`
    SELECT user_id FROM members WHERE server_id = ${serverId} AND user_id IN ${list(userIds)}`
  return rows.map(row => row.user_id)
}

export async function countMembers(sql: Sql, serverId: string): Promise<number> {
  const row = await sql.get<{ n: number }>`SELECT COUNT(*) AS n FROM members WHERE server_id = ${serverId}`
  return Number(row?.n ?? 0)
}

/** By user id, those between `after` and `before`, from the lowest. */
export async function listMembers(
  sql: Sql,
  serverId: string,
  { after, before, limit }: { after: string; before: string; limit: number },
): Promise<MemberRecord[]> {
  const rows = await sql.all<MemberRow>`
    SELECT server_id, user_id, nick, joined_at FROM members
    WHERE server_id = ${serverId} AND user_id > ${after} AND user_id < ${before} ORDER BY user_id LIMIT ${limit}`
  return rows.map(toRecord)
}

/** By user id, the nearest before `before`, in the same order. */
export async function listMembersBefore(
  sql: Sql,
  serverId: string,
  { before, limit }: { before: string; limit: number },
): Promise<MemberRecord[]> {
  const rows = await sql.all<MemberRow>`
    SELECT server_id, user_id, nick, joined_at FROM members
    WHERE server_id = ${serverId} AND user_id < ${before} ORDER BY user_id DESC LIMIT ${limit}`
  return rows.map(toRecord).reverse()
}

export async function listMemberIds(sql: Sql, serverId: string): Promise<string[]> {
  const rows = await sql.all<{ user_id: string }>`SELECT user_id FROM members WHERE server_id = ${serverId}`
  return rows.map(row => row.user_id)
}

/** The roles of each of the users, without @everyone. Users without a role are absent. */
export async function findRolesOf(
  sql: Sql,
  serverId: string,
  userIds: readonly string[],
): Promise<Map<string, string[]>> {
  const rows = await sql.all<{ user_id: string; role_id: string }>`
    SELECT user_id, role_id FROM member_roles
    WHERE server_id = ${serverId} AND user_id IN ${list(userIds)} ORDER BY user_id, role_id`
  const roles = new Map<string, string[]>()
  for (const { user_id, role_id } of rows) {
    const of = roles.get(user_id)
    if (of === undefined) roles.set(user_id, [role_id])
    else of.push(role_id)
  }
  return roles
}

/** Of all servers of the user, without @everyone. */
export async function listRolesOf(
  sql: Sql,
  userId: string,
): Promise<{ server_id: string; role_id: string }[]> {
  return sql.all<{ server_id: string; role_id: string }>`
    SELECT mr.server_id, mr.role_id
    FROM members m JOIN member_roles mr ON mr.server_id = m.server_id AND mr.user_id = m.user_id
    WHERE m.user_id = ${userId} ORDER BY mr.server_id, mr.role_id`
}

interface MemberRole {
  serverId: string
  userId: string
  roleId: string
}

/** False where they have it already. */
export async function insertMemberRole(sql: Sql, { serverId, userId, roleId }: MemberRole): Promise<boolean> {
  const rows = await sql.run`
    INSERT INTO member_roles (server_id, user_id, role_id) VALUES (${serverId}, ${userId}, ${roleId})
    ON CONFLICT (server_id, user_id, role_id) DO NOTHING`
  return rows > 0
}

/** False where they did not have it. */
export async function deleteMemberRole(sql: Sql, { serverId, userId, roleId }: MemberRole): Promise<boolean> {
  const rows = await sql.run`
    DELETE FROM member_roles WHERE server_id = ${serverId} AND user_id = ${userId} AND role_id = ${roleId}`
  return rows > 0
}

export async function sharesServer(sql: Sql, a: string, b: string): Promise<boolean> {
  const row = await sql.get<{ server_id: string }>`
    SELECT x.server_id FROM members x
    JOIN members y ON y.server_id = x.server_id AND y.user_id = ${b}
    WHERE x.user_id = ${a} LIMIT 1`
  return row !== undefined
}

interface ServerRow {
  id: string
  name: string
  icon: string | null
  owner_id: string
}

function toServer(row: ServerRow): ServerRecord {
  return { id: row.id, name: row.name, icon: row.icon, ownerId: row.owner_id }
}

export async function listServersOf(sql: Sql, userId: string): Promise<ServerRecord[]> {
  const rows = await sql.all<ServerRow>`
    SELECT s.id, s.name, s.icon, s.owner_id
    FROM members m JOIN servers s ON s.id = m.server_id
    WHERE m.user_id = ${userId} ORDER BY m.server_id`
  return rows.map(toServer)
}

/** The server that somebody is to join. */
export async function findServer(sql: Sql, serverId: string): Promise<ServerRecord | undefined> {
  const row = await sql.get<ServerRow>`SELECT id, name, icon, owner_id FROM servers WHERE id = ${serverId}`
  return row && toServer(row)
}

/** What @everyone and the user's roles give on each server of theirs. */
export async function listPermissionsOf(
  sql: Sql,
  userId: string,
): Promise<{ server_id: string; permissions: string }[]> {
  return sql.all<{ server_id: string; permissions: string }>`
    SELECT m.server_id, r.permissions
    FROM members m JOIN roles r ON r.id = m.server_id
    WHERE m.user_id = ${userId}
    UNION ALL
    SELECT m.server_id, r.permissions
    FROM members m
    JOIN member_roles mr ON mr.server_id = m.server_id AND mr.user_id = m.user_id
    JOIN roles r ON r.id = mr.role_id
    WHERE m.user_id = ${userId}`
}
