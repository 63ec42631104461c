// Owns what administrators of the instance and the operator do, and who may do it.
// Does not own: what disabling a user means (accounts/users/user-states.ts), the reports (community/reports/), and the
// audit log (audit/).
import type { Module } from '../events/module.ts'
import { adminReportRoutes } from './admin-report-routes.ts'
import { createAdminReports } from './admin-reports.ts'
import { adminUserRoutes } from './admin-user-routes.ts'
import { type AdminUsers, createAdminUsers } from './admin-users.ts'

type Deps = Parameters<typeof createAdminUsers>[0] & Parameters<typeof createAdminReports>[0]

export function createAdministrationModule(deps: Deps): Module<AdminUsers> {
  const adminUsers = createAdminUsers(deps)
  const adminReports = createAdminReports(deps)
  return {
    api: adminUsers,
    routes: [...adminUserRoutes({ adminUsers }), ...adminReportRoutes({ adminReports, adminUsers })],
  }
}
