import { fragment, list, type Sql } from '../../storage/database.ts'
import type { MemberRecord } from '../permissions/index.ts'

/** False if the user is already a member. `readTo`: messages with a lower id count as read. */
export async function insertMember(
  sql: Sql,
  member: Omit<MemberRecord, 'timedOutUntil'>,
  readTo: string,
): Promise<boolean> {
  const rows = await sql.run`
    INSERT INTO members (server_id, user_id, nick, joined_at, read_to)
    VALUES (${member.serverId}, ${member.userId}, ${member.nick}, ${member.joinedAt}, ${readTo})
    ON CONFLICT (server_id, user_id) DO NOTHING`
  return rows > 0
}

/** Also deletes the rows of the member's roles (ON DELETE CASCADE). False if the user is not a member. */
export async function deleteMember(sql: Sql, serverId: string, userId: string): Promise<boolean> {
  return (await sql.run`DELETE FROM members WHERE server_id = ${serverId} AND user_id = ${userId}`) > 0
}

export async function isOwner(sql: Sql, serverId: string, userId: string): Promise<boolean> {
  const row = await sql.get`SELECT 1 AS one FROM servers WHERE id = ${serverId} AND owner_id = ${userId}`
  return row !== undefined
}

const columns = fragment`m.server_id, m.user_id, m.nick, m.joined_at, t.timed_out_until`

const members = fragment`
  members m LEFT JOIN timeouts t ON t.server_id = m.server_id AND t.user_id = m.user_id`

/** Undefined also if the server is deleted or disabled. */
export function findMember(sql: Sql, serverId: string, userId: string) {
  return sql.get<MemberRecord>`
    SELECT ${columns} FROM ${members}
    JOIN servers s ON s.id = m.server_id AND s.deleted_at IS NULL
    WHERE m.server_id = ${serverId} AND m.user_id = ${userId}`
}

/**
 * Undefined if the user is not a member. The membership cannot end before the transaction does. Other transactions with
 * this lock do not wait.
 */
export function lockMember(sql: Pick<Sql, 'get'>, serverId: string, userId: string) {
  return sql.get<{ one: number }>`
    SELECT 1 AS one FROM members WHERE server_id = ${serverId} AND user_id = ${userId} FOR KEY SHARE`
}

/** The same, and the member cannot lose a role either. */
export function lockMemberAndRoles(sql: Pick<Sql, 'get'>, serverId: string, userId: string) {
  return sql.get<{ one: number }>`
    SELECT 1 AS one FROM members WHERE server_id = ${serverId} AND user_id = ${userId} FOR SHARE`
}

/** Those of the users who are members of the server, by user id. */
export function findMembers(sql: Sql, serverId: string, userIds: readonly string[]) {
  return sql.all<MemberRecord>`
    SELECT ${columns} FROM ${members}
    WHERE m.server_id = ${serverId} AND m.user_id IN ${list(userIds)} ORDER BY m.user_id`
}

/** The user as a member of each of their servers. */
export function listMemberships(sql: Sql, userId: string) {
  return sql.all<MemberRecord>`
    SELECT ${columns} FROM ${members}
    JOIN servers s ON s.id = m.server_id AND s.deleted_at IS NULL
    WHERE m.user_id = ${userId} ORDER BY m.server_id`
}

export async function countMemberships(sql: Sql, userId: string): Promise<number> {
  const row = await sql.get<{ n: number }>`
    SELECT COUNT(*) AS n FROM members m JOIN servers s ON s.id = m.server_id
    WHERE m.user_id = ${userId} AND s.deleted_at IS NULL`
  return row?.n ?? 0
}

/** The number of members, without bots. */
export async function countHumanMembers(sql: Sql, serverId: string): Promise<number> {
  const row = await sql.get<{ n: number }>`
    SELECT COUNT(*) AS n FROM members m JOIN users u ON u.id = m.user_id
    WHERE m.server_id = ${serverId} AND u.bot = 0`
  return row?.n ?? 0
}

export async function countMembers(sql: Sql, serverId: string): Promise<number> {
  const row = await sql.get<{ n: number }>`SELECT COUNT(*) AS n FROM members WHERE server_id = ${serverId}`
  return row?.n ?? 0
}

/** The first members between `after` and `before`, by user id. */
export function listMembers(
  sql: Sql,
  serverId: string,
  { after, before, limit }: { after: string; before: string; limit: number },
) {
  return sql.all<MemberRecord>`
    SELECT ${columns} FROM ${members}
    WHERE (m.server_id, m.user_id) > ((SELECT ${serverId}), ${after})
      AND (m.server_id, m.user_id) < ((SELECT ${serverId}), ${before})
    ORDER BY m.server_id, m.user_id LIMIT ${limit}`
}

/** The last members before `before`, by user id. */
export async function listMembersBefore(
  sql: Sql,
  serverId: string,
  { before, limit }: { before: string; limit: number },
): Promise<MemberRecord[]> {
  const rows = await sql.all<MemberRecord>`
    SELECT ${columns} FROM ${members}
    WHERE m.server_id >= (SELECT ${serverId}) AND (m.server_id, m.user_id) < ((SELECT ${serverId}), ${before})
    ORDER BY m.server_id DESC, m.user_id DESC LIMIT ${limit}`
  return rows.reverse()
}

export interface MemberRole {
  serverId: string
  userId: string
  roleId: string
}

/** The roles of each user, without @everyone. Users without a role are absent. */
export async function listRoleIdsByUser(sql: Sql, serverId: string, userIds: readonly string[]) {
  const rows = await sql.all<RolesRow>`
    SELECT user_id AS key, string_agg(role_id, ',') AS role_ids FROM member_roles
    WHERE server_id = ${serverId} AND user_id IN ${list(userIds)}
      AND role_id NOT IN (SELECT r.id FROM roles r WHERE r.deleted_at >= 0)
    GROUP BY user_id`
  return parseRoleIds(rows)
}

/** The roles of the user on each of the servers, without @everyone. Servers without a role of the user are absent. */
export async function listRoleIdsByServer(sql: Sql, userId: string, serverIds: readonly string[]) {
  const rows = await sql.all<RolesRow>`
    SELECT mr.server_id AS key, string_agg(mr.role_id, ',') AS role_ids
    FROM member_roles mr
    WHERE mr.server_id IN ${list(serverIds)} AND mr.user_id = ${userId}
      AND mr.role_id NOT IN (SELECT r.id FROM roles r WHERE r.deleted_at >= 0)
    GROUP BY mr.server_id`
  return parseRoleIds(rows)
}

interface RolesRow {
  key: string
  /** Separated by commas, in any order: one row for each role, or an order, would take most of the time. */
  roleIds: string
}

function parseRoleIds(rows: readonly RolesRow[]): Map<string, string[]> {
  return new Map(rows.map(({ key, roleIds }) => [key, roleIds.split(',').sort()]))
}

/** False if the member already has the role. */
export async function insertMemberRole(sql: Sql, { serverId, userId, roleId }: MemberRole): Promise<boolean> {
  const rows = await sql.run`
    INSERT INTO member_roles (server_id, user_id, role_id) VALUES (${serverId}, ${userId}, ${roleId})
    ON CONFLICT (server_id, user_id, role_id) DO NOTHING`
  return rows > 0
}

/** Makes transactions that remove the member, remove their roles or call `lockMemberAndRoles` wait for this one. */
export async function lockMemberRow(sql: Sql, serverId: string, userId: string): Promise<void> {
  await sql.run`
    UPDATE members SET joined_at = joined_at WHERE server_id = ${serverId} AND user_id = ${userId}`
}

/** False if the member does not have the role. */
export async function deleteMemberRole(sql: Sql, { serverId, userId, roleId }: MemberRole): Promise<boolean> {
  const rows = await sql.run`
    DELETE FROM member_roles WHERE server_id = ${serverId} AND user_id = ${userId} AND role_id = ${roleId}`
  return rows > 0
}

/** Whether both users are members of the same server. */
export async function haveMutualServer(sql: Sql, a: string, b: string): Promise<boolean> {
  const row = await sql.get<{ serverId: string }>`
    SELECT x.server_id FROM members x
    JOIN members y ON y.server_id = x.server_id AND y.user_id = ${b}
    JOIN servers s ON s.id = x.server_id AND s.deleted_at IS NULL
    WHERE x.user_id = ${a} LIMIT 1`
  return row !== undefined
}

/** Replaces the end of the time-out. Also deletes some on the server that are over, so that they need no sweep. */
export async function putTimeout(
  sql: Sql,
  { serverId, userId, until, now }: { serverId: string; userId: string; until: number; now: number },
): Promise<void> {
  await sql.run`
    DELETE FROM timeouts WHERE (server_id, user_id) IN
      (SELECT t.server_id, t.user_id FROM timeouts t
       WHERE t.server_id = ${serverId} AND t.timed_out_until <= ${now} LIMIT 100)`
  await sql.run`
    INSERT INTO timeouts (server_id, user_id, timed_out_until) VALUES (${serverId}, ${userId}, ${until})
    ON CONFLICT (server_id, user_id) DO UPDATE SET timed_out_until = excluded.timed_out_until`
}

export async function deleteTimeout(sql: Sql, serverId: string, userId: string): Promise<void> {
  await sql.run`DELETE FROM timeouts WHERE server_id = ${serverId} AND user_id = ${userId}`
}
