import { AuditLogEntry, AuditLogQuery } from '@gatehouse/protocol/audit-log'
import { list } from '@gatehouse/protocol/wire'
import type { AuditLog } from '../audit/index.ts'
import { ok, type Route, routeGroup } from '../http/route.ts'
import type { AdminUsers } from './admin-users.ts'

export function adminAuditLogRoutes({
  adminUsers,
  auditLog,
}: {
  adminUsers: Pick<AdminUsers, 'beforeBody'>
  auditLog: Pick<AuditLog, 'list'>
}): Route[] {
  const route = routeGroup({
    tag: 'Administration',
    caller: { session: true },
    beforeBody: adminUsers.beforeBody,
  })
  return [
    route('listInstanceAuditLog', {
      summary: 'Lists what administrators and the operator did on the instance, newest first.',
      query: AuditLogQuery,
      responses: { 200: list(AuditLogEntry) },
      errors: ['not_found'],
      handle: async ({ query }) => ok(await auditLog.list(null, query)),
    }),
  ]
}
