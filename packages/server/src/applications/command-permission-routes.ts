import { CommandOverrides, ServerCommand } from '@gatehouse/protocol/commands'
import { PathIds } from '@gatehouse/protocol/ids'
import { list } from '@gatehouse/protocol/wire'
import { ok, type Route, route } from '../http/route.ts'
import type { CommandPermissions } from './command-permissions.ts'

const common = { tag: 'Servers', caller: { session: true, bot: true } } as const

export function commandPermissionsRoutes(permissions: CommandPermissions): Route[] {
  return [
    route({
      ...common,
      method: 'GET',
      path: '/api/servers/:id/commands/permissions',
      operationId: 'listServerCommandPermissions',
      summary: 'Lists the commands of all bots of a server, with their default permissions and overrides.',
      params: PathIds('id'),
      responses: { 200: list(ServerCommand) },
      errors: ['missing_permission', 'not_found'],
      handle: async ({ caller, params }) => ok(await permissions.list(caller.userId, params.id)),
    }),
    route({
      ...common,
      method: 'PUT',
      path: '/api/servers/:id/commands/:commandId/permissions',
      operationId: 'replaceServerCommandPermissions',
      summary: 'Replaces the overrides of a command, which decide who may use it on a server and where.',
      params: PathIds('id', 'commandId'),
      body: CommandOverrides,
      responses: { 200: ServerCommand },
      errors: ['limit_reached', 'missing_permission', 'not_found'],
      handle: async ({ caller, params, body }) =>
        ok(await permissions.replace(caller.userId, params.id, params.commandId, body)),
    }),
  ]
}
