import { Server } from '@gatehouse/protocol/servers'
import { Type } from 'typebox'
import { ok, type Route, route } from '../../../http/route.ts'
import type { Invites } from '../index.ts'

/** `/api/invites/:code` */
export function inviteRoute({ invites }: { invites: Invites }): Route[] {
  return [
    route({
      method: 'POST',
      path: '/api/invites/:code',
      summary: 'Joins the server that an invite leads to.',
      tag: 'Servers',
      caller: { session: true },
      params: Type.Object({ code: Type.String({ pattern: '^[A-Za-z0-9_-]{1,64}$' }) }),
      answers: { 200: Server },
      errors: ['not_found', 'conflict'],
      handle: async ({ caller, params }) => ok(await invites.join(caller.userId, params.code)),
    }),
  ]
}
