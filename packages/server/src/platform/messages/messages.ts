import type { PageQuery } from '@gatehouse/protocol/lists'
import { anyMention, type Mentions, noMoreThan, usersOnly } from '@gatehouse/protocol/mentions'
import type { CreateMessageBody, Message, UpdateMessageBody } from '@gatehouse/protocol/messages'
import { has, Permission } from '@gatehouse/protocol/permissions'
import type { BotCaller, SessionCaller } from '../../http/caller.ts'
import { AppError, notFound } from '../../kit/app-error.ts'
import type { Database, Sql } from '../../storage/database.ts'
import { type ChannelAccess, requireChannel, requirePermissions } from '../permissions/index.ts'
import { findUser, userView } from '../users/index.ts'
import { resolveMentions } from './mentions.ts'
import { type ParsedMessageBody, parseMessageBody, requireContentOrEmbed } from './message-body.ts'
import { type MessageRecord, toMessage } from './message-record.ts'
import type { MessageRepository } from './message-repository.ts'

/** A user or bot (bots/bot-may). */
type Sender = Pick<SessionCaller | BotCaller, 'kind' | 'userId'> & { applicationId?: string }

export type Messages = ReturnType<typeof createMessages>

/** All operations throw 404 for a channel that the caller cannot view. */
export function createMessages({
  db,
  repository,
  requireVerified,
}: {
  db: Database
  repository: MessageRepository
  /** Throws 403 `email_not_verified` if the configuration requires a verified email address (community/unverified-email). */
  requireVerified: (sql: Sql, userId: string) => Promise<void>
}) {
  async function findMessage(sql: Sql, channelId: string, messageId: string): Promise<MessageRecord> {
    const message = await repository.findMessage(sql, channelId, messageId)
    if (message === undefined) throw notFound()
    return message
  }

  return {
    /** Newest first. */
    async listMessages(userId: string, channelId: string, page: PageQuery): Promise<Message[]> {
      await requireChannel(db, userId, channelId)
      return repository.listMessages(db, channelId, page)
    },

    async getMessage(userId: string, channelId: string, messageId: string): Promise<Message> {
      await requireChannel(db, userId, channelId)
      return toMessage(await findMessage(db, channelId, messageId))
    },

    /** Requires SEND_MESSAGES, and EMBED_LINKS for embeds (community/permission-hierarchy). */
    async createMessage(sender: Sender, channelId: string, body: CreateMessageBody): Promise<Message> {
      // Before the transaction, so that a rejected request does not wait for other writers.
      const [access, author] = await Promise.all([
        requireChannel(db, sender.userId, channelId, Permission.SEND_MESSAGES),
        findUser(db, sender.userId),
      ])
      if (author === undefined) throw notFound()
      if (sender.kind === 'session') await requireVerified(db, sender.userId)
      const parsed = parseMessageBody(body, { author: authorKind(sender) })
      const { content = '', embeds = [], components = [] } = parsed
      requireContentOrEmbed({ content, embeds })
      requireEmbedLinks(access, embeds)
      const mentions = await resolveSenderMentions(db, { sender, access, content, parsed })
      return db.transaction(tx =>
        repository.createMessage(tx, {
          channelId,
          serverId: access.channel.serverId,
          author: userView(author),
          content,
          embeds,
          components,
          mentions,
          applicationId: sender.applicationId,
          nonce: body.nonce,
        }),
      )
    },

    /** 403 for a message of another author, 409 for a placeholder, which only an interaction response can replace. */
    editMessage(
      sender: Sender,
      channelId: string,
      messageId: string,
      body: UpdateMessageBody,
    ): Promise<Message> {
      return db.transaction(async tx => {
        const access = await requireChannel(tx, sender.userId, channelId)
        const message = await findMessage(tx, channelId, messageId)
        if (!isAuthor(message, sender.userId)) {
          throw new AppError('missing_permission', 'Only the author can edit a message.')
        }
        if (message.state !== 'sent') {
          throw new AppError(
            'interaction_not_answered',
            'A placeholder cannot be edited before the response to its interaction replaces it.',
          )
        }
        const parsed = parseMessageBody(body, { author: authorKind(sender) })
        const content = parsed.content ?? message.content
        requireContentOrEmbed({ content, embeds: parsed.embeds ?? message.embeds })
        requireEmbedLinks(access, parsed.embeds ?? [])
        const original = message.mentions
        const mentions = await resolveSenderMentions(tx, { sender, access, content, parsed, original })
        const { embeds, components } = parsed
        const changes = { content: parsed.content, embeds, components, mentions }
        const edited = await repository.editMessage(tx, messageId, changes)
        if (edited === undefined) throw notFound()
        return edited
      })
    },

    /** Requires MANAGE_MESSAGES for a message of another author. */
    deleteMessage(userId: string, channelId: string, messageId: string): Promise<void> {
      return db.transaction(async tx => {
        const access = await requireChannel(tx, userId, channelId)
        const message = await findMessage(tx, channelId, messageId)
        if (!isAuthor(message, userId)) requirePermissions(access.permissions, Permission.MANAGE_MESSAGES)
        if (!(await repository.deleteMessage(tx, messageId))) throw notFound()
      })
    },
  }
}

async function resolveSenderMentions(
  sql: Sql,
  {
    sender,
    access,
    content,
    parsed,
    original,
  }: {
    sender: Sender
    access: ChannelAccess
    content: string
    parsed: ParsedMessageBody
    /** The mentions before an edit. */
    original?: Mentions
  },
): Promise<Mentions> {
  const mentions = await resolveMentions(sql, {
    content,
    allowedMentions: parsed.allowedMentions,
    defaultMentions: sender.kind === 'bot' ? usersOnly : anyMention,
    channelId: access.channel.id,
    serverId: access.channel.serverId,
    canMentionEveryone: has(access.permissions, Permission.MENTION_EVERYONE),
  })
  // Without `allowedMentions`, an edit notifies nobody whom the original did not notify (webhooks/edit-mentions).
  const isLimited = original !== undefined && parsed.allowedMentions === undefined
  return isLimited ? noMoreThan(mentions, original) : mentions
}

function authorKind(sender: Sender): 'user' | 'bot' {
  return sender.kind === 'bot' ? 'bot' : 'user'
}

/** A webhook can have the id of a user, so comparing only the author's id is not enough. */
function isAuthor(message: MessageRecord, userId: string): boolean {
  return message.author.id === userId && message.webhookId === null
}

/** Without EMBED_LINKS a message with embeds is rejected; the embeds are not dropped (community/permission-hierarchy). */
function requireEmbedLinks(access: ChannelAccess, embeds: readonly unknown[]): void {
  if (embeds.length > 0) requirePermissions(access.permissions, Permission.EMBED_LINKS)
}
