import { Id, idPattern } from '@gatehouse/protocol/ids'
import { Member, MembersQuery, UpdateMemberBody } from '@gatehouse/protocol/servers'
import { list, openObject, pattern } from '@gatehouse/protocol/wire'
import { noContent, ok, type Route, routeGroup, route as userRoute } from '../../http/route.ts'
import type { Members } from './index.ts'

const route = routeGroup({ tag: 'Servers', caller: { session: true, bot: true } })

const MemberParams = openObject({
  id: Id,
  userId: pattern(new RegExp(`^(@me|${idPattern})$`), 'The id of the member, or `@me`.'),
})

export function memberRoutes({ members }: { members: Members }): Route[] {
  return [
    route('listMembers', {
      summary: 'Lists the members of a server by user id; with `channelId`, those who can view that channel.',
      query: MembersQuery,
      responses: { 200: list(Member) },
      errors: ['not_found'],
      handle: async ({ caller, params, query }) =>
        ok(await members.listMembers(caller.userId, params.id, query)),
    }),
    route('getMember', {
      summary: 'Returns a member of a server.',
      params: MemberParams,
      responses: { 200: Member },
      errors: ['not_found'],
      handle: async ({ caller, params }) =>
        ok(await members.getMember(caller.userId, params.id, resolveMe(params.userId, caller))),
    }),
    userRoute('getCurrentUserMember', {
      summary: 'Returns the user as a member of a server.',
      tag: 'Users',
      caller: { session: true, bearer: ['servers.members.read'] },
      cors: true,
      responses: { 200: Member },
      errors: ['not_found'],
      handle: async ({ caller, params }) =>
        ok(await members.getMember(caller.userId, params.id, caller.userId)),
    }),
    route('updateMember', {
      summary: 'Changes the time-out and the roles of a member.',
      params: MemberParams,
      body: UpdateMemberBody,
      responses: { 200: Member },
      errors: ['not_found', 'missing_permission', 'conflict'],
      auditReason: true,
      handle: async ({ caller, params, body }) => {
        const userId = resolveMe(params.userId, caller)
        const { member, changedRoles } = await members.updateMember(caller, params.id, userId, body)
        return { ...ok(member), cost: Math.max(0, changedRoles - 1) }
      },
    }),
    route('removeMember', {
      summary: 'Removes a member or bot from a server; with `@me`, the user leaves.',
      params: MemberParams,
      responses: { 204: null },
      errors: ['not_found', 'missing_permission', 'conflict'],
      auditReason: true,
      handle: ({ caller, params }) =>
        noContent(members.removeMember(caller, params.id, resolveMe(params.userId, caller))),
    }),
  ]
}

function resolveMe(userId: string, caller: { userId: string }): string {
  return userId === '@me' ? caller.userId : userId
}
