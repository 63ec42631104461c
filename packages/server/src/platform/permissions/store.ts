import type { ChannelType } from '@gatehouse/protocol/channels'
import { list, type Sql } from '../../storage/database.ts'

/** One row for a channel, with the server around it and whether the user is in the one or the other. */
export interface ChannelRow {
  id: string
  server_id: string | null
  type: ChannelType
  name: string | null
  topic: string | null
  position: number
  server_name: string | null
  server_icon: string | null
  owner_id: string | null
  member_id: string | null
  dm_member_id: string | null
}

export async function findChannelFor(
  sql: Sql,
  userId: string,
  channelId: string,
): Promise<ChannelRow | undefined> {
  return sql.get<ChannelRow>`
    SELECT c.id, c.server_id, c.type, c.name, c.topic, c.position,
      s.name AS server_name, s.icon AS server_icon, s.owner_id,
      m.user_id AS member_id, d.user_id AS dm_member_id
    FROM channels c
    LEFT JOIN servers s ON s.id = c.server_id
    LEFT JOIN members m ON m.server_id = c.server_id AND m.user_id = ${userId}
    LEFT JOIN dm_members d ON d.channel_id = c.id AND d.user_id = ${userId}
    WHERE c.id = ${channelId}`
}

/** A role with what a channel says about it; the last has no role: what it says about the user. */
export interface GrantRow {
  /** Of the role (the server's for @everyone), or the user's. */
  id: string
  permissions: string
  allow: string | null
  deny: string | null
}

/** All that decides what the user may do in the channel. Empty for a direct message. */
export async function listGrants(sql: Sql, userId: string, channelId: string): Promise<GrantRow[]> {
  return sql.all<GrantRow>`
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

export interface MemberRow {
  id: string
  name: string
  icon: string | null
  owner_id: string
  nick: string | null
  joined_at: number
}

/** The server as one of its members sees it; undefined where the user is no member. */
export async function findServerFor(
  sql: Sql,
  userId: string,
  serverId: string,
): Promise<MemberRow | undefined> {
  return sql.get<MemberRow>`
    SELECT s.id, s.name, s.icon, s.owner_id, m.nick, m.joined_at
    FROM members m
    JOIN servers s ON s.id = m.server_id
    WHERE m.server_id = ${serverId} AND m.user_id = ${userId}`
}

export interface RoleRow {
  id: string
  permissions: string
  position: number
}

/** @everyone and the roles of the member. */
export async function listRolesOf(sql: Sql, userId: string, serverId: string): Promise<RoleRow[]> {
  return sql.all<RoleRow>`
    SELECT r.id, r.permissions, r.position FROM roles r WHERE r.id = ${serverId}
    UNION ALL
    SELECT r.id, r.permissions, r.position
    FROM member_roles mr
    JOIN roles r ON r.id = mr.role_id
    WHERE mr.server_id = ${serverId} AND mr.user_id = ${userId}`
}

/** `id` is the owner's, channel's, member's or role's; `other` the role held, or the target of the overwrite. */
export interface AudienceRow {
  kind: 'owner' | 'channel' | 'member' | 'role' | 'held' | 'overwrite'
  id: string
  other: string | null
  /** Of a role: its permissions. */
  allow: string | null
  deny: string | null
}

/**
 * All that decides which channels of the server the users may view. One statement, so that all of it is of one moment:
 * two changes read half and half could show what neither of them does.
 */
export async function listAudience(
  sql: Sql,
  serverId: string,
  userIds: readonly string[],
): Promise<AudienceRow[]> {
  const users = list(userIds)
  return sql.all<AudienceRow>`
    SELECT 'owner' AS kind, s.owner_id AS id, CAST(NULL AS TEXT) AS other, CAST(NULL AS TEXT) AS allow,
      CAST(NULL AS TEXT) AS deny
    FROM servers s WHERE s.id = ${serverId}
    UNION ALL
    SELECT 'channel', c.id, NULL, NULL, NULL FROM channels c WHERE c.server_id = ${serverId}
    UNION ALL
    SELECT 'role', r.id, NULL, r.permissions, NULL FROM roles r WHERE r.server_id = ${serverId}
    UNION ALL
    SELECT 'member', m.user_id, NULL, NULL, NULL FROM members m
    WHERE m.server_id = ${serverId} AND m.user_id IN ${users}
    UNION ALL
    SELECT 'held', h.user_id, h.role_id, NULL, NULL FROM member_roles h
    WHERE h.server_id = ${serverId} AND h.user_id IN ${users}
    UNION ALL
    SELECT 'overwrite', o.channel_id, o.target_id, o.allow, o.deny
    FROM channels c JOIN overwrites o ON o.channel_id = c.id
    WHERE c.server_id = ${serverId} AND (o.type = 'role' OR o.target_id IN ${users})`
}
