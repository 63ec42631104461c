import { Type } from '@gatehouse/protocol/type'
import { Session } from '@gatehouse/protocol/users'
import { ok, type Route, route } from '../../../http/route.ts'
import type { SessionRecord, Sessions } from '../sessions.ts'

/** The browsers in which the person is signed in. */
export function listSessionsRoute({ sessions }: { sessions: Pick<Sessions, 'listSessions'> }): Route {
  return route({
    method: 'GET',
    path: '/api/users/@me/sessions',
    summary: 'Where one is signed in',
    tag: 'People',
    caller: { session: true },
    answers: { 200: Type.Array(Session) },
    handle: async ({ caller }) => {
      const records = await sessions.listSessions(caller.userId)
      return ok(records.map(record => sessionView(record, caller.sessionId)))
    },
  })
}

function sessionView(record: SessionRecord, currentId: string): Session {
  return {
    id: record.id,
    createdAt: new Date(record.createdAt).toISOString(),
    lastUsedAt: new Date(record.lastUsedAt).toISOString(),
    userAgent: record.userAgent === '' ? null : record.userAgent,
    ip: record.ip,
    current: record.id === currentId,
  }
}
