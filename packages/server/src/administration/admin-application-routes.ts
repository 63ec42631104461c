import {
  AdminApplication,
  AdminListQuery,
  UpdateAdminApplicationBody,
} from '@gatehouse/protocol/administration'
import { RecentProof } from '@gatehouse/protocol/second-factor'
import { list } from '@gatehouse/protocol/wire'
import { noContent, ok, type Route } from '../http/route.ts'
import type { AdminApplications } from './admin-applications.ts'
import type { AdminRoute } from './admin-route.ts'

export function adminApplicationRoutes({
  route,
  adminApplications,
}: {
  route: AdminRoute
  adminApplications: AdminApplications
}): Route[] {
  return [
    route('listAdminApplications', {
      summary: 'Lists the applications, newest first, or those with a name, id or owner.',
      query: AdminListQuery,
      responses: { 200: list(AdminApplication) },
      errors: ['not_found'],
      handle: async ({ query }) => ok(await adminApplications.list(query)),
    }),
    route('updateAdminApplication', {
      summary: 'Disables or enables an application, or transfers it to another owner.',
      body: UpdateAdminApplicationBody,
      responses: { 200: AdminApplication },
      errors: ['not_found', 'conflict', 'rate_limited'],
      auditReason: true,
      handle: async ({ caller, params, body, request }) =>
        ok(await adminApplications.update({ ...caller, ip: request.ip }, params.id, body)),
    }),
    route('deleteAdminApplication', {
      summary: 'Deletes an application.',
      body: RecentProof,
      responses: { 204: null },
      errors: ['not_found', 'rate_limited'],
      auditReason: true,
      handle: ({ caller, params, body, request }) =>
        noContent(adminApplications.delete({ ...caller, ip: request.ip }, params.id, body)),
    }),
  ]
}
