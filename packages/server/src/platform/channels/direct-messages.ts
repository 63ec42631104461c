import type { Channel } from '@gatehouse/protocol/channels'
import { defaultListLimit } from '@gatehouse/protocol/limits'
import type { PageQuery } from '@gatehouse/protocol/lists'
import type { User } from '@gatehouse/protocol/users'
import { invalid, notFound } from '../../kit/app-error.ts'
import type { Clock } from '../../kit/clock.ts'
import { aboveAllIds } from '../../kit/snowflake.ts'
import type { Database, Sql, Transaction } from '../../storage/database.ts'
import type { Events } from '../events.ts'
import { sharesServer } from '../members/index.ts'
import type { ChannelRecord } from '../permissions/index.ts'
import { findUser, findUsers, type UserRecord, userView } from '../users/index.ts'
import { channelView } from './channel-view.ts'
import * as store from './store.ts'

interface DirectMessagesDeps {
  db: Database
  clock: Clock
  ids: () => string
  events: Pick<Events, 'toUser'>
}

export interface DirectMessages {
  /**
   * With somebody who shares a server, or with whom there is one already; else 404. 400 for oneself, and for a bot with a
   * bot.
   */
  openFor(callerId: string, recipientId: string): Promise<{ channel: Channel; created: boolean }>
  /** By id of the channel, oldest first. */
  listDirectMessages(userId: string, page: PageQuery): Promise<Channel[]>
  /** CHANNEL_UPDATE to all with whom the user has a direct message: its `recipient` shows them. */
  announceProfile(tx: Transaction, user: UserRecord): Promise<void>
  /** The one channel of the two. Whether they may speak is for the caller to decide. */
  openDirectMessage(
    tx: Transaction,
    a: string,
    b: string,
  ): Promise<{ channel: ChannelRecord; created: boolean }>
}

export function createDirectMessages({ db, clock, ids, events }: DirectMessagesDeps): DirectMessages {
  async function open(
    tx: Transaction,
    a: string,
    b: string,
  ): Promise<{ channel: ChannelRecord; created: boolean }> {
    const before = await store.findDirectMessage(tx, a, b)
    if (before !== undefined) return { channel: before, created: false }
    const channel: ChannelRecord = {
      id: ids(),
      serverId: null,
      type: 'dm',
      name: null,
      topic: null,
      position: 0,
    }
    await store.insertChannel(tx, channel, clock())
    // Always in the same order, so that two who open it at once wait for each other in turn.
    const [first, second] = a < b ? [a, b] : [b, a]
    if (!(await store.insertDmMember(tx, { channelId: channel.id, userId: first, partnerId: second }))) {
      await store.deleteChannel(tx, channel.id)
      const other = await store.findDirectMessage(tx, a, b)
      if (other === undefined) throw new Error('a direct message was made and is not there')
      return { channel: other, created: false }
    }
    await store.insertDmMember(tx, { channelId: channel.id, userId: second, partnerId: first })
    const [one, other] = await Promise.all([findUser(tx, a), findUser(tx, b)])
    if (one === undefined || other === undefined) throw notFound()
    tx.afterCommit(() => {
      events.toUser(a, { t: 'CHANNEL_CREATE', d: channelView(channel, [], userView(other)) })
      events.toUser(b, { t: 'CHANNEL_CREATE', d: channelView(channel, [], userView(one)) })
    })
    return { channel, created: true }
  }

  return {
    openDirectMessage: open,
    openFor: (callerId, recipientId) =>
      db.transaction(async tx => {
        if (callerId === recipientId) throw invalid('recipientId', 'invalid_choice', 'is yourself')
        const [caller, recipient] = await Promise.all([findUser(tx, callerId), findUser(tx, recipientId)])
        if (caller === undefined || recipient === undefined) throw notFound()
        if (!(await mayMeet(tx, caller, recipient))) throw notFound()
        // D32: a bot speaks with people.
        if (caller.bot && recipient.bot) throw invalid('recipientId', 'invalid_choice', 'is a bot')
        const { channel, created } = await open(tx, callerId, recipientId)
        return { channel: channelView(channel, [], userView(recipient)), created }
      }),
    async announceProfile(tx, user) {
      const direct = await store.listDms(tx, user.id)
      const recipient = userView(user)
      tx.afterCommit(() => {
        for (const { channel, partnerId } of direct) {
          events.toUser(partnerId, { t: 'CHANNEL_UPDATE', d: channelView(channel, [], recipient) })
        }
      })
    },
    async listDirectMessages(userId, { before, after, limit = defaultListLimit }) {
      const rows =
        after === undefined
          ? (await store.listDmsBefore(db, userId, { before: before ?? aboveAllIds, limit })).reverse()
          : await store.listDmsAfter(db, userId, { after, before: before ?? aboveAllIds, limit })
      const users = await findUsers(
        db,
        rows.map(row => row.partnerId),
      )
      return rows.flatMap(({ channel, partnerId }) => {
        const partner = users.get(partnerId)
        return partner ? [channelView(channel, [], userView(partner))] : []
      })
    },
  }
}

async function mayMeet(sql: Sql, a: UserRecord, b: UserRecord): Promise<boolean> {
  return (
    (await sharesServer(sql, a.id, b.id)) || (await store.findDirectMessage(sql, a.id, b.id)) !== undefined
  )
}

/** The ids of the two; none for a channel of a server. */
export function directMessageMembers(sql: Sql, channelId: string): Promise<string[]> {
  return store.listDmMembers(sql, channelId)
}

export async function recipientIn(sql: Sql, channelId: string, userId: string): Promise<User> {
  const partnerId = await store.findDmPartner(sql, channelId, userId)
  const partner = partnerId === undefined ? undefined : await findUser(sql, partnerId)
  if (partner === undefined) throw notFound()
  return userView(partner)
}
