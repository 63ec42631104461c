import { setImmediate } from 'node:timers/promises'
import type { Row } from '@gatehouse/protocol/components'
import type { Embed } from '@gatehouse/protocol/embeds'
import { defaultListLimit } from '@gatehouse/protocol/limits'
import type { PageQuery } from '@gatehouse/protocol/lists'
import type { Mentions } from '@gatehouse/protocol/mentions'
import type { Message, MessageAuthor, MessageInteraction } from '@gatehouse/protocol/messages'
import type { ProxyUrls } from '../../images/media-proxy/index.ts'
import { inBatches, mapWithPauses } from '../../kit/batches.ts'
import { lowestId, maxSnowflake } from '../../kit/snowflake.ts'
import type { Sql, Transaction } from '../../storage/database.ts'
import { listChannelIds, reopenDirectMessage, setHasWritten } from '../channels/index.ts'
import type { Deps } from '../community-deps.ts'
import {
  formatList,
  type MessageChanges,
  type MessageRecord,
  type MessageRow,
  noMentions,
  parseList,
  toMessage,
  toMessageRecords,
} from './message-record.ts'
import * as store from './message-store.ts'

/** Messages that one statement reads or deletes. */
const messagesPerSlice = 200
const mentionsPerStatement = 500

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
  applicationId?: string | undefined
  /** Only the author's own gateway sessions receive it, so that a client recognizes the message that it sent. */
  nonce?: string | undefined
  /** The same for a client whose messages may repeat it. */
  repeatedNonce?: string | undefined
}

/**
 * What must hold so that a message is stored. Runs in the transaction of the message, before the insert: locks rows,
 * makes a transition, or throws, which rolls everything back. `id` is that of the message, unless its nonce is
 * repeated.
 */
export type MessageConditions = (tx: Transaction, id: string) => Promise<unknown>

export type MessageRepository = ReturnType<typeof createMessageRepository>

/**
 * Stores and reads the messages of users, bots, interactions and webhooks. It checks no permissions. Changes publish
 * their gateway event after the commit.
 */
export function createMessageRepository({
  db,
  clock,
  ids,
  events,
  proxyUrls,
}: Pick<Deps, 'db' | 'clock' | 'ids' | 'events'> & { proxyUrls: Pick<ProxyUrls, 'addTo'> }) {
  async function toRecord(sql: Sql, row: MessageRow | undefined): Promise<MessageRecord | undefined> {
    const record = row && (await toMessageRecords(sql, [row], clock()))[0]
    return record && proxyUrls.addTo(record)
  }

  function toNewRecord(newMessage: NewMessage, id: string, now: number): MessageRecord {
    const { author, interaction } = newMessage
    return {
      id,
      channelId: newMessage.channelId,
      serverId: newMessage.serverId,
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
      webhookId: author.webhookId ?? null,
      interactionId: interaction?.id ?? null,
    }
  }

  /** The mentions first, because one message can have 201 of them (limits/event-loop). */
  async function deleteSlice({
    ids,
    ...place
  }: {
    serverId: string
    channelId: string
    ids: readonly string[]
  }): Promise<void> {
    await inBatches(limit => store.deleteMentionsOfMessages(db, ids, limit), mentionsPerStatement)
    await db.transaction(async tx =>
      publishDeletions(tx, place, (await store.deleteMessages(tx, ids)).sort()),
    )
  }

  /** The first event has the ids of all, so that a translation can make one event of them. */
  function publishDeletions(
    tx: Transaction,
    place: { serverId: string | null; channelId: string },
    ids: readonly string[],
  ): void {
    tx.afterCommit(() => {
      for (const [index, id] of ids.entries()) {
        const together = ids.length > 1 ? { together: index === 0 ? ids : [] } : {}
        events.toChannel(place.channelId, { t: 'MESSAGE_DELETE', d: { id, ...place }, ...together })
      }
    })
  }

  /** If the author has already used the nonce in this channel, returns the message of that request. */
  async function insertMessage(tx: Transaction, newMessage: NewMessage, id = ids()): Promise<Message> {
    const now = clock()
    const { channelId, author, nonce } = newMessage
    const record = toNewRecord(newMessage, id, now)
    const isNew = await store.insertMessage(tx, record, { now, nonce })
    if (!isNew && nonce !== undefined) {
      const existing = await toRecord(tx, await store.findByNonce(tx, author.id, channelId, nonce))
      if (existing) return toMessage(existing)
      throw new Error('The message with this nonce was deleted by another request.')
    }
    const message = proxyUrls.addTo(toMessage(record))
    if (message.serverId === null) {
      await setHasWritten(tx, channelId, author.id)
      await reopenDirectMessage(tx, events, channelId)
    }
    await insertMentions(tx, message)
    const shown = nonce ?? newMessage.repeatedNonce
    const extras =
      shown === undefined ? {} : { perUserExtras: { userId: author.id, extras: { nonce: shown } } }
    tx.afterCommit(() => events.toChannel(channelId, { t: 'MESSAGE_CREATE', d: message, ...extras }))
    return message
  }

  return {
    /** Stores a message if the conditions hold, and otherwise throws their error. */
    createMessage(newMessage: NewMessage, conditions?: MessageConditions): Promise<Message> {
      const id = ids()
      return db.transaction(async tx => {
        await conditions?.(tx, id)
        return insertMessage(tx, newMessage, id)
      })
    },

    /**
     * The same for a caller that has a transaction: a follow-up, which is a new message only if there is no
     * placeholder.
     */
    insertMessage: (tx: Transaction, newMessage: NewMessage): Promise<Message> =>
      insertMessage(tx, newMessage),

    /** Undefined if the message does not exist, or if a concurrent edit and this one would leave it empty. */
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
      publishDeletions(tx, row, [id])
      return true
    },

    /** Returns those of the messages that existed. In the order of the ids, so that two requests cannot deadlock. */
    async deleteMessages(
      tx: Transaction,
      place: { serverId: string; channelId: string },
      ids: readonly string[],
    ): Promise<MessageRecord[]> {
      const deleted: MessageRecord[] = []
      for (const id of [...new Set(ids)].sort()) {
        const message = await toRecord(tx, await store.findMessage(tx, place.channelId, id))
        if (message !== undefined && (await store.deleteMessage(tx, id))) deleted.push(message)
      }
      publishDeletions(
        tx,
        place,
        deleted.map(({ id }) => id),
      )
      return deleted
    },

    /**
     * Deletes the messages that the users and bots sent on the server since the time. It reads all messages since then,
     * because there is no index of authors, and deletes in slices, so that other requests do not wait
     * (limits/event-loop). Resolves to false if it was stopped before the end.
     */
    async deleteMessagesOf({
      serverId,
      authorIds,
      since,
      isStopped = () => false,
    }: {
      serverId: string
      authorIds: ReadonlySet<string>
      since: number
      isStopped?: () => boolean
    }): Promise<boolean> {
      for (const channelId of await listChannelIds(db, serverId)) {
        let after = lowestId(since)
        for (;;) {
          if (isStopped()) return false
          const messages = await store.listAuthors(db, channelId, { after, limit: messagesPerSlice })
          const ids = messages
            // A message of a webhook has the id of the webhook as `authorId`.
            .filter(message => authorIds.has(message.authorId) && message.webhookId === null)
            .map(({ id }) => id)
          if (ids.length > 0) await deleteSlice({ serverId, channelId, ids })
          if (messages.length < messagesPerSlice) break
          after = messages.at(-1)?.id ?? after
          await setImmediate()
        }
      }
      return true
    },

    async findMessage(sql: Sql, channelId: string, id: string): Promise<MessageRecord | undefined> {
      return toRecord(sql, await store.findMessage(sql, channelId, id))
    },

    /**
     * The message as it is stored, as JSON, without its components, which act on the message. `userId`: the author,
     * unless it is a webhook.
     */
    async copyMessage(
      sql: Sql,
      channelId: string,
      id: string,
    ): Promise<{ authorId: string; userId: string | undefined; copy: string } | undefined> {
      const row = await store.findMessage(sql, channelId, id)
      if (row === undefined) return undefined
      const { authorId, webhookId } = row
      const copy: MessageRow = { ...row, components: formatList([]) }
      return { authorId, userId: webhookId === null ? authorId : undefined, copy: JSON.stringify(copy) }
    },

    /** The messages of which `copyMessage` has made the copies. Their authors have the current names. */
    async readCopies(sql: Sql, copies: readonly string[]): Promise<Message[]> {
      const rows: MessageRow[] = copies.map(copy => JSON.parse(copy))
      const records = await toMessageRecords(sql, rows, clock())
      return mapWithPauses(records, record => proxyUrls.addTo(toMessage(record)))
    },

    /** For speed without the users of the message, which are another round trip to PostgreSQL. */
    async findComponents(
      sql: Sql,
      channelId: string,
      id: string,
    ): Promise<
      (Pick<MessageRecord, 'applicationId' | 'content' | 'components'> & { authorId: string }) | undefined
    > {
      const row = await store.findMessage(sql, channelId, id)
      if (row === undefined) return undefined
      const { applicationId, authorId, content, components } = row
      return { applicationId, authorId, content, components: parseList(components) }
    },

    /**
     * Newest first. With only `after`, the messages next to `after`; otherwise those next to `before` or the newest.
     */
    async listMessages(sql: Sql, channelId: string, page: PageQuery): Promise<Message[]> {
      const records = await toMessageRecords(sql, await listRows(sql, channelId, page), clock())
      return mapWithPauses(records, record => proxyUrls.addTo(toMessage(record)))
    },
  }
}

async function listRows(
  sql: Sql,
  channelId: string,
  { before = maxSnowflake, after, limit = defaultListLimit }: PageQuery,
): Promise<MessageRow[]> {
  return after === undefined || before !== maxSnowflake
    ? store.listNewest(sql, channelId, { after: after ?? '', before, limit })
    : (await store.listOldest(sql, channelId, { after, before, limit })).reverse()
}

/**
 * The ids for the table `mentions`. None for a direct message: there, every message of the other user counts as a
 * mention.
 */
function mentionedIds({ serverId, mentions }: Pick<Message, 'serverId' | 'mentions'>): string[] {
  if (serverId === null) return []
  return [...mentions.users, ...mentions.roles, ...(mentions.everyone ? [serverId] : [])]
}

async function insertMentions(tx: Transaction, message: Message): Promise<void> {
  const targetIds = mentionedIds(message)
  if (targetIds.length === 0) return
  const { id, channelId } = message
  await store.insertMentions(tx, { id, channelId, targetIds })
}
