// Owns the audit logs: who did what to whom, recorded in the transaction of the act (community/audit-log).
// Does not own: who may read them (community/, administration/).
export { type Act, type Actor, type AuditLog, changesOf, createAuditLog, userTarget } from './audit-log.ts'
