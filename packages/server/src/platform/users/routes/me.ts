import { SelfUser, UpdateSelfBody } from '@gatehouse/protocol/users'
import type { Caller } from '../../../http/caller.ts'
import { ok, type Route, route } from '../../../http/route.ts'
import { AppError } from '../../../kit/app-error.ts'
import type { Sql } from '../../../storage/database.ts'
import { selfView } from '../user.ts'
import type { Users } from '../users.ts'

export function meRoute({ db, users }: { db: Sql; users: Pick<Users, 'findUser'> }): Route {
  return route({
    method: 'GET',
    path: '/api/users/@me',
    summary: 'Oneself',
    tag: 'People',
    caller: { session: true, bot: true, bearer: ['identify'] },
    answers: { 200: SelfUser },
    handle: async ({ caller }) => {
      const user = await users.findUser(db, caller.userId)
      if (!user) throw new AppError('unauthenticated', 'The account is no longer there.')
      return ok(selfView(user, { email: mayReadEmail(caller) }))
    },
  })
}

function mayReadEmail(caller: Caller): boolean {
  return caller.kind === 'session' || (caller.kind === 'bearer' && caller.scopes.includes('email'))
}

export function updateMeRoute({ users }: { users: Pick<Users, 'updateSelf'> }): Route {
  return route({
    method: 'PATCH',
    path: '/api/users/@me',
    summary: 'Change oneself',
    tag: 'People',
    caller: { session: true },
    body: UpdateSelfBody,
    answers: { 200: SelfUser },
    errors: ['conflict'],
    handle: async ({ caller, body, request }) => {
      const { userId, sessionId } = caller
      const user = await users.updateSelf({ userId, sessionId, ip: request.ip }, body)
      return ok(selfView(user, { email: true }))
    },
  })
}
