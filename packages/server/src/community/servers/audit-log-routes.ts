import { AuditLogEntry, AuditLogQuery } from '@gatehouse/protocol/audit-log'
import { list } from '@gatehouse/protocol/wire'
import { ok, type Route, route } from '../../http/route.ts'
import type { Servers } from './index.ts'

export function auditLogRoutes({ servers }: { servers: Pick<Servers, 'listAuditLog'> }): Route[] {
  return [
    route('listAuditLog', {
      summary: 'Lists what was done on a server, newest first.',
      tag: 'Servers',
      caller: { session: true, bot: true },
      query: AuditLogQuery,
      responses: { 200: list(AuditLogEntry) },
      errors: ['not_found', 'missing_permission'],
      handle: async ({ caller, params, query }) =>
        ok(await servers.listAuditLog(caller.userId, params.id, query)),
    }),
  ]
}
