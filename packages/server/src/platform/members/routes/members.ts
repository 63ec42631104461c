import { PathIds } from '@gatehouse/protocol/ids'
import { PageQuery } from '@gatehouse/protocol/lists'
import { Member } from '@gatehouse/protocol/servers'
import { Type } from '@gatehouse/protocol/type'
import { ok, type Route, route } from '../../../http/route.ts'
import type { Members } from '../index.ts'

/** `/api/servers/:id/members` */
export function membersRoute({ members }: { members: Members }): Route[] {
  return [
    route({
      method: 'GET',
      path: '/api/servers/:id/members',
      summary: 'The members of a server, by id.',
      tag: 'Servers',
      caller: { session: true },
      params: PathIds('id'),
      query: PageQuery,
      answers: { 200: Type.Array(Member) },
      errors: ['not_found'],
      handle: async ({ caller, params, query }) =>
        ok(await members.listMembers(caller.userId, params.id, query)),
    }),
  ]
}
