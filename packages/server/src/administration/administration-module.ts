// Owns what administrators of the instance and the operator do, and who may do it.
// Does not own: what disabling a user means (accounts/users/user-states.ts), and the audit log (audit/).
import type { Module } from '../events/module.ts'
import { adminUserRoutes } from './admin-user-routes.ts'
import { type AdminUsers, createAdminUsers } from './admin-users.ts'

export function createAdministrationModule(deps: Parameters<typeof createAdminUsers>[0]): Module<AdminUsers> {
  const adminUsers = createAdminUsers(deps)
  return { api: adminUsers, routes: adminUserRoutes({ adminUsers }) }
}
