import type {
  RESTGetAPIApplicationEmojisResult,
  RESTGetAPIAutoModerationRulesResult,
  RESTGetAPIChannelMessagesPinsResult,
  RESTGetAPIChannelPinsResult,
  RESTGetAPIChannelUsersThreadsArchivedResult,
  RESTGetAPIGuildEmojisResult,
  RESTGetAPIGuildScheduledEventsResult,
  RESTGetAPIGuildSoundboardSoundsResult,
  RESTGetAPIGuildStickersResult,
  RESTGetAPIGuildTemplatesResult,
  RESTGetAPIGuildThreadsResult,
  RESTGetAPIGuildVoiceRegionsResult,
  RESTGetAPISoundboardDefaultSoundsResult,
  RESTGetAPIVoiceRegionsResult,
  RESTGetStickerPacksResult,
} from 'discord-api-types/v10'
import type { Route } from '../../http/route.ts'
import type { BotRequest, DeclareBotRoute } from '../bot-route.ts'
import { requireOwnApplication } from './discord-command-routes.ts'

type Lists = Readonly<Record<`/${string}`, object>>

const ofGuild: Lists = {
  '/guilds/:guildId/emojis': [] satisfies RESTGetAPIGuildEmojisResult,
  '/guilds/:guildId/stickers': [] satisfies RESTGetAPIGuildStickersResult,
  '/guilds/:guildId/scheduled-events': [] satisfies RESTGetAPIGuildScheduledEventsResult,
  '/guilds/:guildId/auto-moderation/rules': [] satisfies RESTGetAPIAutoModerationRulesResult,
  '/guilds/:guildId/templates': [] satisfies RESTGetAPIGuildTemplatesResult,
  '/guilds/:guildId/regions': [] satisfies RESTGetAPIGuildVoiceRegionsResult,
  '/guilds/:guildId/soundboard-sounds': { items: [] } satisfies RESTGetAPIGuildSoundboardSoundsResult,
  '/guilds/:guildId/threads/active': { threads: [], members: [] } satisfies RESTGetAPIGuildThreadsResult,
}

const noThreads: RESTGetAPIChannelUsersThreadsArchivedResult = { threads: [], members: [], has_more: false }

const ofChannel: Lists = {
  '/channels/:channelId/pins': [] satisfies RESTGetAPIChannelPinsResult,
  '/channels/:channelId/messages/pins': {
    items: [],
    has_more: false,
  } satisfies RESTGetAPIChannelMessagesPinsResult,
  '/channels/:channelId/threads/archived/public': noThreads,
  '/channels/:channelId/threads/archived/private': noThreads,
  '/channels/:channelId/users/@me/threads/archived/private': noThreads,
}

const ofAll: Lists = {
  '/sticker-packs': { sticker_packs: [] } satisfies RESTGetStickerPacksResult,
  '/voice/regions': [] satisfies RESTGetAPIVoiceRegionsResult,
  '/soundboard-default-sounds': [] satisfies RESTGetAPISoundboardDefaultSoundsResult,
}

const ofApplication: Lists = {
  '/applications/:applicationId/emojis': { items: [] } satisfies RESTGetAPIApplicationEmojisResult,
}

/** The lists of what does not exist here: clients read them at the start (discord/empty-lists). */
export function discordEmptyListRoutes(botRoute: DeclareBotRoute): Route[] {
  const routes = (
    lists: Lists,
    missing: 'guild' | 'channel' | 'application',
    check: (request: BotRequest) => unknown,
  ) =>
    Object.entries(lists).map(([path, list]) =>
      botRoute(`GET ${path as `/${string}`}`, {
        summary: 'Returns an empty list.',
        missing,
        async handle(request) {
          await check(request)
          return list
        },
      }),
    )
  return [
    ...routes(ofGuild, 'guild', ({ run, params: { guildId: id = '' } }) =>
      run('getServer', { params: { id } }),
    ),
    ...routes(ofChannel, 'channel', ({ run, params: { channelId: id = '' } }) =>
      run('getChannel', { params: { id } }),
    ),
    ...routes(ofApplication, 'application', requireOwnApplication),
    ...routes(ofAll, 'application', () => undefined),
  ]
}
