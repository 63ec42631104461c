import { EndSessionsBody, Session } from '@gatehouse/protocol/users'
import { list } from '@gatehouse/protocol/wire'
import { notFound } from '../../errors/app-error.ts'
import { noContent, ok, type Route, respond, routeGroup } from '../../http/route.ts'
import type { Database } from '../../storage/database.ts'
import { currentSessionOf, type Sessions } from './sessions.ts'

const route = routeGroup({ tag: 'Users', caller: { session: true } })

interface SessionRouteDeps {
  db: Database
  sessions: Sessions
  baseUrl: string
}

export function sessionRoutes({ db, sessions, baseUrl }: SessionRouteDeps): Route[] {
  return [
    route('listSessions', {
      summary: 'Lists the sessions of the current user, in the order of creation.',
      responses: { 200: list(Session) },
      handle: async ({ caller }) => ok(await sessions.listSessions(caller.userId, caller.sessionId)),
    }),
    route('endOtherSessions', {
      summary: 'Ends all other sessions of the current user. The current session gets a new cookie.',
      body: EndSessionsBody,
      responses: { 204: null },
      responseHeaders: ['Set-Cookie'],
      handle: async ({ caller, body, request }) => {
        const current = currentSessionOf(request, caller, baseUrl)
        const { secret, authTime } = await sessions.endOtherSessions(current, body)
        return respond(204, undefined, { 'set-cookie': sessions.sessionCookie(secret, authTime) })
      },
    }),
    route('revokeSession', {
      summary: 'Revokes a session.',
      responses: { 204: null },
      responseHeaders: ['Set-Cookie'],
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
