import type { Bus } from '../bus/bus.ts'
import type { Module } from '../events/module.ts'
import type { Clock } from '../kit/clock.ts'
import type { Sealer } from '../kit/seal.ts'
import type { Database } from '../storage/database.ts'
import { isReachable } from '../storage/open.ts'
import { isDoctorToken } from './doctor-token.ts'
import { healthRoutes } from './health-routes.ts'
import type { Metrics } from './metrics.ts'
import { metricsRoute } from './metrics-routes.ts'
import { versionRoute } from './version-routes.ts'

interface MonitoringDeps {
  db: Database
  bus: Pick<Bus, 'healthy'>
  clock: Clock
  sealer: Sealer
  metrics: Metrics
  metricsToken: string | undefined
  /** True during the shutdown, when `/readyz` returns 503. */
  stopping: () => boolean
}

export function createMonitoringModule(deps: MonitoringDeps): Module<null> {
  const { db, bus, clock, sealer, metrics, metricsToken, stopping } = deps
  if (db.traffic) metrics.postgres(db.traffic)
  return {
    api: null,
    routes: [
      ...healthRoutes({
        isReady: async () => !stopping() && bus.healthy() && isReachable(db),
        isDoctor: token => isDoctorToken(sealer, clock, token),
      }),
      metricsRoute({ metrics, token: metricsToken }),
      versionRoute(),
    ],
  }
}
