import type { MessageState } from '@gatehouse/protocol/messages'
import { list, type Sql } from '../../storage/database.ts'

/** `interaction`, `embeds`, `components` and `mentions` are JSON text, which is parsed only if it is not empty. */
export interface MessageRow {
  id: string
  channelId: string
  serverId: string | null
  authorId: string
  webhookId: string | null
  webhookName: string | null
  webhookAvatar: string | null
  applicationId: string | null
  interactionId: string | null
  interaction: string | null
  content: string
  embeds: string
  components: string
  mentions: string
  state: Exclude<MessageState, 'expired'>
  createdAt: number
  editedAt: number | null
}

/**
 * False if the author has already used the nonce in this channel. The unique index decides, so only one of several
 * concurrent requests inserts a row. It has no entry for messages without a nonce.
 */
export async function insertMessage(sql: Sql, row: MessageRow & { nonce: string | null }): Promise<boolean> {
  const rows = await sql.run`
    INSERT INTO messages (id, channel_id, server_id, author_id, webhook_id, webhook_name, webhook_avatar,
      application_id, interaction_id, interaction, content, embeds, components, mentions, state, nonce, created_at,
      edited_at)
    VALUES (${row.id}, ${row.channelId}, ${row.serverId}, ${row.authorId}, ${row.webhookId}, ${row.webhookName},
      ${row.webhookAvatar}, ${row.applicationId}, ${row.interactionId}, ${row.interaction}, ${row.content},
      ${row.embeds}, ${row.components}, ${row.mentions}, ${row.state}, ${row.nonce}, ${row.createdAt},
      ${row.editedAt})
    ON CONFLICT (author_id, channel_id, nonce) WHERE nonce IS NOT NULL DO NOTHING`
  return rows > 0
}

export async function findByNonce(
  sql: Sql,
  { authorId, channelId, nonce }: { authorId: string; channelId: string; nonce: string },
): Promise<MessageRow | undefined> {
  return sql.get<MessageRow>`
    SELECT id, channel_id, server_id, author_id, webhook_id, webhook_name, webhook_avatar, application_id,
      interaction_id, interaction, content, embeds, components, mentions, state, created_at, edited_at
    FROM messages
    WHERE author_id = ${authorId} AND channel_id = ${channelId} AND nonce = ${nonce} AND nonce IS NOT NULL`
}

export async function findMessage(sql: Sql, channelId: string, id: string): Promise<MessageRow | undefined> {
  return sql.get<MessageRow>`
    SELECT id, channel_id, server_id, author_id, webhook_id, webhook_name, webhook_avatar, application_id,
      interaction_id, interaction, content, embeds, components, mentions, state, created_at, edited_at
    FROM messages WHERE id = ${id} AND channel_id = ${channelId}`
}

interface Range {
  after: string
  before: string
  limit: number
}

/** The newest messages between `after` and `before`, newest first. */
export async function listNewest(
  sql: Sql,
  channelId: string,
  { after, before, limit }: Range,
): Promise<MessageRow[]> {
  return sql.all<MessageRow>`
    SELECT id, channel_id, server_id, author_id, webhook_id, webhook_name, webhook_avatar, application_id,
      interaction_id, interaction, content, embeds, components, mentions, state, created_at, edited_at
    FROM messages
    WHERE channel_id = ${channelId} AND id > ${after} AND id < ${before} ORDER BY id DESC LIMIT ${limit}`
}

/** The oldest messages between `after` and `before`, oldest first. */
export async function listOldest(
  sql: Sql,
  channelId: string,
  { after, before, limit }: Range,
): Promise<MessageRow[]> {
  return sql.all<MessageRow>`
    SELECT id, channel_id, server_id, author_id, webhook_id, webhook_name, webhook_avatar, application_id,
      interaction_id, interaction, content, embeds, components, mentions, state, created_at, edited_at
    FROM messages
    WHERE channel_id = ${channelId} AND id > ${after} AND id < ${before} ORDER BY id LIMIT ${limit}`
}

/** Columns with null do not change. To replace a placeholder is not an edit, so it sets no `edited_at` (bots/placeholder-id). */
export async function updateMessage(
  sql: Sql,
  id: string,
  changes: Record<'content' | 'embeds' | 'components' | 'mentions' | 'state', string | null>,
  now: number,
): Promise<MessageRow | undefined> {
  return sql.get<MessageRow>`
    UPDATE messages
    SET content = COALESCE(${changes.content}, content), embeds = COALESCE(${changes.embeds}, embeds),
      components = COALESCE(${changes.components}, components), mentions = COALESCE(${changes.mentions}, mentions),
      edited_at = CASE WHEN state = 'deferred' THEN edited_at ELSE ${now} END,
      state = COALESCE(${changes.state}, state)
    WHERE id = ${id}
    RETURNING id, channel_id, server_id, author_id, webhook_id, webhook_name, webhook_avatar, application_id,
      interaction_id, interaction, content, embeds, components, mentions, state, created_at, edited_at`
}

/** `targetIds`: ids of users and roles, and the id of the server for a mention of everyone. */
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

export async function deleteMessage(
  sql: Sql,
  id: string,
): Promise<{ channelId: string; serverId: string | null } | undefined> {
  return sql.get<{ channelId: string; serverId: string | null }>`
    DELETE FROM messages WHERE id = ${id} RETURNING channel_id, server_id`
}
