import { SelfUser, UpdateSelfBody } from '@gatehouse/protocol/users'
import type { Caller } from '../../http/caller.ts'
import { ok, type Route, route } from '../../http/route.ts'
import type { Sql } from '../../storage/database.ts'
import { requestInfoOf } from '../request-info.ts'
import { currentSessionOf, type Sessions } from '../sessions/index.ts'
import { requireUser, selfView } from './user.ts'
import type { Users } from './users.ts'

interface CurrentUserDeps {
  db: Sql
  users: Pick<Users, 'updateSelf'>
  sessions: Pick<Sessions, 'sessionCookie'>
  baseUrl: string
}

export function currentUserRoutes({ db, users, sessions, baseUrl }: CurrentUserDeps): Route[] {
  return [
    route('getCurrentUser', {
      summary: 'Returns the current user.',
      tag: 'Users',
      caller: { session: true, bot: true, bearer: ['identify'] },
      cors: true,
      responses: { 200: SelfUser },
      handle: async ({ caller }) => {
        const user = await requireUser(db, caller.userId)
        return ok(selfView(user, { email: mayReadEmail(caller), settings: caller.kind === 'session' }))
      },
    }),
    route('updateCurrentUser', {
      summary: 'Updates the current user. A new email address takes effect when it is verified.',
      tag: 'Users',
      caller: { session: true },
      body: UpdateSelfBody,
      rates: ['profiles'],
      responses: { 200: SelfUser },
      responseHeaders: ['Set-Cookie'],
      errors: ['conflict', 'limit_reached'],
      handle: async ({ caller, body, request }) => {
        const currentSession = currentSessionOf(request, caller, baseUrl)
        const from = { ...requestInfoOf(request), currentSession }
        const { user, renewed } = await users.updateSelf(from, body)
        if (renewed === undefined) return ok(selfView(user))
        const cookie = sessions.sessionCookie(renewed.secret, renewed.authTime)
        return { ...ok(selfView(user)), headers: { 'set-cookie': cookie } }
      },
    }),
  ]
}

function mayReadEmail(caller: Caller): boolean {
  return caller.kind === 'session' || (caller.kind === 'bearer' && caller.scopes.includes('email'))
}
