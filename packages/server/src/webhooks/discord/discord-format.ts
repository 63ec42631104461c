import { createHash } from 'node:crypto'
import type { Embed } from '@gatehouse/protocol/embeds'
import type { Message } from '@gatehouse/protocol/messages'
import type { User } from '@gatehouse/protocol/users'
import type { DiscordEmbed, DiscordMessage, DiscordUser, DiscordWebhook } from '@gatehouse/protocol/webhooks'
import type { WebhookRecord } from '../webhook-store.ts'

/** Built from BASE_URL alone, never from request headers (sign-in/issuer). */
export function webhookUrl(baseUrl: string, id: string, token: string): string {
  return `${baseUrl}/api/webhooks/${id}/${token}`
}

export function toDiscordWebhook(webhook: WebhookRecord, token: string, baseUrl: string): DiscordWebhook {
  return {
    id: webhook.id,
    type: 1,
    channel_id: webhook.channelId,
    guild_id: webhook.serverId,
    name: webhook.name,
    ...toAvatar(webhook.avatar, baseUrl),
    token,
    application_id: webhook.applicationId,
    url: webhookUrl(baseUrl, webhook.id, token),
  }
}

/** `mentioned` are the users in `message.mentions.users`. */
export function toDiscordMessage(
  message: Message,
  webhook: Pick<WebhookRecord, 'id' | 'avatar' | 'applicationId'>,
  mentioned: readonly User[],
  baseUrl: string,
): DiscordMessage {
  const { author } = message
  return {
    id: message.id,
    type: 0,
    channel_id: message.channelId,
    webhook_id: webhook.id,
    ...(webhook.applicationId === null ? {} : { application_id: webhook.applicationId }),
    content: message.content,
    author: {
      id: author.id,
      username: author.displayName,
      // Null unless it is a picture, or the message has its own avatar (webhooks/message-object).
      ...toAvatar(author.avatar === webhook.avatar && !isPath(author.avatar) ? null : author.avatar, baseUrl),
      bot: true,
      discriminator: '0000',
      public_flags: 0,
    },
    embeds: message.embeds.map(toDiscordEmbed),
    attachments: [],
    components: [],
    mentions: mentioned.map(user => toDiscordUser(user, baseUrl)),
    mention_roles: message.mentions.roles,
    mention_everyone: message.mentions.everyone,
    pinned: false,
    tts: false,
    timestamp: toDiscordTimestamp(message.createdAt),
    edited_timestamp: message.editedAt === null ? null : toDiscordTimestamp(message.editedAt),
    flags: 0,
  }
}

function toDiscordUser(user: User, baseUrl: string): DiscordUser {
  return {
    id: user.id,
    username: user.username,
    avatar: toImageHash(user.avatar),
    avatar_url: `${baseUrl}${user.avatar}`,
    bot: user.bot,
    discriminator: '0000',
    public_flags: 0,
  }
}

/** The path of an uploaded image ends with its hash. Neither that of a default avatar has one, nor a URL elsewhere. */
export function toImageHash(path: string): string | null {
  return /^\/images\/.*\/([0-9a-f]{32})$/.exec(path)?.[1] ?? null
}

function isPath(avatar: string | null): boolean {
  return avatar?.startsWith('/') === true
}

/** An external image is not fetched with the message (webhooks/avatar-url), so its URL is hashed instead. */
function toAvatar(url: string | null, baseUrl: string): Pick<DiscordUser, 'avatar' | 'avatar_url'> {
  if (url === null) return { avatar: null, avatar_url: null }
  if (isPath(url)) return { avatar: toImageHash(url), avatar_url: `${baseUrl}${url}` }
  return { avatar: createHash('sha256').update(url).digest('hex').slice(0, 32), avatar_url: url }
}

function toDiscordEmbed(embed: Embed): DiscordEmbed {
  const { timestamp, ...rest } = embed
  return {
    ...rest,
    type: 'rich',
    ...(timestamp === undefined ? {} : { timestamp: toDiscordTimestamp(timestamp) }),
  }
}

/** Replaces `…123Z` by `…123000+00:00`: twilight and Python before 3.11 do not parse `Z`. */
export function toDiscordTimestamp(timestamp: string): string {
  return timestamp.replace(/Z$/, '000+00:00')
}
