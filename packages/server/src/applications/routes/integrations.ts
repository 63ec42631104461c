import { PathIds } from '@gatehouse/protocol/ids'
import { Integration } from '@gatehouse/protocol/servers'
import { Type } from '@gatehouse/protocol/type'
import { ok, type Route, route } from '../../http/route.ts'
import type { InstallationRules } from '../index.ts'

export function integrationsRoute({ installations }: { installations: InstallationRules }): Route {
  return route({
    method: 'GET',
    path: '/api/servers/:id/integrations',
    summary: 'Which applications were added to the server, by whom, with what they may do',
    tag: 'Servers',
    caller: { session: true },
    params: PathIds('id'),
    answers: { 200: Type.Array(Integration) },
    errors: ['not_found'],
    handle: async ({ caller, params }) => ok(await installations.list(caller.userId, params.id)),
  })
}
