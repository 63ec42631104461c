import type { Report, ReportDetails, ReportState, ReportsQuery } from '@gatehouse/protocol/reports'
import type { AuditLog } from '../audit/index.ts'
import { type ReportQueue, reportTarget, withoutMessage } from '../community/reports/index.ts'
import type { SessionCaller } from '../http/caller.ts'
import type { Administrators } from './administrators.ts'

export type AdminReports = ReturnType<typeof createAdminReports>

/** The reports of direct messages (administration/reports). */
export function createAdminReports({
  administrators,
  auditLog,
  reports,
}: {
  administrators: Pick<Administrators, 'act'>
  auditLog: Pick<AuditLog, 'record'>
  reports: Pick<ReportQueue, 'list' | 'get' | 'setState'>
}) {
  const viewerOf = (userId: string) => ({ userId, serverId: null })
  return {
    /** Without the messages: only who opens one sees it, and that is recorded. */
    async list(userId: string, query: ReportsQuery): Promise<Report[]> {
      return (await reports.list(viewerOf(userId), query)).map(withoutMessage)
    },

    get(actor: SessionCaller, id: string): Promise<ReportDetails> {
      return administrators.act(actor, async tx => {
        const report = await reports.get(tx, viewerOf(actor.userId), id)
        const target = reportTarget(id)
        await auditLog.record(tx, { serverId: null, actor, action: 'REPORT_VIEW', target })
        return report
      })
    },

    update: (actor: SessionCaller, id: string, state: ReportState): Promise<Report> =>
      administrators.act(actor, tx => reports.setState(tx, viewerOf(actor.userId), id, { state, actor })),
  }
}
