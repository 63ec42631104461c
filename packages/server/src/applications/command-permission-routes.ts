import { CommandOverrides, ServerCommand } from '@gatehouse/protocol/commands'
import { list } from '@gatehouse/protocol/wire'
import { ok, type Route, routeGroup } from '../http/route.ts'
import type { CommandPermissions } from './command-permissions.ts'

const route = routeGroup({ tag: 'Servers', caller: { session: true, bot: true } })

export function commandPermissionRoutes(permissions: CommandPermissions): Route[] {
  return [
    route('listServerCommandPermissions', {
      summary: 'Lists the commands of all bots of a server, with their default permissions and overrides.',
      responses: { 200: list(ServerCommand) },
      errors: ['missing_permission', 'not_found'],
      handle: async ({ caller, params }) => ok(await permissions.list(caller.userId, params.id)),
    }),
    route('replaceServerCommandPermissions', {
      summary: 'Replaces the overrides of a command, which decide who may use it on a server and where.',
      body: CommandOverrides,
      responses: { 200: ServerCommand },
      errors: ['limit_reached', 'missing_permission', 'not_found'],
      auditReason: true,
      handle: async ({ caller, params, body }) =>
        ok(await permissions.replace(caller, params.id, params.commandId, body)),
    }),
  ]
}
