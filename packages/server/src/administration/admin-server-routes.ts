import { AdminListQuery, AdminServer, UpdateAdminServerBody } from '@gatehouse/protocol/administration'
import { RecentProof } from '@gatehouse/protocol/second-factor'
import { list } from '@gatehouse/protocol/wire'
import { noContent, ok, type Route } from '../http/route.ts'
import type { AdminRoute } from './admin-route.ts'
import type { AdminServers } from './admin-servers.ts'

export function adminServerRoutes({
  route,
  adminServers,
}: {
  route: AdminRoute
  adminServers: AdminServers
}): Route[] {
  return [
    route('listAdminServers', {
      summary: 'Lists the servers, newest first, or those with a name, id or owner.',
      query: AdminListQuery,
      responses: { 200: list(AdminServer) },
      errors: ['not_found'],
      handle: async ({ query }) => ok(await adminServers.list(query)),
    }),
    route('updateAdminServer', {
      summary: 'Disables or enables a server, or transfers it to another owner.',
      body: UpdateAdminServerBody,
      responses: { 200: AdminServer },
      errors: ['not_found', 'conflict', 'banned', 'limit_reached', 'rate_limited'],
      auditReason: true,
      handle: async ({ caller, params, body, request }) =>
        ok(await adminServers.update({ ...caller, ip: request.ip }, params.id, body)),
    }),
    route('deleteAdminServer', {
      summary: 'Deletes a server.',
      body: RecentProof,
      responses: { 204: null },
      errors: ['not_found', 'rate_limited'],
      auditReason: true,
      handle: ({ caller, params, body, request }) =>
        noContent(adminServers.delete({ ...caller, ip: request.ip }, params.id, body)),
    }),
  ]
}
