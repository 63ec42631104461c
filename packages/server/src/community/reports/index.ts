// Owns the reports of messages and members, with the copies of the messages, and who sees them on a server.
// Does not own: who sees the reports of direct messages (administration/).
export { createReportQueue, type ReportQueue, reportTarget, withoutMessage } from './report-queue.ts'
export { createReports, type Reports } from './reports.ts'
