import {
  AdminListQuery,
  AdminUser,
  AdminUserDetails,
  UpdateAdminUserBody,
} from '@gatehouse/protocol/administration'
import { RecentProof } from '@gatehouse/protocol/second-factor'
import { list } from '@gatehouse/protocol/wire'
import { noContent, ok, type Route } from '../http/route.ts'
import type { AdminRoute } from './admin-route.ts'
import type { AdminUsers } from './admin-users.ts'

export function adminUserRoutes({
  route,
  adminUsers,
}: {
  route: AdminRoute
  adminUsers: AdminUsers
}): Route[] {
  return [
    route('listAdminUsers', {
      summary: 'Lists the users, newest first, or those with a name, email address or id.',
      query: AdminListQuery,
      responses: { 200: list(AdminUser) },
      errors: ['not_found'],
      handle: async ({ query }) => ok(await adminUsers.list(query)),
    }),
    route('getAdminUser', {
      summary: 'Returns a user with their sessions and servers.',
      responses: { 200: AdminUserDetails },
      errors: ['not_found'],
      handle: async ({ caller, params }) => ok(await adminUsers.get(caller, params.id)),
    }),
    route('updateAdminUser', {
      summary: 'Disables or enables a user, makes them an administrator or none, or confirms their address.',
      body: UpdateAdminUserBody,
      responses: { 200: AdminUser },
      errors: ['not_found', 'conflict', 'rate_limited'],
      auditReason: true,
      handle: async ({ caller, params, body, request }) =>
        ok(await adminUsers.update({ ...caller, ip: request.ip }, params.id, body)),
    }),
    route('endAdminUserSessions', {
      summary: 'Ends all sessions of a user. The tokens of applications remain.',
      body: RecentProof,
      responses: { 204: null },
      errors: ['not_found', 'rate_limited'],
      auditReason: true,
      handle: ({ caller, params, body, request }) =>
        noContent(adminUsers.endSessions({ ...caller, ip: request.ip }, params.id, body)),
    }),
    route('resetAdminUserSecondFactor', {
      summary: 'Deletes the passkeys, the authenticator app and the recovery codes of a user.',
      body: RecentProof,
      responses: { 204: null },
      errors: ['not_found', 'rate_limited'],
      auditReason: true,
      handle: ({ caller, params, body, request }) =>
        noContent(adminUsers.resetSecondFactor({ ...caller, ip: request.ip }, params.id, body)),
    }),
  ]
}
