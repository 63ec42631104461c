import { PathIds } from '@gatehouse/protocol/ids'
import { noContent, type Route, route } from '../../../http/route.ts'
import type { Members } from '../index.ts'

/** `/api/servers/:id/members/:userId/roles/:roleId` */
export function memberRoleRoute({ members }: { members: Members }): Route[] {
  return [
    route({
      method: 'PUT',
      path: '/api/servers/:id/members/:userId/roles/:roleId',
      summary: 'Gives a member a role.',
      tag: 'Servers',
      caller: { session: true },
      params: PathIds('id', 'userId', 'roleId'),
      answers: { 204: null },
      errors: ['not_found', 'missing_permission', 'conflict'],
      async handle({ caller, params }) {
        await members.giveRole(caller.userId, params.id, params.userId, params.roleId)
        return noContent()
      },
    }),
    route({
      method: 'DELETE',
      path: '/api/servers/:id/members/:userId/roles/:roleId',
      summary: 'Takes a role from a member.',
      tag: 'Servers',
      caller: { session: true },
      params: PathIds('id', 'userId', 'roleId'),
      answers: { 204: null },
      errors: ['not_found', 'missing_permission', 'conflict'],
      async handle({ caller, params }) {
        await members.takeRole(caller.userId, params.id, params.userId, params.roleId)
        return noContent()
      },
    }),
  ]
}
