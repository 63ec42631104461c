import type { Embed } from '@gatehouse/protocol/embeds'
import type { AllowedMentions, Mentions } from '@gatehouse/protocol/mentions'
import { intersectMentions, parseMentions, usersOnly } from '@gatehouse/protocol/mentions'
import type { Message, MessageAuthor } from '@gatehouse/protocol/messages'
import type { DiscordMessage } from '@gatehouse/protocol/webhooks'
import { findUsers, userView } from '../accounts/users/index.ts'
import { type MessageRecord, type MessageRepository, resolveMentions } from '../community/messages/index.ts'
import { canMentionEveryone } from '../community/permissions/index.ts'
import type { ProxyUrls } from '../images/media-proxy/index.ts'
import { type Database, ReferenceViolation, type Sql } from '../storage/database.ts'
import { emptyMessage, unknownMessage, unknownWebhook } from './discord/discord-errors.ts'
import { toDiscordMessage } from './discord/discord-format.ts'
import * as store from './webhook-store.ts'

/** A validated message, whichever format it was sent in. */
export interface NewWebhookMessage {
  content: string
  embeds: Embed[]
  /** Undefined if the request has no `allowed_mentions`. */
  allowedMentions: AllowedMentions | undefined
  /** Replaces the name of the webhook in this message. */
  username: string | undefined
  /** Replaces the avatar of the webhook in this message. */
  avatarUrl: string | undefined
}

/** A validated edit. Undefined members do not change. */
export type WebhookMessageChanges = {
  [K in 'content' | 'embeds' | 'allowedMentions']: NewWebhookMessage[K] | undefined
}

export type WebhookMessages = ReturnType<typeof createWebhookMessages>

/**
 * The messages of a webhook whose token was checked. `get`, `update` and `delete` find only messages of this webhook in
 * its current channel, and throw 404 (10008) for any other id.
 */
export function createWebhookMessages({
  db,
  messages,
  baseUrl,
  proxyUrls,
}: {
  db: Database
  messages: Pick<MessageRepository, 'createMessage' | 'editMessage' | 'deleteMessage' | 'findMessage'>
  baseUrl: string
  proxyUrls: Pick<ProxyUrls, 'addTo'>
}) {
  /**
   * The webhook as it is now. Throws 404 if its token was replaced or it was deleted since it was read
   * (webhooks/token-reset).
   */
  async function requireCurrentWebhook(
    sql: Sql,
    { id, tokenHash }: store.WebhookRecord,
  ): Promise<store.WebhookRecord> {
    const current = await store.findWebhook(sql, id)
    if (current?.tokenHash !== tokenHash) throw unknownWebhook()
    return current
  }

  /**
   * The same in a transaction that stores, changes or deletes a message. A reset of the token waits until it ends, so
   * no message of the old URL appears after the response to the reset (webhooks/token-reset).
   */
  async function lockCurrentWebhook(tx: Sql, webhook: store.WebhookRecord): Promise<store.WebhookRecord> {
    // Again, because the first statement does not find a webhook that another transaction has just moved.
    const current = (await store.lockWebhook(tx, webhook.id)) ?? (await store.lockWebhook(tx, webhook.id))
    if (current?.tokenHash !== webhook.tokenHash) throw unknownWebhook()
    return current
  }

  async function requireMessage(
    sql: Sql,
    webhook: store.WebhookRecord,
    messageId: string,
  ): Promise<MessageRecord> {
    const message = await messages.findMessage(sql, webhook.channelId, messageId)
    if (message?.webhookId !== webhook.id) throw unknownMessage()
    return message
  }

  /**
   * `webhook` was read before the body arrived. If its channel, name or avatar have changed since then, the message is
   * created with the current ones. Throws 404 if its token was replaced or it was deleted (webhooks/token-reset).
   * Returns the message and the webhook with which it was sent.
   */
  async function create(
    webhook: store.WebhookRecord,
    message: NewWebhookMessage,
  ): Promise<{ message: Message; webhook: store.WebhookRecord }> {
    const { channelId, serverId } = webhook
    const { content, embeds, allowedMentions } = message
    const mentions = await resolveWebhookMentions(db, webhook, content, allowedMentions)
    const newMessage = { channelId, serverId, author: toAuthor(webhook, message), content, embeds, mentions }
    try {
      const created = await messages.createMessage(newMessage, async tx => {
        const current = await lockCurrentWebhook(tx, webhook)
        if (!isSameSender(current, webhook)) throw new WebhookChanged(current)
      })
      return { message: created, webhook }
    } catch (error) {
      if (error instanceof WebhookChanged) return create(error.current, message)
      // The channel was deleted after the condition had found it. Read again, the webhook is in another channel, or is
      // deleted too (webhooks/lifetime).
      if (error instanceof ReferenceViolation)
        return create(await requireCurrentWebhook(db, webhook), message)
      throw error
    }
  }

  return {
    create,

    get(webhook: store.WebhookRecord, messageId: string): Promise<MessageRecord> {
      return requireMessage(db, webhook, messageId)
    },

    update(
      webhook: store.WebhookRecord,
      messageId: string,
      { content, embeds, allowedMentions }: WebhookMessageChanges,
    ): Promise<Message> {
      return db.transaction(async tx => {
        await lockCurrentWebhook(tx, webhook)
        const current = await requireMessage(tx, webhook, messageId)
        const isEmpty = (content ?? current.content) === '' && (embeds ?? current.embeds).length === 0
        if (isEmpty) throw emptyMessage()
        // An update without changes must not set `edited_timestamp`.
        if (content === undefined && embeds === undefined && allowedMentions === undefined) return current
        const mentions = await resolveUpdatedMentions(tx, webhook, current, { content, allowedMentions })
        const updated = await messages.editMessage(tx, messageId, { content, embeds, mentions })
        if (updated === undefined) throw unknownMessage()
        return updated
      })
    },

    delete(webhook: store.WebhookRecord, messageId: string): Promise<void> {
      return db.transaction(async tx => {
        await lockCurrentWebhook(tx, webhook)
        await requireMessage(tx, webhook, messageId)
        if (!(await messages.deleteMessage(tx, messageId))) throw unknownMessage()
      })
    },

    async format(webhook: store.WebhookRecord, message: Message): Promise<DiscordMessage> {
      const ids = message.mentions.users
      const users = ids.length === 0 ? undefined : await findUsers(db, ids)
      const mentioned = ids.flatMap(id => users?.get(id) ?? []).map(userView)
      return toDiscordMessage(proxyUrls.addTo(message, baseUrl), webhook, mentioned, baseUrl)
    },
  }
}

/** The webhook has changed since it was read. Nothing is stored. */
class WebhookChanged extends Error {
  readonly current: store.WebhookRecord
  constructor(current: store.WebhookRecord) {
    super('The webhook was changed while a message was created.')
    this.current = current
  }
}

/** Whether a message of both has the same channel and author. */
function isSameSender(a: store.WebhookRecord, b: store.WebhookRecord): boolean {
  return a.channelId === b.channelId && a.name === b.name && a.avatar === b.avatar
}

/** The message keeps this name and avatar when the webhook changes later (webhooks/message-object). */
function toAuthor(
  webhook: store.WebhookRecord,
  { username = webhook.name, avatarUrl }: NewWebhookMessage,
): MessageAuthor {
  return {
    id: webhook.id,
    username,
    displayName: username,
    avatar: avatarUrl ?? webhook.avatar,
    bot: true,
    webhookId: webhook.id,
  }
}

/** Returns undefined if the mentions do not change. */
async function resolveUpdatedMentions(
  sql: Sql,
  webhook: store.WebhookRecord,
  current: Message,
  { content, allowedMentions }: Pick<WebhookMessageChanges, 'content' | 'allowedMentions'>,
): Promise<Mentions | undefined> {
  if (content === undefined && allowedMentions === undefined) return undefined
  const mentions = await resolveWebhookMentions(sql, webhook, content ?? current.content, allowedMentions)
  // Without `allowed_mentions`, an edit notifies nobody whom the original did not (webhooks/edit-mentions).
  return allowedMentions === undefined ? intersectMentions(mentions, current.mentions) : mentions
}

async function resolveWebhookMentions(
  sql: Sql,
  webhook: store.WebhookRecord,
  content: string,
  allowedMentions: AllowedMentions | undefined,
): Promise<Mentions> {
  const { channelId, serverId } = webhook
  return resolveMentions(sql, {
    content,
    allowedMentions,
    defaultMentions: usersOnly,
    channelId,
    serverId,
    canMentionEveryone: await creatorCanMentionEveryone(sql, webhook, content, allowedMentions),
  })
}

/**
 * Whether the creator of the webhook has MENTION_EVERYONE (webhooks/mentions). False, without a query, if the message
 * has no `allowed_mentions` or mentions neither everyone nor a role.
 */
async function creatorCanMentionEveryone(
  sql: Sql,
  { createdBy, channelId }: store.WebhookRecord,
  content: string,
  allowedMentions: AllowedMentions | undefined,
): Promise<boolean> {
  if (allowedMentions === undefined) return false
  const { everyone, roles } = parseMentions(content)
  if (!everyone && roles.length === 0) return false
  return canMentionEveryone(sql, createdBy, channelId)
}
