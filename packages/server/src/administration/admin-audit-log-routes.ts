import { AuditLogEntry, AuditLogQuery } from '@gatehouse/protocol/audit-log'
import { list } from '@gatehouse/protocol/wire'
import type { AuditLog } from '../audit/index.ts'
import { ok, type Route } from '../http/route.ts'
import type { AdminRoute } from './admin-route.ts'

export function adminAuditLogRoutes({
  route,
  auditLog,
}: {
  route: AdminRoute
  auditLog: Pick<AuditLog, 'list'>
}): Route[] {
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
