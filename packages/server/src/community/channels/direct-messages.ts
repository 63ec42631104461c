import type { Channel } from '@gatehouse/protocol/channels'
import { defaultListLimit } from '@gatehouse/protocol/limits'
import type { PageQuery } from '@gatehouse/protocol/lists'
import type { User } from '@gatehouse/protocol/users'
import { findUser, findUsers, userView } from '../../accounts/users/index.ts'
import { invalid, notFound } from '../../errors/app-error.ts'
import { maxSnowflake } from '../../kit/snowflake.ts'
import type { Transaction } from '../../storage/database.ts'
import type { Deps } from '../community-deps.ts'
import { haveMutualServer } from '../members/index.ts'
import * as store from './channel-store.ts'
import { toDirectMessage } from './channels.ts'

export type DirectMessages = ReturnType<typeof createDirectMessages>

export function createDirectMessages({
  db,
  clock,
  ids,
  events,
}: Pick<Deps, 'db' | 'clock' | 'ids' | 'events'>) {
  /** Undefined if a concurrent request created the direct message of these two users first. */
  async function insertDirectMessage(
    tx: Transaction,
    caller: User,
    recipient: User,
  ): Promise<Channel | undefined> {
    const channel = toDirectMessage(ids(), recipient)
    const { id } = channel
    await store.insertChannel(tx, channel, clock())
    // Always in the order of the ids: if both users open the direct message at the same time, their transactions lock
    // the same row first and cannot deadlock.
    const [first, second] = caller.id < recipient.id ? [caller.id, recipient.id] : [recipient.id, caller.id]
    if (!(await store.insertDmMember(tx, id, first, second))) {
      await store.deleteChannel(tx, id)
      return undefined
    }
    await store.insertDmMember(tx, id, second, first)
    tx.afterCommit(() => {
      events.toUser(caller.id, { t: 'CHANNEL_CREATE', d: channel })
      events.toUser(recipient.id, { t: 'CHANNEL_CREATE', d: toDirectMessage(id, caller) })
    })
    return channel
  }

  return {
    /**
     * The direct message of the two users, which is created if they share a server. 404 if they do not, 400 for the
     * caller's own id and for two bots.
     */
    openDirectMessage(
      callerId: string,
      recipientId: string,
    ): Promise<{ channel: Channel; created: boolean }> {
      return db.transaction(async tx => {
        if (callerId === recipientId) {
          throw invalid('recipientId', 'invalid_choice', 'must not be your own id')
        }
        const [caller, recipient, existingId, isReachable] = await Promise.all([
          findUser(tx, callerId),
          findUser(tx, recipientId),
          store.findDirectMessage(tx, callerId, recipientId),
          haveMutualServer(tx, callerId, recipientId),
        ])
        if (caller === undefined || recipient === undefined) throw notFound()
        if (!isReachable && existingId === undefined) throw notFound()
        // Bots cannot message bots (bots/bot-may).
        if (caller.bot && recipient.bot)
          throw invalid('recipientId', 'invalid_choice', 'must not be the id of a bot')
        const user = userView(recipient)
        if (existingId !== undefined) return { channel: toDirectMessage(existingId, user), created: false }
        const channel = await insertDirectMessage(tx, userView(caller), user)
        if (channel !== undefined) return { channel, created: true }
        const concurrentId = await store.findDirectMessage(tx, callerId, recipientId)
        if (concurrentId === undefined) throw new Error('The direct message was deleted while it was opened.')
        return { channel: toDirectMessage(concurrentId, user), created: false }
      })
    },

    /** From the oldest channel to the newest. */
    async listDirectMessages(
      userId: string,
      { before = maxSnowflake, after, limit = defaultListLimit }: PageQuery,
    ): Promise<Channel[]> {
      const rows =
        after === undefined
          ? (await store.listDmsBefore(db, userId, before, limit)).reverse()
          : await store.listDmsAfter(db, userId, { after, before, limit })
      const recipientIds = rows.map(row => row.recipientId)
      const users = await findUsers(db, recipientIds)
      return rows.flatMap(({ channelId, recipientId }) => {
        const recipient = users.get(recipientId)
        return recipient ? [toDirectMessage(channelId, userView(recipient))] : []
      })
    },

    /** Publishes CHANNEL_UPDATE to the other user of each direct message, whose `recipient` is the changed user. */
    async publishProfile(tx: Transaction, user: User): Promise<void> {
      const rows = await store.listDms(tx, user.id)
      tx.afterCommit(() => {
        for (const { channelId, recipientId } of rows) {
          events.toUser(recipientId, { t: 'CHANNEL_UPDATE', d: toDirectMessage(channelId, user) })
        }
      })
    },
  }
}
