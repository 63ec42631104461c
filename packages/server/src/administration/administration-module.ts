// Owns what administrators of the instance and the operator do, and who may do it.
// Does not own: what disabling a user means (accounts/users/user-states.ts), the settings (instance/), the reports
// (community/reports/), and the audit log (audit/).

import type { AuditLog } from '../audit/index.ts'
import type { Module } from '../events/module.ts'
import { adminAuditLogRoutes } from './admin-audit-log-routes.ts'
import { adminReportRoutes } from './admin-report-routes.ts'
import { createAdminReports } from './admin-reports.ts'
import { adminSettingRoutes } from './admin-setting-routes.ts'
import { type AdminSettings, createAdminSettings } from './admin-settings.ts'
import { adminUserRoutes } from './admin-user-routes.ts'
import { type AdminUsers, createAdminUsers } from './admin-users.ts'

interface Administration {
  adminUsers: AdminUsers
  adminSettings: AdminSettings
}

export function createAdministrationModule(
  deps: Parameters<typeof createAdminUsers>[0] &
    Parameters<typeof createAdminReports>[0] &
    Parameters<typeof createAdminSettings>[0] & { auditLog: Pick<AuditLog, 'list'> },
): Module<Administration> {
  const adminUsers = createAdminUsers(deps)
  const adminReports = createAdminReports(deps)
  const adminSettings = createAdminSettings(deps)
  return {
    api: { adminUsers, adminSettings },
    routes: [
      ...adminUserRoutes({ adminUsers }),
      ...adminReportRoutes({ adminReports, adminUsers }),
      ...adminSettingRoutes({ adminUsers, adminSettings }),
      ...adminAuditLogRoutes({ adminUsers, auditLog: deps.auditLog }),
    ],
    subscribers: [{ name: 'administration', handlers: { UserRegistered: adminUsers.onUserRegistered } }],
  }
}
