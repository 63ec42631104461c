import { PathIds } from '@gatehouse/protocol/ids'
import { noContent, type Route, route } from '../../http/route.ts'
import type { Members } from './index.ts'

export function memberRoleRoutes({ members }: { members: Members }): Route[] {
  return [
    route({
      method: 'PUT',
      path: '/api/servers/:id/members/:userId/roles/:roleId',
      operationId: 'addMemberRole',
      summary: 'Adds a role to a member.',
      tag: 'Servers',
      caller: { session: true, bot: true },
      params: PathIds('id', 'userId', 'roleId'),
      responses: { 204: null },
      errors: ['not_found', 'missing_permission', 'conflict'],
      handle: ({ caller, params }) =>
        noContent(members.addRole(caller.userId, params.id, params.userId, params.roleId)),
    }),
    route({
      method: 'DELETE',
      path: '/api/servers/:id/members/:userId/roles/:roleId',
      operationId: 'removeMemberRole',
      summary: 'Removes a role from a member.',
      tag: 'Servers',
      caller: { session: true, bot: true },
      params: PathIds('id', 'userId', 'roleId'),
      responses: { 204: null },
      errors: ['not_found', 'missing_permission', 'conflict'],
      handle: ({ caller, params }) =>
        noContent(members.removeRole(caller.userId, params.id, params.userId, params.roleId)),
    }),
  ]
}
