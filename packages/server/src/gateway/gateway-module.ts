// Owns the WebSocket of users and bots: authentication, sessions and resume, which events each client receives, and the
// dispatch of interactions to a bot's connection. gateway.ts lists the parts.
// Does not own: which events exist and when they are published (the features, events/gateway-events.ts), and what happens to an
// interaction that no bot receives (interactions/).
import type { Core, Module } from '../core.ts'
import { runEvery } from '../kit/clock.ts'
import { adviseBot } from './bot-gateway.ts'
import { botRoute } from './bot-gateway-routes.ts'
import { createGateway, type Gateway, type GatewayDeps } from './gateway.ts'
import { gatewayRoute } from './gateway-routes.ts'

/** How often revoked sessions are searched. Without NATS, the service does not learn otherwise of those that a command revokes. */
const revokedIntervalMs = { withNats: 60_000, withoutNats: 5000 }

export function createGatewayModule(
  core: Core,
  deps: Pick<GatewayDeps, 'signInSessions' | 'authenticateBot'>,
): Module<Gateway> {
  const { config, bus, timers, metrics, logger, onClose } = core
  const onError = (err: unknown) => logger.error({ err }, 'the gateway failed')
  const gateway = createGateway({
    ...core,
    ...deps,
    baseUrl: config.baseUrl,
    // `person` is the label value of the metric.
    onConnectedCountChange: (kind, change) =>
      metrics.gatewaySessions(kind === 'user' ? 'person' : kind, change),
    onError,
  })
  metrics.gatewayQueuedBytes(() => gateway.queuedBytes.read())
  bus.onReconnect(gateway.endAllSessions)
  const intervalMs = revokedIntervalMs[config.natsUrl === undefined ? 'withoutNats' : 'withNats']
  const interval = runEvery(timers, intervalMs, () => gateway.endRevoked().catch(onError))
  onClose(() => interval.close())
  return {
    api: gateway,
    routes: [gatewayRoute(gateway), botRoute(userId => adviseBot(core.db, userId, gateway.url))],
  }
}
