import { PathIds } from '@gatehouse/protocol/ids'
import { Server } from '@gatehouse/protocol/servers'
import { requireImage } from '../../http/body-parsers.ts'
import { Image } from '../../http/media.ts'
import { ok, type Route, route } from '../../http/route.ts'
import type { Servers } from './index.ts'

export function serverIconRoutes({ servers }: { servers: Pick<Servers, 'setIcon' | 'deleteIcon'> }): Route[] {
  return [
    route({
      method: 'PUT',
      path: '/api/servers/:id/icon',
      operationId: 'setServerIcon',
      summary: 'Sets the icon of a server.',
      tag: 'Servers',
      caller: { session: true, bot: true },
      params: PathIds('id'),
      bodyTypes: ['image'],
      body: Image,
      responses: { 200: Server },
      errors: ['not_found', 'missing_permission', 'limit_reached'],
      handle: async ({ caller, params, body }) =>
        ok(await servers.setIcon(caller.userId, params.id, requireImage(body))),
    }),
    route({
      method: 'DELETE',
      path: '/api/servers/:id/icon',
      operationId: 'deleteServerIcon',
      summary: 'Deletes the icon of a server.',
      tag: 'Servers',
      caller: { session: true, bot: true },
      params: PathIds('id'),
      responses: { 200: Server },
      errors: ['not_found', 'missing_permission'],
      handle: async ({ caller, params }) => ok(await servers.deleteIcon(caller.userId, params.id)),
    }),
  ]
}
