import type { Channel } from '@gatehouse/protocol/channels'
import type { EventMap } from '@gatehouse/protocol/gateway'
import type { Invite, InvitePreview, Server, ServerInvite } from '@gatehouse/protocol/servers'
import type {
  APIExtendedInvite,
  APIInvite,
  APIInviteChannel,
  APIInviteGuild,
  GatewayInviteCreateDispatchData,
} from 'discord-api-types/v10'
import { toDiscordTimestamp, toImageHash } from '../../webhooks/index.ts'
import { channelTypes } from './discord-channel.ts'
import { toCounts } from './discord-guild.ts'
import { type DiscordUser, toDiscordUser } from './discord-user.ts'
import { noFlags } from './no-flags.ts'
import type { OptionalMembers, Whole } from './whole.ts'

interface OwnMembers {
  guild: Whole<APIInviteGuild>
  channel: Pick<APIInviteChannel, 'id' | 'name' | 'type'>
  inviter?: DiscordUser
}
type DiscordInvite = Whole<APIInvite, OptionalMembers['invite'], OwnMembers>
type DiscordInviteWithMetadata = Whole<APIExtendedInvite, OptionalMembers['invite'], OwnMembers>

type InviteServer = Pick<Server, 'id' | 'name' | 'icon'>

/**
 * Who joins with an invite sees all channels. Clients need one: `channel`, or one that has the id and the name of the
 * server.
 */
function toDiscordInvite(
  { code, expiresAt }: Invite,
  server: InviteServer,
  channel?: Pick<Channel, 'id' | 'name'>,
): DiscordInvite {
  const { id, name } = channel ?? server
  return {
    type: 0,
    code,
    guild: {
      id: server.id,
      name: server.name,
      icon: server.icon === null ? null : toImageHash(server.icon),
      banner: null,
      splash: null,
      description: null,
      features: [],
      verification_level: 0,
      nsfw_level: 0,
      vanity_url_code: null,
      premium_subscription_count: 0,
    },
    channel: { id, name, type: channelTypes.text },
    expires_at: toDiscordTimestamp(expiresAt),
    flags: noFlags,
    roles: [],
  }
}

export function toInvitePreview(preview: InvitePreview): DiscordInvite {
  return { ...toDiscordInvite(preview, preview.server), ...toCounts(preview.memberCount) }
}

export function toInviteWithMetadata(
  invite: ServerInvite,
  server: InviteServer,
  channel?: Pick<Channel, 'id' | 'name'>,
): DiscordInviteWithMetadata {
  return { ...toDiscordInvite(invite, server, channel), ...toMetadata(invite) }
}

function toMetadata({ creator, uses, maxUses, createdAt, expiresAt }: Omit<ServerInvite, 'channelId'>) {
  return {
    inviter: toDiscordUser(creator),
    uses,
    max_uses: maxUses ?? 0,
    max_age: Math.round((Date.parse(expiresAt) - Date.parse(createdAt)) / 1000),
    temporary: false,
    created_at: toDiscordTimestamp(createdAt),
  }
}

export type DiscordInviteEvent = Whole<
  GatewayInviteCreateDispatchData,
  OptionalMembers['inviteEvent'],
  { inviter: DiscordUser }
>

export function toInviteEvent(event: EventMap['INVITE_CREATE']): DiscordInviteEvent {
  const { code, serverId, channelId, expiresAt } = event
  return {
    ...{ code, guild_id: serverId, channel_id: channelId },
    ...toMetadata(event),
    // Of a new invite.
    uses: 0,
    expires_at: toDiscordTimestamp(expiresAt),
    role_ids: [],
  }
}
