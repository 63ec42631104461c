import type { InteractionUser, SelfUser, User } from '@gatehouse/protocol/users'
import type { APIUser } from 'discord-api-types/v10'
import { toImageHash } from '../../webhooks/index.ts'
import { noFlags } from './no-flags.ts'

/** An `InteractionUser` is a person: bots do not use commands. */
export function toDiscordUser(user: User | InteractionUser | SelfUser): APIUser {
  return {
    id: user.id,
    username: user.username,
    discriminator: '0',
    global_name: user.displayName,
    avatar: toImageHash(user.avatar),
    bot: 'bot' in user && user.bot,
    public_flags: noFlags,
  }
}
