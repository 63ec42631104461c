import { CommandsInput, RegisteredCommand } from '@gatehouse/protocol/commands'
import { PathIds } from '@gatehouse/protocol/ids'
import { Type } from '@gatehouse/protocol/type'
import { ok, type Route, route } from '../../http/route.ts'
import type { CommandRules } from '../index.ts'

const common = { tag: 'Bots', caller: { bot: true } } as const
const answers = { 200: Type.Array(RegisteredCommand) } as const

export function commandsRoutes({ commands }: { commands: CommandRules }): Route[] {
  return [
    route({
      tag: 'Developer console',
      caller: { session: true },
      method: 'GET',
      path: '/api/applications/:id/commands',
      summary: 'The commands that your application has registered, the global ones first',
      params: PathIds('id'),
      answers,
      errors: ['not_found'],
      handle: async ({ caller, params }) => ok(await commands.listAll(caller.userId, params.id)),
    }),
    route({
      ...common,
      method: 'GET',
      path: '/api/applications/@me/commands',
      summary: 'The global commands of the bot',
      answers,
      handle: async ({ caller }) => ok(await commands.list(caller.applicationId, null)),
    }),
    route({
      ...common,
      method: 'PUT',
      path: '/api/applications/@me/commands',
      summary: 'Replace the global commands; what is not in the list is deleted',
      body: CommandsInput,
      answers,
      errors: ['command_limit', 'not_found'],
      handle: async ({ caller, body }) => ok(await commands.put(caller.applicationId, null, body)),
    }),
    route({
      ...common,
      method: 'GET',
      path: '/api/applications/@me/servers/:serverId/commands',
      summary: "The bot's commands of one server (D27)",
      params: PathIds('serverId'),
      answers,
      errors: ['not_found'],
      handle: async ({ caller, params }) => ok(await commands.list(caller.applicationId, params.serverId)),
    }),
    route({
      ...common,
      method: 'PUT',
      path: '/api/applications/@me/servers/:serverId/commands',
      summary: "Replace the bot's commands of one server; they stand before global ones of the same name",
      params: PathIds('serverId'),
      body: CommandsInput,
      answers,
      errors: ['command_limit', 'not_found'],
      handle: async ({ caller, params, body }) =>
        ok(await commands.put(caller.applicationId, params.serverId, body)),
    }),
  ]
}
