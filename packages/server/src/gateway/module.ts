import type { Core, Module } from '../core.ts'
import type { Sessions } from '../platform/sessions/index.ts'
import { createGateway, type Gateway, type GatewayDeps } from './gateway.ts'
import { gatewayRoute } from './routes/gateway.ts'

interface Deps {
  sessions: Sessions
  identifyBot: GatewayDeps['identifyBot']
}

export function createGatewayModule(core: Core, { sessions, identifyBot }: Deps): Module<Gateway> {
  const { config, db, bus, clock, timers, metrics, logger } = core
  const gateway = createGateway({
    db,
    bus,
    clock,
    timers,
    baseUrl: config.baseUrl,
    authenticateSession: sessions.authenticateSession,
    sessionExpiresAt: async id => (await sessions.findSession(db, id))?.expiresAt,
    identifyBot,
    // `person` is the label value of the metric.
    onConnectedCountChange: (kind, change) =>
      metrics.gatewaySessions(kind === 'user' ? 'person' : kind, change),
    onError: err => logger.error({ err }, 'the gateway failed'),
  })
  bus.onReconnect(gateway.disconnectAll)
  return { api: gateway, routes: [gatewayRoute({ gateway })] }
}
