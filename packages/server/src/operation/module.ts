import type { Core, Module } from '../core.ts'
import type { Route } from '../http/route.ts'
import { isReachable } from '../storage/open.ts'
import { docsRoute } from './routes/docs.ts'
import { healthRoutes } from './routes/health.ts'
import { metricsRoute } from './routes/metrics.ts'
import { openapiRoute } from './routes/openapi.ts'
import { versionRoute } from './routes/version.ts'

export function createOperationModule(
  core: Core,
  {
    stopping,
    document,
    routes,
  }: {
    /** True during the shutdown, when `/readyz` returns 503. */
    stopping: () => boolean
    /** The OpenAPI document. */
    document: () => Record<string, unknown>
    /** The routes of all other modules, for the page `/docs`. */
    routes: readonly Route[]
  },
): Module<null> {
  const { config, db, bus, metrics, pages } = core
  const ownRoutes: Route[] = [
    ...healthRoutes({ isReady: async () => !stopping() && bus.healthy() && isReachable(db) }),
    metricsRoute({ metrics, token: config.metricsToken }),
    versionRoute(),
    openapiRoute({ document }),
    docsRoute({ pages, routes: () => [...routes, ...ownRoutes] }),
  ]
  return { api: null, routes: ownRoutes }
}
