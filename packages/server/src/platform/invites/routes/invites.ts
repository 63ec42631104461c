import { PathIds } from '@gatehouse/protocol/ids'
import { CreateInviteBody, Invite } from '@gatehouse/protocol/servers'
import { created, type Route, route } from '../../../http/route.ts'
import type { Invites } from '../index.ts'

/** `/api/servers/:id/invites` */
export function invitesRoute({ invites }: { invites: Invites }): Route[] {
  return [
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
