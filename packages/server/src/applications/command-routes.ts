import { CommandsInput, RegisteredCommand } from '@gatehouse/protocol/commands'
import { PathIds } from '@gatehouse/protocol/ids'
import { list } from '@gatehouse/protocol/wire'
import { ok, type Route, route } from '../http/route.ts'
import type { Commands } from './commands.ts'

const common = { tag: 'Bots', caller: { bot: true } } as const
const responses = { 200: list(RegisteredCommand) } as const

export function commandsRoutes(commands: Commands): Route[] {
  return [
    route({
      tag: 'Developer console',
      caller: { session: true },
      method: 'GET',
      path: '/api/applications/:id/commands',
      operationId: 'listApplicationCommands',
      summary: 'Lists the registered commands of an application of the user, global ones first.',
      params: PathIds('id'),
      responses,
      errors: ['not_found'],
      handle: async ({ caller, params }) => ok(await commands.listAll(caller.userId, params.id)),
    }),
    route({
      ...common,
      method: 'GET',
      path: '/api/applications/@me/commands',
      operationId: 'listCommands',
      summary: 'Lists the global commands of the bot.',
      responses,
      handle: async ({ caller }) => ok(await commands.list(caller.applicationId, null)),
    }),
    route({
      ...common,
      method: 'PUT',
      path: '/api/applications/@me/commands',
      operationId: 'replaceCommands',
      summary: 'Replaces the global commands of the bot. Commands that are not in the list are deleted.',
      content: { 'application/json': CommandsInput },
      responses,
      errors: ['command_limit', 'not_found'],
      handle: async ({ caller, body }) => ok(await commands.replace(caller.applicationId, null, body)),
    }),
    route({
      ...common,
      method: 'GET',
      path: '/api/applications/@me/servers/:serverId/commands',
      operationId: 'listServerCommands',
      summary: 'Lists the commands of the bot for one server.',
      params: PathIds('serverId'),
      responses,
      errors: ['not_found'],
      handle: async ({ caller, params }) => ok(await commands.list(caller.applicationId, params.serverId)),
    }),
    route({
      ...common,
      method: 'PUT',
      path: '/api/applications/@me/servers/:serverId/commands',
      operationId: 'replaceServerCommands',
      summary: 'Replaces the commands of the bot for one server. They hide global commands of the same name.',
      params: PathIds('serverId'),
      content: { 'application/json': CommandsInput },
      responses,
      errors: ['command_limit', 'not_found'],
      handle: async ({ caller, params, body }) =>
        ok(await commands.replace(caller.applicationId, params.serverId, body)),
    }),
  ]
}
