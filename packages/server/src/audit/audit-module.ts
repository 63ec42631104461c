import type { Module } from '../events/module.ts'
import { type AuditLog, createAuditLog } from './audit-log.ts'
import { deleteEntriesOfServer } from './audit-log-store.ts'

export function createAuditModule(deps: Parameters<typeof createAuditLog>[0]): Module<AuditLog> {
  const auditLog = createAuditLog(deps)
  return {
    api: auditLog,
    routes: [],
    sweeps: [auditLog.sweep],
    deletions: { server: [deleteEntriesOfServer] },
  }
}
