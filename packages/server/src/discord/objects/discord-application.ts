import type { User } from '@gatehouse/protocol/users'
import type { APIApplication } from 'discord-api-types/v10'
import type { ApplicationRecord } from '../../applications/index.ts'
import { toApplicationFlags } from './application-flags.ts'
import { toDiscordUser } from './discord-user.ts'

export function toDiscordApplication(
  application: ApplicationRecord,
  { owner, bot, guildCount }: { owner: User; bot: User; guildCount: number },
): APIApplication & { hook: true; redirect_uris: string[] } {
  const { id, name, description, iconHash, publicKey, publicBot, interactionsEndpointUrl } = application
  const flags = toApplicationFlags(application.privilegedIntents)
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
