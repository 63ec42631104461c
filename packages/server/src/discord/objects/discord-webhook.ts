import type { Webhook } from '@gatehouse/protocol/webhooks'
import type { APIWebhook } from 'discord-api-types/v10'
import { toImageHash } from '../../webhooks/index.ts'
import { type DiscordUser, toDiscordUser } from './discord-user.ts'
import type { OptionalMembers, Whole } from './whole.ts'

export type DiscordWebhook = Whole<APIWebhook, OptionalMembers['webhook'], { user: DiscordUser }>

/** With the token only for its creator. */
export function toDiscordWebhook(webhook: Webhook): DiscordWebhook {
  const { id, channelId, serverId, name, avatar, token, url, createdBy, applicationId } = webhook
  return {
    id,
    type: 1,
    channel_id: channelId,
    guild_id: serverId,
    name,
    // That of an external one is not known.
    avatar: avatar === null ? null : toImageHash(avatar),
    user: toDiscordUser(createdBy),
    application_id: applicationId,
    ...(token === null || url === null ? {} : { token, url }),
  }
}
