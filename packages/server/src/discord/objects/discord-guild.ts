import type { Role, Server, VerificationLevel } from '@gatehouse/protocol/servers'
import type { APIGuild, GuildFeature, Locale } from 'discord-api-types/v10'
import { toImageHash } from '../../webhooks/index.ts'
import { toDiscordRole } from './discord-role.ts'
import { noFlags } from './no-flags.ts'

/** `APIGuild` with the values of its string enums, as in JSON. */
export type DiscordGuild = Omit<APIGuild, 'features' | 'preferred_locale'> & {
  features: `${GuildFeature}`[]
  preferred_locale: `${Locale}`
}

/** `member` is the level of Discord's API that needs a membership of 10 minutes too. */
export const verificationLevelNumbers = { none: 0, email: 1, member: 3 } as const satisfies Record<
  VerificationLevel,
  number
>

export function toDiscordGuild(server: Server, { roles }: { roles: readonly Role[] }): DiscordGuild {
  return {
    id: server.id,
    name: server.name,
    icon: server.icon === null ? null : toImageHash(server.icon),
    splash: null,
    discovery_splash: null,
    banner: null,
    description: null,
    owner_id: server.ownerId,
    roles: roles.map(toDiscordRole),
    features: server.invitesPaused ? ['INVITES_DISABLED'] : [],
    verification_level: verificationLevelNumbers[server.verificationLevel],
    default_message_notifications: 1,
    explicit_content_filter: 0,
    mfa_level: 0,
    nsfw_level: 0,
    premium_tier: 0,
    premium_subscription_count: 0,
    premium_progress_bar_enabled: false,
    preferred_locale: 'en-US',
    afk_channel_id: null,
    afk_timeout: 300,
    system_channel_id: null,
    system_channel_flags: noFlags,
    rules_channel_id: null,
    public_updates_channel_id: null,
    safety_alerts_channel_id: null,
    widget_enabled: false,
    widget_channel_id: null,
    application_id: null,
    vanity_url_code: null,
    max_presences: null,
    emojis: [],
    stickers: [],
    hub_type: null,
    incidents_data: null,
  }
}
