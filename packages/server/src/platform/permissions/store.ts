import { maxSnowflake } from '../../kit/snowflake.ts'
import { list, type Sql } from '../../storage/database.ts'
import type { ChannelRecord, MemberRecord, RolePosition, ServerRecord } from './records.ts'

/** A channel with its server. `memberId` and `dmMemberId` are the user's id if they are in the server or direct message. */
interface UserChannelRow extends ChannelRecord {
  serverName: string | null
  serverIcon: string | null
  ownerId: string | null
  memberId: string | null
  dmMemberId: string | null
}

export function findChannelForUser(sql: Sql, userId: string, channelId: string) {
  return sql.get<UserChannelRow>`
    SELECT c.id, c.server_id, c.type, c.name, c.topic, c.position,
      s.name AS server_name, s.icon AS server_icon, s.owner_id,
      m.user_id AS member_id, d.user_id AS dm_member_id
    FROM channels c
    LEFT JOIN servers s ON s.id = c.server_id
    LEFT JOIN members m ON m.server_id = c.server_id AND m.user_id = ${userId}
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

/** @everyone and the user's roles, each with its overwrite in the channel, and the user's own overwrite. Empty for a direct message. */
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
    JOIN roles r ON r.id = mr.role_id
    LEFT JOIN overwrites o ON o.channel_id = c.id AND o.target_id = r.id
    WHERE c.id = ${channelId}
    UNION ALL
    SELECT o.target_id, '0', o.allow, o.deny
    FROM overwrites o
    WHERE o.channel_id = ${channelId} AND o.target_id = ${userId}`
}

/** The server, with the nickname of the member and when they joined. */
export function findServerForMember(sql: Sql, userId: string, serverId: string) {
  return sql.get<ServerRecord & Pick<MemberRecord, 'nick' | 'joinedAt'>>`
    SELECT s.id, s.name, s.icon, s.owner_id, m.nick, m.joined_at
    FROM members m
    JOIN servers s ON s.id = m.server_id
    WHERE m.server_id = ${serverId} AND m.user_id = ${userId}`
}

/** @everyone and the roles of the member. */
export function listMemberRoles(sql: Sql, userId: string, serverId: string) {
  return sql.all<RolePosition & { permissions: string }>`
    SELECT r.id, r.permissions, r.position FROM roles r WHERE r.id = ${serverId}
    UNION ALL
    SELECT r.id, r.permissions, r.position
    FROM member_roles mr
    JOIN roles r ON r.id = mr.role_id
    WHERE mr.server_id = ${serverId} AND mr.user_id = ${userId}`
}

export interface VisibilityRow {
  kind: 'owner' | 'channel' | 'member' | 'role' | 'member_role' | 'overwrite'
  /** The id of the owner, channel, member or role; of the user for `member_role`, of the channel for `overwrite`. */
  id: string
  /** The role of a `member_role`, the target of an `overwrite`. */
  relatedId: string
  /** For a `role`, its permissions. */
  allow: string
  deny: string
}

/**
 * Everything that decides which channels of the server the users can view. It is one statement, so that all rows are from
 * one snapshot: rows of two statements could mix two changes into a state that never existed.
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
    SELECT 'owner' AS kind, s.owner_id AS id, '' AS related_id, '0' AS allow, '0' AS deny
    FROM servers s WHERE s.id = ${serverId}
    UNION ALL
    SELECT 'channel', c.id, '', '0', '0' FROM channels c
    WHERE c.server_id = ${serverId} AND c.id BETWEEN ${first} AND ${last}
    UNION ALL
    SELECT 'role', r.id, '', r.permissions, '0' FROM roles r WHERE r.server_id = ${serverId}
    UNION ALL
    SELECT 'member', m.user_id, '', '0', '0' FROM members m
    WHERE m.server_id = ${serverId} AND m.user_id IN ${users}
    UNION ALL
    SELECT 'member_role', mr.user_id, mr.role_id, '0', '0' FROM member_roles mr
    WHERE mr.server_id = ${serverId} AND mr.user_id IN ${users}
    UNION ALL
    SELECT 'overwrite', o.channel_id, o.target_id, o.allow, o.deny
    FROM channels c JOIN overwrites o ON o.channel_id = c.id
    WHERE c.server_id = ${serverId} AND c.id BETWEEN ${first} AND ${last}
      AND (o.type = 'role' OR o.target_id IN ${users})`
}
