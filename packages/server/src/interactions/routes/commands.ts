import { AvailableCommand } from '@gatehouse/protocol/commands'
import { PathIds } from '@gatehouse/protocol/ids'
import { Type } from '@gatehouse/protocol/type'
import { ok, type Route, route } from '../../http/route.ts'
import type { Interactions } from '../index.ts'

/** `/api/channels/:id/commands` */
export function commandsRoute({ interactions }: { interactions: Interactions }): Route {
  return route({
    method: 'GET',
    path: '/api/channels/:id/commands',
    summary: 'The commands that you can use in a channel, with whose they are.',
    tag: 'Using commands and buttons',
    caller: { session: true },
    params: PathIds('id'),
    answers: { 200: Type.Array(AvailableCommand) },
    errors: ['not_found'],
    handle: async ({ caller, params }) => ok(await interactions.available(caller.userId, params.id)),
  })
}
