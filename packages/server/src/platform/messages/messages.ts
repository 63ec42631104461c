import type { Row } from '@gatehouse/protocol/components'
import type { Embed } from '@gatehouse/protocol/embeds'
import { defaultListLimit } from '@gatehouse/protocol/limits'
import type { PageQuery } from '@gatehouse/protocol/lists'
import type { Mentions } from '@gatehouse/protocol/mentions'
import type { Message, MessageAuthor, MessageInteraction } from '@gatehouse/protocol/messages'
import type { Clock } from '../../kit/clock.ts'
import { aboveAllIds } from '../../kit/snowflake.ts'
import type { Sql, Transaction } from '../../storage/database.ts'
import type { Events } from '../events.ts'
import {
  formatInteraction,
  formatList,
  formatMentions,
  type MessageRecord,
  messageView,
  nobody,
  toRecords,
} from './message-record.ts'
import * as store from './store.ts'

interface MessagesDeps {
  clock: Clock
  ids: () => string
  events: Pick<Events, 'toChannel'>
}

/** All of it checked; whether it may be said is for the caller to decide. */
export interface NewMessage {
  channelId: string
  /** Null in a direct message (D56). */
  serverId: string | null
  /** Of a person or bot as `userView` gives it; of a webhook with `webhookId` (D43). */
  author: MessageAuthor
  content: string
  embeds?: readonly Embed[] | undefined
  components?: readonly Row[] | undefined
  mentions?: Mentions | undefined
  /** `deferred`: a placeholder (D29). `sent` unless said. */
  state?: 'sent' | 'deferred' | undefined
  interaction?: MessageInteraction | undefined
  interactionId?: string | undefined
  applicationId?: string | undefined
  /** That of the author, unless said. */
  webhookId?: string | undefined
  /** The author's own sessions are told it, so that they know the message for the one that they sent. */
  nonce?: string | undefined
}

/** What is absent stays as it is. */
export interface MessageChanges {
  content?: string | undefined
  embeds?: readonly Embed[] | undefined
  components?: readonly Row[] | undefined
  mentions?: Mentions | undefined
  /** `sent`: it takes the placeholder's place, which is not an edit (D60). */
  state?: 'sent' | undefined
}

/** How messages are kept, for all that say something: people, bots, interactions, webhooks. */
export interface Messages {
  /** MESSAGE_CREATE after the commit. A nonce that the author has used in the channel gives the message of then. */
  createMessage(tx: Transaction, message: NewMessage): Promise<Message>
  /** MESSAGE_UPDATE after the commit. Undefined where it is gone. */
  editMessage(tx: Transaction, id: string, changes: MessageChanges): Promise<Message | undefined>
  /** MESSAGE_DELETE after the commit. False where it was gone. */
  deleteMessage(tx: Transaction, id: string): Promise<boolean>
  findMessage(sql: Sql, channelId: string, id: string): Promise<MessageRecord | undefined>
  /** Newest first: those nearest to `after` where that alone is given, else those nearest to `before` or to the end. */
  listMessages(sql: Sql, channelId: string, page: PageQuery): Promise<Message[]>
}

export function createMessages({ clock, ids, events }: MessagesDeps): Messages {
  async function one(sql: Sql, row: store.MessageRow | undefined): Promise<MessageRecord | undefined> {
    return row && (await toRecords(sql, [row], clock()))[0]
  }

  async function before(tx: Transaction, message: NewMessage, nonce: string): Promise<Message> {
    const key = { authorId: message.author.id, channelId: message.channelId, nonce }
    const record = await one(tx, await store.findByNonce(tx, key))
    if (record === undefined) throw new Error('the message of this nonce was deleted in this very moment')
    return messageView(record)
  }

  return {
    async createMessage(tx, message) {
      const id = ids()
      const now = clock()
      const { channelId, serverId, author, content, nonce, state = 'sent' } = message
      const webhookId = message.webhookId ?? author.webhookId
      const inserted = await store.insertMessage(tx, {
        id,
        channel_id: channelId,
        server_id: serverId,
        author_id: author.id,
        webhook_id: webhookId ?? null,
        webhook_name: webhookId === undefined ? null : author.displayName,
        webhook_avatar: webhookId === undefined ? null : author.avatar,
        application_id: message.applicationId ?? null,
        interaction_id: message.interactionId ?? message.interaction?.id ?? null,
        interaction: formatInteraction(message.interaction),
        content,
        embeds: formatList(message.embeds),
        components: formatList(message.components),
        mentions: formatMentions(message.mentions),
        state,
        nonce: nonce ?? null,
        created_at: now,
        edited_at: null,
      })
      if (!inserted && nonce !== undefined) return before(tx, message, nonce)
      await keepMentions(tx, { id, channelId, serverId, mentions: message.mentions })
      const view: Message = {
        id,
        channelId,
        serverId,
        author,
        content,
        embeds: [...(message.embeds ?? [])],
        components: [...(message.components ?? [])],
        mentions: message.mentions ?? nobody(),
        createdAt: new Date(now).toISOString(),
        editedAt: null,
        state,
        ...(message.interaction ? { interaction: message.interaction } : {}),
      }
      const aside = nonce === undefined ? {} : { aside: { userId: author.id, more: { nonce } } }
      tx.afterCommit(() => events.toChannel(channelId, { t: 'MESSAGE_CREATE', d: view, ...aside }))
      return view
    },

    async editMessage(tx, id, changes) {
      const row = await store.updateMessage(
        tx,
        id,
        {
          content: changes.content ?? null,
          embeds: changes.embeds === undefined ? null : formatList(changes.embeds),
          components: changes.components === undefined ? null : formatList(changes.components),
          mentions: changes.mentions === undefined ? null : formatMentions(changes.mentions),
          state: changes.state ?? null,
        },
        clock(),
      )
      const record = await one(tx, row)
      if (record === undefined) return undefined
      const view = messageView(record)
      if (changes.mentions !== undefined) {
        await store.deleteMentions(tx, id)
        await keepMentions(tx, view)
      }
      tx.afterCommit(() => events.toChannel(view.channelId, { t: 'MESSAGE_UPDATE', d: view }))
      return view
    },

    async deleteMessage(tx, id) {
      const row = await store.deleteMessage(tx, id)
      if (row === undefined) return false
      const { channel_id: channelId, server_id: serverId } = row
      tx.afterCommit(() =>
        events.toChannel(channelId, { t: 'MESSAGE_DELETE', d: { id, channelId, serverId } }),
      )
      return true
    },

    findMessage: async (sql, channelId, id) => one(sql, await store.findMessage(sql, channelId, id)),

    async listMessages(sql, channelId, { before = aboveAllIds, after, limit = defaultListLimit }) {
      const rows =
        after === undefined || before !== aboveAllIds
          ? await store.listNewest(sql, channelId, { after: after ?? '', before, limit })
          : (await store.listOldest(sql, channelId, { after, before, limit })).reverse()
      return (await toRecords(sql, rows, clock())).map(messageView)
    },
  }
}

/** In a direct message all of the other's counts: nothing is kept for it. */
async function keepMentions(
  tx: Transaction,
  {
    id,
    channelId,
    serverId,
    mentions,
  }: Pick<NewMessage, 'channelId' | 'serverId' | 'mentions'> & { id: string },
): Promise<void> {
  if (serverId === null || mentions === undefined) return
  const targetIds = [...mentions.users, ...mentions.roles, ...(mentions.everyone ? [serverId] : [])]
  if (targetIds.length > 0) await store.insertMentions(tx, { id, channelId, targetIds })
}
