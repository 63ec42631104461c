import type { Route } from '../../../http/route.ts'
import type { Database } from '../../../storage/database.ts'
import type { Sessions } from '../sessions.ts'
import { logoutRoute } from './logout.ts'
import { endSessionRoute } from './session.ts'
import { listSessionsRoute } from './sessions.ts'

export function sessionRoutes(deps: { db: Database; sessions: Sessions }): Route[] {
  return [listSessionsRoute(deps), endSessionRoute(deps), logoutRoute(deps)]
}
