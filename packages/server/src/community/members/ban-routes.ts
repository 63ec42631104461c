import { PageQuery } from '@gatehouse/protocol/lists'
import { Ban, CreateBanBody, CreateBansBody, CreatedBans } from '@gatehouse/protocol/servers'
import { list } from '@gatehouse/protocol/wire'
import { noContent, ok, type Route, routeGroup } from '../../http/route.ts'
import type { Bans } from './index.ts'

const route = routeGroup({ tag: 'Servers', caller: { session: true, bot: true } })

export function banRoutes({ bans }: { bans: Bans }): Route[] {
  return [
    route('listBans', {
      summary: 'Lists the bans of a server by user id.',
      query: PageQuery,
      responses: { 200: list(Ban) },
      errors: ['not_found', 'missing_permission'],
      handle: async ({ caller, params, query }) => ok(await bans.listBans(caller.userId, params.id, query)),
    }),
    route('getBan', {
      summary: 'Returns the ban of a user.',
      responses: { 200: Ban },
      errors: ['not_found', 'missing_permission'],
      handle: async ({ caller, params }) => ok(await bans.getBan(caller.userId, params.id, params.userId)),
    }),
    route('createBan', {
      summary: 'Bans a user or bot, who need not be a member, and removes it from the server.',
      body: CreateBanBody,
      responses: { 204: null },
      errors: ['not_found', 'missing_permission', 'conflict'],
      auditReason: true,
      handle: ({ caller, params, body }) => noContent(bans.createBan(caller, params.id, params.userId, body)),
    }),
    route('createBans', {
      summary: 'Bans up to 200 users and bots. Their messages are deleted after the response.',
      body: CreateBansBody,
      responses: { 200: CreatedBans },
      errors: ['not_found', 'missing_permission'],
      auditReason: true,
      handle: async ({ caller, params, body }) => ({
        ...ok(await bans.createBans(caller, params.id, body)),
        // As many as bans of one user would be (limits/requests).
        cost: body.userIds.length - 1,
      }),
    }),
    route('deleteBan', {
      summary: 'Ends the ban of a user, who can join the server again.',
      responses: { 204: null },
      errors: ['not_found', 'missing_permission'],
      auditReason: true,
      handle: ({ caller, params }) => noContent(bans.deleteBan(caller, params.id, params.userId)),
    }),
  ]
}
