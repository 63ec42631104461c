import { PathIds } from '@gatehouse/protocol/ids'
import { Server } from '@gatehouse/protocol/servers'
import { Type } from '@gatehouse/protocol/type'
import { requirePicture } from '../../../http/body.ts'
import { ok, type Route, route } from '../../../http/route.ts'
import type { Servers } from '../index.ts'

const Picture = Type.Unsafe<unknown>({ description: 'The bytes of a png, jpeg, gif or webp, up to 1 MiB.' })

/** `/api/servers/:id/icon` */
export function iconRoute({ servers }: { servers: Pick<Servers, 'setIcon' | 'removeIcon'> }): Route[] {
  return [
    route({
      method: 'PUT',
      path: '/api/servers/:id/icon',
      summary: 'Gives a server a picture.',
      tag: 'Servers',
      caller: { session: true },
      params: PathIds('id'),
      bodyTypes: ['image'],
      body: Picture,
      answers: { 200: Server },
      errors: ['not_found', 'missing_permission'],
      handle: async ({ caller, params, body }) =>
        ok(await servers.setIcon(caller.userId, params.id, requirePicture(body))),
    }),
    route({
      method: 'DELETE',
      path: '/api/servers/:id/icon',
      summary: 'Takes the picture of a server away.',
      tag: 'Servers',
      caller: { session: true },
      params: PathIds('id'),
      answers: { 200: Server },
      errors: ['not_found', 'missing_permission'],
      handle: async ({ caller, params }) => ok(await servers.removeIcon(caller.userId, params.id)),
    }),
  ]
}
