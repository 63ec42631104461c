import type { PageQuery } from '@gatehouse/protocol/lists'
import { anyMention, type Mentions, noMoreThan, usersOnly } from '@gatehouse/protocol/mentions'
import type { CreateMessageBody, Message, UpdateMessageBody } from '@gatehouse/protocol/messages'
import { has, Permission } from '@gatehouse/protocol/permissions'
import type { BotCaller, SessionCaller } from '../../http/caller.ts'
import { AppError, notFound } from '../../kit/app-error.ts'
import type { Database, Sql } from '../../storage/database.ts'
import { type Access, requireChannel } from '../permissions/index.ts'
import { findUser, userView } from '../users/index.ts'
import { type Draft, readDraft, requireSubstance } from './draft.ts'
import { resolveMentions } from './mentions.ts'
import { type MessageRecord, messageView } from './message-record.ts'
import type { Messages } from './messages.ts'

interface ConversationDeps {
  db: Database
  messages: Messages
  /** D49: throws 403 `email_not_verified` where that is asked for. */
  requireVerified: (sql: Sql, userId: string) => Promise<void>
}

/** Who speaks for themselves: a person, or a bot (D32). */
export type Speaker = Pick<SessionCaller | BotCaller, 'kind' | 'userId'> & { applicationId?: string }

/** What people and bots say in the channels that they may view; 404 for all others. */
export interface Conversation {
  /** Newest first. */
  history(userId: string, channelId: string, page: PageQuery): Promise<Message[]>
  read(userId: string, channelId: string, messageId: string): Promise<Message>
  /** Needs SEND_MESSAGES, and EMBED_LINKS for a bot's embeds (D64). */
  say(speaker: Speaker, channelId: string, body: CreateMessageBody): Promise<Message>
  /** One's own; 403 for any other. 409 for a placeholder, which the interaction's response replaces. */
  edit(speaker: Speaker, channelId: string, messageId: string, body: UpdateMessageBody): Promise<Message>
  /** One's own, or any with MANAGE_MESSAGES. */
  remove(userId: string, channelId: string, messageId: string): Promise<void>
}

export function createConversation({ db, messages, requireVerified }: ConversationDeps): Conversation {
  async function find(sql: Sql, channelId: string, messageId: string): Promise<MessageRecord> {
    const message = await messages.findMessage(sql, channelId, messageId)
    if (message === undefined) throw notFound()
    return message
  }

  return {
    async history(userId, channelId, page) {
      await requireChannel(db, userId, channelId)
      return messages.listMessages(db, channelId, page)
    },
    async read(userId, channelId, messageId) {
      await requireChannel(db, userId, channelId)
      return messageView(await find(db, channelId, messageId))
    },
    async say(speaker, channelId, body) {
      // Before the transaction: what is refused never waits for those that write.
      const [access, author] = await Promise.all([
        requireChannel(db, speaker.userId, channelId, Permission.SEND_MESSAGES),
        findUser(db, speaker.userId),
      ])
      if (author === undefined) throw notFound()
      if (speaker.kind === 'session') await requireVerified(db, speaker.userId)
      const draft = readDraft(body, { by: byOf(speaker) })
      const { content = '', embeds = [], components = [] } = draft
      requireSubstance({ content, embeds })
      requireEmbedLinks(access, embeds)
      const mentions = await mentionsIn(db, { speaker, access, content, draft })
      return db.transaction(tx =>
        messages.createMessage(tx, {
          channelId,
          serverId: access.channel.serverId,
          author: userView(author),
          content,
          embeds,
          components,
          mentions,
          applicationId: speaker.applicationId,
          nonce: body.nonce,
        }),
      )
    },
    edit: (speaker, channelId, messageId, body) =>
      db.transaction(async tx => {
        const access = await requireChannel(tx, speaker.userId, channelId)
        const message = await find(tx, channelId, messageId)
        if (!isOwn(message, speaker.userId)) {
          throw new AppError('missing_permission', 'Only its author can edit a message.')
        }
        if (message.state !== 'sent') {
          throw new AppError(
            'interaction_not_answered',
            'A placeholder is replaced by a response to its interaction.',
          )
        }
        const draft = readDraft(body, { by: byOf(speaker) })
        const content = draft.content ?? message.content
        requireSubstance({ content, embeds: draft.embeds ?? message.embeds })
        requireEmbedLinks(access, draft.embeds ?? [])
        const mentions = await mentionsIn(tx, { speaker, access, content, draft, original: message.mentions })
        const { embeds, components } = draft
        const edited = await messages.editMessage(tx, messageId, {
          content: draft.content,
          embeds,
          components,
          mentions,
        })
        if (edited === undefined) throw notFound()
        return edited
      }),
    remove: (userId, channelId, messageId) =>
      db.transaction(async tx => {
        const access = await requireChannel(tx, userId, channelId)
        const message = await find(tx, channelId, messageId)
        if (!isOwn(message, userId) && !has(access.permissions, Permission.MANAGE_MESSAGES)) {
          throw new AppError('missing_permission', 'This needs the permission MANAGE_MESSAGES.')
        }
        if (!(await messages.deleteMessage(tx, messageId))) throw notFound()
      }),
  }
}

interface Saying {
  speaker: Speaker
  access: Access
  content: string
  draft: Draft
  /** Whom the message notified before an edit. */
  original?: Mentions
}

async function mentionsIn(
  sql: Sql,
  { speaker, access, content, draft, original }: Saying,
): Promise<Mentions> {
  const mentions = await resolveMentions(sql, {
    content,
    allowed: draft.allowed,
    default: speaker.kind === 'bot' ? usersOnly : anyMention,
    channelId: access.channel.id,
    serverId: access.channel.serverId,
    mayMentionEveryone: has(access.permissions, Permission.MENTION_EVERYONE),
  })
  // D46: an edit that does not say whom it may notify never notifies more than the original did.
  return original !== undefined && draft.allowed === undefined ? noMoreThan(mentions, original) : mentions
}

function byOf(speaker: Speaker): 'person' | 'bot' {
  return speaker.kind === 'bot' ? 'bot' : 'person'
}

function isOwn(message: MessageRecord, userId: string): boolean {
  return message.author.id === userId && message.webhookId === null
}

/** D64: without EMBED_LINKS embeds are refused, not dropped. */
function requireEmbedLinks(access: Access, embeds: readonly unknown[]): void {
  if (embeds.length === 0 || has(access.permissions, Permission.EMBED_LINKS)) return
  throw new AppError('missing_permission', 'This needs the permission EMBED_LINKS.')
}
