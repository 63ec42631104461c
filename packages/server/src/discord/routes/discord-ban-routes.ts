import type { Ban } from '@gatehouse/protocol/servers'
import type { APIBan } from 'discord-api-types/v10'
import { invalid } from '../../errors/app-error.ts'
import { isVersion9 } from '../../http/api-version.ts'
import { readAuditReason } from '../../http/audit-reason.ts'
import type { Route } from '../../http/route.ts'
import type { BotRequest, DeclareBotRoute } from '../bot-route.ts'
import { readLimit, readPages } from '../list-pages.ts'
import { type DiscordUser, toDiscordUser } from '../objects/discord-user.ts'
import type { Whole } from '../objects/whole.ts'
import { toCursor, toMemberIds } from '../request-members.ts'

export function discordBanRoutes(botRoute: DeclareBotRoute): Route[] {
  return [
    botRoute('GET /guilds/:guildId/bans', {
      summary: 'Lists up to 1,000 bans by user id.',
      missing: 'guild',
      handle: async request => (await listBans(request)).map(toDiscordBan),
    }),
    botRoute('GET /guilds/:guildId/bans/:userId', {
      summary: 'Returns the ban of a user.',
      missing: 'ban',
      handle: async ({ run, params }) => toDiscordBan(await run('getBan', { params: toMemberIds(params) })),
    }),
    botRoute('PUT /guilds/:guildId/bans/:userId', {
      summary: 'Bans a user.',
      missing: 'user',
      handle: createBan,
    }),
    botRoute('DELETE /guilds/:guildId/bans/:userId', {
      summary: 'Ends the ban of a user.',
      missing: 'ban',
      handle: ({ run, params }) => run('deleteBan', { params: toMemberIds(params) }),
    }),
  ]
}

function toDiscordBan({ user, reason }: Ban): Whole<APIBan, never, { user: DiscordUser }> {
  return { user: toDiscordUser(user), reason }
}

async function listBans({ run, params: { guildId: id = '' }, query }: BotRequest): Promise<Ban[]> {
  const { limit = '1000' } = query
  const [before, after] = [toCursor(query.before), toCursor(query.after)]
  const wanted = readLimit(limit)
  const read = (page: object) => run('listBans', { params: { id }, query: page })
  if (before === undefined || after !== undefined) {
    const next = (last: Ban | undefined) => last?.user.id ?? after
    return readPages(wanted, (count, last: Ban | undefined) =>
      read({ before, after: next(last), limit: count }),
    )
  }
  const backwards = await readPages(wanted, async (count, last: Ban | undefined) =>
    (await read({ before: last?.user.id ?? before, limit: count })).reverse(),
  )
  return backwards.reverse()
}

/** The reason of the ban is that of the audit log, as in Discord's API. */
async function createBan({ run, params, query, members, request, caller }: BotRequest): Promise<undefined> {
  const given = members()
  const reason = readAuditReason(request.headers) ?? caller.reason
  const days = given.delete_message_days ?? (isVersion9(request) ? query.delete_message_days : undefined)
  const seconds = given.delete_message_seconds ?? toSeconds(days)
  const body = {
    ...(seconds === undefined ? {} : { deleteMessageSeconds: seconds }),
    ...(reason === undefined ? {} : { reason }),
  }
  await run('createBan', { params: toMemberIds(params), body })
}

const secondsOfDay = 86_400

/** The deprecated member of a ban. That of a query is a text. */
function toSeconds(days: unknown): number | undefined {
  if (days === undefined || days === null) return undefined
  if (/^[0-7]$/.test(String(days))) return Number(days) * secondsOfDay
  throw invalid('delete_message_days', 'out_of_range', 'must be an integer from 0 to 7')
}
