import type { Channel, ChannelType, Overwrite, OverwriteType } from '@gatehouse/protocol/channels'
import type {
  APIDMChannel,
  APIGuildCategoryChannel,
  APIOverwrite,
  APITextChannel,
} from 'discord-api-types/v10'
import { toDiscordPermissions } from './discord-permissions.ts'
import { type DiscordUser, toDiscordUser } from './discord-user.ts'
import { noFlags } from './no-flags.ts'
import type { OptionalMembers, Whole } from './whole.ts'

type DiscordDirectChannel = Whole<
  APIDMChannel,
  OptionalMembers['directChannel'],
  { recipients: DiscordUser[] }
>
export type DiscordChannel = Whole<APITextChannel> | Whole<APIGuildCategoryChannel> | DiscordDirectChannel

/** The numbers of Discord's API for the types of channels that exist here. */
export const channelTypes = { text: 0, dm: 1, category: 4 } as const satisfies Record<ChannelType, number>

/** The numbers of the types of overwrites. */
export const overwriteTypes = { role: 0, member: 1 } as const satisfies Record<OverwriteType, number>

/** `last_message_id` is null: no event tells that it changed. */
const unread = { last_message_id: null, last_pin_timestamp: null }

export function toDiscordChannel(channel: Channel): DiscordChannel {
  const { id, name, position } = channel
  const common = { id, flags: noFlags }
  if (channel.type === 'dm' || channel.serverId === null) {
    const recipients = channel.recipient === undefined ? [] : [toDiscordUser(channel.recipient)]
    return { ...common, ...unread, type: channelTypes.dm, recipients, rate_limit_per_user: 0 }
  }
  const inGuild = {
    ...common,
    name: name ?? '',
    guild_id: channel.serverId,
    position,
    permission_overwrites: channel.permissionOverwrites.map(toDiscordOverwrite),
    nsfw: false,
  }
  if (channel.type === 'category') return { ...inGuild, type: channelTypes.category, parent_id: null }
  return {
    ...inGuild,
    type: channelTypes.text,
    parent_id: channel.parentId,
    topic: channel.topic,
    rate_limit_per_user: channel.slowMode,
    default_auto_archive_duration: 1440,
    default_thread_rate_limit_per_user: 0,
    ...unread,
  }
}

function toDiscordOverwrite({ id, type, allow, deny }: Overwrite): APIOverwrite {
  return {
    id,
    type: overwriteTypes[type],
    allow: toDiscordPermissions(allow),
    deny: toDiscordPermissions(deny),
  }
}
