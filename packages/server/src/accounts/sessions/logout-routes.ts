import { type Route, respond, route } from '../../http/route.ts'
import type { Database } from '../../storage/database.ts'
import type { Sessions } from './sessions.ts'

export function logoutRoute({ db, sessions }: { db: Database; sessions: Sessions }): Route {
  return route('logOut', {
    summary: 'Signs out.',
    tag: 'Users',
    caller: { session: true },
    responses: { 204: null },
    responseHeaders: ['Set-Cookie'],
    handle: async ({ caller }) => {
      await db.transaction(tx => sessions.revokeSession(tx, caller.sessionId))
      return respond(204, undefined, { 'set-cookie': sessions.sessionCookie(null) })
    },
  })
}
