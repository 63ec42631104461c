import { InvitePreview, Server } from '@gatehouse/protocol/servers'
import { Type } from '@gatehouse/protocol/type'
import { noContent, ok, type Route, route } from '../../../http/route.ts'
import type { Invites } from '../index.ts'

const Code = Type.Object({ code: Type.String({ pattern: '^[A-Za-z0-9_-]{1,64}$' }) })

/** `/api/invites/:code` */
export function inviteRoute({ invites }: { invites: Invites }): Route[] {
  return [
    route({
      method: 'GET',
      path: '/api/invites/:code',
      summary: 'Says which server an invite leads to.',
      tag: 'Servers',
      caller: { session: true },
      params: Code,
      answers: { 200: InvitePreview },
      errors: ['not_found'],
      handle: async ({ params }) => ok(await invites.preview(params.code)),
    }),
    route({
      method: 'POST',
      path: '/api/invites/:code',
      summary: 'Joins the server that an invite leads to.',
      tag: 'Servers',
      caller: { session: true },
      params: Code,
      answers: { 200: Server },
      errors: ['not_found', 'conflict'],
      handle: async ({ caller, params }) => ok(await invites.join(caller.userId, params.code)),
    }),
    route({
      method: 'DELETE',
      path: '/api/invites/:code',
      summary: 'Revokes an invite: for who made it, and with MANAGE_SERVER.',
      tag: 'Servers',
      caller: { session: true },
      params: Code,
      answers: { 204: null },
      errors: ['not_found', 'missing_permission'],
      async handle({ caller, params }) {
        await invites.revoke(caller.userId, params.code)
        return noContent()
      },
    }),
  ]
}
