import { noContent, type Route, route } from '../../../http/route.ts'
import type { Database } from '../../../storage/database.ts'
import type { Sessions } from '../sessions.ts'

/** Ends the session that calls, and takes its cookie. */
export function logoutRoute({
  db,
  sessions,
}: {
  db: Database
  sessions: Pick<Sessions, 'endSession' | 'sessionCookie'>
}): Route {
  return route({
    method: 'POST',
    path: '/api/auth/logout',
    summary: 'Sign out',
    tag: 'People',
    caller: { session: true },
    answers: { 204: null },
    handle: async ({ caller }) => {
      await db.transaction(tx => sessions.endSession(tx, caller.sessionId))
      return { ...noContent(), headers: { 'set-cookie': sessions.sessionCookie(null) } }
    },
  })
}
