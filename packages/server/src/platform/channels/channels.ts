import type { Channel, CreateChannelBody, UpdateChannelBody } from '@gatehouse/protocol/channels'
import { Permission } from '@gatehouse/protocol/permissions'
import type { Clock } from '../../kit/clock.ts'
import type { Database, Transaction } from '../../storage/database.ts'
import type { Events } from '../events.ts'
import { type ChannelRecord, requireChannel, requireServer, visibleChannels } from '../permissions/index.ts'
import { channelView } from './channel-view.ts'
import { recipientIn } from './direct-messages.ts'
import * as store from './store.ts'

interface ChannelsDeps {
  db: Database
  clock: Clock
  ids: () => string
  events: Pick<Events, 'toServer'>
}

export interface Channels {
  /** Those that the caller may view, in their order. 404 for no member. */
  listChannels(userId: string, serverId: string): Promise<Channel[]>
  /** Needs MANAGE_CHANNELS on the server. It comes after all others. */
  createChannel(userId: string, serverId: string, body: CreateChannelBody): Promise<Channel>
  /** Also a direct message of the caller's. */
  getChannel(userId: string, channelId: string): Promise<Channel>
  /** Needs MANAGE_CHANNELS in the channel. */
  updateChannel(userId: string, channelId: string, body: UpdateChannelBody): Promise<Channel>
  deleteChannel(userId: string, channelId: string): Promise<void>
  /** For a new server. No event: nobody is there yet. */
  addChannel(tx: Transaction, channel: { serverId: string; name: string }): Promise<void>
}

export function createChannels({ db, clock, ids, events }: ChannelsDeps): Channels {
  async function insert(
    tx: Transaction,
    { serverId, name, topic }: { serverId: string; name: string; topic: string | null },
  ): Promise<ChannelRecord> {
    const position = await store.nextPosition(tx, serverId)
    const channel: ChannelRecord = { id: ids(), serverId, type: 'text', name, topic, position }
    await store.insertChannel(tx, channel, clock())
    return channel
  }

  return {
    async listChannels(userId, serverId) {
      await requireServer(db, userId, serverId)
      const [visible, channels, overwrites] = await Promise.all([
        visibleChannels(db, userId, serverId),
        store.listChannels(db, serverId),
        store.listOverwritesOfServer(db, serverId),
      ])
      const ids = new Set(visible)
      const ofChannel = Map.groupBy(overwrites, overwrite => overwrite.channelId)
      return channels
        .filter(channel => ids.has(channel.id))
        .map(channel => channelView(channel, ofChannel.get(channel.id) ?? []))
    },
    createChannel: (userId, serverId, body) =>
      db.transaction(async tx => {
        await requireServer(tx, userId, serverId, Permission.MANAGE_CHANNELS)
        const record = await insert(tx, { serverId, name: body.name, topic: topicOf(body.topic) })
        const channel = channelView(record, [])
        tx.afterCommit(() => events.toServer(serverId, { t: 'CHANNEL_CREATE', d: channel }))
        return channel
      }),
    async getChannel(userId, channelId) {
      const { channel } = await requireChannel(db, userId, channelId)
      if (channel.type === 'dm') return channelView(channel, [], await recipientIn(db, channelId, userId))
      return channelView(channel, await store.listOverwrites(db, channelId))
    },
    updateChannel: (userId, channelId, body) =>
      db.transaction(async tx => {
        const { channel } = await requireChannel(tx, userId, channelId, Permission.MANAGE_CHANNELS)
        const record = {
          ...channel,
          name: body.name ?? channel.name,
          topic: body.topic === undefined ? channel.topic : topicOf(body.topic),
          position: body.position ?? channel.position,
        }
        await store.updateChannel(tx, record)
        return announceUpdate(tx, events, record)
      }),
    deleteChannel: (userId, channelId) =>
      db.transaction(async tx => {
        const { channel } = await requireChannel(tx, userId, channelId, Permission.MANAGE_CHANNELS)
        const { id, serverId } = channel
        if (serverId === null || !(await store.deleteChannel(tx, id))) return
        tx.afterCommit(() => events.toServer(serverId, { t: 'CHANNEL_DELETE', d: { id, serverId } }))
      }),
    async addChannel(tx, { serverId, name }) {
      await insert(tx, { serverId, name, topic: null })
    },
  }
}

/** CHANNEL_UPDATE with the channel as it stands now, which is the answer too. */
export async function announceUpdate(
  tx: Transaction,
  events: Pick<Events, 'toServer'>,
  record: ChannelRecord,
): Promise<Channel> {
  const channel = channelView(record, await store.listOverwrites(tx, record.id))
  const { serverId } = record
  if (serverId !== null) tx.afterCommit(() => events.toServer(serverId, { t: 'CHANNEL_UPDATE', d: channel }))
  return channel
}

function topicOf(topic: string | null | undefined): string | null {
  return topic === undefined || topic === '' ? null : topic
}
