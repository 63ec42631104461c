import type { ChannelType, Overwrite, OverwriteType } from '@gatehouse/protocol/channels'
import { maxPosition } from '@gatehouse/protocol/limits'
import type { DirectMessageSetting } from '@gatehouse/protocol/users'
import { list, type Sql } from '../../storage/database.ts'
import { type ChannelRecord, toChannelRecord } from '../permissions/index.ts'

export async function insertChannel(sql: Sql, channel: ChannelRecord, now: number): Promise<void> {
  await sql.run`
    INSERT INTO channels (id, server_id, type, name, topic, position, parent_id, slow_mode, created_at)
    VALUES (${channel.id}, ${channel.serverId}, ${channel.type}, ${channel.name}, ${channel.topic},
      ${channel.position}, ${channel.parentId}, ${channel.slowMode}, ${now})`
}

export async function countChannels(sql: Sql, serverId: string): Promise<number> {
  const row = await sql.get<{ n: number }>`SELECT COUNT(*) AS n FROM channels WHERE server_id = ${serverId}`
  return row?.n ?? 0
}

/** The position after the last channel. */
export async function nextPosition(sql: Sql, serverId: string): Promise<number> {
  const row = await sql.get<{ position: number }>`
    SELECT position FROM channels WHERE server_id = ${serverId} ORDER BY position DESC LIMIT 1`
  return row === undefined ? 0 : Math.min(row.position + 1, maxPosition)
}

/**
 * The channels of the server by position. One row for each channel: a row for each overwrite would take most of the
 * time.
 */
export async function listChannels(sql: Sql, serverId: string): Promise<[ChannelRecord, Overwrite[]][]> {
  const rows = await sql.all<ChannelRecord & { overwrites: string | null }>`
    SELECT c.id, c.server_id, c.type, c.name, c.topic, c.position, c.parent_id, c.slow_mode, x.overwrites
    FROM channels c
    LEFT JOIN (
      SELECT o.channel_id,
        string_agg(o.target_id || ' ' || o.type || ' ' || o.allow || ' ' || o.deny, ',') AS overwrites
      FROM overwrites o
      WHERE o.channel_id IN (SELECT y.id FROM channels y WHERE y.server_id = ${serverId})
      GROUP BY o.channel_id
    ) x ON x.channel_id = c.id
    WHERE c.server_id = ${serverId} ORDER BY c.position, c.id`
  return rows.map(row => [toChannelRecord(row), parseOverwrites(row.overwrites)])
}

/** `text`: `targetId type allow deny` for each overwrite, separated by commas; null for none. */
function parseOverwrites(text: string | null): Overwrite[] {
  if (text === null) return []
  // Sorts by the target id.
  return text
    .split(',')
    .sort()
    .map(overwrite => {
      const [id = '', type, allow = '', deny = ''] = overwrite.split(' ')
      return { id, type: type === 'member' ? type : 'role', allow, deny }
    })
}

export async function updateChannel(sql: Sql, channel: ChannelRecord): Promise<void> {
  await sql.run`
    UPDATE channels SET name = ${channel.name}, topic = ${channel.topic}, position = ${channel.position},
      parent_id = ${channel.parentId}, slow_mode = ${channel.slowMode}
    WHERE id = ${channel.id}`
}

/** Moves the channels of the category to the top of the list. Returns them. */
export async function clearParent(sql: Sql, { id, serverId }: ChannelRecord): Promise<ChannelRecord[]> {
  const rows = await sql.all<ChannelRecord>`
    UPDATE channels SET parent_id = NULL WHERE server_id = ${serverId} AND parent_id = ${id}
    RETURNING id, server_id, type, name, topic, position, parent_id, slow_mode`
  return rows.map(toChannelRecord).sort((a, b) => a.position - b.position)
}

/**
 * From now on no read finds the channel of a server, nor anything of it (limits/deletion): a channel without a server
 * is visible only to the users of a direct message, and it has none. False if it does not exist.
 */
export async function markDeleted(sql: Sql, id: string, now: number): Promise<boolean> {
  const marked = await sql.run`
    UPDATE channels SET server_id = NULL, deleted_at = ${now} WHERE id = ${id} AND deleted_at IS NULL`
  return marked > 0
}

/** Also of deleted channels. */
export async function findTypes(sql: Sql, ids: readonly string[]): Promise<Map<string, ChannelType>> {
  if (ids.length === 0) return new Map()
  const rows = await sql.all<{ id: string; type: ChannelType }>`
    SELECT id, type FROM channels WHERE id IN ${list(ids)}`
  return new Map(rows.map(({ id, type }) => [id, type]))
}

/** For a direct message that has no messages yet. */
export async function deleteChannel(sql: Sql, id: string): Promise<void> {
  await sql.run`DELETE FROM channels WHERE id = ${id}`
}

export async function listChannelIds(sql: Sql, serverId: string): Promise<string[]> {
  const rows = await sql.all<{ id: string }>`SELECT id FROM channels WHERE server_id = ${serverId}`
  return rows.map(row => row.id)
}

export interface OverwriteRecord {
  channelId: string
  /** The id of a role or user. */
  targetId: string
  type: OverwriteType
  allow: bigint
  deny: bigint
}

type OverwriteRow = Omit<OverwriteRecord, 'allow' | 'deny'> & { allow: string; deny: string }

function toOverwriteRecord(row: OverwriteRow): OverwriteRecord {
  return { ...row, allow: BigInt(row.allow), deny: BigInt(row.deny) }
}

/** `overwrite` as a record of the channel. */
export function toRecordOf(channelId: string, { id, type, allow, deny }: Overwrite): OverwriteRecord {
  return toOverwriteRecord({ channelId, targetId: id, type, allow, deny })
}

export function listOverwrites(sql: Sql, channelId: string) {
  return sql.all<Overwrite>`
    SELECT target_id AS id, type, allow, deny
    FROM overwrites WHERE channel_id = ${channelId} ORDER BY target_id`
}

export async function findOverwrite(
  sql: Sql,
  channelId: string,
  targetId: string,
): Promise<OverwriteRecord | undefined> {
  const row = await sql.get<OverwriteRow>`
    SELECT channel_id, target_id, type, allow, deny
    FROM overwrites WHERE channel_id = ${channelId} AND target_id = ${targetId}`
  return row && toOverwriteRecord(row)
}

/** The overwrites of the channel, and of all channels of the server. */
export async function countOverwrites(sql: Sql, { id, serverId }: Pick<ChannelRecord, 'id' | 'serverId'>) {
  const row = await sql.get<{ ofChannel: number; ofServer: number }>`
    SELECT COALESCE(SUM(CASE WHEN c.id = ${id} THEN 1 ELSE 0 END), 0) AS of_channel, COUNT(*) AS of_server
    FROM channels c JOIN overwrites o ON o.channel_id = c.id WHERE c.server_id = ${serverId}`
  return row ?? { ofChannel: 0, ofServer: 0 }
}

export async function putOverwrite(sql: Sql, overwrite: OverwriteRecord): Promise<void> {
  await sql.run`
    INSERT INTO overwrites (channel_id, target_id, type, allow, deny)
    VALUES (${overwrite.channelId}, ${overwrite.targetId}, ${overwrite.type}, ${overwrite.allow.toString()},
      ${overwrite.deny.toString()})
    ON CONFLICT (channel_id, target_id)
    DO UPDATE SET type = excluded.type, allow = excluded.allow, deny = excluded.deny`
}

export async function deleteOverwrite(sql: Sql, channelId: string, targetId: string): Promise<void> {
  await sql.run`DELETE FROM overwrites WHERE channel_id = ${channelId} AND target_id = ${targetId}`
}

/**
 * The member's overwrites in all channels of the server. With `keepDenials`, the permissions that they deny stay
 * denied. Returns the changed channels.
 */
export async function deleteOverwritesOfMember(
  sql: Sql,
  { serverId, userId, keepDenials }: { serverId: string; userId: string; keepDenials: boolean },
): Promise<ChannelRecord[]> {
  const changed = keepDenials
    ? await sql.all<{ channelId: string }>`
        UPDATE overwrites SET allow = '0'
        WHERE target_id = ${userId} AND channel_id IN (SELECT id FROM channels WHERE server_id = ${serverId})
          AND allow <> '0' AND deny <> '0'
        RETURNING channel_id`
    : []
  const deleted = await sql.all<{ channelId: string }>`
    DELETE FROM overwrites
    WHERE target_id = ${userId} AND channel_id IN (SELECT id FROM channels WHERE server_id = ${serverId})
      AND (deny = '0' OR CAST(${keepDenials ? 1 : 0} AS BIGINT) = 0)
    RETURNING channel_id`
  const ids = [...changed, ...deleted].map(({ channelId }) => channelId)
  if (ids.length === 0) return []
  const rows = await sql.all<ChannelRecord>`
    SELECT id, server_id, type, name, topic, position, parent_id, slow_mode
    FROM channels WHERE id IN ${list(ids)} ORDER BY position, id`
  return rows.map(toChannelRecord)
}

/** False if the two users already have a direct message. */
export async function insertDmMember(
  sql: Sql,
  { channelId, userId, recipientId, closed }: DirectMessageRow & { userId: string; closed: boolean },
): Promise<boolean> {
  const rows = await sql.run`
    INSERT INTO dm_members (user_id, recipient_id, channel_id, closed)
    VALUES (${userId}, ${recipientId}, ${channelId}, ${closed ? 1 : 0})
    ON CONFLICT (user_id, recipient_id) DO NOTHING`
  return rows > 0
}

/** The id of the direct message of two users. */
export async function findDirectMessage(sql: Sql, a: string, b: string): Promise<string | undefined> {
  const row = await sql.get<{ channelId: string }>`
    SELECT channel_id FROM dm_members WHERE user_id = ${a} AND recipient_id = ${b}`
  return row?.channelId
}

/** The other user of a direct message. */
export async function findRecipientId(sql: Sql, channelId: string, userId: string) {
  const row = await sql.get<{ recipientId: string }>`
    SELECT recipient_id FROM dm_members WHERE channel_id = ${channelId} AND user_id = ${userId}`
  return row?.recipientId
}

/** What decides whether the other user of a direct message accepts a message of the sender. */
export function findRecipientOfMessage(sql: Sql, channelId: string, senderId: string) {
  return sql.get<{
    id: string
    directMessages: DirectMessageSetting
    hasWritten: number
    blocksSender: number
  }>`
    SELECT u.id, u.direct_messages, d.has_written,
      (SELECT COUNT(*) FROM blocks b WHERE b.user_id = u.id AND b.blocked_id = ${senderId}) AS blocks_sender
    FROM dm_members d JOIN users u ON u.id = d.user_id
    WHERE d.channel_id = ${channelId} AND d.user_id <> ${senderId}`
}

/** Records that the user has written in the direct message. */
export async function setHasWritten(sql: Sql, channelId: string, userId: string): Promise<void> {
  await sql.run`
    UPDATE dm_members SET has_written = 1
    WHERE channel_id = ${channelId} AND user_id = ${userId} AND has_written = 0`
}

interface DirectMessageRow {
  channelId: string
  recipientId: string
}

/** All direct messages of the user that the other user has not closed, oldest first. */
export function listDmsOfRecipients(sql: Sql, userId: string) {
  return sql.all<DirectMessageRow>`
    SELECT d.channel_id, d.recipient_id
    FROM dm_members d JOIN dm_members o ON o.user_id = d.recipient_id AND o.recipient_id = d.user_id
    WHERE d.user_id = ${userId} AND o.closed = 0 ORDER BY d.channel_id`
}

/** Undefined if the user is not in the direct message, or has closed it or not, as `closed` says. */
export function setClosed(sql: Sql, channelId: string, userId: string, closed: boolean) {
  const value = closed ? 1 : 0
  return sql.get<{ muted: number }>`
    UPDATE dm_members SET closed = ${value}
    WHERE channel_id = ${channelId} AND user_id = ${userId} AND closed <> ${value} RETURNING muted`
}

/** False if the user is not in the direct message, or has muted it or not, as `muted` says. */
export async function setMuted(
  sql: Sql,
  channelId: string,
  userId: string,
  muted: boolean,
): Promise<boolean> {
  const value = muted ? 1 : 0
  const rows = await sql.run`
    UPDATE dm_members SET muted = ${value}
    WHERE channel_id = ${channelId} AND user_id = ${userId} AND muted <> ${value}`
  return rows > 0
}

/** Opens the direct message for those of its users who have closed it, and returns them. */
export function reopenDm(sql: Sql, channelId: string) {
  return sql.all<Omit<DirectMessageRow, 'channelId'> & { userId: string; muted: number }>`
    UPDATE dm_members SET closed = 0 WHERE channel_id = ${channelId} AND closed = 1
    RETURNING user_id, recipient_id, muted`
}

/** Without those that the user has closed. Newest first. */
export function listDmsBefore(sql: Sql, userId: string, before: string, limit: number) {
  return sql.all<DirectMessageRow>`
    SELECT channel_id, recipient_id FROM dm_members
    WHERE user_id >= (SELECT ${userId}) AND (user_id, channel_id) < ((SELECT ${userId}), ${before}) AND closed = 0
    ORDER BY user_id DESC, channel_id DESC LIMIT ${limit}`
}

/** Without those that the user has closed. Oldest first. */
export function listDmsAfter(
  sql: Sql,
  userId: string,
  { after, before, limit }: { after: string; before: string; limit: number },
) {
  return sql.all<DirectMessageRow>`
    SELECT channel_id, recipient_id FROM dm_members
    WHERE (user_id, channel_id) > ((SELECT ${userId}), ${after})
      AND (user_id, channel_id) < ((SELECT ${userId}), ${before}) AND closed = 0
    ORDER BY user_id, channel_id LIMIT ${limit}`
}

/** Both users of a direct message; none for a channel of a server. */
export async function listDirectMessageUserIds(sql: Sql, channelId: string): Promise<string[]> {
  const rows = await sql.all<{ userId: string }>`
    SELECT user_id FROM dm_members WHERE channel_id = ${channelId}`
  return rows.map(row => row.userId)
}

/** The ids of all direct messages of the user, also of closed ones. */
export async function listDirectMessageIds(sql: Sql, userId: string): Promise<string[]> {
  const rows = await sql.all<{ channelId: string }>`
    SELECT channel_id FROM dm_members WHERE user_id = ${userId}`
  return rows.map(row => row.channelId)
}
