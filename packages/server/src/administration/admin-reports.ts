import type { Report, ReportDetails, ReportState, ReportsQuery } from '@gatehouse/protocol/reports'
import type { Actor, AuditLog } from '../audit/index.ts'
import { type ReportQueue, reportTarget, withoutMessage } from '../community/reports/index.ts'
import type { Database } from '../storage/database.ts'

export type AdminReports = ReturnType<typeof createAdminReports>

/** The reports of direct messages (administration/reports). The caller is an administrator. */
export function createAdminReports({
  db,
  auditLog,
  reports,
}: {
  db: Database
  auditLog: Pick<AuditLog, 'record'>
  reports: Pick<ReportQueue, 'list' | 'get' | 'setState'>
}) {
  const viewerOf = (userId: string) => ({ userId, serverId: null })
  return {
    /** Without the messages: only who opens one sees it, and that is recorded. */
    async list(userId: string, query: ReportsQuery): Promise<Report[]> {
      return (await reports.list(viewerOf(userId), query)).map(withoutMessage)
    },

    get(actor: Actor, id: string): Promise<ReportDetails> {
      return db.transaction(async tx => {
        const report = await reports.get(tx, viewerOf(actor.userId), id)
        const target = reportTarget(id)
        await auditLog.record(tx, { serverId: null, actor, action: 'REPORT_VIEW', target })
        return report
      })
    },

    update: (actor: Actor, id: string, state: ReportState): Promise<Report> =>
      db.transaction(tx => reports.setState(tx, viewerOf(actor.userId), id, { state, actor })),
  }
}
