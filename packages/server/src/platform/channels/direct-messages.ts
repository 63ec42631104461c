import type { Channel } from '@gatehouse/protocol/channels'
import { defaultListLimit } from '@gatehouse/protocol/limits'
import type { PageQuery } from '@gatehouse/protocol/lists'
import type { User } from '@gatehouse/protocol/users'
import { invalid, notFound } from '../../kit/app-error.ts'
import type { Clock } from '../../kit/clock.ts'
import { maxSnowflake } from '../../kit/snowflake.ts'
import type { Database, Transaction } from '../../storage/database.ts'
import type { Events } from '../events.ts'
import { haveMutualServer } from '../members/index.ts'
import type { ChannelRecord } from '../permissions/index.ts'
import { findUser, findUsers, type UserRecord, userView } from '../users/index.ts'
import { toChannel } from './channels.ts'
import * as store from './store.ts'

export type DirectMessages = ReturnType<typeof createDirectMessages>

export function createDirectMessages({
  db,
  clock,
  ids,
  events,
}: {
  db: Database
  clock: Clock
  ids: () => string
  events: Pick<Events, 'toUser'>
}) {
  /** Undefined if a concurrent request created the direct message of these two users first. */
  async function insertDirectMessage(
    tx: Transaction,
    caller: UserRecord,
    recipient: UserRecord,
  ): Promise<ChannelRecord | undefined> {
    const channel: ChannelRecord = {
      id: ids(),
      serverId: null,
      type: 'dm',
      name: null,
      topic: null,
      position: 0,
    }
    await store.insertChannel(tx, channel, clock())
    const channelId = channel.id
    // Always in the order of the ids: if both users open the direct message at the same time, their transactions lock the
    // same row first and cannot deadlock.
    const [first, second] = caller.id < recipient.id ? [caller.id, recipient.id] : [recipient.id, caller.id]
    if (!(await store.insertDmMember(tx, { channelId, userId: first, recipientId: second }))) {
      await store.deleteChannel(tx, channelId)
      return undefined
    }
    await store.insertDmMember(tx, { channelId, userId: second, recipientId: first })
    tx.afterCommit(() => {
      events.toUser(caller.id, { t: 'CHANNEL_CREATE', d: toChannel(channel, [], userView(recipient)) })
      events.toUser(recipient.id, { t: 'CHANNEL_CREATE', d: toChannel(channel, [], userView(caller)) })
    })
    return channel
  }

  return {
    /**
     * The direct message of the two users, which is created if they share a server. 404 if they do not, 400 for the caller's
     * own id and for two bots.
     */
    openDirectMessage(
      callerId: string,
      recipientId: string,
    ): Promise<{ channel: Channel; created: boolean }> {
      return db.transaction(async tx => {
        if (callerId === recipientId) {
          throw invalid('recipientId', 'invalid_choice', 'must not be your own id')
        }
        const [caller, recipient, existing, isReachable] = await Promise.all([
          findUser(tx, callerId),
          findUser(tx, recipientId),
          store.findDirectMessage(tx, callerId, recipientId),
          haveMutualServer(tx, callerId, recipientId),
        ])
        if (caller === undefined || recipient === undefined) throw notFound()
        if (!isReachable && existing === undefined) throw notFound()
        // Bots cannot message bots (bots/bot-may).
        if (caller.bot && recipient.bot)
          throw invalid('recipientId', 'invalid_choice', 'must not be the id of a bot')
        const toResult = (channel: ChannelRecord, created: boolean) => ({
          channel: toChannel(channel, [], userView(recipient)),
          created,
        })
        if (existing !== undefined) return toResult(existing, false)
        const inserted = await insertDirectMessage(tx, caller, recipient)
        if (inserted !== undefined) return toResult(inserted, true)
        const concurrent = await store.findDirectMessage(tx, callerId, recipientId)
        if (concurrent === undefined) throw new Error('The direct message was deleted while it was opened.')
        return toResult(concurrent, false)
      })
    },

    /** From the oldest channel to the newest. */
    async listDirectMessages(
      userId: string,
      { before = maxSnowflake, after, limit = defaultListLimit }: PageQuery,
    ): Promise<Channel[]> {
      const rows =
        after === undefined
          ? (await store.listDmsBefore(db, userId, { before, limit })).reverse()
          : await store.listDmsAfter(db, userId, { after, before, limit })
      const recipientIds = rows.map(row => row.recipientId)
      const users = await findUsers(db, recipientIds)
      return rows.flatMap(({ channel, recipientId }) => {
        const recipient = users.get(recipientId)
        return recipient ? [toChannel(channel, [], userView(recipient))] : []
      })
    },

    /** Publishes CHANNEL_UPDATE to the other user of each direct message, whose `recipient` is the changed user. */
    async publishProfile(tx: Transaction, user: User): Promise<void> {
      const rows = await store.listDms(tx, user.id)
      tx.afterCommit(() => {
        for (const { channel, recipientId } of rows) {
          events.toUser(recipientId, { t: 'CHANNEL_UPDATE', d: toChannel(channel, [], user) })
        }
      })
    },
  }
}
