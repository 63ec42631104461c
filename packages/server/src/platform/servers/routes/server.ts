import { PathIds } from '@gatehouse/protocol/ids'
import { Server, UpdateServerBody } from '@gatehouse/protocol/servers'
import { noContent, ok, type Route, route } from '../../../http/route.ts'
import type { Servers } from '../index.ts'

/** `/api/servers/:id` */
export function serverRoute({ servers }: { servers: Servers }): Route[] {
  return [
    route({
      method: 'GET',
      path: '/api/servers/:id',
      summary: 'A server.',
      tag: 'Servers',
      caller: { session: true },
      params: PathIds('id'),
      answers: { 200: Server },
      errors: ['not_found'],
      handle: async ({ caller, params }) => ok(await servers.getServer(caller.userId, params.id)),
    }),
    route({
      method: 'PATCH',
      path: '/api/servers/:id',
      summary: 'Changes a server.',
      tag: 'Servers',
      caller: { session: true },
      params: PathIds('id'),
      body: UpdateServerBody,
      answers: { 200: Server },
      errors: ['not_found', 'missing_permission'],
      handle: async ({ caller, params, body }) =>
        ok(await servers.updateServer(caller.userId, params.id, body)),
    }),
    route({
      method: 'DELETE',
      path: '/api/servers/:id',
      summary: 'Deletes a server with all that is in it; for its owner.',
      tag: 'Servers',
      caller: { session: true },
      params: PathIds('id'),
      answers: { 204: null },
      errors: ['not_found', 'missing_permission'],
      async handle({ caller, params }) {
        await servers.deleteServer(caller.userId, params.id)
        return noContent()
      },
    }),
  ]
}
