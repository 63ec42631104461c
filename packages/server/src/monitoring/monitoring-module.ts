import { asyncapiRoute } from '../api-reference/asyncapi-routes.ts'
import { docsRoutes } from '../api-reference/docs-routes.ts'
import { openapiRoute } from '../api-reference/openapi-routes.ts'
import type { Core, Module } from '../core.ts'
import type { Route } from '../http/route.ts'
import { isReachable } from '../storage/open.ts'
import { isDoctorToken } from './doctor-token.ts'
import { healthRoutes } from './health-routes.ts'
import { metricsRoute } from './metrics-routes.ts'
import { versionRoute } from './version-routes.ts'

export function createOperationModule(
  core: Core,
  {
    stopping,
    routes,
  }: {
    /** True during the shutdown, when `/readyz` returns 503. */
    stopping: () => boolean
    /** The routes of all other modules, for the API document and the pages below `/docs`. */
    routes: readonly Route[]
  },
): Module<null> {
  const { config, db, bus, clock, metrics, pages, sealer } = core
  if (db.traffic) metrics.postgres(db.traffic)
  const allRoutes = () => [...routes, ...ownRoutes]
  const ownRoutes: Route[] = [
    ...healthRoutes({
      isReady: async () => !stopping() && bus.healthy() && isReachable(db),
      isDoctor: token => isDoctorToken(sealer, clock, token),
    }),
    metricsRoute({ metrics, token: config.metricsToken }),
    versionRoute(),
    asyncapiRoute({ baseUrl: config.baseUrl }),
    openapiRoute({ routes: allRoutes, baseUrl: config.baseUrl }),
    ...docsRoutes({ pages, routes: allRoutes, baseUrl: config.baseUrl }),
  ]
  return { api: null, routes: ownRoutes }
}
