import { fragment, list, type Sql } from '../../storage/database.ts'
import {
  formatInteraction,
  formatList,
  formatMentions,
  type MessageChanges,
  type MessageRecord,
  type MessageRow,
} from './message-record.ts'

/**
 * False if the author has already used the nonce in this channel. The unique index decides, so only one of several
 * concurrent requests inserts a row. It has no entry for messages without a nonce.
 */
export async function insertMessage(
  sql: Sql,
  message: MessageRecord,
  { now, nonce = null }: { now: number; nonce?: string | null | undefined },
): Promise<boolean> {
  const { id, author, webhookId } = message
  const webhookAuthor = webhookId === null ? undefined : author
  const rows = await sql.run`
    INSERT INTO messages (id, channel_id, server_id, author_id, webhook_id, webhook_name, webhook_avatar,
      application_id, interaction_id, interaction, content, embeds, components, mentions, state, nonce, created_at)
    VALUES (${id}, ${message.channelId}, ${message.serverId}, ${author.id}, ${webhookId},
      ${webhookAuthor?.displayName ?? null}, ${webhookAuthor?.avatar ?? null}, ${message.applicationId},
      ${message.interactionId}, ${formatInteraction(message.interaction)}, ${message.content},
      ${formatList(message.embeds)}, ${formatList(message.components)}, ${formatMentions(message.mentions)},
      ${message.state}, ${nonce}, ${now})
    ON CONFLICT (author_id, channel_id, nonce) WHERE nonce IS NOT NULL DO NOTHING`
  return rows > 0
}

const columns = fragment`
  id, channel_id, server_id, author_id, webhook_id, webhook_name, webhook_avatar, application_id, interaction_id,
  interaction, content, embeds, components, mentions, state, created_at, edited_at`

export function findByNonce(sql: Sql, authorId: string, channelId: string, nonce: string) {
  return sql.get<MessageRow>`
    SELECT ${columns} FROM messages
    WHERE author_id = ${authorId} AND channel_id = ${channelId} AND nonce = ${nonce} AND nonce IS NOT NULL`
}

export function findMessage(sql: Sql, channelId: string, id: string) {
  return sql.get<MessageRow>`
    SELECT ${columns} FROM messages WHERE id = ${id} AND channel_id = ${channelId}`
}

interface Range {
  after: string
  before: string
  limit: number
}

/** The newest messages between `after` and `before`, newest first. */
export function listNewest(sql: Sql, channelId: string, { after, before, limit }: Range) {
  return sql.all<MessageRow>`
    SELECT ${columns} FROM messages
    WHERE (channel_id, id) > ((SELECT ${channelId}), ${after})
      AND (channel_id, id) < ((SELECT ${channelId}), ${before})
    ORDER BY channel_id DESC, id DESC LIMIT ${limit}`
}

/** The oldest messages between `after` and `before`, oldest first. */
export function listOldest(sql: Sql, channelId: string, { after, before, limit }: Range) {
  return sql.all<MessageRow>`
    SELECT ${columns} FROM messages
    WHERE (channel_id, id) > ((SELECT ${channelId}), ${after})
      AND (channel_id, id) < ((SELECT ${channelId}), ${before})
    ORDER BY channel_id, id LIMIT ${limit}`
}

/**
 * To replace a placeholder is not an edit, so it sets no `edited_at` (bots/placeholder-id). Otherwise `edited_at`
 * increases with each edit, also if the clocks of nodes differ: clients recognize the newest version by it. Changes
 * nothing if a concurrent edit and this one would leave neither content nor embeds.
 */
export function updateMessage(sql: Sql, id: string, changes: MessageChanges, now: number) {
  const emptyList = formatList([])
  const embeds = changes.embeds && formatList(changes.embeds)
  const components = changes.components && formatList(changes.components)
  const mentions = changes.mentions && formatMentions(changes.mentions)
  return sql.get<MessageRow>`
    UPDATE messages
    SET content = COALESCE(${changes.content ?? null}, content), embeds = COALESCE(${embeds ?? null}, embeds),
      components = COALESCE(${components ?? null}, components), mentions = COALESCE(${mentions ?? null}, mentions),
      edited_at = CASE WHEN state = 'deferred' THEN edited_at WHEN edited_at >= ${now} THEN edited_at + 1
      ELSE ${now} END,
      state = COALESCE(${changes.state ?? null}, state)
    WHERE id = ${id} AND (COALESCE(${changes.content ?? null}, content) <> '' OR COALESCE(${embeds ?? null},
    embeds) <> ${emptyList})
    RETURNING ${columns}`
}

/**
 * `targetIds`: ids of users and roles, and the id of the server (also the id of the role @everyone) for a mention of
 * everyone.
 */
export async function insertMentions(
  sql: Sql,
  { id, channelId, targetIds }: { id: string; channelId: string; targetIds: readonly string[] },
): Promise<void> {
  const targets = list(targetIds)
  await sql.run`
    INSERT INTO mentions (message_id, channel_id, target_id)
    SELECT CAST(${id} AS TEXT), CAST(${channelId} AS TEXT), u.id FROM users u WHERE u.id IN ${targets}
    UNION
    SELECT CAST(${id} AS TEXT), CAST(${channelId} AS TEXT), r.id FROM roles r WHERE r.id IN ${targets}`
}

export async function deleteMentions(sql: Sql, id: string): Promise<void> {
  await sql.run`DELETE FROM mentions WHERE message_id = ${id}`
}

/** Deletes up to `limit` mentions of the messages, and returns their number. */
export function deleteMentionsOfMessages(sql: Sql, ids: readonly string[], limit: number): Promise<number> {
  return sql.run`
    DELETE FROM mentions WHERE (message_id, target_id) IN
      (SELECT x.message_id, x.target_id FROM mentions x WHERE x.message_id IN ${list(ids)} LIMIT ${limit})`
}

export function deleteMessage(sql: Sql, id: string) {
  return sql.get<{ channelId: string; serverId: string | null }>`
    DELETE FROM messages WHERE id = ${id} RETURNING channel_id, server_id`
}

/** The messages of the channel after `after`, oldest first. */
export function listAuthors(sql: Sql, channelId: string, { after, limit }: Pick<Range, 'after' | 'limit'>) {
  return sql.all<{ id: string; authorId: string; webhookId: string | null }>`
    SELECT id, author_id, webhook_id FROM messages
    WHERE (channel_id, id) > ((SELECT ${channelId}), ${after}) AND channel_id <= (SELECT ${channelId})
    ORDER BY channel_id, id LIMIT ${limit}`
}

/** Returns the ids of those that existed. */
export async function deleteMessages(sql: Sql, ids: readonly string[]): Promise<string[]> {
  const rows = await sql.all<{ id: string }>`DELETE FROM messages WHERE id IN ${list(ids)} RETURNING id`
  return rows.map(({ id }) => id)
}

export async function countMessagesBelow(sql: Sql, below: string): Promise<number> {
  const row = await sql.get<{ count: number }>`SELECT COUNT(*) AS count FROM messages WHERE id < ${below}`
  return row?.count ?? 0
}

/**
 * Deletes up to `limit` messages with the lowest ids between `after` and `below`, and returns their ids. The values are
 * hidden from the planner, so that PostgreSQL plans the statement once: a plan costs more with each row that was
 * deleted and not yet vacuumed.
 */
export async function deleteMessagesBetween(
  sql: Sql,
  { after, below, limit }: { after: string; below: string; limit: number },
): Promise<string[]> {
  const rows = await sql.all<{ id: string }>`
    DELETE FROM messages WHERE id IN
      (SELECT m.id FROM messages m WHERE m.id > (SELECT ${after}) AND m.id < (SELECT ${below})
       ORDER BY m.id LIMIT (SELECT CAST(${limit} AS BIGINT)))
    RETURNING id`
  return rows.map(({ id }) => id)
}
