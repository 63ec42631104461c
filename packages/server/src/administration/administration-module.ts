// Owns what administrators of the instance and the operator do, and who may do it (administrators.ts).
// Does not own: what disabling a user (accounts/users/user-states.ts) or a server (community/servers/server-states.ts)
// means, the settings (instance/), the reports (community/reports/), and the audit log (audit/).

import type { AuditLog } from '../audit/index.ts'
import type { Module } from '../events/module.ts'
import { adminApplicationRoutes } from './admin-application-routes.ts'
import { type AdminApplications, createAdminApplications } from './admin-applications.ts'
import { adminAuditLogRoutes } from './admin-audit-log-routes.ts'
import { type AdminHealth, createAdminHealth } from './admin-health.ts'
import { adminHealthRoutes } from './admin-health-routes.ts'
import { adminReportRoutes } from './admin-report-routes.ts'
import { createAdminReports } from './admin-reports.ts'
import { adminRouteGroup } from './admin-route.ts'
import { adminServerRoutes } from './admin-server-routes.ts'
import { type AdminServers, createAdminServers } from './admin-servers.ts'
import { adminSettingRoutes } from './admin-setting-routes.ts'
import { type AdminSettings, createAdminSettings } from './admin-settings.ts'
import { adminUserRoutes } from './admin-user-routes.ts'
import { type AdminUsers, createAdminUsers } from './admin-users.ts'
import { createAdministrators } from './administrators.ts'

interface Administration {
  adminUsers: AdminUsers
  adminSettings: AdminSettings
  adminServers: AdminServers
  adminApplications: AdminApplications
  adminHealth: AdminHealth
}

type Deps = Parameters<typeof createAdminUsers>[0] &
  Parameters<typeof createAdminReports>[0] &
  Parameters<typeof createAdminSettings>[0] &
  Parameters<typeof createAdminServers>[0] &
  Parameters<typeof createAdminApplications>[0] &
  Parameters<typeof createAdminHealth>[0] & { auditLog: Pick<AuditLog, 'list'> }

export function createAdministrationModule(
  options: Omit<Deps, 'administrators'> & Parameters<typeof createAdministrators>[0],
): Module<Administration> {
  const { auditLog } = options
  const administrators = createAdministrators(options)
  const deps = { ...options, administrators }
  const adminUsers = createAdminUsers(deps)
  const adminReports = createAdminReports(deps)
  const adminSettings = createAdminSettings(deps)
  const adminServers = createAdminServers(deps)
  const adminApplications = createAdminApplications(deps)
  const adminHealth = createAdminHealth(deps)
  const route = adminRouteGroup(administrators)
  return {
    api: { adminUsers, adminSettings, adminServers, adminApplications, adminHealth },
    routes: [
      ...adminUserRoutes({ route, adminUsers }),
      ...adminReportRoutes({ route, adminReports }),
      ...adminServerRoutes({ route, adminServers }),
      ...adminApplicationRoutes({ route, adminApplications }),
      ...adminSettingRoutes({ route, adminSettings }),
      ...adminHealthRoutes({ route, adminHealth }),
      ...adminAuditLogRoutes({ route, auditLog }),
    ],
    subscribers: [{ name: 'administration', handlers: { UserRegistered: adminUsers.onUserRegistered } }],
  }
}
