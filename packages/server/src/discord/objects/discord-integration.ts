import type { Integration } from '@gatehouse/protocol/servers'
import type { APIGuildIntegration, APIGuildIntegrationApplication } from 'discord-api-types/v10'
import { toImageHash } from '../../webhooks/index.ts'
import { type DiscordUser, toDiscordUser } from './discord-user.ts'
import type { OptionalMembers, Whole } from './whole.ts'

type DiscordIntegration = Whole<
  APIGuildIntegration,
  OptionalMembers['integration'],
  { user: DiscordUser; application: Whole<APIGuildIntegrationApplication, never, { bot: DiscordUser }> }
>

/** Its id is that of the application. */
export function toDiscordIntegration(
  { application, bot, scopes, addedBy }: Integration,
  description: string,
): DiscordIntegration {
  const { id, name, icon } = application
  return {
    id,
    name,
    type: 'discord',
    enabled: true,
    user: toDiscordUser(addedBy),
    account: { id, name },
    application: {
      id,
      name,
      icon: icon === null ? null : toImageHash(icon),
      description,
      bot: toDiscordUser(bot),
    },
    scopes: scopes.filter(scope => scope === 'bot' || scope === 'applications.commands'),
  }
}
