import { PathIds } from '@gatehouse/protocol/ids'
import { CreateRoleBody, Role, UpdateRoleBody } from '@gatehouse/protocol/servers'
import { list } from '@gatehouse/protocol/wire'
import { created, noContent, ok, type Route, route } from '../../http/route.ts'
import type { Roles } from './index.ts'

export function roleRoutes({ roles }: { roles: Roles }): Route[] {
  return [
    route({
      method: 'GET',
      path: '/api/servers/:id/roles',
      operationId: 'listRoles',
      summary: 'Lists the roles of a server, from @everyone to the highest.',
      tag: 'Servers',
      caller: { session: true, bot: true },
      params: PathIds('id'),
      responses: { 200: list(Role) },
      errors: ['not_found'],
      handle: async ({ caller, params }) => ok(await roles.listRoles(caller.userId, params.id)),
    }),
    route({
      method: 'POST',
      path: '/api/servers/:id/roles',
      operationId: 'createRole',
      summary: 'Creates a role.',
      tag: 'Servers',
      caller: { session: true, bot: true },
      params: PathIds('id'),
      body: CreateRoleBody,
      rates: ['roles'],
      responses: { 201: Role },
      errors: ['not_found', 'missing_permission', 'limit_reached'],
      handle: async ({ caller, params, body }) =>
        created(await roles.createRole(caller.userId, params.id, body)),
    }),
    route({
      method: 'PATCH',
      path: '/api/servers/:id/roles/:roleId',
      operationId: 'updateRole',
      summary: 'Updates a role.',
      tag: 'Servers',
      caller: { session: true, bot: true },
      params: PathIds('id', 'roleId'),
      body: UpdateRoleBody,
      responses: { 200: Role },
      errors: ['not_found', 'missing_permission'],
      handle: async ({ caller, params, body }) =>
        ok(await roles.updateRole(caller.userId, params.id, params.roleId, body)),
    }),
    route({
      method: 'DELETE',
      path: '/api/servers/:id/roles/:roleId',
      operationId: 'deleteRole',
      summary: 'Deletes a role.',
      tag: 'Servers',
      caller: { session: true, bot: true },
      params: PathIds('id', 'roleId'),
      responses: { 204: null },
      errors: ['not_found', 'missing_permission', 'conflict'],
      handle: ({ caller, params }) => noContent(roles.deleteRole(caller.userId, params.id, params.roleId)),
    }),
  ]
}
