import { toBoolean } from '@gatehouse/protocol/json-object'
import { type Server, type VerificationLevel, verificationLevels } from '@gatehouse/protocol/servers'
import type { APIGuildWidgetSettings } from 'discord-api-types/v10'
import { countMembers } from '../../community/members/index.ts'
import { invalid } from '../../errors/app-error.ts'
import type { Route } from '../../http/route.ts'
import type { Sql } from '../../storage/database.ts'
import { NumberedError } from '../api-errors.ts'
import { route } from '../api-route.ts'
import type { BotRequest, DeclareBotRoute } from '../bot-route.ts'
import {
  type DiscordGuild,
  toCounts,
  toDiscordGuild,
  verificationLevelNumbers,
} from '../objects/discord-guild.ts'
import type { Whole } from '../objects/whole.ts'
import { refuseMembers, rename } from '../request-members.ts'

const widget: Whole<APIGuildWidgetSettings> = { enabled: false, channel_id: null }

export function discordGuildRoutes(botRoute: DeclareBotRoute, { db }: { db: Sql }): Route[] {
  return [
    botRoute('GET /guilds/:guildId', {
      summary: 'Returns a server with its roles.',
      missing: 'guild',
      async handle({ run, params: { guildId: id = '' }, query }) {
        const guild = await toGuild(run, await run('getServer', { params: { id } }))
        if (toBoolean(query.with_counts) !== true) return guild
        return { ...guild, ...toCounts(await countMembers(db, id)) }
      },
    }),
    botRoute('PATCH /guilds/:guildId', {
      summary: 'Changes the name, icon, verification level and pause of invites of a server.',
      missing: 'guild',
      handle: updateGuild,
    }),
    botRoute('GET /guilds/:guildId/widget', {
      summary: 'Returns that the widget is disabled: there is none.',
      missing: 'guild',
      async handle({ run, params: { guildId: id = '' } }) {
        await run('getServer', { params: { id } })
        return widget
      },
    }),
    botRoute('PATCH /guilds/:guildId/widget', {
      summary: 'Leaves the widget disabled.',
      missing: 'guild',
      async handle({ run, params: { guildId: id = '' }, members }) {
        refuseMembers(members(), ['enabled', 'channel_id'])
        // Without changes, so that it requires the permission.
        await run('updateServer', { params: { id }, body: {} })
        return widget
      },
    }),
    // For everybody, so it is the same for a server that does not exist.
    route('GET /guilds/:guildId/widget.json', {
      summary: 'Responds that the widget is disabled.',
      caller: { anonymous: true },
      missing: 'guild',
      handle: () => Promise.reject(new NumberedError('missing_permission', 50004, 'Widget Disabled')),
    }),
  ]
}

async function toGuild(run: BotRequest['run'], server: Server): Promise<DiscordGuild> {
  return toDiscordGuild(server, { roles: await run('listRoles', { params: { id: server.id } }) })
}

/**
 * The members that change something of a guild that does not exist here. Filters, the channel of system messages and
 * what is written there are ignored.
 */
const unsupportedMembers = [
  'region',
  'afk_channel_id',
  'owner_id',
  'splash',
  'discovery_splash',
  'banner',
  'description',
  'rules_channel_id',
  'public_updates_channel_id',
  'safety_alerts_channel_id',
  'premium_progress_bar_enabled',
]

async function updateGuild({ run, params: { guildId: id = '' }, members }: BotRequest) {
  const given = members()
  refuseMembers(given, unsupportedMembers)
  const { verification_level: level, features } = given
  const body = {
    ...rename(given, { name: 'name', icon: 'icon' }),
    ...(level === undefined ? {} : { verificationLevel: toVerificationLevel(level) }),
    ...(features === undefined ? {} : { invitesPaused: toInvitesPaused(features) }),
  }
  // Also without changes, so that it requires the permission.
  const server = await run('updateServer', { params: { id }, body })
  return toGuild(run, server)
}

function toVerificationLevel(number: unknown): VerificationLevel {
  const level = verificationLevels.find(each => verificationLevelNumbers[each] === (number ?? 0))
  if (level !== undefined) return level
  const numbers = Object.values(verificationLevelNumbers).join(', ')
  throw invalid('verificationLevel', 'invalid_choice', `must be one of ${numbers}`)
}

const invitesDisabled = 'INVITES_DISABLED'

function toInvitesPaused(features: unknown): boolean {
  if (!Array.isArray(features) || features.some(feature => feature !== invitesDisabled)) {
    throw invalid('features', 'not_supported', `must be a list of no other feature than ${invitesDisabled}`)
  }
  return features.length > 0
}
