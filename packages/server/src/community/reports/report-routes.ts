import {
  CreateReportBody,
  Report,
  ReportDetails,
  ReportsQuery,
  UpdateReportBody,
} from '@gatehouse/protocol/reports'
import { list } from '@gatehouse/protocol/wire'
import { created, ok, type Route, route, routeGroup } from '../../http/route.ts'
import type { Reports } from './index.ts'

const queueRoute = routeGroup({ tag: 'Servers', caller: { session: true, bot: true } })

export function reportRoutes({ reports }: { reports: Reports }): Route[] {
  return [
    route('reportMessage', {
      summary:
        'Reports a message to the moderators of the server, or of a direct message to the administrators.',
      tag: 'Messages',
      caller: { session: true },
      body: CreateReportBody,
      rates: ['reports'],
      responses: { 201: Report },
      errors: ['not_found', 'conflict', 'limit_reached'],
      handle: async ({ caller, params, body }) =>
        created(await reports.reportMessage(caller.userId, params.id, params.messageId, body)),
    }),
    route('reportMember', {
      summary: 'Reports a member to the moderators of the server.',
      tag: 'Servers',
      caller: { session: true },
      body: CreateReportBody,
      rates: ['reports'],
      responses: { 201: Report },
      errors: ['not_found', 'conflict', 'limit_reached'],
      handle: async ({ caller, params, body }) =>
        created(await reports.reportMember(caller.userId, params.id, params.userId, body)),
    }),
    queueRoute('listReports', {
      summary: 'Lists the reports of a server, newest first.',
      query: ReportsQuery,
      responses: { 200: list(ReportDetails) },
      errors: ['not_found', 'missing_permission'],
      handle: async ({ caller, params, query }) =>
        ok(await reports.listReports(caller.userId, params.id, query)),
    }),
    queueRoute('updateReport', {
      summary: 'Resolves or dismisses a report, or opens it again.',
      body: UpdateReportBody,
      responses: { 200: Report },
      errors: ['not_found', 'missing_permission', 'conflict'],
      auditReason: true,
      handle: async ({ caller, params, body }) =>
        ok(await reports.updateReport(caller, params.id, params.reportId, body.state)),
    }),
  ]
}
