// Owns the channels of servers with their overwrites (D64), and the direct messages between two.
// Does not own: what follows from overwrites (permissions/), what is said in a channel (messages/), webhooks.
import type { Channel } from '@gatehouse/protocol/channels'
import type { Sql } from '../../storage/database.ts'
import type { ChannelRecord } from '../permissions/index.ts'
import { channelView } from './channel-view.ts'
import * as store from './store.ts'

export { type Channels, createChannels } from './channels.ts'
export {
  createDirectMessages,
  type DirectMessages,
  directMessageMembers,
} from './direct-messages.ts'
export { createOverwrites, type Overwrites } from './overwrites.ts'

/** Whether or not anybody may view it. */
export function findChannel(sql: Sql, id: string): Promise<ChannelRecord | undefined> {
  return store.findChannel(sql, id)
}

/** All of them, whoever may view which. */
export async function channelsOfServer(sql: Sql, serverId: string): Promise<Channel[]> {
  const [channels, overwrites] = await Promise.all([
    store.listChannels(sql, serverId),
    store.listOverwritesOfServer(sql, serverId),
  ])
  const ofChannel = Map.groupBy(overwrites, overwrite => overwrite.channelId)
  return channels.map(channel => channelView(channel, ofChannel.get(channel.id) ?? []))
}

/** The channels of all direct messages of a person or bot. */
export function directMessageIds(sql: Sql, userId: string): Promise<string[]> {
  return store.listDmIds(sql, userId)
}
