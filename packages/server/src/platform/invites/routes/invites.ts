import { PathIds } from '@gatehouse/protocol/ids'
import { LimitQuery } from '@gatehouse/protocol/lists'
import { CreateInviteBody, Invite, ServerInvite } from '@gatehouse/protocol/servers'
import { Type } from '@gatehouse/protocol/type'
import { created, ok, type Route, route } from '../../../http/route.ts'
import type { Invites } from '../index.ts'

/** `/api/servers/:id/invites` */
export function invitesRoute({ invites }: { invites: Invites }): Route[] {
  return [
    route({
      method: 'GET',
      path: '/api/servers/:id/invites',
      summary: 'The invites that hold, newest last.',
      tag: 'Servers',
      caller: { session: true },
      params: PathIds('id'),
      query: LimitQuery,
      answers: { 200: Type.Array(ServerInvite) },
      errors: ['not_found', 'missing_permission'],
      handle: async ({ caller, params, query }) =>
        ok(await invites.listInvites(caller.userId, params.id, query)),
    }),
    route({
      method: 'POST',
      path: '/api/servers/:id/invites',
      summary: 'Makes an invite; any member may.',
      tag: 'Servers',
      caller: { session: true },
      params: PathIds('id'),
      body: CreateInviteBody,
      answers: { 201: Invite },
      errors: ['not_found'],
      handle: async ({ caller, params, body }) =>
        created(await invites.createInvite(caller.userId, params.id, body)),
    }),
  ]
}
