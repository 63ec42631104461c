import { routeGroup } from '../http/route.ts'
import type { AdminUsers } from './admin-users.ts'

/** For the routes below `/api/admin/`: only the session of an administrator may use them (administration/api). */
export function adminRouteGroup({ beforeBody }: Pick<AdminUsers, 'beforeBody'>) {
  return routeGroup({ tag: 'Administration', caller: { session: true }, beforeBody })
}

export type AdminRoute = ReturnType<typeof adminRouteGroup>
