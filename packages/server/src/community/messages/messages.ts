import type { PageQuery } from '@gatehouse/protocol/lists'
import {
  type AllowedMentions,
  anyMention,
  intersectMentions,
  type Mentions,
  usersOnly,
} from '@gatehouse/protocol/mentions'
import type { CreateMessageBody, Message, UpdateMessageBody } from '@gatehouse/protocol/messages'
import { has, Permission, permissionFor } from '@gatehouse/protocol/permissions'
import { findUser, type Users, userView } from '../../accounts/users/index.ts'
import { type Actor, changesOf } from '../../audit/index.ts'
import { AppError, notFound } from '../../errors/app-error.ts'
import type { BotCaller, SessionCaller } from '../../http/caller.ts'
import type { Sql, Transaction } from '../../storage/database.ts'
import { requireAcceptedSender } from '../channels/index.ts'
import type { Deps } from '../community-deps.ts'
import { lockMember } from '../members/index.ts'
import {
  type ChannelAccess,
  requireActiveMember,
  requireChannel,
  requirePermissions,
} from '../permissions/index.ts'
import { resolveMentions } from './mentions.ts'
import { rejectBotMembers, requireContentOrEmbed } from './message-body.ts'
import { type MessageRecord, toMessage } from './message-record.ts'
import type { MessageRepository } from './message-repository.ts'
import { isSlow, requireTurn } from './slow-mode.ts'

/** A user or bot (bots/bot-may). */
type Sender = Pick<SessionCaller | BotCaller, 'kind' | 'userId'> &
  Partial<Pick<BotCaller, 'applicationId' | 'repeatedNonce'>>

export type Messages = ReturnType<typeof createMessages>

/** All operations throw 404 for a channel that the caller cannot view. */
export function createMessages({
  db,
  clock,
  auditLog,
  repository,
  requireVerified,
}: Pick<Deps, 'db' | 'clock' | 'auditLog'> & { repository: MessageRepository } & Pick<
    Users,
    'requireVerified'
  >) {
  async function requireMessage(sql: Sql, userId: string, channelId: string, messageId: string) {
    const access = await requireChannel(sql, clock(), userId, channelId)
    const message = await repository.findMessage(sql, channelId, messageId)
    if (message === undefined) throw notFound()
    return { access, message }
  }

  /** Without the text, which is deleted. */
  async function recordDeletion(
    tx: Transaction,
    serverId: string,
    actor: Actor,
    { id, channelId, author }: MessageRecord,
  ): Promise<void> {
    const changes = changesOf(['channelId', 'authorId'], { channelId, authorId: author.id }, undefined)
    const target = { type: 'message', id, name: author.username } as const
    await auditLog.record(tx, { serverId, actor, action: 'MESSAGE_DELETE', target, changes })
  }

  return {
    /** Newest first. */
    async listMessages(userId: string, channelId: string, page: PageQuery): Promise<Message[]> {
      await requireChannel(db, clock(), userId, channelId)
      return repository.listMessages(db, channelId, page)
    },

    async getMessage(userId: string, channelId: string, messageId: string): Promise<Message> {
      const { message } = await requireMessage(db, userId, channelId, messageId)
      return toMessage(message)
    },

    /** Requires SEND_MESSAGES, and EMBED_LINKS for embeds (community/permission-hierarchy). */
    async createMessage(sender: Sender, channelId: string, body: CreateMessageBody): Promise<Message> {
      // Before the transaction, so that a rejected request does not wait for other writers.
      const [access, author] = await Promise.all([
        requireChannel(db, clock(), sender.userId, channelId, permissionFor.sendMessage),
        findUser(db, sender.userId),
      ])
      if (author === undefined) throw notFound()
      requireActiveMember(access)
      await requireAcceptedSender(db, access.channel, sender.userId)
      if (sender.kind === 'session') await requireVerified(db, sender.userId)
      if (sender.kind !== 'bot') rejectBotMembers(body)
      const { content = '', embeds = [], components = [], allowedMentions } = body
      requireContentOrEmbed({ content, embeds })
      requireEmbedLinks(access, embeds)
      const mentions = await resolveSenderMentions(db, sender, access, { content, allowedMentions })
      const { serverId } = access.channel
      const newMessage = {
        channelId,
        serverId,
        author: userView(author),
        content,
        embeds,
        components,
        mentions,
        applicationId: sender.applicationId,
        nonce: body.nonce,
        repeatedNonce: sender.repeatedNonce,
      }
      return repository.createMessage(newMessage, async tx => {
        // A ban first removes the member and then deletes messages. If the author is no longer a member, nothing is
        // stored; otherwise the ban waits for this message and deletes it too (community/bans).
        if (serverId !== null && !(await lockMember(tx, serverId, sender.userId))) throw notFound()
        if (sender.kind === 'bot' || !isSlow(access)) return
        const turn = { channelId, userId: sender.userId, nonce: body.nonce }
        await requireTurn(tx, clock(), turn, access.channel.slowMode)
      })
    },

    /** 403 for a message of another author, 409 for a placeholder, which only an interaction response can replace. */
    editMessage(
      sender: Sender,
      channelId: string,
      messageId: string,
      body: UpdateMessageBody,
    ): Promise<Message> {
      return db.transaction(async tx => {
        const { access, message } = await requireMessage(tx, sender.userId, channelId, messageId)
        if (!isAuthor(message, sender.userId)) {
          throw new AppError('missing_permission', 'Only the author can edit a message.')
        }
        requireActiveMember(access)
        await requireAcceptedSender(tx, access.channel, sender.userId)
        if (message.state !== 'sent') {
          throw new AppError(
            'interaction_not_answered',
            'A placeholder cannot be edited before the response to its interaction replaces it.',
          )
        }
        if (sender.kind !== 'bot') rejectBotMembers(body)
        const { allowedMentions, ...changes } = body
        const { content = message.content, embeds = message.embeds } = changes
        requireContentOrEmbed({ content, embeds })
        requireEmbedLinks(access, changes.embeds ?? [])
        const mentionsChange = changes.content !== undefined || allowedMentions !== undefined
        const found = mentionsChange
          ? await resolveSenderMentions(tx, sender, access, { content, allowedMentions })
          : undefined
        // Without `allowedMentions`, an edit notifies nobody whom the original did not notify (webhooks/edit-mentions).
        const mentions =
          found && allowedMentions === undefined ? intersectMentions(found, message.mentions) : found
        const edited = await repository.editMessage(tx, messageId, { ...changes, mentions })
        if (edited === undefined) throw notFound()
        return edited
      })
    },

    /** Requires MANAGE_MESSAGES for a message of another author. */
    deleteMessage(actor: Actor, channelId: string, messageId: string): Promise<void> {
      return db.transaction(async tx => {
        const { access, message } = await requireMessage(tx, actor.userId, channelId, messageId)
        const isOwn = isAuthor(message, actor.userId)
        if (!isOwn) requirePermissions(access, permissionFor.deleteMessageOfOthers)
        if (!(await repository.deleteMessage(tx, messageId))) throw notFound()
        const { serverId } = access.channel
        if (!isOwn && serverId !== null) await recordDeletion(tx, serverId, actor, message)
      })
    },

    /** Deletes those of the messages that exist. Requires MANAGE_MESSAGES, also for own messages. */
    deleteMessages(actor: Actor, channelId: string, messageIds: readonly string[]): Promise<void> {
      return db.transaction(async tx => {
        const access = await requireChannel(
          tx,
          clock(),
          actor.userId,
          channelId,
          permissionFor.deleteMessageOfOthers,
        )
        const { serverId } = access.channel
        if (serverId === null) throw notFound()
        for (const message of await repository.deleteMessages(tx, { serverId, channelId }, messageIds)) {
          if (!isAuthor(message, actor.userId)) await recordDeletion(tx, serverId, actor, message)
        }
      })
    },
  }
}

function resolveSenderMentions(
  sql: Sql,
  sender: Sender,
  { channel, permissions }: ChannelAccess,
  message: { content: string; allowedMentions: AllowedMentions | undefined },
): Promise<Mentions> {
  return resolveMentions(sql, {
    ...message,
    defaultMentions: sender.kind === 'bot' ? usersOnly : anyMention,
    channelId: channel.id,
    serverId: channel.serverId,
    canMentionEveryone: has(permissions, Permission.MENTION_EVERYONE),
  })
}

/** A webhook can have the id of a user, so comparing only the author's id is not enough. */
function isAuthor(message: MessageRecord, userId: string): boolean {
  return message.author.id === userId && message.webhookId === null
}

/**
 * Without EMBED_LINKS a message with embeds is rejected; the embeds are not dropped (community/permission-hierarchy).
 */
function requireEmbedLinks(access: ChannelAccess, embeds: readonly unknown[]): void {
  if (embeds.length > 0) requirePermissions(access, Permission.EMBED_LINKS)
}
