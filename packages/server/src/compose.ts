import { join } from 'node:path'
import type { FastifyInstance } from 'fastify'
import { type Accounts, createAccountsModule } from './accounts/accounts-module.ts'
import { signInPageRoutes } from './accounts/sign-in-pages/sign-in-page-routes.ts'
import { type CostParameters, hasUsers } from './accounts/users/index.ts'
import type { AdminApplications } from './administration/admin-applications.ts'
import type { AdminHealth } from './administration/admin-health.ts'
import type { AdminServers } from './administration/admin-servers.ts'
import type { AdminSettings } from './administration/admin-settings.ts'
import type { AdminUsers } from './administration/admin-users.ts'
import { createAdministrationModule } from './administration/administration-module.ts'
import { createApiReferenceModule } from './api-reference/api-reference-module.ts'
import { createApplicationsModule } from './applications/applications-module.ts'
import { createAuditModule } from './audit/audit-module.ts'
import type { Bus } from './bus/bus.ts'
import { joinNodes, singleNode } from './bus/nodes.ts'
import { openBus } from './bus/open-bus.ts'
import { createCommunityModule } from './community/community-module.ts'
import type { Config } from './config.ts'
import { describeInteraction } from './discord/describe-interaction.ts'
import { createDiscordModule } from './discord/discord-module.ts'
import { createDiscordWireFormats } from './discord/gateway/discord-wire-format.ts'
import { fromDiscordCallback } from './discord/objects/discord-callback.ts'
import { createDomainEventBus, type DomainEventPublisher } from './events/domain-events.ts'
import { createEvents } from './events/gateway-events.ts'
import type { Module } from './events/module.ts'
import { mountGateway } from './gateway/connection/socket.ts'
import { createGatewayModule } from './gateway/gateway-module.ts'
import { type AppOptions, createApp, mount } from './http/app.ts'
import { watchConnections } from './http/connections.ts'
import { cookieName } from './http/cookies.ts'
import { createFormTokens, createPages, pageErrorFormat } from './http/html-pages.ts'
import type { Logger } from './http/log.ts'
import { createOperations } from './http/operations.ts'
import type { Route } from './http/route.ts'
import { createImagesModule } from './images/images-module.ts'
import { type AdministratorCode, createAdministratorCode, createInstanceSettings } from './instance/index.ts'
import { createInteractionsModule, type InteractionsApi } from './interactions/interactions-module.ts'
import {
  type Clock,
  type Interval,
  type OnClose,
  runEvery,
  systemClock,
  systemTimers,
  type Timers,
} from './kit/clock.ts'
import { createSealer, type Sealer } from './kit/seal.ts'
import { loadSecretKey } from './kit/secret-key.ts'
import { createSnowflakes } from './kit/snowflake.ts'
import { type Mailer, withName } from './mail/mailer.ts'
import { openMailer } from './mail/open-mailer.ts'
import { createMetrics } from './monitoring/index.ts'
import { createMonitoringModule } from './monitoring/monitoring-module.ts'
import { canOpenSigningKeys } from './oauth/index.ts'
import { createOAuthModule } from './oauth/oauth-module.ts'
import { createOutgoing } from './outgoing/index.ts'
import { createRateLimiter } from './rate-limits/rate-limiter.ts'
import { openSharedHits } from './rate-limits/shared-hits.ts'
import { type Closers, closeAll, drain } from './shutdown.ts'
import type { Database } from './storage/database.ts'
import { createDeletionRegistry } from './storage/deletion-registry.ts'
import { leaseNodeNumber, leaseRenewalMs, NodeLeaseLost } from './storage/node-lease.ts'
import { openDatabase } from './storage/open.ts'
import { checkSecretKey } from './storage/secret-key-check.ts'
import { createWebhooksModule } from './webhooks/webhooks-module.ts'

export interface Service {
  app: FastifyInstance
  routes: readonly Route[]
  db: Database
  bus: Bus
  /** For the operator's commands. */
  parts: OperatorParts
  /** Listens on `config.host` and `config.port`; resolves to the URL. */
  listen(): Promise<string>
  /** Completes the requests in flight, sends RECONNECT to the gateway clients, then closes everything. */
  close(): Promise<void>
}

type ByOperator<Part> = `${string}ByOperator` & keyof Part

interface OperatorParts extends Pick<Accounts, 'passwords' | 'sessions' | 'mfaLogin' | 'securityLog'> {
  db: Database
  clock: Clock
  /** Makes a new snowflake. */
  ids: () => string
  sealer: Sealer
  domainEvents: DomainEventPublisher
  administratorCode: Pick<AdministratorCode, 'withdraw'>
  adminSettings: Pick<AdminSettings, 'read' | 'updateByOperator'>
  adminServers: Pick<AdminServers, 'list' | ByOperator<AdminServers>>
  adminApplications: Pick<AdminApplications, 'list' | ByOperator<AdminApplications>>
  adminUsers: Pick<AdminUsers, ByOperator<AdminUsers>>
  adminHealth: Pick<AdminHealth, 'read'>
  /** Rejects if the signing key cannot be decrypted with this SECRET_KEY. */
  openSigningKey(): Promise<void>
}

/** What commands and tests change. */
export interface Overrides {
  /** For commands, which serve no requests: the other nodes do not learn of this process. */
  isCommand?: boolean
  /** Starts with a SECRET_KEY that is not the one of the database. For the command that replaces it. */
  acceptSecretKey?: boolean
  /** Called if the process must exit, because another one has taken its node number and would generate the same ids. */
  fatal?: (error: unknown) => void
  // Only for tests.
  clock?: Clock
  timers?: Timers
  /** Opens `config.databaseUrl`. */
  openDatabase?: (url: string) => Promise<Database>
  mailer?: Mailer
  passwordCosts?: CostParameters
  /** Prefix of every NATS subject. Services with different prefixes share no messages. */
  natsPrefix?: string
}

const sweepIntervalMs = 60_000
/** For changes by a command without NATS. */
const settingsIntervalMs = 5000

/**
 * Creates the service from its modules. If one of them fails, closes everything that is open and rejects with the
 * error.
 */
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
  const { baseUrl, dataDir, natsUrl } = config
  const { clock = systemClock, timers = systemTimers } = overrides
  // A part closes before those that it uses.
  const onClose: OnClose = close => closers.push(close)

  const secretKey = await loadSecretKey(config.secretKey, dataDir)
  const sealer = createSealer(secretKey)
  const db = await (overrides.openDatabase ?? openDatabase)(config.databaseUrl)
  onClose(() => db.close())
  const bus = await openBus({
    natsUrl,
    clock,
    onError: err => logger.error({ err }, 'bus error'),
    prefix: overrides.natsPrefix,
  })
  onClose(() => bus.close())
  const cluster =
    natsUrl === undefined ? undefined : { kv: bus.requestKv, hits: await openSharedHits(bus, timers) }
  onClose(() => cluster?.hits.close())
  const isAlone = natsUrl === undefined || overrides.isCommand
  const nodes = isAlone ? singleNode() : await joinNodes(bus, timers)
  onClose(() => nodes.close())
  const lease = await leaseNodeNumber(db, { clock })
  // Without the database the lease expires on its own.
  onClose(() => lease.release().catch(() => undefined))
  const instance = createInstanceSettings({
    db,
    bus,
    registration: config.registration,
    onError: err => logger.error({ err }, 'the settings of the instance could not be read'),
  })
  await instance.open()
  const mailer = withName(
    overrides.mailer ??
      (await openMailer({ smtpUrl: config.smtpUrl, from: config.mailFrom, dataDir, clock, logger })),
    instance.nameInMails,
  )
  onClose(() => mailer.close())
  if (!overrides.acceptSecretKey) await checkSecretKey(db, sealer, () => canOpenSigningKeys({ db, sealer }))

  const ids = createSnowflakes({ clock, node: lease.node })
  const rateLimiter = createRateLimiter({ clock, limits: config.rateLimits, cluster })
  const events = createEvents(bus)
  const domainEvents = createDomainEventBus()
  const deletions = createDeletionRegistry()
  const metrics = createMetrics()
  const pages = createPages(instance.shown)
  const formTokens = createFormTokens(secretKey)

  const intervals: Interval[] = []
  // Registered before the modules, so it runs after them: a sweep that has started completes before the database
  // closes.
  onClose(() => Promise.all(intervals.map(interval => interval.close())))
  const outgoing = createOutgoing({ allowPrivateTargets: config.allowPrivateTargets, timers })
  onClose(() => outgoing.close())

  const administratorCode = createAdministratorCode({ db, dataDir, logger })
  if (!overrides.isCommand && !(await hasUsers(db))) await administratorCode.create()

  const routes: Route[] = []
  const sweeps: (() => Promise<void>)[] = []
  function add<Api>(module: Module<Api>): Api {
    routes.push(...module.routes)
    sweeps.push(...(module.sweeps ?? []))
    for (const subscriber of module.subscribers ?? []) domainEvents.subscribe(subscriber)
    if (module.deletions) deletions.register(module.deletions)
    return module.api
  }

  const { users, sessions, passwords, mfaLogin, securityLog } = add(
    createAccountsModule({
      db,
      clock,
      ids,
      sealer,
      secretKey,
      events,
      domainEvents,
      rateLimiter,
      mailer,
      logger,
      onClose,
      baseUrl,
      instance,
      administratorCode,
      requireVerifiedEmail: config.requireVerifiedEmail,
      passwordCosts: overrides.passwordCosts,
    }),
  )
  const { requireVerified } = users
  const { proxyUrls } = add(
    createImagesModule({
      db,
      clock,
      rateLimiter,
      outgoing,
      logger,
      secretKey,
      cacheDir: config.mediaCacheDir ?? join(dataDir, 'media-cache'),
      maxCacheBytes: config.mediaCacheMebibytes * 1024 ** 2,
    }),
  )
  const auditLog = add(createAuditModule({ db, clock, ids, events }))
  const { members, messages, deleteMessages, revokeInvite, reports, serverStates } = add(
    createCommunityModule({
      db,
      clock,
      ids,
      events,
      domainEvents,
      deletions,
      auditLog,
      securityLog,
      rateLimiter,
      logger,
      onClose,
      proxyUrls,
      requireVerified,
      confirmPassword: users.confirmPassword,
      proofs: users.proofs,
      instance,
    }),
  )
  const { applications, integrations, bots, commands, sign } = add(
    createApplicationsModule({
      db,
      clock,
      ids,
      sealer,
      events,
      domainEvents,
      deletions,
      auditLog,
      rateLimiter,
      outgoing,
      users,
      members,
      securityLog,
      requireVerified,
      sendsMail: config.smtpUrl !== undefined,
    }),
  )
  const oauth = add(
    createOAuthModule({
      db,
      clock,
      timers,
      ids,
      sealer,
      rateLimiter,
      outgoing,
      pages,
      formTokens,
      logger,
      onClose,
      sessions,
      securityLog,
      integrations,
      resendVerification: users.resendVerification,
      baseUrl,
      userinfoScope: config.userinfoScope,
      refreshGraceSeconds: config.refreshGraceSeconds,
      confirmUnverifiedApps: config.confirmUnverifiedApps,
    }),
  )
  // After OAuth: the `form-action` of these pages has the redirect URI of the authorization request.
  const formTargets = oauth.listFormActions
  routes.push(...signInPageRoutes({ db, users, sessions, pages, formTokens, baseUrl, formTargets }))
  const interactions: InteractionsApi = add(
    createInteractionsModule({
      db,
      clock,
      timers,
      ids,
      bus,
      nodes,
      events,
      rateLimiter,
      outgoing,
      logger,
      onClose,
      messages,
      proxyUrls,
      sign,
      secretKey,
      // Lambdas, because the translation reads messages of interactions.
      endpointFormats: {
        discord: {
          describe: event => describeInteraction({ db, clock, secretKey, interactions, baseUrl }, event),
          readCallback: fromDiscordCallback,
        },
      },
      countOutcome: metrics.interaction,
    }),
  )
  add(
    createWebhooksModule({
      db,
      clock,
      timers,
      ids,
      sealer,
      events,
      auditLog,
      bus,
      rateLimiter,
      logger,
      onClose,
      messages,
      proxyUrls,
      requireVerified,
      baseUrl,
    }),
  )
  const gateway = add(
    createGatewayModule({
      db,
      clock,
      timers,
      bus,
      nodes,
      rateLimiter,
      logger,
      onClose,
      signInSessions: sessions,
      authenticateBot: bots.authenticate,
      listValidBots: bots.listValidIds,
      baseUrl,
      otherFormats: createDiscordWireFormats({
        db,
        clock,
        timers,
        secretKey,
        interactions,
        rateLimiter,
        baseUrl,
      }),
      withNats: natsUrl !== undefined,
      // `person` is the label value of the metric.
      onConnectedCountChange: (kind, change) =>
        metrics.gatewaySessions(kind === 'user' ? 'person' : kind, change),
    }),
  )
  const administration = add(
    createAdministrationModule({
      db,
      clock,
      users,
      sessions,
      auditLog,
      securityLog,
      reports,
      instance,
      serverStates,
      applications,
      bus,
      mailer,
      baseUrl,
      dataDir,
      natsUrl,
      smtpUrl: config.smtpUrl,
    }),
  )
  add(
    createDiscordModule({
      db,
      clock,
      timers,
      rateLimiter,
      interactions,
      commands,
      baseUrl,
      operations: createOperations(routes, rateLimiter),
      getUser: members.getUser,
      deleteMessages,
      revokeInvite,
    }),
  )
  sweeps.push(administratorCode.sweep)
  metrics.gatewayQueuedBytes(() => gateway.queuedBytes.read())
  domainEvents.checkSubscribers()

  let stopping = false
  const options: AppOptions = {
    baseUrl,
    trustProxy: config.trustProxy,
    logger,
    timers,
    rateLimiter,
    queuedBytes: gateway.queuedBytes,
    pageErrorFormat: pageErrorFormat(pages),
    instance: instance.shown,
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
  const { metricsToken } = config
  add(createMonitoringModule({ db, bus, clock, sealer, metrics, metricsToken, stopping: () => stopping }))
  add(createApiReferenceModule({ baseUrl, pages, routes: [...routes] }))
  mount(app, routes, options)

  const connections = watchConnections(app.server, timers)
  let appClosed: Promise<void> | undefined
  const closeApp = () => {
    appClosed ??= app.close()
    return appClosed
  }
  onClose(closeApp)
  const sockets = mountGateway(app.server, gateway, {
    cookieName: cookieName(baseUrl, 'session'),
    resolveClientIp: app.resolveClientIp,
  })
  onClose(() =>
    drain({
      timers,
      connections,
      closeApp,
      hasOtherNodes: () => nodes.others().length > 0,
      interactionsIdle: interactions.idle,
      closeSockets: sockets.close,
    }),
  )
  if (config.rateLimits === 'off') logger.warn('RATE_LIMITS=off disables all rate limits')

  intervals.push(
    runEvery(timers, sweepIntervalMs, async () => {
      for (const sweep of sweeps) {
        if (stopping) return
        await sweep().catch(err => logger.error({ err }, 'a sweep failed'))
      }
    }),
    runEvery(timers, settingsIntervalMs, instance.refresh),
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

  const { openSigningKey } = oauth
  return {
    app,
    routes,
    db,
    bus,
    parts: {
      db,
      clock,
      ids,
      sealer,
      domainEvents,
      administratorCode,
      ...administration,
      passwords,
      sessions,
      mfaLogin,
      securityLog,
      openSigningKey,
    },
    listen: () => app.listen({ host: config.host, port: config.port }),
    close() {
      stopping = true
      return closeAll(closers)
    },
  }
}
