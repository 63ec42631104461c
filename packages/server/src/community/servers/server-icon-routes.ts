import { Server } from '@gatehouse/protocol/servers'
import { requireImage } from '../../http/body-parsers.ts'
import { Image } from '../../http/media.ts'
import { ok, type Route, routeGroup } from '../../http/route.ts'
import type { Servers } from './index.ts'

const route = routeGroup({ tag: 'Servers', caller: { session: true, bot: true } })

export function serverIconRoutes({ servers }: { servers: Pick<Servers, 'setIcon' | 'deleteIcon'> }): Route[] {
  return [
    route('setServerIcon', {
      summary: 'Sets the icon of a server.',
      bodyTypes: ['image'],
      body: Image,
      responses: { 200: Server },
      errors: ['not_found', 'missing_permission', 'limit_reached'],
      auditReason: true,
      handle: async ({ caller, params, body }) =>
        ok(await servers.setIcon(caller, params.id, requireImage(body))),
    }),
    route('deleteServerIcon', {
      summary: 'Deletes the icon of a server.',
      responses: { 200: Server },
      errors: ['not_found', 'missing_permission'],
      auditReason: true,
      handle: async ({ caller, params }) => ok(await servers.deleteIcon(caller, params.id)),
    }),
  ]
}
