import { routeGroup } from '../http/route.ts'
import type { Administrators } from './administrators.ts'

/** For the routes below `/api/admin/`: only the session of an administrator may use them (administration/api). */
export function adminRouteGroup({ beforeBody }: Pick<Administrators, 'beforeBody'>) {
  return routeGroup({ tag: 'Administration', caller: { session: true }, beforeBody })
}

export type AdminRoute = ReturnType<typeof adminRouteGroup>
