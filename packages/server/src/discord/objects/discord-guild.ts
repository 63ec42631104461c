import type { Role, Server, VerificationLevel } from '@gatehouse/protocol/servers'
import type { APIGuild } from 'discord-api-types/v10'
import { toImageHash } from '../../webhooks/index.ts'
import { type DiscordRole, toDiscordRole } from './discord-role.ts'
import { noFlags } from './no-flags.ts'
import type { OptionalMembers, Whole } from './whole.ts'

export type DiscordGuild = Whole<APIGuild, OptionalMembers['guild'], { roles: DiscordRole[] }>

/** The default of Discord's API: there is no maximum here. */
const maxMembers = 500_000

/** `member` is the level of Discord's API that needs a membership of 10 minutes too. */
export const verificationLevelNumbers = { none: 0, email: 1, member: 3 } as const satisfies Record<
  VerificationLevel,
  number
>

/** Nobody sees who is online. */
export function toCounts(memberCount: number) {
  return { approximate_member_count: memberCount, approximate_presence_count: memberCount }
}

export function toDiscordGuild(server: Server, { roles }: { roles: readonly Role[] }): DiscordGuild {
  return {
    id: server.id,
    name: server.name,
    icon: server.icon === null ? null : toImageHash(server.icon),
    icon_hash: null,
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
    max_members: maxMembers,
    max_video_channel_users: 0,
    max_stage_video_channel_users: 0,
    region: 'deprecated',
    emojis: [],
    stickers: [],
    hub_type: null,
    incidents_data: null,
  }
}
