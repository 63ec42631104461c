import { Id } from '@gatehouse/protocol/ids'
import { Member } from '@gatehouse/protocol/servers'
import { Type } from '@gatehouse/protocol/type'
import { noContent, ok, type Route, route } from '../../../http/route.ts'
import type { Members } from '../index.ts'

const Params = Type.Object({
  id: Id,
  userId: Type.String({
    pattern: '^(@me|[1-9][0-9]{16,19})$',
    description: 'Of the member; `@me` is oneself.',
  }),
})

/** `/api/servers/:id/members/:userId` */
export function memberRoute({ members }: { members: Members }): Route[] {
  return [
    route({
      method: 'GET',
      path: '/api/servers/:id/members/:userId',
      summary: 'A member of a server.',
      tag: 'Servers',
      caller: { session: true },
      params: Params,
      answers: { 200: Member },
      errors: ['not_found'],
      handle: async ({ caller, params }) =>
        ok(await members.getMember(caller.userId, params.id, named(params.userId, caller))),
    }),
    route({
      method: 'DELETE',
      path: '/api/servers/:id/members/:userId',
      summary: 'Removes a member or a bot; `@me` leaves.',
      tag: 'Servers',
      caller: { session: true },
      params: Params,
      answers: { 204: null },
      errors: ['not_found', 'missing_permission', 'conflict'],
      async handle({ caller, params }) {
        await members.dismiss(caller.userId, params.id, named(params.userId, caller))
        return noContent()
      },
    }),
  ]
}

function named(userId: string, caller: { userId: string }): string {
  return userId === '@me' ? caller.userId : userId
}
