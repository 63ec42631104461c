import { CommandsInput, RegisteredCommand } from '@gatehouse/protocol/commands'
import { list } from '@gatehouse/protocol/wire'
import { ok, type Route, route, routeGroup } from '../http/route.ts'
import type { Commands } from './commands.ts'

const botRoute = routeGroup({ tag: 'Bots', caller: { bot: true } })
const responses = { 200: list(RegisteredCommand) } as const

export function commandRoutes(commands: Commands): Route[] {
  return [
    route('listApplicationCommands', {
      tag: 'Developer console',
      caller: { session: true },
      summary: 'Lists the registered commands of an application of the user, global ones first.',
      responses,
      errors: ['not_found'],
      handle: async ({ caller, params }) => ok(await commands.listAll(caller.userId, params.id)),
    }),
    botRoute('listCommands', {
      summary: 'Lists the global commands of the bot.',
      responses,
      handle: async ({ caller }) => ok(await commands.list(caller.applicationId, null)),
    }),
    botRoute('replaceCommands', {
      summary: 'Replaces the global commands of the bot. Commands that are not in the list are deleted.',
      content: { 'application/json': CommandsInput },
      responses,
      errors: ['command_limit', 'not_found'],
      handle: async ({ caller, body }) => ok(await commands.replace(caller.applicationId, null, body)),
    }),
    botRoute('listServerCommands', {
      summary: 'Lists the commands of the bot for one server.',
      responses,
      errors: ['not_found'],
      handle: async ({ caller, params }) => ok(await commands.list(caller.applicationId, params.serverId)),
    }),
    botRoute('replaceServerCommands', {
      summary: 'Replaces the commands of the bot for one server. They hide global commands of the same name.',
      content: { 'application/json': CommandsInput },
      responses,
      errors: ['command_limit', 'not_found'],
      handle: async ({ caller, params, body }) =>
        ok(await commands.replace(caller.applicationId, params.serverId, body)),
    }),
  ]
}
