import type { FastifyInstance } from 'fastify'
import { createApplicationsModule } from './applications/applications-module.ts'
import { replaceUnreadableKeys } from './applications/index.ts'
import type { Bus } from './bus/bus.ts'
import type { Config } from './config.ts'
import { type Closers, closeAll, type Module, type Overrides, openCore } from './core.ts'
import { mountGateway } from './gateway/connection/socket.ts'
import { createGatewayModule } from './gateway/gateway-module.ts'
import { type AppOptions, createApp, mount } from './http/app.ts'
import { watchConnections } from './http/connections.ts'
import { cookieName } from './http/cookies.ts'
import { pageErrorFormat } from './http/html-pages.ts'
import type { Logger } from './http/log.ts'
import type { Route } from './http/route.ts'
import { createInteractionsModule } from './interactions/interactions-module.ts'
import { delay, type Interval, runEvery } from './kit/clock.ts'
import { createOperationModule } from './monitoring/monitoring-module.ts'
import {
  canOpenSigningKeys,
  listSigningKeyStates,
  replaceUnreadableSigningKeys,
  rotateSigningKeys,
  type SigningKeyState,
  withdrawSigningKey,
} from './oauth/index.ts'
import { createOAuthModule } from './oauth/oauth-module.ts'
import { createOutgoing } from './outgoing/index.ts'
import { type AccountOperator, createPlatformModule, createSignInPagesModule } from './platform-module.ts'
import type { Database } from './storage/database.ts'
import { leaseRenewalMs, NodeLeaseLost } from './storage/node-lease.ts'
import { checkSecretKey, replaceSecretKeyCheck } from './storage/secret-key-check.ts'
import { createWebhooksModule } from './webhooks/webhooks-module.ts'

export interface Service {
  app: FastifyInstance
  routes: readonly Route[]
  db: Database
  bus: Bus
  /** The operations for the command line. */
  operator: Operator
  /** Listens on `config.host` and `config.port`; resolves to the URL. */
  listen(): Promise<string>
  /** Completes the requests in flight, sends RECONNECT to the gateway clients, then closes everything. */
  close(): Promise<void>
}

interface Operator extends AccountOperator {
  rotateKeys(options: { now: boolean }): ReturnType<typeof rotateSigningKeys>
  withdrawKey(kid: string): ReturnType<typeof withdrawSigningKey>
  listKeys(): Promise<SigningKeyState[]>
  /**
   * Makes this SECRET_KEY the one of the database, after the previous one was lost. Replaces the keys that it encrypted.
   * Resolves to the number of applications with a new key.
   */
  replaceSecretKey(): Promise<number>
  /** Rejects if the signing key cannot be decrypted with this SECRET_KEY. */
  openKeys(): Promise<void>
}

const sweepIntervalMs = 60_000

// The command line allows ten seconds for a shutdown. `drainMs` and then at most four seconds of the gateway take eight; `cutOffMs` runs
// within those four. An interaction of the last request is created within six seconds, so its deadline passes after nine at the latest.
/** For the requests in flight, and the requests to interactions endpoints. */
const drainMs = 4000
/** Included in `drainMs`: how long a node gets requests until the load balancer has read the 503 of `/readyz`. */
const notReadyMs = 2000
const cutOffMs = 2000

/** Creates the service from its modules. If one of them fails, closes everything that is open and rejects with the error. */
export async function compose(config: Config, logger: Logger, overrides: Overrides = {}): Promise<Service> {
  const closers: Closers = []
  try {
    return await build(config, logger, overrides, closers)
  } catch (error) {
    await closeAll(closers).catch((err: unknown) =>
      logger.error({ err }, 'shutdown after a failed start failed'),
    )
    throw error
  }
}

async function build(
  config: Config,
  logger: Logger,
  overrides: Overrides,
  closers: Closers,
): Promise<Service> {
  const core = await openCore(config, logger, overrides, closers)
  const { db, bus, timers, clock, sealer, domainEvents, deletions, lease, metrics, onClose } = core
  if (!overrides.acceptSecretKey) await checkSecretKey(db, sealer, () => canOpenSigningKeys(core))
  const routes: Route[] = []
  const sweeps: (() => Promise<void>)[] = []

  function add<Api>(module: Module<Api>): Api {
    routes.push(...module.routes)
    sweeps.push(...(module.sweeps ?? []))
    for (const subscriber of module.subscribers ?? []) domainEvents.subscribe(subscriber)
    if (module.deletions) deletions.register(module.deletions)
    return module.api
  }

  const intervals: Interval[] = []
  // Registered first, so it runs last: a sweep that has started completes while the parts below are still open.
  onClose(() => Promise.all(intervals.map(interval => interval.close())))
  const outgoing = createOutgoing({ allowPrivateTargets: config.allowPrivateTargets, timers })
  onClose(() => outgoing.close())
  const platform = add(createPlatformModule(core, { ...overrides, outgoing }))
  const { sessions, users, members, messages, proxyUrls } = platform
  const applications = add(createApplicationsModule(core, { users, members, outgoing }))
  const { integrations, bots, sign } = applications
  const oauth = add(createOAuthModule(core, { sessions, integrations, outgoing }))
  add(createSignInPagesModule(core, { platform, formTargets: oauth.listFormActions }))
  const interactions = add(createInteractionsModule(core, { messages, proxyUrls, outgoing, sign }))
  add(createWebhooksModule(core, { messages, proxyUrls, users }))
  const gateway = add(
    createGatewayModule(core, { signInSessions: sessions, authenticateBot: bots.authenticate }),
  )
  domainEvents.checkSubscribers()

  let stopping = false
  const options: AppOptions = {
    baseUrl: config.baseUrl,
    trustProxy: config.trustProxy,
    logger,
    timers,
    rateLimiter: core.rateLimiter,
    queuedBytes: gateway.queuedBytes,
    pageErrorFormat: pageErrorFormat(core.pages),
    onResponse: metrics.observeRequest,
    authenticators: {
      session: sessions.authenticateSession,
      bearer: oauth.authenticateBearer,
      bot: async token => {
        const bot = await bots.authenticate(token)
        return bot && { kind: 'bot', ...bot }
      },
    },
  }
  const app = await createApp(options)
  add(createOperationModule(core, { stopping: () => stopping, routes: [...routes] }))
  mount(app, routes, options)

  const connections = watchConnections(app.server, timers)
  let appClosed: Promise<void> | undefined
  const closeApp = () => {
    appClosed ??= app.close()
    return appClosed
  }
  onClose(closeApp)
  const sockets = mountGateway(app.server, gateway, {
    cookieName: cookieName(config.baseUrl, 'session'),
    resolveClientIp: app.resolveClientIp,
  })
  onClose(async () => {
    const drainEnd = delay(timers, drainMs)
    connections.closeAfterResponses()
    if (core.nodes.others().length > 0) await delay(timers, notReadyMs)
    await connections.drainAcceptQueue()
    closeApp().catch(() => undefined)
    // Requests in flight complete before the sockets close: their events and the responses of bots need the sockets. An endpoint
    // that responds later completes its interaction while the interactions module closes.
    await Promise.race([drainEnd, connections.waitUntilEmpty(drainMs).then(interactions.idle)])
    await Promise.all([sockets.close(), connections.waitUntilEmpty(cutOffMs).then(connections.closeAll)])
  })
  if (config.rateLimits === 'off') logger.warn('RATE_LIMITS=off disables all rate limits')

  intervals.push(
    runEvery(timers, sweepIntervalMs, async () => {
      for (const sweep of sweeps) {
        if (stopping) return
        await sweep().catch(err => logger.error({ err }, 'a sweep failed'))
      }
    }),
    runEvery(timers, leaseRenewalMs, () =>
      lease.renew().catch((err: unknown) => {
        logger.error({ err }, 'the lease of the node number could not be renewed')
        if (err instanceof NodeLeaseLost) overrides.fatal?.(err)
      }),
    ),
  )
  // Registered last, so it runs first: no new sweep starts. This does not wait for one that is running.
  onClose(() => {
    for (const interval of intervals) void interval.close()
  })

  return {
    app,
    routes,
    db,
    bus,
    operator: {
      ...platform.operator,
      rotateKeys: options => rotateSigningKeys({ db, clock, sealer }, options),
      withdrawKey: kid => withdrawSigningKey({ db, clock, sealer }, kid),
      listKeys: () => listSigningKeyStates({ db, clock, sealer }),
      async replaceSecretKey() {
        const applications = await replaceUnreadableKeys(core)
        await replaceUnreadableSigningKeys(core)
        await replaceSecretKeyCheck(db, sealer)
        return applications
      },
      openKeys: () => oauth.openSigningKey(),
    },
    listen: () => app.listen({ host: config.host, port: config.port }),
    close() {
      stopping = true
      return closeAll(closers)
    },
  }
}
