// Owns the WebSocket of users and bots: authentication, sessions and resume, which events each client receives, and the
// dispatch of interactions to a bot's connection. gateway.ts lists the parts.
// Does not own: which events exist and when they are published (the features, events/gateway-events.ts), and what
// happens to an interaction that no bot receives (interactions/).
import type { Bus } from '../bus/bus.ts'
import type { Module } from '../events/module.ts'
import type { Logger } from '../http/log.ts'
import { type OnClose, runEvery } from '../kit/clock.ts'
import { adviseBot } from './bot-gateway.ts'
import { botGatewayRoute } from './bot-gateway-routes.ts'
import { createGateway, type Gateway, type GatewayDeps } from './gateway.ts'
import { gatewayRoute } from './gateway-routes.ts'

/**
 * How often revoked sessions are searched. Without NATS, the service does not learn otherwise of those that a command
 * revokes.
 */
const revokedIntervalMs = { withNats: 60_000, withoutNats: 5000 }

interface GatewayModuleDeps extends Omit<GatewayDeps, 'onError'> {
  bus: Bus
  /** Whether the bus is NATS. */
  withNats: boolean
  logger: Pick<Logger, 'error'>
  onClose: OnClose
}

export function createGatewayModule(deps: GatewayModuleDeps): Module<Gateway> {
  const { db, bus, timers, withNats, logger, onClose } = deps
  const onError = (err: unknown) => logger.error({ err }, 'the gateway failed')
  const gateway = createGateway({ ...deps, onError })
  bus.onReconnect(gateway.endAllSessions)
  const intervalMs = revokedIntervalMs[withNats ? 'withNats' : 'withoutNats']
  const interval = runEvery(timers, intervalMs, () => gateway.endRevoked().catch(onError))
  onClose(() => interval.close())
  return {
    api: gateway,
    routes: [gatewayRoute(gateway), botGatewayRoute(userId => adviseBot(db, userId, gateway.url))],
  }
}
