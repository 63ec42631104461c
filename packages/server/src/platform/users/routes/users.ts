import { SelfUser, UpdateSelfBody } from '@gatehouse/protocol/users'
import type { Caller } from '../../../http/caller.ts'
import { ok, type Route, route } from '../../../http/route.ts'
import type { Sql } from '../../../storage/database.ts'
import { requireUser, selfView } from '../user.ts'
import type { Users } from '../users.ts'

export function currentUserRoutes({ db, users }: { db: Sql; users: Pick<Users, 'updateSelf'> }): Route[] {
  return [
    route({
      method: 'GET',
      path: '/api/users/@me',
      summary: 'Returns the current user.',
      tag: 'Users',
      caller: { session: true, bot: true, bearer: ['identify'] },
      responses: { 200: SelfUser },
      handle: async ({ caller }) => {
        const user = await requireUser(db, caller.userId)
        return ok(selfView(user, { email: mayReadEmail(caller) }))
      },
    }),
    route({
      method: 'PATCH',
      path: '/api/users/@me',
      summary: 'Updates the current user.',
      tag: 'Users',
      caller: { session: true },
      body: UpdateSelfBody,
      responses: { 200: SelfUser },
      errors: ['conflict'],
      handle: async ({ caller, body, request }) => {
        const { userId, sessionId } = caller
        const { ip, locale } = request
        const user = await users.updateSelf({ userId, sessionId, ip, locale }, body)
        return ok(selfView(user))
      },
    }),
  ]
}

function mayReadEmail(caller: Caller): boolean {
  return caller.kind === 'session' || (caller.kind === 'bearer' && caller.scopes.includes('email'))
}
