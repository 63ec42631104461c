import type { Channel, Overwrite } from '@gatehouse/protocol/channels'
import { formatPermissions } from '@gatehouse/protocol/permissions'
import type { User } from '@gatehouse/protocol/users'
import type { ChannelRecord } from '../permissions/index.ts'
import type { OverwriteRecord } from './store.ts'

/** `recipient`: in a direct message, the other of the two. */
export function channelView(
  channel: ChannelRecord,
  overwrites: readonly OverwriteRecord[],
  recipient?: User,
): Channel {
  return {
    id: channel.id,
    serverId: channel.serverId,
    type: channel.type,
    name: channel.name,
    topic: channel.topic,
    position: channel.position,
    permissionOverwrites: overwrites.map(overwriteView),
    ...(recipient === undefined ? {} : { recipient }),
  }
}

function overwriteView(overwrite: OverwriteRecord): Overwrite {
  return {
    id: overwrite.targetId,
    type: overwrite.type,
    allow: formatPermissions(overwrite.allow),
    deny: formatPermissions(overwrite.deny),
  }
}
