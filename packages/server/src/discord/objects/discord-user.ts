import type { InteractionUser, SelfUser, User } from '@gatehouse/protocol/users'
import type { APIUser } from 'discord-api-types/v10'
import { toImageHash } from '../../webhooks/index.ts'
import { noFlags } from './no-flags.ts'
import type { OptionalMembers, Whole } from './whole.ts'

export type DiscordUser = Whole<APIUser, OptionalMembers['user']>
/** The bot itself, in READY and as the current user. */
export type DiscordOwnUser = Whole<APIUser>

/** What no user has here. */
export const plainUser = {
  system: false,
  banner: null,
  accent_color: null,
  flags: noFlags,
  public_flags: noFlags,
  avatar_decoration: null,
  avatar_decoration_data: null,
  collectibles: null,
  primary_guild: null,
} as const satisfies Partial<DiscordUser>

/** An `InteractionUser` is a person: bots do not use commands. */
export function toDiscordUser(user: User | InteractionUser | SelfUser): DiscordUser {
  return {
    ...plainUser,
    id: user.id,
    username: user.username,
    discriminator: '0',
    global_name: user.displayName,
    avatar: toImageHash(user.avatar),
    bot: 'bot' in user && user.bot,
  }
}

export function toDiscordOwnUser(user: User | SelfUser): DiscordOwnUser {
  return {
    ...toDiscordUser(user),
    verified: true,
    mfa_enabled: false,
    email: null,
    locale: 'en-US',
    premium_type: 0,
  }
}
