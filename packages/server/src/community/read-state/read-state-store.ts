import { maxMentionCount } from '@gatehouse/protocol/limits'
import type { ReadState } from '@gatehouse/protocol/read-state'
import { list, type Sql } from '../../storage/database.ts'

export async function messageExists(sql: Sql, channelId: string, id: string): Promise<boolean> {
  const row = await sql.get<{ id: string }>`
    SELECT id FROM messages WHERE id = ${id} AND channel_id = ${channelId}`
  return row !== undefined
}

/** False if the mark is already at this message or at a newer one. */
export async function advanceReadMark(
  sql: Sql,
  userId: string,
  channelId: string,
  messageId: string,
): Promise<boolean> {
  const rows = await sql.run`
    INSERT INTO read_marks (user_id, channel_id, last_read_id) VALUES (${userId}, ${channelId}, ${messageId})
    ON CONFLICT (user_id, channel_id)
    DO UPDATE SET last_read_id = excluded.last_read_id WHERE read_marks.last_read_id < excluded.last_read_id`
  return rows > 0
}

export interface NewestMessage {
  channelId: string
  messageId: string | null
}

/** The newest message of each channel. */
export function listNewestMessages(sql: Sql, channelIds: readonly string[]) {
  return sql.all<NewestMessage>`
    SELECT c.id AS channel_id,
      (SELECT m.id FROM messages m WHERE m.channel_id BETWEEN c.id AND c.id
       ORDER BY m.channel_id DESC, m.id DESC LIMIT 1) AS message_id
    FROM channels c WHERE c.id IN ${list(channelIds)}`
}

/** Those of the channels that have mentions of anyone. */
export async function listMentionedChannelIds(sql: Sql, channelIds: readonly string[]): Promise<string[]> {
  const rows = await sql.all<{ id: string }>`
    SELECT c.id FROM channels c
    WHERE c.id IN ${list(channelIds)} AND EXISTS (SELECT 1 FROM mentions x WHERE x.channel_id = c.id)`
  return rows.map(({ id }) => id)
}

/** A message that mentions two roles of the user counts once, so more rows than `maxMentionCount` are read. */
const maxRoleMentions = 2 * maxMentionCount

/**
 * The read states of the channels, with one statement. For each channel it reads the newest message and a bounded
 * number of mentions after the mark, and searches the mentions of each role of the user if the channel has any
 * mentions. Messages of users and bots that the user blocks do not count (community/blocks). A channel without a mark
 * is unread from the time when the user joined the server, a direct message from its creation. The caller has checked
 * that the user can view the channels. Closed direct messages and categories are left out.
 */
export async function listReadStates(
  sql: Sql,
  userId: string,
  channelIds: readonly string[],
): Promise<ReadState[]> {
  if (channelIds.length === 0) return []
  const rows = await sql.all<Omit<ReadState, 'muted'> & { muted: number; omitted: number }>`
    SELECT s.channel_id, s.server_id, s.last_read_id, s.muted, s.omitted,
      CASE
        WHEN s.last_message_id > s.last_read_id
          AND EXISTS (SELECT 1 FROM blocks b WHERE b.user_id = ${userId})
          AND NOT EXISTS
            (SELECT 1 FROM
              (SELECT m.author_id FROM messages m
               WHERE (m.channel_id, m.id) > (s.channel_id, s.last_read_id) AND m.channel_id <= s.channel_id
               ORDER BY m.channel_id DESC, m.id DESC LIMIT ${maxMentionCount}) unread
             WHERE unread.author_id NOT IN (SELECT b.blocked_id FROM blocks b WHERE b.user_id = ${userId}))
        THEN s.last_read_id
        ELSE s.last_message_id
      END AS last_message_id,
      CASE
        WHEN s.last_message_id IS NULL OR s.last_message_id <= s.last_read_id THEN 0
        WHEN s.server_id IS NULL THEN
          (SELECT COUNT(*) FROM
            (SELECT m.author_id FROM messages m
             WHERE (m.channel_id, m.id) > (s.channel_id, s.last_read_id) AND m.channel_id <= s.channel_id
             ORDER BY m.channel_id DESC, m.id DESC LIMIT ${maxMentionCount}) unread
           WHERE unread.author_id <> ${userId} AND unread.author_id NOT IN
             (SELECT b.blocked_id FROM blocks b WHERE b.user_id = ${userId}))
        ELSE
          (SELECT COUNT(*) FROM
            (SELECT u.message_id FROM
              (SELECT x.message_id FROM mentions x
               WHERE x.channel_id = s.channel_id AND x.target_id = ${userId} AND x.message_id > s.last_read_id
               LIMIT ${maxMentionCount}) u
             UNION
             SELECT e.message_id FROM
              (SELECT x.message_id FROM mentions x
               WHERE x.channel_id = s.channel_id AND x.target_id = s.server_id
                 AND x.message_id > s.last_read_id
               LIMIT ${maxMentionCount}) e
             UNION
             SELECT h.message_id FROM
              (SELECT x.message_id FROM member_roles mr
               CROSS JOIN mentions x
               WHERE mr.server_id = s.server_id AND mr.user_id = ${userId}
                 AND mr.role_id NOT IN (SELECT o.id FROM roles o WHERE o.deleted_at >= 0)
                 AND EXISTS (SELECT 1 FROM mentions o WHERE o.channel_id = s.channel_id)
                 AND x.channel_id = s.channel_id AND x.target_id = mr.role_id AND x.message_id > s.last_read_id
               LIMIT ${maxRoleMentions}) h
             LIMIT ${maxMentionCount}) unread
           WHERE NOT EXISTS
             (SELECT 1 FROM messages m JOIN blocks b ON b.user_id = ${userId} AND b.blocked_id = m.author_id
              WHERE m.id = unread.message_id))
      END AS mention_count
    FROM
      (SELECT c.id AS channel_id, c.server_id,
        (SELECT m.id FROM messages m WHERE m.channel_id BETWEEN c.id AND c.id
         ORDER BY m.channel_id DESC, m.id DESC LIMIT 1) AS last_message_id,
        CASE
          WHEN b.read_to IS NULL THEN COALESCE(r.last_read_id, c.id)
          WHEN r.last_read_id > b.read_to THEN r.last_read_id
          ELSE b.read_to
        END AS last_read_id, COALESCE(d.muted, 0) AS muted,
        CASE c.type WHEN 'category' THEN 1 ELSE COALESCE(d.closed, 0) END AS omitted
       FROM channels c
       LEFT JOIN members b ON b.server_id = c.server_id AND b.user_id = ${userId}
       LEFT JOIN read_marks r ON r.user_id = ${userId} AND r.channel_id = c.id
       LEFT JOIN dm_members d ON d.channel_id = c.id AND d.user_id = ${userId}
       WHERE c.id IN ${list(channelIds)}) s
    ORDER BY s.channel_id`
  // Not in the statement: PostgreSQL would read all channels.
  return rows.flatMap(({ omitted, ...row }) => (omitted === 1 ? [] : { ...row, muted: row.muted === 1 }))
}
