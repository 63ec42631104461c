import type { Core, Module } from '../core.ts'
import { adviseBot } from './bot.ts'
import { createGateway, type Gateway, type GatewayDeps } from './gateway.ts'
import { botRoute } from './routes/bot.ts'
import { gatewayRoute } from './routes/gateway.ts'

export function createGatewayModule(
  core: Core,
  deps: Pick<GatewayDeps, 'sessions' | 'identifyBot'>,
): Module<Gateway> {
  const { config, bus, metrics, logger } = core
  const gateway = createGateway({
    ...core,
    ...deps,
    baseUrl: config.baseUrl,
    // `person` is the label value of the metric.
    onConnectedCountChange: (kind, change) =>
      metrics.gatewaySessions(kind === 'user' ? 'person' : kind, change),
    onError: err => logger.error({ err }, 'the gateway failed'),
  })
  metrics.gatewayQueuedBytes(() => gateway.queuedBytes.read())
  bus.onReconnect(gateway.disconnectAll)
  return {
    api: gateway,
    routes: [gatewayRoute(gateway), botRoute(userId => adviseBot(core.db, userId, gateway.url))],
  }
}
