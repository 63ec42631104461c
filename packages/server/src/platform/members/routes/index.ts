import type { Route } from '../../../http/route.ts'
import type { Sql } from '../../../storage/database.ts'
import type { Members } from '../index.ts'
import { memberRoute } from './member.ts'
import { memberRoleRoute } from './member-role.ts'
import { membersRoute } from './members.ts'
import { myServersRoute } from './my-servers.ts'

export function memberRoutes(deps: { db: Sql; members: Members }): Route[] {
  return [...membersRoute(deps), ...memberRoute(deps), ...memberRoleRoute(deps), ...myServersRoute(deps)]
}
