import { Integration } from '@gatehouse/protocol/servers'
import { list } from '@gatehouse/protocol/wire'
import { ok, type Route, route } from '../http/route.ts'
import type { Integrations } from './integrations.ts'

export function integrationRoute(integrations: Integrations): Route {
  return route('listIntegrations', {
    summary: 'Lists the applications that were added to a server, with their scopes and permissions.',
    tag: 'Servers',
    caller: { session: true, bot: true },
    responses: { 200: list(Integration) },
    errors: ['not_found'],
    handle: async ({ caller, params }) => ok(await integrations.list(caller.userId, params.id)),
  })
}
