import type { Member } from '@gatehouse/protocol/servers'
import { invalid } from '../../errors/app-error.ts'
import type { Route } from '../../http/route.ts'
import { type BotRequest, type DeclareBotRoute, orUnknown } from '../bot-route.ts'
import { readLimit, readPages } from '../list-pages.ts'
import { type MemberPageDeps, searchMembers } from '../member-search.ts'
import { toDiscordMember } from '../objects/discord-member.ts'
import { refuseMembers, requireId, toCursor, toMemberIds } from '../request-members.ts'

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
  const { roles, communication_disabled_until: until } = given
  if (roles !== undefined && roles !== null) await replaceRoles(run, toMemberIds(params), roles)
  const member =
    until === undefined
      ? await run('getMember', { params: toMemberIds(params) })
      : await run('updateMember', { params: toMemberIds(params), body: { timedOutUntil: until } })
  return toDiscordMember(member)
}

async function replaceRoles(
  run: BotRequest['run'],
  params: { id: string; userId: string },
  given: unknown,
): Promise<void> {
  if (!Array.isArray(given)) throw invalid('roles', 'invalid_type', 'must be a list of ids')
  const wanted = new Set(given.map((id: unknown, index) => requireId(id, `roles[${index}]`)))
  const { roles: current } = await run('getMember', { params })
  for (const roleId of wanted) {
    if (current.includes(roleId) || roleId === params.id) continue
    await orUnknown('role', run('addMemberRole', { params: { ...params, roleId } }))
  }
  for (const roleId of current) {
    if (!wanted.has(roleId)) await run('removeMemberRole', { params: { ...params, roleId } })
  }
}
