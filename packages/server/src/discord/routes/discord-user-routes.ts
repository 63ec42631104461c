import { setImmediate } from 'node:timers/promises'
import { isId } from '@gatehouse/protocol/ids'
import { toBoolean } from '@gatehouse/protocol/json-object'
import type { UserServer } from '@gatehouse/protocol/servers'
import type { User } from '@gatehouse/protocol/users'
import type { RESTAPIPartialCurrentUserGuild } from 'discord-api-types/v10'
import { countMembers } from '../../community/members/index.ts'
import { AppError, invalid, invalidAll, notFound } from '../../errors/app-error.ts'
import { limitKeyOf } from '../../http/caller.ts'
import type { Route } from '../../http/route.ts'
import type { RateLimiter } from '../../rate-limits/rate-limiter.ts'
import type { Sql } from '../../storage/database.ts'
import { toImageHash } from '../../webhooks/index.ts'
import type { DeclareBotRoute } from '../bot-route.ts'
import { toDiscordChannel } from '../objects/discord-channel.ts'
import { toCounts } from '../objects/discord-guild.ts'
import { toDiscordPermissions } from '../objects/discord-permissions.ts'
import { toDiscordOwnUser, toDiscordUser } from '../objects/discord-user.ts'
import type { OptionalMembers, Whole } from '../objects/whole.ts'
import { refuseMembers, rename, toId } from '../request-members.ts'

interface UserRouteDeps {
  db: Sql
  rateLimiter: Pick<RateLimiter, 'addRequests'>
  getUser: (callerId: string, userId: string) => Promise<User>
}

/** `getUser` throws 404 for a user whom the bot does not share a server with. */
export function discordUserRoutes(
  botRoute: DeclareBotRoute,
  { db, rateLimiter, getUser }: UserRouteDeps,
): Route[] {
  return [
    botRoute('GET /users/@me', {
      summary: 'Returns the bot.',
      missing: 'user',
      handle: async ({ run }) => toDiscordOwnUser(await run('getCurrentUser', {})),
    }),
    botRoute('PATCH /users/@me', {
      summary: 'Changes the display name and the avatar of the bot.',
      missing: 'user',
      async handle({ run, members }) {
        const given = members()
        refuseMembers(given, ['banner'])
        const body = rename(given, { username: 'displayName', avatar: 'avatar' })
        // Null is no name.
        if (body.displayName === null) delete body.displayName
        return toDiscordOwnUser((await named(run('updateOwnApplication', { body }))).bot)
      },
    }),
    botRoute('GET /users/:userId', {
      summary: 'Returns a user with whom the bot shares a server.',
      missing: 'user',
      async handle({ caller, params: { userId = '' } }) {
        if (!isId(userId)) throw notFound()
        return toDiscordUser(await getUser(caller.userId, userId))
      },
    }),
    botRoute('GET /users/@me/guilds', {
      summary: 'Lists the servers of the bot by id.',
      missing: 'user',
      async handle({ caller, run, query }) {
        const servers = selectPage(await run('listCurrentUserServers', {}), query)
        if (toBoolean(query.with_counts) !== true) return servers.map(toPartialGuild)
        // Each count takes as long as a request for the guild.
        rateLimiter.addRequests(limitKeyOf(caller), servers.length)
        const guilds: PartialGuild[] = []
        for (const server of servers) {
          guilds.push({ ...toPartialGuild(server), ...toCounts(await countMembers(db, server.id)) })
          await setImmediate()
        }
        return guilds
      },
    }),
    botRoute('DELETE /users/@me/guilds/:guildId', {
      summary: 'Leaves a server.',
      missing: 'guild',
      handle: ({ run, params: { guildId: id = '' } }) =>
        run('removeMember', { params: { id, userId: '@me' } }),
    }),
    botRoute('POST /users/@me/channels', {
      summary: 'Opens a direct message.',
      missing: 'user',
      async handle({ run, members }) {
        const body = { recipientId: toId(members().recipient_id) }
        return toDiscordChannel(await run('openDirectMessage', { body }))
      },
    }),
  ]
}

const maxGuilds = 200

/** The native list has no pages. */
function selectPage(servers: readonly UserServer[], query: Readonly<Record<string, unknown>>): UserServer[] {
  const { before, after, limit = String(maxGuilds) } = query
  const count = /^\d{1,3}$/.test(String(limit)) ? Number(limit) : 0
  if (count < 1 || count > maxGuilds) throw invalid('limit', 'out_of_range', `must be 1 to ${maxGuilds}`)
  const isNewer = (id: string, than: unknown) => typeof than !== 'string' || BigInt(id) > toNumber(than)
  const isOlder = (id: string, than: unknown) => typeof than !== 'string' || BigInt(id) < toNumber(than)
  const found = servers.filter(({ id }) => isNewer(id, after) && isOlder(id, before))
  return before !== undefined && after === undefined ? found.slice(-count) : found.slice(0, count)
}

function toNumber(id: string): bigint {
  return /^\d{1,20}$/.test(id) ? BigInt(id) : 0n
}

type PartialGuild = Whole<RESTAPIPartialCurrentUserGuild, OptionalMembers['listedGuild']>

function toPartialGuild({ id, name, icon, owner, permissions }: UserServer): PartialGuild {
  const hash = icon === null ? null : toImageHash(icon)
  return {
    id,
    name,
    icon: hash,
    banner: null,
    owner,
    permissions: toDiscordPermissions(permissions),
    features: [],
  }
}

/** The name of an error is that of the member in the request. */
async function named<Result>(result: Promise<Result>): Promise<Result> {
  try {
    return await result
  } catch (error) {
    if (!(error instanceof AppError) || error.errors === undefined) throw error
    throw invalidAll(
      error.errors.map(each => (each.path === 'displayName' ? { ...each, path: 'username' } : each)),
    )
  }
}
