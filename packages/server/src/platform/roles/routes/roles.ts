import { PathIds } from '@gatehouse/protocol/ids'
import { CreateRoleBody, Role } from '@gatehouse/protocol/servers'
import { Type } from '@gatehouse/protocol/type'
import { created, ok, type Route, route } from '../../../http/route.ts'
import type { Roles } from '../index.ts'

/** `/api/servers/:id/roles` */
export function rolesRoute({ roles }: { roles: Roles }): Route[] {
  return [
    route({
      method: 'GET',
      path: '/api/servers/:id/roles',
      summary: 'The roles of a server, from @everyone to the highest.',
      tag: 'Servers',
      caller: { session: true },
      params: PathIds('id'),
      answers: { 200: Type.Array(Role) },
      errors: ['not_found'],
      handle: async ({ caller, params }) => ok(await roles.listRoles(caller.userId, params.id)),
    }),
    route({
      method: 'POST',
      path: '/api/servers/:id/roles',
      summary: 'Makes a role.',
      tag: 'Servers',
      caller: { session: true },
      params: PathIds('id'),
      body: CreateRoleBody,
      answers: { 201: Role },
      errors: ['not_found', 'missing_permission'],
      handle: async ({ caller, params, body }) =>
        created(await roles.createRole(caller.userId, params.id, body)),
    }),
  ]
}
