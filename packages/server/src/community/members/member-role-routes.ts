import { noContent, type Route, routeGroup } from '../../http/route.ts'
import type { Members } from './index.ts'

const route = routeGroup({ tag: 'Servers', caller: { session: true, bot: true } })

export function memberRoleRoutes({ members }: { members: Members }): Route[] {
  return [
    route('addMemberRole', {
      summary: 'Adds a role to a member.',
      responses: { 204: null },
      errors: ['not_found', 'missing_permission', 'conflict'],
      auditReason: true,
      handle: ({ caller, params }) =>
        noContent(members.addRole(caller, params.id, params.userId, params.roleId)),
    }),
    route('removeMemberRole', {
      summary: 'Removes a role from a member.',
      responses: { 204: null },
      errors: ['not_found', 'missing_permission', 'conflict'],
      auditReason: true,
      handle: ({ caller, params }) =>
        noContent(members.removeRole(caller, params.id, params.userId, params.roleId)),
    }),
  ]
}
