import type { Webhook } from '@gatehouse/protocol/webhooks'
import type { APIWebhook } from 'discord-api-types/v10'
import { type DiscordUser, toDiscordUser } from './discord-user.ts'
import type { OptionalMembers, Whole } from './whole.ts'

export type DiscordWebhook = Whole<APIWebhook, OptionalMembers['webhook'], { user: DiscordUser }>

/** With the token only for its creator. */
export function toDiscordWebhook(webhook: Webhook): DiscordWebhook {
  const { id, channelId, serverId, name, token, url, createdBy } = webhook
  return {
    id,
    type: 1,
    channel_id: channelId,
    guild_id: serverId,
    name,
    // That of ours is a URL.
    avatar: null,
    user: toDiscordUser(createdBy),
    application_id: null,
    ...(token === null || url === null ? {} : { token, url }),
  }
}
