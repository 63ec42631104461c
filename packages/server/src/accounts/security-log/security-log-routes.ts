import { SecurityLogEntry, SecurityLogQuery } from '@gatehouse/protocol/security-log'
import { list } from '@gatehouse/protocol/wire'
import { ok, type Route, route } from '../../http/route.ts'
import type { SecurityLog } from './security-log.ts'

export function securityLogRoute({ securityLog }: { securityLog: Pick<SecurityLog, 'list'> }): Route {
  return route('listSecurityLog', {
    summary: 'Lists what happened to the sign-in of the current user, newest first.',
    tag: 'Users',
    caller: { session: true },
    query: SecurityLogQuery,
    responses: { 200: list(SecurityLogEntry) },
    handle: async ({ caller, query }) => ok(await securityLog.list(caller.userId, query)),
  })
}
