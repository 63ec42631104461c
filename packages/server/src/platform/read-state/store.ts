import { maxMentionCount } from '@gatehouse/protocol/limits'
import type { ReadState } from '@gatehouse/protocol/read-state'
import { list, type Sql } from '../../storage/database.ts'

export async function isMessage(sql: Sql, channelId: string, id: string): Promise<boolean> {
  const row = await sql.get<{ id: string }>`
    SELECT id FROM messages WHERE id = ${id} AND channel_id = ${channelId}`
  return row !== undefined
}

interface Mark {
  userId: string
  channelId: string
  messageId: string
}

/** False where the mark stands there, or further on. */
export async function moveMark(sql: Sql, { userId, channelId, messageId }: Mark): Promise<boolean> {
  const rows = await sql.run`
    INSERT INTO read_marks (user_id, channel_id, last_read_id) VALUES (${userId}, ${channelId}, ${messageId})
    ON CONFLICT (user_id, channel_id)
    DO UPDATE SET last_read_id = excluded.last_read_id WHERE read_marks.last_read_id < excluded.last_read_id`
  return rows > 0
}

/** A message may mention several roles that one has: it counts once, so some more are looked at. */
const maxRoleMentions = 2 * maxMentionCount

interface ReadStateRow {
  channel_id: string
  server_id: string | null
  last_message_id: string | null
  last_read_id: string
  mention_count: number
}

/**
 * Of the channels, each with a look at its newest message and at a bounded number of the mentions after the mark. Without a mark all is unread that came after the person did: in a direct message, after the channel.
 */
export async function listReadStates(
  sql: Sql,
  userId: string,
  channelIds: readonly string[],
): Promise<ReadState[]> {
  const rows = await sql.all<ReadStateRow>`
    SELECT s.channel_id, s.server_id, s.last_message_id, s.last_read_id,
      CASE
        WHEN s.last_message_id IS NULL OR s.last_message_id <= s.last_read_id THEN 0
        WHEN s.server_id IS NULL THEN
          (SELECT COUNT(*) FROM
            (SELECT m.author_id FROM messages m
             WHERE m.channel_id = s.channel_id AND m.id > s.last_read_id
             ORDER BY m.id DESC LIMIT ${maxMentionCount}) news
           WHERE news.author_id <> ${userId})
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
                 AND x.channel_id = s.channel_id AND x.target_id = mr.role_id AND x.message_id > s.last_read_id
               LIMIT ${maxRoleMentions}) h
             LIMIT ${maxMentionCount}) news)
      END AS mention_count
    FROM
      (SELECT c.id AS channel_id, c.server_id,
        (SELECT m.id FROM messages m WHERE m.channel_id = c.id ORDER BY m.id DESC LIMIT 1) AS last_message_id,
        CASE
          WHEN b.read_to IS NULL THEN COALESCE(r.last_read_id, c.id)
          WHEN r.last_read_id > b.read_to THEN r.last_read_id
          ELSE b.read_to
        END AS last_read_id
       FROM channels c
       LEFT JOIN members b ON b.server_id = c.server_id AND b.user_id = ${userId}
       LEFT JOIN read_marks r ON r.user_id = ${userId} AND r.channel_id = c.id
       WHERE c.id IN ${list(channelIds)}) s
    ORDER BY s.channel_id`
  return rows.map(row => ({
    channelId: row.channel_id,
    serverId: row.server_id,
    lastMessageId: row.last_message_id,
    lastReadId: row.last_read_id,
    mentionCount: Number(row.mention_count),
  }))
}
