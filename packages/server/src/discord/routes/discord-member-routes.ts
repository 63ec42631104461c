import type { Member } from '@gatehouse/protocol/servers'
import { AppError, invalid } from '../../errors/app-error.ts'
import type { Route } from '../../http/route.ts'
import { unknownError } from '../api-errors.ts'
import type { BotRequest, DeclareBotRoute } from '../bot-route.ts'
import { readLimit, readPages } from '../list-pages.ts'
import { type MemberPageDeps, searchMembers } from '../member-search.ts'
import { toDiscordMember } from '../objects/discord-member.ts'
import { refuseMembers, rename, toCursor, toId, toMemberIds } from '../request-members.ts'

export function discordMemberRoutes(botRoute: DeclareBotRoute, deps: MemberPageDeps): Route[] {
  return [
    botRoute('GET /guilds/:guildId/members', {
      summary: 'Lists up to 1,000 members by user id.',
      missing: 'guild',
      async handle({ run, params: { guildId: id = '' }, query: { limit = '1', after } }) {
        const members = await readPages(readLimit(limit), async (count, last: Member | undefined) => {
          const query = { after: last?.user.id ?? toCursor(after), limit: count }
          return run('listMembers', { params: { id }, query })
        })
        return members.map(toDiscordMember)
      },
    }),
    botRoute('GET /guilds/:guildId/members/search', {
      summary: 'Lists the members whose name begins with a text.',
      missing: 'guild',
      handle: async request => (await search(deps, request)).map(toDiscordMember),
    }),
    botRoute('GET /guilds/:guildId/members/:userId', {
      summary: 'Returns a member.',
      missing: 'member',
      handle: async ({ run, params }) =>
        toDiscordMember(await run('getMember', { params: toMemberIds(params) })),
    }),
    botRoute('PATCH /guilds/:guildId/members/@me', {
      summary: 'There are no nicknames.',
      missing: 'guild',
      async handle({ run, params, members }) {
        refuseMembers(members(), ['nick', 'avatar', 'banner', 'bio'])
        return toDiscordMember(await run('getMember', { params: toMemberIds({ ...params, userId: '@me' }) }))
      },
    }),
    botRoute('PATCH /guilds/:guildId/members/:userId', {
      summary: 'Changes the roles and the time-out of a member.',
      missing: 'member',
      handle: updateMember,
    }),
    botRoute('DELETE /guilds/:guildId/members/:userId', {
      summary: 'Removes a member.',
      missing: 'member',
      handle: ({ run, params }) => run('removeMember', { params: toMemberIds(params) }),
    }),
    botRoute('PUT /guilds/:guildId/members/:userId/roles/:roleId', {
      summary: 'Gives a role to a member.',
      missing: 'role',
      handle: ({ run, params: { roleId = '', ...params } }) =>
        run('addMemberRole', { params: { ...toMemberIds(params), roleId } }),
    }),
    botRoute('DELETE /guilds/:guildId/members/:userId/roles/:roleId', {
      summary: 'Takes a role from a member.',
      missing: 'role',
      handle: ({ run, params: { roleId = '', ...params } }) =>
        run('removeMemberRole', { params: { ...toMemberIds(params), roleId } }),
    }),
  ]
}

/** The permission is that of the list. Waits for the rate of requests if the server is large. */
async function search(
  deps: MemberPageDeps,
  { caller, run, params: { guildId: serverId = '' }, query }: BotRequest,
): Promise<Member[]> {
  const { query: text, limit = '1' } = query
  if (typeof text !== 'string' || text === '') throw invalid('query', 'required', 'is required')
  const wanted = readLimit(limit)
  await run('listMembers', { params: { id: serverId }, query: { limit: 1 } })
  return searchMembers(deps, caller.userId, { serverId, query: text, limit: wanted })
}

async function updateMember({ run, params, members }: BotRequest) {
  const given = members()
  refuseMembers(given, ['nick', 'mute', 'deaf', 'channel_id', 'flags'])
  const body = {
    ...rename(given, { communication_disabled_until: 'timedOutUntil' }),
    ...(given.roles === undefined || given.roles === null ? {} : { roles: toRoles(given.roles, params) }),
  }
  try {
    return toDiscordMember(await run('updateMember', { params: toMemberIds(params), body }))
  } catch (error) {
    const isUnknown = error instanceof AppError && error.errors?.some(({ code }) => code === 'unknown_role')
    throw isUnknown ? unknownError('role') : error
  }
}

/** Discord's API accepts @everyone, which every member has. */
function toRoles(given: unknown, { guildId }: BotRequest['params']): unknown {
  return Array.isArray(given) ? given.map(toId).filter(id => id !== guildId) : given
}
