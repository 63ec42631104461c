import { CreateRoleBody, MoveRolesBody, Role, UpdateRoleBody } from '@gatehouse/protocol/servers'
import { list } from '@gatehouse/protocol/wire'
import { created, noContent, ok, type Route, routeGroup } from '../../http/route.ts'
import type { Roles } from './index.ts'

const route = routeGroup({ tag: 'Servers', caller: { session: true, bot: true } })

export function roleRoutes({ roles }: { roles: Roles }): Route[] {
  return [
    route('listRoles', {
      summary: 'Lists the roles of a server, from @everyone to the highest.',
      responses: { 200: list(Role) },
      errors: ['not_found'],
      handle: async ({ caller, params }) => ok(await roles.listRoles(caller.userId, params.id)),
    }),
    route('createRole', {
      summary: 'Creates a role.',
      body: CreateRoleBody,
      rates: ['roles'],
      responses: { 201: Role },
      errors: ['not_found', 'missing_permission', 'limit_reached'],
      auditReason: true,
      handle: async ({ caller, params, body }) => created(await roles.createRole(caller, params.id, body)),
    }),
    route('moveRoles', {
      summary: 'Gives roles their places in the order of all roles, and returns all from @everyone.',
      body: MoveRolesBody,
      responses: { 200: list(Role) },
      errors: ['not_found', 'missing_permission'],
      auditReason: true,
      async handle({ caller, params, body }) {
        const { roles: moved, changed } = await roles.moveRoles(caller, params.id, body)
        return { ...ok(moved), cost: Math.max(0, changed - 1) }
      },
    }),
    route('updateRole', {
      summary: 'Updates a role.',
      body: UpdateRoleBody,
      responses: { 200: Role },
      errors: ['not_found', 'missing_permission'],
      auditReason: true,
      handle: async ({ caller, params, body }) =>
        ok(await roles.updateRole(caller, params.id, params.roleId, body)),
    }),
    route('deleteRole', {
      summary: 'Deletes a role.',
      responses: { 204: null },
      errors: ['not_found', 'missing_permission', 'conflict'],
      auditReason: true,
      handle: ({ caller, params }) => noContent(roles.deleteRole(caller, params.id, params.roleId)),
    }),
  ]
}
