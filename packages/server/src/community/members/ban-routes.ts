import { PathIds } from '@gatehouse/protocol/ids'
import { PageQuery } from '@gatehouse/protocol/lists'
import { Ban, CreateBanBody } from '@gatehouse/protocol/servers'
import { list } from '@gatehouse/protocol/wire'
import { noContent, ok, type Route, route } from '../../http/route.ts'
import type { Bans } from './index.ts'

const common = { tag: 'Servers', caller: { session: true, bot: true } } as const

export function banRoutes({ bans }: { bans: Bans }): Route[] {
  return [
    route({
      ...common,
      method: 'GET',
      path: '/api/servers/:id/bans',
      operationId: 'listBans',
      summary: 'Lists the bans of a server by user id.',
      params: PathIds('id'),
      query: PageQuery,
      responses: { 200: list(Ban) },
      errors: ['not_found', 'missing_permission'],
      handle: async ({ caller, params, query }) => ok(await bans.listBans(caller.userId, params.id, query)),
    }),
    route({
      ...common,
      method: 'GET',
      path: '/api/servers/:id/bans/:userId',
      operationId: 'getBan',
      summary: 'Returns the ban of a user.',
      params: PathIds('id', 'userId'),
      responses: { 200: Ban },
      errors: ['not_found', 'missing_permission'],
      handle: async ({ caller, params }) => ok(await bans.getBan(caller.userId, params.id, params.userId)),
    }),
    route({
      ...common,
      method: 'PUT',
      path: '/api/servers/:id/bans/:userId',
      operationId: 'createBan',
      summary: 'Bans a user or bot, who need not be a member, and removes it from the server.',
      params: PathIds('id', 'userId'),
      body: CreateBanBody,
      responses: { 204: null },
      errors: ['not_found', 'missing_permission', 'conflict'],
      handle: ({ caller, params, body }) =>
        noContent(bans.createBan(caller.userId, params.id, params.userId, body)),
    }),
    route({
      ...common,
      method: 'DELETE',
      path: '/api/servers/:id/bans/:userId',
      operationId: 'deleteBan',
      summary: 'Ends the ban of a user, who can join the server again.',
      params: PathIds('id', 'userId'),
      responses: { 204: null },
      errors: ['not_found', 'missing_permission'],
      handle: ({ caller, params }) => noContent(bans.deleteBan(caller.userId, params.id, params.userId)),
    }),
  ]
}
