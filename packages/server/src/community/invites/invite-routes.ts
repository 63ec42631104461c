import {
  CreateInviteBody,
  Invite,
  InvitePreview,
  InvitesQuery,
  Server,
  ServerInvite,
} from '@gatehouse/protocol/servers'
import { list, openObject, pattern } from '@gatehouse/protocol/wire'
import { created, noContent, ok, type Route, route, routeGroup } from '../../http/route.ts'
import type { InviteLimits, Invites } from './index.ts'
import { inviteCode } from './invites.ts'

const memberRoute = routeGroup({ tag: 'Servers', caller: { session: true, bot: true } })

const CodeParams = openObject({
  code: pattern(inviteCode, 'The code of the invite.'),
})

export function inviteRoutes({ invites, limits }: { invites: Invites; limits: InviteLimits }): Route[] {
  return [
    memberRoute('listInvites', {
      summary: 'Lists the usable invites of a server, newest last.',
      query: InvitesQuery,
      responses: { 200: list(ServerInvite) },
      errors: ['not_found', 'missing_permission'],
      handle: async ({ caller, params, query }) =>
        ok(await invites.listInvites(caller.userId, params.id, query)),
    }),
    memberRoute('createInvite', {
      summary: 'Creates an invite.',
      body: CreateInviteBody,
      rates: ['invites'],
      responses: { 201: Invite },
      errors: ['not_found', 'missing_permission', 'limit_reached'],
      auditReason: true,
      handle: async ({ caller, params, body }) =>
        created(await invites.createInvite(caller, params.id, body)),
    }),
    route('getInvite', {
      summary: 'Returns the server of an invite, without a session too.',
      tag: 'Servers',
      caller: { anonymous: true },
      params: CodeParams,
      responses: { 200: InvitePreview },
      errors: ['not_found', 'invites_paused', 'rate_limited'],
      handle: async ({ params, request }) =>
        ok(await limits.guard(request.ip, () => invites.previewInvite(params.code))),
    }),
    route('acceptInvite', {
      summary: 'Joins the server of an invite.',
      tag: 'Servers',
      caller: { session: true },
      params: CodeParams,
      responses: { 200: Server },
      errors: ['not_found', 'banned', 'invites_paused', 'conflict', 'limit_reached'],
      handle: async ({ caller, params, request }) =>
        ok(await limits.guard(request.ip, () => invites.acceptInvite(caller.userId, params.code))),
    }),
    memberRoute('revokeInvite', {
      summary: 'Revokes an invite. Its creator can, and members with MANAGE_SERVER.',
      params: CodeParams,
      responses: { 204: null },
      errors: ['not_found', 'missing_permission'],
      auditReason: true,
      handle: ({ caller, params }) => noContent(invites.revokeInvite(caller, params.code)),
    }),
  ]
}
