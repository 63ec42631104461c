import { PathIds } from '@gatehouse/protocol/ids'
import { Role, UpdateRoleBody } from '@gatehouse/protocol/servers'
import { noContent, ok, type Route, route } from '../../../http/route.ts'
import type { Roles } from '../index.ts'

/** `/api/servers/:id/roles/:roleId` */
export function roleRoute({ roles }: { roles: Roles }): Route[] {
  return [
    route({
      method: 'PATCH',
      path: '/api/servers/:id/roles/:roleId',
      summary: 'Changes a role.',
      tag: 'Servers',
      caller: { session: true },
      params: PathIds('id', 'roleId'),
      body: UpdateRoleBody,
      answers: { 200: Role },
      errors: ['not_found', 'missing_permission'],
      handle: async ({ caller, params, body }) =>
        ok(await roles.updateRole(caller.userId, params.id, params.roleId, body)),
    }),
    route({
      method: 'DELETE',
      path: '/api/servers/:id/roles/:roleId',
      summary: 'Deletes a role.',
      tag: 'Servers',
      caller: { session: true },
      params: PathIds('id', 'roleId'),
      answers: { 204: null },
      errors: ['not_found', 'missing_permission', 'conflict'],
      async handle({ caller, params }) {
        await roles.deleteRole(caller.userId, params.id, params.roleId)
        return noContent()
      },
    }),
  ]
}
