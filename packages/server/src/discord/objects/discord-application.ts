import type { User } from '@gatehouse/protocol/users'
import type { APIApplication, APIApplicationIntegrationTypesConfigMap } from 'discord-api-types/v10'
import type { ApplicationRecord } from '../../applications/index.ts'
import { type DiscordUser, toDiscordUser } from './discord-user.ts'
import type { AdditionalMembers, OptionalMembers, Whole } from './whole.ts'

type DiscordApplication = Whole<
  APIApplication,
  OptionalMembers['application'],
  AdditionalMembers['application'] & {
    bot: DiscordUser
    owner: DiscordUser
    integration_types_config: Whole<
      APIApplicationIntegrationTypesConfigMap,
      OptionalMembers['integrationTypes']
    >
  }
>

/** GATEWAY_GUILD_MEMBERS_LIMITED and GATEWAY_MESSAGE_CONTENT_LIMITED of Discord's API: no application is verified. */
const flagOfIntent = { members: 1 << 15, messageContent: 1 << 19 } as const

/** The flags of the privileged intents that are switched on. */
export function toApplicationFlags({
  privilegedIntents,
}: Pick<ApplicationRecord, 'privilegedIntents'>): number {
  return privilegedIntents.reduce((flags, intent) => flags | flagOfIntent[intent], 0)
}

/** What the install link asks for unless it says more. */
const installation = { scopes: ['bot' as const, 'applications.commands' as const], permissions: '0' }

export function toDiscordApplication(
  application: ApplicationRecord,
  { owner, bot, guildCount }: { owner: User; bot: User; guildCount: number },
): DiscordApplication {
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
    approximate_user_install_count: 0,
    approximate_user_authorization_count: 0,
    redirect_uris: [...application.redirectUris],
    interactions_endpoint_url: interactionsEndpointUrl,
    role_connections_verification_url: null,
    integration_types_config: { 0: { oauth2_install_params: installation } },
    event_webhooks_url: null,
    event_webhooks_status: 1,
    event_webhooks_types: [],
  }
}
