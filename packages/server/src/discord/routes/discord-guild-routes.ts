import { toBoolean } from '@gatehouse/protocol/json-object'
import { type VerificationLevel, verificationLevels } from '@gatehouse/protocol/servers'
import { countMembers } from '../../community/members/index.ts'
import { invalid } from '../../errors/app-error.ts'
import type { Route } from '../../http/route.ts'
import type { Sql } from '../../storage/database.ts'
import type { BotRequest, DeclareBotRoute } from '../bot-route.ts'
import {
  type DiscordGuild,
  toCounts,
  toDiscordGuild,
  verificationLevelNumbers,
} from '../objects/discord-guild.ts'
import { refuseMembers, rename } from '../request-members.ts'

export function discordGuildRoutes(botRoute: DeclareBotRoute, { db }: { db: Sql }): Route[] {
  return [
    botRoute('GET /guilds/:guildId', {
      summary: 'Returns a server with its roles.',
      missing: 'guild',
      async handle({ run, params: { guildId: id = '' }, query }) {
        const guild = await readGuild(run, id)
        if (toBoolean(query.with_counts) !== true) return guild
        return { ...guild, ...toCounts(await countMembers(db, id)) }
      },
    }),
    botRoute('PATCH /guilds/:guildId', {
      summary: 'Changes the name, icon, verification level and pause of invites of a server.',
      missing: 'guild',
      handle: updateGuild,
    }),
  ]
}

async function readGuild(run: BotRequest['run'], id: string): Promise<DiscordGuild> {
  const server = await run('getServer', { params: { id } })
  return toDiscordGuild(server, { roles: await run('listRoles', { params: { id } }) })
}

/** The members that change something of a guild that does not exist here. */
const unsupportedMembers = [
  'region',
  'explicit_content_filter',
  'afk_channel_id',
  'owner_id',
  'splash',
  'discovery_splash',
  'banner',
  'description',
  'system_channel_id',
  'system_channel_flags',
  'rules_channel_id',
  'public_updates_channel_id',
  'safety_alerts_channel_id',
  'premium_progress_bar_enabled',
]

async function updateGuild({ run, params: { guildId: id = '' }, members }: BotRequest) {
  const given = members()
  refuseMembers(given, unsupportedMembers)
  const { verification_level: level, features, icon } = given
  const body = {
    ...rename(given, { name: 'name' }),
    ...(level === undefined ? {} : { verificationLevel: toVerificationLevel(level) }),
    ...(features === undefined ? {} : { invitesPaused: toInvitesPaused(features) }),
  }
  const image = typeof icon === 'string' ? readDataUri(icon) : undefined
  // Also without changes, so that it requires the permission.
  await run('updateServer', { params: { id }, body })
  if (image) await run('setServerIcon', { params: { id }, body: image })
  if (icon === null) await run('deleteServerIcon', { params: { id } })
  return readGuild(run, id)
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

/** The bytes of an image as Discord's API receives it: `data:image/png;base64,…`. The operation checks the image. */
function readDataUri(uri: string): Buffer {
  const [, base64] = /^data:image\/[a-z.+-]{1,20};base64,([A-Za-z0-9+/=]+)$/.exec(uri) ?? []
  if (base64 === undefined)
    throw invalid('icon', 'invalid_format', 'must be a data URI of an image in base64')
  return Buffer.from(base64, 'base64')
}
