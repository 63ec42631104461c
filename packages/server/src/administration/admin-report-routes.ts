import { Report, ReportDetails, ReportsQuery, UpdateReportBody } from '@gatehouse/protocol/reports'
import { list } from '@gatehouse/protocol/wire'
import { ok, type Route } from '../http/route.ts'
import type { AdminReports } from './admin-reports.ts'
import type { AdminRoute } from './admin-route.ts'

export function adminReportRoutes({
  adminReports,
  route,
}: {
  adminReports: AdminReports
  route: AdminRoute
}): Route[] {
  return [
    route('listAdminReports', {
      summary: 'Lists the reports of direct messages, newest first, without the messages.',
      query: ReportsQuery,
      responses: { 200: list(Report) },
      errors: ['not_found'],
      handle: async ({ caller, query }) => ok(await adminReports.list(caller.userId, query)),
    }),
    route('getAdminReport', {
      summary: 'Returns a report with the message, and records that in the audit log.',
      responses: { 200: ReportDetails },
      errors: ['not_found'],
      handle: async ({ caller, params }) => ok(await adminReports.get(caller, params.id)),
    }),
    route('updateAdminReport', {
      summary: 'Resolves or dismisses a report of a direct message, or opens it again.',
      body: UpdateReportBody,
      responses: { 200: Report },
      errors: ['not_found', 'conflict'],
      auditReason: true,
      handle: async ({ caller, params, body }) =>
        ok(await adminReports.update(caller, params.id, body.state)),
    }),
  ]
}
