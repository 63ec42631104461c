import { Permission } from '@gatehouse/protocol/permissions'
import type { RolePosition } from '@gatehouse/protocol/role-order'
import type { VerificationLevel } from '@gatehouse/protocol/servers'
import { maxSnowflake } from '../../kit/snowflake.ts'
import { list, type Sql } from '../../storage/database.ts'
import type { ChannelRecord, MemberRecord, ServerRecord } from './permission-records.ts'

/**
 * A channel with its server. `memberId` and `dmMemberId` are the user's id if they are in the server or direct message.
 */
export interface UserChannelRow extends ChannelRecord, Pick<MemberRecord, 'timedOutUntil'> {
  serverName: string | null
  serverIcon: string | null
  ownerId: string | null
  memberId: string | null
  dmMemberId: string | null
  verificationLevel: VerificationLevel | null
  joinedAt: number | null
  /** 0 or 1; null with the verification level `none`. */
  emailVerified: number | null
  bot: number | null
}

export function findChannelForUser(sql: Sql, userId: string, channelId: string) {
  return sql.get<UserChannelRow>`
    SELECT c.id, c.server_id, c.type, c.name, c.topic, c.position, c.parent_id, c.slow_mode,
      s.name AS server_name, s.icon AS server_icon, s.owner_id,
      m.user_id AS member_id, t.timed_out_until, d.user_id AS dm_member_id,
      s.verification_level, m.joined_at, u.email_verified, u.bot
    FROM channels c
    LEFT JOIN servers s ON s.id = c.server_id AND s.deleted_at IS NULL
    LEFT JOIN members m ON m.server_id = c.server_id AND m.user_id = ${userId}
    LEFT JOIN timeouts t ON t.server_id = c.server_id AND t.user_id = ${userId}
    LEFT JOIN users u ON u.id = m.user_id AND s.verification_level <> 'none'
    LEFT JOIN dm_members d ON d.channel_id = c.id AND d.user_id = ${userId}
    WHERE c.id = ${channelId}`
}

export interface PermissionRow {
  /** The id of a role (the server's id for @everyone), or of the user for their own overwrite. */
  id: string
  permissions: string
  /** `allow` and `deny` are null if the channel has no overwrite for the role. */
  allow: string | null
  deny: string | null
}

/**
 * @everyone and the user's roles, each with its overwrite in the channel, and the user's own overwrite. Empty for a
 * direct message.
 */
export function listChannelPermissions(sql: Sql, userId: string, channelId: string) {
  return sql.all<PermissionRow>`
    SELECT r.id, r.permissions, o.allow, o.deny
    FROM channels c
    JOIN roles r ON r.id = c.server_id
    LEFT JOIN overwrites o ON o.channel_id = c.id AND o.target_id = r.id
    WHERE c.id = ${channelId}
    UNION ALL
    SELECT r.id, r.permissions, o.allow, o.deny
    FROM channels c
    JOIN member_roles mr ON mr.server_id = c.server_id AND mr.user_id = ${userId}
    JOIN roles r ON r.id = mr.role_id AND r.deleted_at IS NULL
    LEFT JOIN overwrites o ON o.channel_id = c.id AND o.target_id = r.id
    WHERE c.id = ${channelId}
    UNION ALL
    SELECT o.target_id, '0', o.allow, o.deny
    FROM overwrites o
    WHERE o.channel_id = ${channelId} AND o.target_id = ${userId}`
}

/** All roles of the server, each with its overwrite in the channel. */
export function listRolePermissions(sql: Sql, serverId: string, channelId: string) {
  return sql.all<PermissionRow>`
    SELECT r.id, r.permissions, o.allow, o.deny
    FROM roles r LEFT JOIN overwrites o ON o.channel_id = ${channelId} AND o.target_id = r.id
    WHERE r.server_id = ${serverId} AND r.deleted_at IS NULL`
}

/** The text channels of the server by position, each with @everyone and its overwrite. */
export function listEveryonePermissions(sql: Sql, serverId: string) {
  return sql.all<PermissionRow & { channelId: string }>`
    SELECT c.id AS channel_id, r.id, r.permissions, o.allow, o.deny
    FROM channels c JOIN roles r ON r.id = c.server_id
    LEFT JOIN overwrites o ON o.channel_id = c.id AND o.target_id = r.id
    WHERE c.server_id = ${serverId} AND c.type = 'text' ORDER BY c.position, c.id`
}

/**
 * The channels of the server, each with the overwrites of @everyone, of the roles of the member, and of the member. A
 * channel without them has one row.
 */
export function listOverwritesOfMember(sql: Sql, userId: string, serverId: string) {
  return sql.all<{ channelId: string } & (Record<'id' | 'allow' | 'deny', string> | { id: null })>`
    SELECT c.id AS channel_id, o.target_id AS id, o.allow, o.deny
    FROM channels c LEFT JOIN overwrites o ON o.channel_id = c.id AND (o.target_id IN (${userId}, ${serverId})
      OR o.target_id IN (SELECT mr.role_id FROM member_roles mr
        WHERE mr.server_id = ${serverId} AND mr.user_id = ${userId}))
    WHERE c.server_id = ${serverId} ORDER BY c.id`
}

/**
 * The users with one of the roles, those with an overwrite in the channel, and the owner. Contains a user with several
 * roles several times. Only the first `limit` users with a role.
 */
export async function listUsersWithAccess(
  sql: Sql,
  { serverId, channelId }: { serverId: string; channelId: string },
  roleIds: readonly string[],
  limit: number,
): Promise<string[]> {
  const rows = await sql.all<{ userId: string }>`
    SELECT x.user_id FROM
      (SELECT mr.user_id FROM member_roles mr WHERE mr.role_id IN ${list(roleIds)} LIMIT ${limit}) x
    UNION ALL
    SELECT o.target_id FROM overwrites o WHERE o.channel_id = ${channelId} AND o.type = 'member'
    UNION ALL
    SELECT s.owner_id FROM servers s WHERE s.id = ${serverId}`
  return rows.map(row => row.userId)
}

/** The server, with what belongs to the member. */
export function findServerForMember(sql: Sql, userId: string, serverId: string) {
  return sql.get<ServerRecord & Pick<MemberRecord, 'nick' | 'joinedAt' | 'timedOutUntil'>>`
    SELECT s.id, s.name, s.icon, s.owner_id, s.invites_paused, s.verification_level, m.nick, m.joined_at,
      t.timed_out_until
    FROM members m
    JOIN servers s ON s.id = m.server_id AND s.deleted_at IS NULL
    LEFT JOIN timeouts t ON t.server_id = m.server_id AND t.user_id = m.user_id
    WHERE m.server_id = ${serverId} AND m.user_id = ${userId}`
}

/**
 * Locks the row of the server until the transaction ends, so that the counts of its parts do not change (limits/caps).
 */
export async function lockServerRow(sql: Sql, id: string): Promise<void> {
  await sql.run`UPDATE servers SET created_at = created_at WHERE id = ${id}`
}

/** @everyone and the roles of the member. */
export function listMemberRoles(sql: Sql, userId: string, serverId: string) {
  return sql.all<RolePosition & { permissions: string }>`
    SELECT r.id, r.permissions, r.position FROM roles r WHERE r.id = ${serverId}
    UNION ALL
    SELECT r.id, r.permissions, r.position
    FROM member_roles mr
    JOIN roles r ON r.id = mr.role_id AND r.deleted_at IS NULL
    WHERE mr.server_id = ${serverId} AND mr.user_id = ${userId}`
}

/** Up to `limit` members who have one of the permissions on the server, and the owner. */
export async function listMembersWithPermission(
  sql: Sql,
  {
    serverId,
    permissions,
    now,
    limit,
  }: { serverId: string; permissions: bigint; now: number; limit: number },
): Promise<string[]> {
  const bits = Number(permissions)
  const rows = await sql.all<{ userId: string }>`
    SELECT s.owner_id AS user_id FROM servers s WHERE s.id = ${serverId}
    UNION
    SELECT x.user_id FROM (
      SELECT m.user_id, r.permissions
      FROM roles r JOIN members m ON m.server_id = r.server_id
      WHERE r.id = ${serverId} AND CAST(r.permissions AS BIGINT) & ${bits} <> 0
      UNION ALL
      SELECT mr.user_id, r.permissions
      FROM roles r JOIN member_roles mr ON mr.role_id = r.id
      WHERE r.server_id = ${serverId} AND r.deleted_at IS NULL AND CAST(r.permissions AS BIGINT) & ${bits} <> 0
    ) x
    LEFT JOIN timeouts t ON t.server_id = ${serverId} AND t.user_id = x.user_id
    WHERE t.timed_out_until IS NULL OR t.timed_out_until <= ${now}
      OR CAST(x.permissions AS BIGINT) & ${ADMINISTRATOR} <> 0
    LIMIT ${limit}`
  return rows.map(({ userId }) => userId)
}

export interface VisibilityRow {
  kind: 'owner' | 'channel' | 'member' | 'role'
  id: string
  /**
   * The permissions of a `role`. The roles of a `member`, separated by commas. The overwrites of a `channel`, separated
   * by commas: the id of the role or user, then `+` if VIEW_CHANNEL is allowed, `-` if it is denied. Null for none.
   */
  value: string | null
}

const [ADMINISTRATOR, VIEW_CHANNEL] = [Number(Permission.ADMINISTRATOR), Number(Permission.VIEW_CHANNEL)]

/**
 * Everything that decides which channels of the server the users can view. It is one statement, so that all rows are
 * from one snapshot: rows of two statements could mix two changes into a state that never existed.
 *
 * A server can have thousands of overwrites, so the statement reads none for the owner and for administrators, returns
 * only those that contain VIEW_CHANNEL, and one row for each channel and member. A property test in visibility.test.ts
 * compares these rules with `channelPermissions`. `string_agg` has no order, because PostgreSQL would compare the ids
 * by the rules of a language, which takes most of the time.
 */
export function listVisibilityRows(
  sql: Sql,
  serverId: string,
  userIds: readonly string[],
  channelId?: string,
) {
  const users = list(userIds)
  const [first, last] = channelId === undefined ? ['', maxSnowflake] : [channelId, channelId]
  return sql.all<VisibilityRow>`
    WITH administrators (role_id) AS MATERIALIZED (
      SELECT r.id FROM roles r
      WHERE r.server_id = ${serverId} AND r.deleted_at IS NULL AND CAST(r.permissions AS BIGINT) & ${ADMINISTRATOR} <> 0
    ), restricted (user_id) AS MATERIALIZED (
      SELECT m.user_id FROM members m JOIN servers s ON s.id = m.server_id
      WHERE m.server_id = ${serverId} AND m.user_id IN ${users} AND m.user_id <> s.owner_id
        AND NOT EXISTS (
          SELECT 1 FROM administrators a JOIN member_roles mr
            ON mr.server_id = m.server_id AND mr.user_id = m.user_id AND mr.role_id = a.role_id)
    )
    SELECT 'owner' AS kind, s.owner_id AS id, NULL AS value FROM servers s
    WHERE s.id = ${serverId} AND s.deleted_at IS NULL
    UNION ALL
    SELECT 'channel', c.id, x.value
    FROM channels c
    LEFT JOIN (
      SELECT o.channel_id, string_agg(
        o.target_id || CASE WHEN CAST(o.allow AS BIGINT) & ${VIEW_CHANNEL} <> 0 THEN '+' ELSE '-' END, ',') AS value
      FROM overwrites o
      WHERE EXISTS (SELECT 1 FROM restricted)
        AND o.channel_id IN
          (SELECT y.id FROM channels y WHERE y.server_id = ${serverId} AND y.id BETWEEN ${first} AND ${last})
        AND (CAST(o.allow AS BIGINT) | CAST(o.deny AS BIGINT)) & ${VIEW_CHANNEL} <> 0
      GROUP BY o.channel_id
    ) x ON x.channel_id = c.id
    WHERE c.server_id = ${serverId} AND c.id BETWEEN ${first} AND ${last}
    UNION ALL
    SELECT 'role', r.id, r.permissions FROM roles r WHERE r.server_id = ${serverId} AND r.deleted_at IS NULL
    UNION ALL
    SELECT 'member', m.user_id,
      (SELECT string_agg(mr.role_id, ',') FROM member_roles mr
       WHERE mr.server_id = m.server_id AND mr.user_id = m.user_id)
    FROM members m JOIN servers s ON s.id = m.server_id
    WHERE m.server_id = ${serverId} AND m.user_id IN ${users} AND s.deleted_at IS NULL`
}
