import { isJsonObject, type JsonObject } from '@gatehouse/protocol/json-object'
import { invalid, notFound } from '../../errors/app-error.ts'
import type { Route } from '../../http/route.ts'
import type { BotRequest, DeclareBotRoute } from '../bot-route.ts'
import { toDiscordRole } from '../objects/discord-role.ts'
import { refuseMembers, rename, toId, toPermissions } from '../request-members.ts'

export function discordRoleRoutes(botRoute: DeclareBotRoute): Route[] {
  return [
    botRoute('GET /guilds/:guildId/roles', {
      summary: 'Lists the roles of a server.',
      missing: 'guild',
      handle: async ({ run, params: { guildId: id = '' } }) =>
        (await run('listRoles', { params: { id } })).map(toDiscordRole),
    }),
    botRoute('GET /guilds/:guildId/roles/:roleId', {
      summary: 'Returns a role.',
      missing: 'role',
      async handle({ run, params: { guildId: id = '', roleId } }) {
        const role = (await run('listRoles', { params: { id } })).find(each => each.id === roleId)
        if (role === undefined) throw notFound()
        return toDiscordRole(role)
      },
    }),
    botRoute('POST /guilds/:guildId/roles', {
      summary: 'Creates a role.',
      missing: 'guild',
      async handle({ run, params: { guildId: id = '' }, members }) {
        // Without permissions, members have those of @everyone.
        const body = { name: 'new role', permissions: '0', ...toRoleBody(members()) }
        return toDiscordRole(await run('createRole', { params: { id }, body }))
      },
    }),
    botRoute('PATCH /guilds/:guildId/roles', {
      summary: 'Changes the positions of roles.',
      missing: 'guild',
      handle: moveRoles,
    }),
    botRoute('PATCH /guilds/:guildId/roles/:roleId', {
      summary: 'Changes a role.',
      missing: 'role',
      async handle({ run, params: { guildId: id = '', roleId = '' }, members }) {
        const given = members()
        const isSet = given.permissions !== undefined && given.permissions !== null
        const roles = isSet ? await run('listRoles', { params: { id } }) : []
        const stored = roles.find(role => role.id === roleId)
        const body = toRoleBody(given, stored?.permissions)
        return toDiscordRole(await run('updateRole', { params: { id, roleId }, body }))
      },
    }),
    botRoute('DELETE /guilds/:guildId/roles/:roleId', {
      summary: 'Deletes a role.',
      missing: 'role',
      handle: ({ run, params: { guildId: id = '', roleId = '' } }) =>
        run('deleteRole', { params: { id, roleId } }),
    }),
  ]
}

/** The members of null are absent, as in Discord's API. `hoist` and `mentionable` change nothing here. */
function toRoleBody(given: JsonObject, stored?: string): Record<string, unknown> {
  refuseMembers(given, ['icon', 'unicode_emoji'])
  const { permissions, colors } = given
  if (isJsonObject(colors) && (colors.secondary_color || colors.tertiary_color)) {
    throw invalid('colors', 'not_supported', 'must have no secondary and tertiary color')
  }
  const color = (isJsonObject(colors) ? colors.primary_color : undefined) ?? given.color
  return {
    ...(given.name === null ? {} : rename(given, { name: 'name' })),
    ...(color === undefined || color === null ? {} : { color }),
    ...(permissions === undefined || permissions === null
      ? {}
      : { permissions: toPermissions(permissions, stored) }),
  }
}

async function moveRoles({ run, params: { guildId: id = '' }, entries }: BotRequest) {
  const body = entries()
    .filter(({ position }) => position !== undefined && position !== null)
    .map(({ id: roleId, position }) => ({ id: toId(roleId), position }))
  return (await run('moveRoles', { params: { id }, body })).map(toDiscordRole)
}
