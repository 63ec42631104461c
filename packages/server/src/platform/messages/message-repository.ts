import type { Row } from '@gatehouse/protocol/components'
import type { Embed } from '@gatehouse/protocol/embeds'
import { defaultListLimit } from '@gatehouse/protocol/limits'
import type { PageQuery } from '@gatehouse/protocol/lists'
import type { Mentions } from '@gatehouse/protocol/mentions'
import type { Message, MessageAuthor, MessageInteraction } from '@gatehouse/protocol/messages'
import type { Clock } from '../../kit/clock.ts'
import { maxSnowflake } from '../../kit/snowflake.ts'
import type { Sql, Transaction } from '../../storage/database.ts'
import type { Events } from '../events.ts'
import {
  formatInteraction,
  formatList,
  formatMentions,
  type MessageRecord,
  noMentions,
  toMessage,
  toMessageRecords,
} from './message-record.ts'
import * as store from './store.ts'

/** All values are validated. */
export interface NewMessage {
  channelId: string
  /** Null in a direct message (bots/interaction-payload). */
  serverId: string | null
  /** A user or bot as `userView` returns it, or a webhook with `webhookId` (webhooks/message-object). */
  author: MessageAuthor
  content: string
  embeds?: readonly Embed[] | undefined
  components?: readonly Row[] | undefined
  mentions?: Mentions | undefined
  /** `deferred` for a placeholder (bots/interaction-states). Default: `sent`. */
  state?: 'sent' | 'deferred' | undefined
  interaction?: MessageInteraction | undefined
  interactionId?: string | undefined
  applicationId?: string | undefined
  /** Default: the `webhookId` of the author. */
  webhookId?: string | undefined
  /** Only the author's own gateway sessions receive it, so that a client recognizes the message that it sent. */
  nonce?: string | undefined
}

/** Undefined members do not change. */
export interface MessageChanges {
  content?: string | undefined
  embeds?: readonly Embed[] | undefined
  components?: readonly Row[] | undefined
  mentions?: Mentions | undefined
  /** `sent` replaces a placeholder, which does not count as an edit (bots/placeholder-id). */
  state?: 'sent' | undefined
}

export type MessageRepository = ReturnType<typeof createMessageRepository>

/**
 * Stores and reads the messages of users, bots, interactions and webhooks. It checks no permissions. Changes publish their
 * gateway event after the commit.
 */
export function createMessageRepository({
  clock,
  ids,
  events,
}: {
  clock: Clock
  ids: () => string
  events: Pick<Events, 'toChannel'>
}) {
  async function toRecord(sql: Sql, row: store.MessageRow | undefined): Promise<MessageRecord | undefined> {
    return row && (await toMessageRecords(sql, [row], clock()))[0]
  }

  async function findByNonce(tx: Transaction, message: NewMessage, nonce: string): Promise<Message> {
    const key = { authorId: message.author.id, channelId: message.channelId, nonce }
    const record = await toRecord(tx, await store.findByNonce(tx, key))
    if (record === undefined) throw new Error('The message with this nonce was deleted by another request.')
    return toMessage(record)
  }

  return {
    /** If the author has already used the nonce in this channel, returns the message of that request. */
    async createMessage(tx: Transaction, newMessage: NewMessage): Promise<Message> {
      const id = ids()
      const now = clock()
      const { channelId, serverId, author, content, mentions, interaction, nonce } = newMessage
      const { state = 'sent', webhookId = author.webhookId } = newMessage
      const inserted = await store.insertMessage(tx, {
        id,
        channelId,
        serverId,
        authorId: author.id,
        webhookId: webhookId ?? null,
        webhookName: webhookId === undefined ? null : author.displayName,
        webhookAvatar: webhookId === undefined ? null : author.avatar,
        applicationId: newMessage.applicationId ?? null,
        interactionId: newMessage.interactionId ?? interaction?.id ?? null,
        interaction: formatInteraction(interaction),
        content,
        embeds: formatList(newMessage.embeds),
        components: formatList(newMessage.components),
        mentions: formatMentions(mentions),
        state,
        nonce: nonce ?? null,
        createdAt: now,
        editedAt: null,
      })
      if (!inserted && nonce !== undefined) return findByNonce(tx, newMessage, nonce)
      await insertMentions(tx, { id, channelId, serverId, mentions })
      const message: Message = {
        id,
        channelId,
        serverId,
        author,
        content,
        embeds: [...(newMessage.embeds ?? [])],
        components: [...(newMessage.components ?? [])],
        mentions: mentions ?? noMentions(),
        createdAt: new Date(now).toISOString(),
        editedAt: null,
        state,
        ...(interaction ? { interaction } : {}),
      }
      const extras = nonce === undefined ? {} : { perUserExtras: { userId: author.id, extras: { nonce } } }
      tx.afterCommit(() => events.toChannel(channelId, { t: 'MESSAGE_CREATE', d: message, ...extras }))
      return message
    },

    /** Undefined if the message does not exist. */
    async editMessage(tx: Transaction, id: string, changes: MessageChanges): Promise<Message | undefined> {
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
      const record = await toRecord(tx, row)
      if (record === undefined) return undefined
      const message = toMessage(record)
      if (changes.mentions !== undefined) {
        await store.deleteMentions(tx, id)
        await insertMentions(tx, message)
      }
      tx.afterCommit(() => events.toChannel(message.channelId, { t: 'MESSAGE_UPDATE', d: message }))
      return message
    },

    /** False if the message does not exist. */
    async deleteMessage(tx: Transaction, id: string): Promise<boolean> {
      const row = await store.deleteMessage(tx, id)
      if (row === undefined) return false
      const { channelId, serverId } = row
      tx.afterCommit(() =>
        events.toChannel(channelId, { t: 'MESSAGE_DELETE', d: { id, channelId, serverId } }),
      )
      return true
    },

    async findMessage(sql: Sql, channelId: string, id: string): Promise<MessageRecord | undefined> {
      return toRecord(sql, await store.findMessage(sql, channelId, id))
    },

    /** Newest first. With only `after`, the messages next to `after`; otherwise those next to `before` or the newest. */
    async listMessages(
      sql: Sql,
      channelId: string,
      { before = maxSnowflake, after, limit = defaultListLimit }: PageQuery,
    ): Promise<Message[]> {
      const rows =
        after === undefined || before !== maxSnowflake
          ? await store.listNewest(sql, channelId, { after: after ?? '', before, limit })
          : (await store.listOldest(sql, channelId, { after, before, limit })).reverse()
      return (await toMessageRecords(sql, rows, clock())).map(toMessage)
    },
  }
}

/** Stores nothing for a direct message: there, every message of the other user counts as a mention. */
async function insertMentions(
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
