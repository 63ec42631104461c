import type { Pages } from '../../http/pages.ts'
import type { Route } from '../../http/route.ts'
import type { Metrics } from '../metrics.ts'
import { docsRoute } from './docs.ts'
import { healthRoute, readyRoute } from './health.ts'
import { metricsRoute } from './metrics.ts'
import { openapiRoute } from './openapi.ts'

interface OperationDeps {
  ready: () => Promise<boolean>
  metrics: Metrics
  metricsToken: string | undefined
  document: () => Record<string, unknown>
  pages: Pages
  /** Every route of the service, for the page. */
  routes: () => readonly Route[]
}

export function operationRoutes(deps: OperationDeps): Route[] {
  return [
    healthRoute(),
    readyRoute(deps),
    metricsRoute({ metrics: deps.metrics, token: deps.metricsToken }),
    openapiRoute(deps),
    docsRoute(deps),
  ]
}
