import type { User } from '@gatehouse/protocol/users'
import type { APIApplication } from 'discord-api-types/v10'
import type { ApplicationRecord } from '../../applications/index.ts'
import { toDiscordUser } from './discord-user.ts'

/** GATEWAY_GUILD_MEMBERS_LIMITED and GATEWAY_MESSAGE_CONTENT_LIMITED of Discord's API: no application is verified. */
const flagOfIntent = { members: 1 << 15, messageContent: 1 << 19 } as const

/** The flags of the privileged intents that are switched on. */
export function toApplicationFlags({
  privilegedIntents,
}: Pick<ApplicationRecord, 'privilegedIntents'>): number {
  return privilegedIntents.reduce((flags, intent) => flags | flagOfIntent[intent], 0)
}

export function toDiscordApplication(
  application: ApplicationRecord,
  { owner, bot, guildCount }: { owner: User; bot: User; guildCount: number },
): APIApplication & { hook: true; redirect_uris: string[] } {
  const { id, name, description, iconHash, publicKey, publicBot, interactionsEndpointUrl } = application
  const flags = toApplicationFlags(application)
  return {
    id,
    name,
    icon: iconHash,
    description,
    summary: '',
    hook: true,
    rpc_origins: [],
    bot_public: publicBot,
    bot_require_code_grant: false,
    bot: toDiscordUser(bot),
    owner: toDiscordUser(owner),
    team: null,
    verify_key: publicKey,
    flags,
    flags_new: String(flags),
    approximate_guild_count: guildCount,
    redirect_uris: [...application.redirectUris],
    interactions_endpoint_url: interactionsEndpointUrl,
  }
}
