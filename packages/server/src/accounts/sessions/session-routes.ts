import { EndSessionsBody, Session } from '@gatehouse/protocol/users'
import { list } from '@gatehouse/protocol/wire'
import { notFound } from '../../errors/app-error.ts'
import { noContent, ok, type Route, respond, routeGroup } from '../../http/route.ts'
import { requestInfoOf } from '../request-info.ts'
import { currentSessionOf, type Sessions } from './sessions.ts'

const route = routeGroup({ tag: 'Users', caller: { session: true } })

interface SessionRouteDeps {
  sessions: Sessions
  baseUrl: string
}

export function sessionRoutes({ sessions, baseUrl }: SessionRouteDeps): Route[] {
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
        const { secret, authTime } = await sessions.endOtherSessions(current, body, requestInfoOf(request))
        return respond(204, undefined, { 'set-cookie': sessions.sessionCookie(secret, authTime) })
      },
    }),
    route('revokeSession', {
      summary: 'Revokes a session.',
      responses: { 204: null },
      responseHeaders: ['Set-Cookie'],
      errors: ['not_found'],
      handle: async ({ caller, params, request }) => {
        const revoked = await sessions.revokeOwnSession(params.id, caller.userId, requestInfoOf(request))
        if (!revoked) throw notFound()
        if (params.id !== caller.sessionId) return noContent()
        return respond(204, undefined, { 'set-cookie': sessions.sessionCookie(null) })
      },
    }),
  ]
}
