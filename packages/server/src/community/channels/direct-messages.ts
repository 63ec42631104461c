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
    // The recipient sees it with its first message, so that nobody can show up in the list of another user.
    const insert = (userId: string, recipientId: string) =>
      store.insertDmMember(tx, { channelId: id, userId, recipientId, closed: userId === recipient.id })
    if (!(await insert(first, second))) {
      await store.deleteChannel(tx, id)
      return undefined
    }
    await insert(second, first)
    tx.afterCommit(() => {
      events.toUser(caller.id, { t: 'CHANNEL_CREATE', d: channel })
      const ofRecipient = toDirectMessage(id, caller)
      events.toUser(recipient.id, { t: 'CHANNEL_CREATE', d: ofRecipient, onlySubscribe: true })
    })
    return channel
  }

  /** The list of the user shows the direct message again. */
  async function reopen(tx: Transaction, id: string, userId: string, recipient: User): Promise<Channel> {
    const channel = toDirectMessage(id, recipient)
    const opened = await store.setClosed(tx, id, userId, false)
    if (opened) tx.afterCommit(() => publishOpened(events, userId, channel, opened))
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
        if (existingId !== undefined)
          return { channel: await reopen(tx, existingId, callerId, user), created: false }
        const channel = await insertDirectMessage(tx, userView(caller), user)
        if (channel !== undefined) return { channel, created: true }
        const concurrentId = await store.findDirectMessage(tx, callerId, recipientId)
        if (concurrentId === undefined) throw new Error('The direct message was deleted while it was opened.')
        return { channel: await reopen(tx, concurrentId, callerId, user), created: false }
      })
    },

    /** 404 if the user is not in the direct message. The other user does not learn of it. */
    updateDirectMessage(
      userId: string,
      id: string,
      { closed, muted }: { closed?: boolean | undefined; muted?: boolean | undefined },
    ): Promise<void> {
      return db.transaction(async tx => {
        const recipientId = await store.findRecipientId(tx, id, userId)
        const recipient = recipientId === undefined ? undefined : await findUser(tx, recipientId)
        if (recipient === undefined) throw notFound()
        if (muted !== undefined && (await store.setMuted(tx, id, userId, muted))) {
          tx.afterCommit(() => events.toUser(userId, { t: 'CHANNEL_MUTE', d: { channelId: id, muted } }))
        }
        if (closed === false) await reopen(tx, id, userId, userView(recipient))
        if (closed && (await store.setClosed(tx, id, userId, true))) {
          tx.afterCommit(() => events.toUser(userId, { t: 'CHANNEL_DELETE', d: { id, serverId: null } }))
        }
      })
    },

    /** From the oldest channel to the newest, without closed ones. */
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

    /**
     * Publishes CHANNEL_UPDATE to the other user of each direct message, whose `recipient` is the
     * changed user, unless
     * they have closed it.
     */
    async publishProfile(tx: Transaction, user: User): Promise<void> {
      const rows = await store.listDmsOfRecipients(tx, user.id)
      tx.afterCommit(() => {
        for (const { channelId, recipientId } of rows) {
          events.toUser(recipientId, { t: 'CHANNEL_UPDATE', d: toDirectMessage(channelId, user) })
        }
      })
    },
  }
}

/** A new message shows the direct message to those who have closed it, before they receive the message. */
export async function reopenDirectMessage(
  tx: Transaction,
  events: Pick<Deps['events'], 'toUser'>,
  channelId: string,
): Promise<void> {
  const rows = await store.reopenDm(tx, channelId)
  if (rows.length === 0) return
  const users = await findUsers(
    tx,
    rows.map(({ recipientId }) => recipientId),
  )
  for (const { userId, recipientId, muted } of rows) {
    const recipient = users.get(recipientId)
    if (recipient === undefined) continue
    const d = toDirectMessage(channelId, userView(recipient))
    tx.afterCommit(() => publishOpened(events, userId, d, { muted }))
  }
}

/** The direct message is in the list again. */
function publishOpened(
  events: Pick<Deps['events'], 'toUser'>,
  userId: string,
  channel: Channel,
  { muted }: { muted: number },
): void {
  events.toUser(userId, { t: 'CHANNEL_CREATE', d: channel })
  // READY has no read state of a closed direct message.
  if (muted === 1) events.toUser(userId, { t: 'CHANNEL_MUTE', d: { channelId: channel.id, muted: true } })
}
