import type { Route } from '../../../http/route.ts'
import type { Roles } from '../index.ts'
import { roleRoute } from './role.ts'
import { rolesRoute } from './roles.ts'

export function roleRoutes(deps: { roles: Roles }): Route[] {
  return [...rolesRoute(deps), ...roleRoute(deps)]
}
