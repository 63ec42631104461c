import type { Row } from '@gatehouse/protocol/components'
import type { Embed } from '@gatehouse/protocol/embeds'
import { defaultListLimit } from '@gatehouse/protocol/limits'
import type { PageQuery } from '@gatehouse/protocol/lists'
import type { Mentions } from '@gatehouse/protocol/mentions'
import type { Message, MessageAuthor, MessageInteraction } from '@gatehouse/protocol/messages'
import { maxSnowflake } from '../../kit/snowflake.ts'
import type { Sql, Transaction } from '../../storage/database.ts'
import type { Deps } from '../deps.ts'
import {
  type MessageChanges,
  type MessageRecord,
  type MessageRow,
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

export type MessageRepository = ReturnType<typeof createMessageRepository>

/**
 * Stores and reads the messages of users, bots, interactions and webhooks. It checks no permissions. Changes publish their
 * gateway event after the commit.
 */
export function createMessageRepository({ clock, ids, events }: Pick<Deps, 'clock' | 'ids' | 'events'>) {
  async function toRecord(sql: Sql, row: MessageRow | undefined): Promise<MessageRecord | undefined> {
    return row && (await toMessageRecords(sql, [row], clock()))[0]
  }

  return {
    /** If the author has already used the nonce in this channel, returns the message of that request. */
    async createMessage(tx: Transaction, newMessage: NewMessage): Promise<Message> {
      const now = clock()
      const { channelId, serverId, author, interaction, nonce } = newMessage
      const record: MessageRecord = {
        id: ids(),
        channelId,
        serverId,
        author,
        content: newMessage.content,
        embeds: [...(newMessage.embeds ?? [])],
        components: [...(newMessage.components ?? [])],
        mentions: newMessage.mentions ?? noMentions(),
        createdAt: new Date(now).toISOString(),
        editedAt: null,
        state: newMessage.state ?? 'sent',
        ...(interaction ? { interaction } : {}),
        applicationId: newMessage.applicationId ?? null,
        webhookId: newMessage.webhookId ?? author.webhookId ?? null,
        interactionId: newMessage.interactionId ?? interaction?.id ?? null,
      }
      const inserted = await store.insertMessage(tx, record, { now, nonce })
      if (!inserted && nonce !== undefined) {
        const existing = await toRecord(tx, await store.findByNonce(tx, author.id, channelId, nonce))
        if (existing) return toMessage(existing)
        throw new Error('The message with this nonce was deleted by another request.')
      }
      const message = toMessage(record)
      await insertMentions(tx, message)
      const extras = nonce === undefined ? {} : { perUserExtras: { userId: author.id, extras: { nonce } } }
      tx.afterCommit(() => events.toChannel(channelId, { t: 'MESSAGE_CREATE', d: message, ...extras }))
      return message
    },

    /** Undefined if the message does not exist. */
    async editMessage(tx: Transaction, id: string, changes: MessageChanges): Promise<Message | undefined> {
      const record = await toRecord(tx, await store.updateMessage(tx, id, changes, clock()))
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
      tx.afterCommit(() => events.toChannel(row.channelId, { t: 'MESSAGE_DELETE', d: { id, ...row } }))
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
  { id, channelId, serverId, mentions }: Message,
): Promise<void> {
  if (serverId === null) return
  const targetIds = [...mentions.users, ...mentions.roles, ...(mentions.everyone ? [serverId] : [])]
  if (targetIds.length > 0) await store.insertMentions(tx, { id, channelId, targetIds })
}
