import { PathIds } from '@gatehouse/protocol/ids'
import { Type } from '@gatehouse/protocol/type'
import { Session } from '@gatehouse/protocol/users'
import { noContent, ok, type Route, respond, route } from '../../../http/route.ts'
import { notFound } from '../../../kit/app-error.ts'
import type { Database } from '../../../storage/database.ts'
import type { Sessions } from '../sessions.ts'

export function sessionRoutes({ db, sessions }: { db: Database; sessions: Sessions }): Route[] {
  return [
    route({
      method: 'GET',
      path: '/api/users/@me/sessions',
      summary: 'Lists the sessions of the current user, in the order of creation.',
      tag: 'Users',
      caller: { session: true },
      responses: { 200: Type.Array(Session) },
      handle: async ({ caller }) => ok(await sessions.listSessions(caller.userId, caller.sessionId)),
    }),
    route({
      method: 'DELETE',
      path: '/api/users/@me/sessions/:id',
      summary: 'Revokes a session.',
      tag: 'Users',
      caller: { session: true },
      params: PathIds('id'),
      responses: { 204: null },
      errors: ['not_found'],
      handle: async ({ caller, params }) => {
        const revoked = await db.transaction(tx => sessions.revokeOwnSession(tx, params.id, caller.userId))
        if (!revoked) throw notFound()
        if (params.id !== caller.sessionId) return noContent()
        return respond(204, undefined, { 'set-cookie': sessions.sessionCookie(null) })
      },
    }),
  ]
}
