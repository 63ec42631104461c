import { rolesPerRequest } from '@gatehouse/protocol/limits'
import { CreateServerBody, Server, UpdateServerBody, UserServer } from '@gatehouse/protocol/servers'
import { list } from '@gatehouse/protocol/wire'
import { created, noContent, ok, type Route, route, routeGroup } from '../../http/route.ts'
import type { Sql } from '../../storage/database.ts'
import { listUserServers, type Servers } from './index.ts'

const memberRoute = routeGroup({ tag: 'Servers', caller: { session: true, bot: true } })
const userRoute = routeGroup({ tag: 'Servers', caller: { session: true } })

export function serverRoutes({ db, servers }: { db: Sql; servers: Servers }): Route[] {
  return [
    userRoute('createServer', {
      summary: 'Creates a server with a channel `general`.',
      body: CreateServerBody,
      rates: ['servers'],
      responses: { 201: Server },
      errors: ['missing_permission', 'email_not_verified', 'limit_reached'],
      handle: async ({ caller, body }) => created(await servers.createServer(caller.userId, body)),
    }),
    memberRoute('getServer', {
      summary: 'Returns a server.',
      responses: { 200: Server },
      errors: ['not_found'],
      handle: async ({ caller, params }) => ok(await servers.getServer(caller.userId, params.id)),
    }),
    memberRoute('updateServer', {
      summary: 'Updates a server.',
      body: UpdateServerBody,
      rates: ['images'],
      responses: { 200: Server },
      errors: ['not_found', 'missing_permission', 'limit_reached'],
      auditReason: true,
      handle: async ({ caller, params, body }) => ok(await servers.updateServer(caller, params.id, body)),
    }),
    userRoute('deleteServer', {
      summary: 'Deletes a server and everything in it. Only the owner can.',
      responses: { 204: null },
      errors: ['not_found', 'missing_permission'],
      auditReason: true,
      handle: ({ caller, params }) => noContent(servers.deleteServer(caller, params.id)),
    }),
    route('listCurrentUserServers', {
      summary: 'Lists the servers of the user or bot.',
      tag: 'Users',
      caller: { session: true, bot: true, bearer: ['servers'] },
      cors: true,
      responses: { 200: list(UserServer) },
      async handle({ caller }) {
        const { servers, roleCount } = await listUserServers(db, caller.userId)
        return { ...ok(servers), cost: Math.floor(roleCount / rolesPerRequest) }
      },
    }),
  ]
}
