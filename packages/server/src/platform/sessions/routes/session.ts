import { PathIds } from '@gatehouse/protocol/ids'
import { noContent, type Route, route } from '../../../http/route.ts'
import { notFound } from '../../../kit/app-error.ts'
import type { Database } from '../../../storage/database.ts'
import type { Sessions } from '../sessions.ts'

/** Signs one of the person's browsers out; this one too, then without its cookie. */
export function endSessionRoute({
  db,
  sessions,
}: {
  db: Database
  sessions: Pick<Sessions, 'endOwnSession' | 'sessionCookie'>
}): Route {
  return route({
    method: 'DELETE',
    path: '/api/users/@me/sessions/:id',
    summary: 'Sign a browser out',
    tag: 'People',
    caller: { session: true },
    params: PathIds('id'),
    answers: { 204: null },
    errors: ['not_found'],
    handle: async ({ caller, params }) => {
      const ended = await db.transaction(tx => sessions.endOwnSession(tx, params.id, caller.userId))
      if (!ended) throw notFound()
      if (params.id !== caller.sessionId) return noContent()
      return { ...noContent(), headers: { 'set-cookie': sessions.sessionCookie(null) } }
    },
  })
}
