import { randomBytes } from 'node:crypto'
import { join } from 'node:path'
import type { FastifyInstance } from 'fastify'
import { createApplications } from './applications/index.ts'
import { applicationRoutes } from './applications/routes/index.ts'
import type { Bus } from './bus/bus.ts'
import { createLocalBus } from './bus/local.ts'
import type { Config } from './config.ts'
import { createGateway } from './gateway/index.ts'
import { gatewayRoutes } from './gateway/routes/index.ts'
import { mountGateway } from './gateway/socket.ts'
import { type AppOptions, createApp, mount } from './http/app.ts'
import { type Authenticators, sessionCookieName } from './http/authenticate.ts'
import { watchConnections } from './http/connections.ts'
import type { Logger } from './http/log.ts'
import { createFormTokens, createPages } from './http/pages.ts'
import type { Route } from './http/route.ts'
import { createInteractions } from './interactions/index.ts'
import { interactionRoutes } from './interactions/routes/index.ts'
import { type Clock, every, systemClock, systemTimers, type Timers } from './kit/clock.ts'
import { createSealer } from './kit/seal.ts'
import { createSnowflakes } from './kit/snowflake.ts'
import type { Mailer } from './mail/mailer.ts'
import { createOutbox } from './mail/outbox.ts'
import { createOAuth, rotateSigningKeys } from './oauth/index.ts'
import { oauthRoutes } from './oauth/routes/index.ts'
import { createMetrics } from './operation/index.ts'
import { operationRoutes } from './operation/routes/index.ts'
import { createOutgoing } from './outgoing/index.ts'
import { createChannels, createDirectMessages, createOverwrites } from './platform/channels/index.ts'
import { channelRoutes } from './platform/channels/routes/index.ts'
import { createEvents } from './platform/events.ts'
import { dropImage, imagePath, saveImage } from './platform/images/index.ts'
import { imageRoutes } from './platform/images/routes/index.ts'
import { createInvites } from './platform/invites/index.ts'
import { inviteRoutes } from './platform/invites/routes/index.ts'
import { createMembers } from './platform/members/index.ts'
import { memberRoutes } from './platform/members/routes/index.ts'
import { createConversation, createMessages } from './platform/messages/index.ts'
import { messageRoutes } from './platform/messages/routes/index.ts'
import { requireServer } from './platform/permissions/index.ts'
import { createReadState } from './platform/read-state/index.ts'
import { readStateRoutes } from './platform/read-state/routes/index.ts'
import { createRoles } from './platform/roles/index.ts'
import { roleRoutes } from './platform/roles/routes/index.ts'
import { createFactors, createSecondFactor } from './platform/second-factor/index.ts'
import { secondFactorRoutes } from './platform/second-factor/routes/index.ts'
import { createServers } from './platform/servers/index.ts'
import { serverRoutes } from './platform/servers/routes/index.ts'
import { createSessions } from './platform/sessions/index.ts'
import { sessionRoutes } from './platform/sessions/routes/index.ts'
import {
  createPasswords,
  createUserByOperator,
  createUsers,
  findUser,
  findUsers,
  holdUser,
  resetPasswordByOperator,
  resetSecondFactorByOperator,
  sweepPeople,
  type UserRecord,
  userView,
} from './platform/users/index.ts'
import { userRoutes } from './platform/users/routes/index.ts'
import { loadSecretKey } from './secret-key.ts'
import type { Database, Transaction } from './storage/database.ts'
import { leaseNode, NodeLeaseLost } from './storage/node-lease.ts'
import { openDatabase } from './storage/open.ts'
import { answers } from './storage/ping.ts'
import { createWebhooks } from './webhooks/index.ts'
import { webhookRoutes } from './webhooks/routes/index.ts'

/** What a test puts in the place of the real thing: the clock, and what leaves the process. */
export interface Given {
  clock?: Clock
  timers?: Timers
  mailer?: Mailer
  /** Stands before every subject of NATS: services with different ones do not meet. */
  natsPrefix?: string
  /** Called where the process must not go on: another has its node number, and would make the same ids. */
  fatal?: (error: unknown) => void
}

export interface Service {
  app: FastifyInstance
  routes: readonly Route[]
  db: Database
  bus: Bus
  /** What whoever runs the service may do at the command line. */
  operator: Operator
  /** Listens on `config.host` and `config.port`; resolves to the address listened on. */
  listen(): Promise<string>
  /** Answers what is under way, then tells the sockets to reconnect, closes everything. */
  close(): Promise<void>
}

interface Operator {
  createUser(body: Parameters<typeof createUserByOperator>[1]): Promise<Pick<UserRecord, 'id' | 'username'>>
  resetPassword(given: { login: string; password: string }): Promise<Pick<UserRecord, 'id' | 'username'>>
  resetSecondFactor(given: { login: string }): Promise<Pick<UserRecord, 'id' | 'username'>>
  rotateKeys(): ReturnType<typeof rotateSigningKeys>
  /** Rejects where the signing key does not open with this SECRET_KEY. */
  openKeys(): Promise<void>
}

interface Hooks {
  /** Uses an invite up for a new account; false where the code does not hold (any more). */
  useInvite(tx: Transaction, code: string, userId: string): Promise<boolean>
  /** What else ends in the transaction that changes a password. */
  passwordChanged: ((tx: Transaction, userId: string) => Promise<void>)[]
  /** Who else is told, in the transaction that changes a person's name or picture. */
  profileChanged: ((tx: Transaction, user: UserRecord) => Promise<void>)[]
  /** Every token of an application ends, in the transaction that changes its secret or deletes it. */
  revokeTokens(tx: Transaction, applicationId: string): Promise<void>
  /** Who else is told of the end of a session, in the transaction that ends it. */
  sessionEnded(tx: Transaction, sessionId: string): Promise<void>
  /** What else ends in the transaction that ends a membership. */
  memberRemoved: ((tx: Transaction, serverId: string, userId: string) => Promise<void>)[]
  /** Where redirects after a sign-in may end that returns to this path, for the page's policy (D24). */
  formTargets(returnTo: string): Promise<readonly string[]>
  /** The other nodes can be reached again: what they said meanwhile was not heard. */
  busRestored(): void
}

const sweepInterval = 60_000

// At the end, all within the ten seconds that it may take (the command line's): for what is under way to be answered,
// then, for what even then has not come whole.
const answerMs = 4000
const cutOffMs = 2000
const leaseInterval = 20_000

/** How each part that was opened is closed, in the order in which they were opened. */
type Closers = (() => unknown)[]

/**
 * The only place where the parts meet: picks storage and bus, builds every feature, mounts every route. Where one of them
 * fails, those opened before it are closed, and it rejects with what failed.
 */
export async function compose(config: Config, logger: Logger, given: Given = {}): Promise<Service> {
  const closers: Closers = []
  try {
    return await build(config, logger, given, closers)
  } catch (error) {
    await closeAll(closers).catch((err: unknown) => logger.error({ err }, 'a part could not be closed'))
    throw error
  }
}

/** The last opened first. One that fails keeps none of the others open; its error comes after. Done once, however often called. */
async function closeAll(closers: Closers): Promise<void> {
  const failures: unknown[] = []
  for (const close of closers.splice(0).reverse()) {
    try {
      await close()
    } catch (error) {
      failures.push(error)
    }
  }
  if (failures.length > 0) throw failures[0]
}

// What leaves the process is loaded only where it is configured: a start has a second to its first answer.

interface BusOptions {
  clock: Clock
  onError: (error: unknown) => void
  prefix: string | undefined
  /** The other nodes can be reached again. */
  restored: () => void
}

async function openBus(config: Config, { clock, onError, prefix, restored }: BusOptions): Promise<Bus> {
  if (config.natsUrl === undefined) return createLocalBus({ clock, onError })
  const { connectNatsBus } = await import('./bus/nats.ts')
  return connectNatsBus(config.natsUrl, {
    clock,
    onError,
    ...(prefix === undefined ? {} : { prefix }),
    onConnection: up => {
      if (up) restored()
    },
  })
}

async function openMailer(
  config: Config,
  { clock, logger }: { clock: Clock; logger: Logger },
): Promise<Mailer> {
  if (config.smtpUrl === undefined) {
    return createOutbox({ folder: join(config.dataDir, 'outbox'), clock, logger })
  }
  const { createSmtpMailer } = await import('./mail/smtp.ts')
  return createSmtpMailer({ url: config.smtpUrl, from: config.mailFrom, logger })
}

async function build(config: Config, logger: Logger, given: Given, closers: Closers): Promise<Service> {
  const clock = given.clock ?? systemClock
  const timers = given.timers ?? systemTimers
  // What a feature calls of one that is built after it, which sets it there.
  const hooks: Hooks = {
    useInvite: async () => false,
    revokeTokens: async () => undefined,
    sessionEnded: async () => undefined,
    passwordChanged: [],
    profileChanged: [],
    memberRemoved: [],
    formTargets: async () => [],
    busRestored: () => undefined,
  }
  const secretKey = await loadSecretKey(config.secretKey, config.dataDir)
  const db = await openDatabase(config.databaseUrl)
  closers.push(() => db.close())
  const onError = (error: unknown) => logger.error({ err: error }, 'the bus reports')
  const bus = await openBus(config, {
    clock,
    onError,
    prefix: given.natsPrefix,
    restored: () => hooks.busRestored(),
  })
  closers.push(() => bus.close())
  const lease = await leaseNode(db, { clock, holder: randomBytes(9).toString('base64url') })
  // Where the database is gone the lease runs out by itself.
  closers.push(() => lease.release().catch(() => undefined))
  const ids = createSnowflakes({ clock, node: lease.node })
  const sealer = createSealer(secretKey)
  const mailer = given.mailer ?? (await openMailer(config, { clock, logger }))
  closers.push(() => mailer.close())
  const pages = createPages()
  const formTokens = createFormTokens(secretKey)
  const events = createEvents(bus)
  const metrics = createMetrics()

  const routes: Route[] = []
  const authenticators: Authenticators = {
    session: async () => undefined,
    bearer: async () => undefined,
    bot: async () => undefined,
  }
  const sweeps: (() => Promise<void>)[] = []

  async function onPasswordChanged(tx: Transaction, userId: string): Promise<void> {
    for (const passwordChanged of hooks.passwordChanged) await passwordChanged(tx, userId)
  }

  // --- platform: users, sessions, second factor ---
  const { baseUrl } = config
  const sessions = createSessions({
    db,
    clock,
    ids,
    events,
    baseUrl,
    cookieName: sessionCookieName(baseUrl),
    onSessionEnded: (tx, sessionId) => hooks.sessionEnded(tx, sessionId),
  })
  authenticators.session = sessions.authenticateSession
  const passwords = createPasswords()
  const { rateLimits } = config
  const proving = { db, clock, sealer, secretKey, baseUrl, mailer, findPerson: findUser }
  const secondFactor = createSecondFactor({ ...proving, rateLimits })
  hooks.passwordChanged.push(secondFactor.forgetHalves)
  const users = createUsers({
    db,
    clock,
    ids,
    events,
    sessions,
    secondFactor,
    mailer,
    passwords,
    secretKey,
    baseUrl,
    registration: config.registration,
    requireVerifiedEmail: config.requireVerifiedEmail,
    rateLimits: config.rateLimits,
    useInvite: (tx, code, userId) => hooks.useInvite(tx, code, userId),
    onPasswordChanged,
    onProfileChanged: async (tx, user) => {
      for (const profileChanged of hooks.profileChanged) await profileChanged(tx, user)
    },
    report: error => logger.error({ err: error }, 'work behind an answer failed'),
  })
  closers.push(() => users.idle())
  const { confirmPassword } = users
  const factors = createFactors({
    ...proving,
    ids,
    sessions,
    holdUser,
    checkCurrentPassword: confirmPassword,
  })
  routes.push(
    ...userRoutes({
      db,
      users,
      sessions,
      pages,
      formTokens,
      baseUrl,
      formTargets: path => hooks.formTargets(path),
    }),
    ...sessionRoutes({ db, sessions }),
    ...secondFactorRoutes({ factors }),
    ...imageRoutes({ db }),
  )
  sweeps.push(() => sweepPeople(db, clock), secondFactor.sweep)

  // --- platform: servers, channels, roles, members, messages ---
  const { requireVerified } = users
  const roles = createRoles({ db, ids, events })
  const members = createMembers({
    db,
    clock,
    ids,
    events,
    roles,
    onMemberRemoved: async (tx, serverId, userId) => {
      for (const memberRemoved of hooks.memberRemoved) await memberRemoved(tx, serverId, userId)
    },
  })
  const channels = createChannels({ db, clock, ids, events })
  const overwrites = createOverwrites({ db, events })
  const directMessages = createDirectMessages({ db, clock, ids, events })
  hooks.profileChanged.push(members.announceProfile, directMessages.announceProfile)
  const servers = createServers({ db, clock, ids, events, roles, channels, members, requireVerified })
  const invites = createInvites({ db, clock, members })
  hooks.useInvite = invites.useInvite
  const messages = createMessages({ clock, ids, events })
  const conversation = createConversation({ db, messages, requireVerified })
  const readStates = createReadState({ db, events })
  routes.push(
    ...serverRoutes({ servers }),
    ...channelRoutes({ channels, overwrites, directMessages }),
    ...roleRoutes({ roles }),
    ...memberRoutes({ db, members }),
    ...inviteRoutes({ invites }),
    ...messageRoutes({ conversation }),
    ...readStateRoutes({ readStates }),
  )
  sweeps.push(() => invites.sweep())

  // --- applications ---
  const outgoing = createOutgoing({ allowPrivateTargets: config.allowPrivateTargets, timers })
  closers.push(() => outgoing.close())
  const applications = createApplications({
    db,
    clock,
    ids,
    sealer,
    events,
    outgoing,
    requireVerified,
    findUser: async (sql, id) => {
      const record = await findUser(sql, id)
      return record && userView(record)
    },
    findUsers: async (sql, userIds) => {
      const records = await findUsers(sql, userIds)
      return new Map([...records].map(([id, record]) => [id, userView(record)]))
    },
    iconPath: (id, hash) => imagePath('applications', id, hash),
    saveIcon: (tx, ownerId, bytes) => saveImage(tx, { kind: 'applications', ownerId, bytes }),
    dropIcon: (tx, ownerId) => dropImage(tx, 'applications', ownerId),
    revokeTokens: (tx, applicationId) => hooks.revokeTokens(tx, applicationId),
    createBotUser: async (tx, bot) => userView(await users.createBotUser(tx, bot)),
    deleteBotUser: async (tx, id) => {
      await users.deleteBotUser(tx, id)
    },
    addBot: members.addBot,
    removeMember: async (tx, serverId, userId) => {
      await members.removeMember(tx, serverId, userId)
    },
    requireMember: async (sql, userId, serverId) => {
      await requireServer(sql, userId, serverId)
    },
  })
  hooks.memberRemoved.push(applications.installations.memberRemoved)
  authenticators.bot = async token => {
    const bot = await applications.bots.authenticate(token)
    return bot && { kind: 'bot', ...bot }
  }
  routes.push(...applicationRoutes(applications))

  // --- oauth ---
  const oauth = createOAuth({
    db,
    clock,
    timers,
    ids,
    sealer,
    baseUrl,
    sessions,
    outgoing,
    installing: applications.installations,
    userinfoScope: config.userinfoScope,
    refreshGraceSeconds: config.refreshGraceSeconds,
    confirmUnverifiedApps: config.confirmUnverifiedApps,
    rateLimits: config.rateLimits,
    report: error => logger.error({ err: error }, 'an authorization failed'),
    note: untold => logger.warn(untold, 'an application could not be told of a sign-out'),
  })
  hooks.sessionEnded = oauth.sessionEnded
  hooks.revokeTokens = oauth.revokeAllOfApplication
  hooks.formTargets = oauth.formActionsOf
  hooks.passwordChanged.push(oauth.revokeAllOfUser)
  authenticators.bearer = oauth.authenticateBearer
  routes.push(...oauthRoutes({ oauth, pages, formTokens, sessionCookie: sessions.sessionCookie }))
  sweeps.push(oauth.sweep)
  // Not waited for: the first start has other things to do, and whoever needs the key waits for it then.
  const keyReady = oauth
    .prepare()
    .catch((error: unknown) => logger.error({ err: error }, 'the signing key could not be made ready'))
  closers.push(() => keyReady)

  // --- interactions ---
  const interactions = createInteractions({
    db,
    clock,
    timers,
    ids,
    bus,
    events,
    messages,
    outgoing,
    sign: applications.sign,
    observe: metrics.interaction,
    note: failure => logger.warn(failure, 'an interactions endpoint did not take an interaction'),
    report: error => logger.error({ err: error }, 'an interaction could not be seen to its end'),
  })
  closers.push(() => interactions.close())
  hooks.memberRemoved.push(interactions.memberRemoved)
  routes.push(...interactionRoutes({ interactions }))
  sweeps.push(interactions.sweep)

  // --- webhooks ---
  const webhooks = createWebhooks({
    db,
    clock,
    timers,
    ids,
    sealer,
    messages,
    transient: bus.transient,
    several: config.natsUrl !== undefined,
    baseUrl,
    rateLimits: config.rateLimits,
    report: error => logger.error({ err: error }, 'the log of a webhook was not written'),
  })
  closers.push(() => webhooks.close())
  routes.push(...webhookRoutes({ webhooks }))

  // --- gateway ---
  const gateway = createGateway({
    db,
    bus,
    clock,
    timers,
    baseUrl,
    authenticateSession: sessions.authenticateSession,
    sessionExpiresAt: async id => (await sessions.findSession(db, id))?.expiresAt,
    identifyBot: applications.bots.authenticate,
    gatewaySessions: metrics.gatewaySessions,
    report: error => logger.error({ err: error }, 'the gateway reports'),
  })
  hooks.busRestored = gateway.dismiss
  routes.push(...gatewayRoutes({ gateway }))

  // --- operation ---
  let stopping = false
  async function ready(): Promise<boolean> {
    return !stopping && bus.healthy() && answers(db)
  }
  const options: AppOptions = {
    baseUrl: config.baseUrl,
    trustProxy: config.trustProxy,
    logger,
    authenticators,
    timers,
    observe: metrics.observeRequest,
  }
  const app = await createApp(options)
  const connections = watchConnections(app.server, timers)
  let appClosed: Promise<void> | undefined
  const closeApp = () => {
    appClosed ??= app.close()
    return appClosed
  }
  closers.push(closeApp)
  routes.push(
    ...operationRoutes({
      ready,
      metrics,
      metricsToken: config.metricsToken,
      document: () => ({ ...app.swagger({ yaml: false }) }),
      pages,
      routes: () => routes,
    }),
  )
  mount(app, routes, options)
  const { trustProxy } = config
  const sockets = mountGateway(app.server, gateway, { cookieName: sessionCookieName(baseUrl), trustProxy })
  closers.push(async () => {
    await connections.retire()
    closeApp().catch(() => undefined)
    // What is under way is answered before the sockets go: what comes of it reaches them, and the bots' answers us.
    await connections.drained(answerMs)
    await sockets.close()
    await connections.drained(cutOffMs)
    connections.cut()
  })
  if (!config.rateLimits) logger.warn('RATE_LIMITS=off: no limit on how often is held')

  const turns = [
    every(timers, sweepInterval, async () => {
      for (const sweep of sweeps) await sweep().catch(error => logger.error({ err: error }, 'a sweep failed'))
    }),
    every(timers, leaseInterval, () =>
      lease.renew().catch((error: unknown) => {
        logger.error({ err: error }, 'the lease of the node number was not renewed')
        if (error instanceof NodeLeaseLost) given.fatal?.(error)
      }),
    ),
  ]
  for (const turn of turns) closers.push(() => turn.cancel())

  return {
    app,
    routes,
    db,
    bus,
    operator: {
      createUser: body => createUserByOperator({ db, clock, ids, passwords }, body),
      resetPassword: reset => resetPasswordByOperator({ db, passwords, sessions, onPasswordChanged }, reset),
      resetSecondFactor: reset => resetSecondFactorByOperator({ db, secondFactor }, reset),
      rotateKeys: () => rotateSigningKeys({ db, clock, sealer }),
      openKeys: () => oauth.prepare(),
    },
    listen: () => app.listen({ host: config.host, port: config.port }),
    close() {
      stopping = true
      return closeAll(closers)
    },
  }
}
