import type { Route } from '../../../http/route.ts'
import type { Servers } from '../index.ts'
import { iconRoute } from './icon.ts'
import { serverRoute } from './server.ts'
import { serversRoute } from './servers.ts'

export function serverRoutes(deps: { servers: Servers }): Route[] {
  return [...serversRoute(deps), ...serverRoute(deps), ...iconRoute(deps)]
}
