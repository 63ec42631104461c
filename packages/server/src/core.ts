import { join } from 'node:path'
import type { CostParameters } from './accounts/users/index.ts'
import type { Bus } from './bus/bus.ts'
import { createLocalBus } from './bus/local-bus.ts'
import { joinNodes, type Nodes, singleNode } from './bus/nodes.ts'
import type { Config } from './config.ts'
import {
  createDomainEventBus,
  type DomainEventPublisher,
  type DomainSubscriber,
} from './events/domain-events.ts'
import { createEvents, type Events } from './events/gateway-events.ts'
import { createFormTokens, createPages, type FormTokens, type Pages } from './http/html-pages.ts'
import type { Logger } from './http/log.ts'
import type { Route } from './http/route.ts'
import { type Clock, type OnClose, systemClock, systemTimers, type Timers } from './kit/clock.ts'
import { createSealer, type Sealer } from './kit/seal.ts'
import { loadSecretKey } from './kit/secret-key.ts'
import { createSnowflakes } from './kit/snowflake.ts'
import type { Mailer } from './mail/mailer.ts'
import { createOutbox } from './mail/outbox.ts'
import { createMetrics, type Metrics } from './monitoring/index.ts'
import { createRateLimiter, type RateLimiter } from './rate-limits/rate-limiter.ts'
import { openSharedHits } from './rate-limits/shared-hits.ts'
import type { Database } from './storage/database.ts'
import { createDeletionRegistry, type DeletionRegistry, type Deletions } from './storage/deletion-registry.ts'
import { leaseNodeNumber, type NodeLease } from './storage/node-lease.ts'
import { openDatabase } from './storage/open.ts'

/** The services that every module uses. A module passes to its operations only those that they need. */
export interface Core {
  config: Config
  logger: Logger
  clock: Clock
  rateLimiter: RateLimiter
  timers: Timers
  db: Database
  bus: Bus
  nodes: Nodes
  /** Makes a new snowflake. */
  ids: () => string
  sealer: Sealer
  /** 32 bytes. */
  secretKey: Uint8Array
  mailer: Mailer
  events: Events
  domainEvents: DomainEventPublisher
  deletions: Pick<DeletionRegistry, 'of'>
  metrics: Metrics
  pages: Pages
  formTokens: FormTokens
  /**
   * Registers a function for the shutdown. The functions run in reverse order, so that a part closes before those that it uses.
   * Factories whose result must be closed require it as an argument.
   */
  onClose: OnClose
}

/** A feature, as `compose.ts` mounts, runs and closes it. */
export interface Module<Api> {
  /** For the modules that use this one. */
  api: Api
  routes: readonly Route[]
  /** Periodic work: delete expired rows, record passed deadlines. They run one after another, once a minute. */
  sweeps?: readonly (() => Promise<void>)[]
  subscribers?: readonly DomainSubscriber[]
  deletions?: Deletions
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

/** Close functions, in the order in which their parts were opened. */
export type Closers = (() => unknown)[]

/** Runs the functions in reverse order and empties the list. Continues after a failure and rejects with the first one. */
export async function closeAll(closers: Closers): Promise<void> {
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

export interface OpenCore extends Omit<Core, 'domainEvents' | 'deletions'> {
  domainEvents: ReturnType<typeof createDomainEventBus>
  deletions: DeletionRegistry
  lease: NodeLease
}

/** Opens the database, bus and mailer, and adds their close functions to `closers`. */
export async function openCore(
  config: Config,
  logger: Logger,
  overrides: Overrides,
  closers: Closers,
): Promise<OpenCore> {
  const onClose: OnClose = close => closers.push(close)
  const clock = overrides.clock ?? systemClock
  const secretKey = await loadSecretKey(config.secretKey, config.dataDir)
  const db = await (overrides.openDatabase ?? openDatabase)(config.databaseUrl)
  onClose(() => db.close())
  const bus = await openBus(config, { clock, logger, prefix: overrides.natsPrefix })
  onClose(() => bus.close())
  const timers = overrides.timers ?? systemTimers
  const cluster =
    config.natsUrl === undefined ? undefined : { kv: bus.requestKv, hits: await openSharedHits(bus, timers) }
  onClose(() => cluster?.hits.close())
  const isAlone = config.natsUrl === undefined || overrides.isCommand
  const nodes = isAlone ? singleNode() : await joinNodes(bus, timers)
  onClose(() => nodes.close())
  const lease = await leaseNodeNumber(db, { clock })
  // Without the database the lease expires on its own.
  onClose(() => lease.release().catch(() => undefined))
  const mailer = overrides.mailer ?? (await openMailer(config, { clock, logger }))
  onClose(() => mailer.close())
  return {
    config,
    logger,
    clock,
    rateLimiter: createRateLimiter({ clock, limits: config.rateLimits, cluster }),
    timers,
    db,
    bus,
    nodes,
    lease,
    ids: createSnowflakes({ clock, node: lease.node }),
    sealer: createSealer(secretKey),
    secretKey,
    mailer,
    events: createEvents(bus),
    domainEvents: createDomainEventBus(),
    deletions: createDeletionRegistry(),
    metrics: createMetrics(),
    pages: createPages(),
    formTokens: createFormTokens(secretKey),
    onClose,
  }
}

// NATS and SMTP are imported only if they are configured, because that delays the start.

async function openBus(
  config: Config,
  { clock, logger, prefix }: { clock: Clock; logger: Logger; prefix: string | undefined },
): Promise<Bus> {
  const onError = (err: unknown) => logger.error({ err }, 'bus error')
  if (config.natsUrl === undefined) return createLocalBus({ clock, onError })
  const { connectNatsBus } = await import('./bus/nats/nats-bus.ts')
  return connectNatsBus(config.natsUrl, { clock, onError, ...(prefix === undefined ? {} : { prefix }) })
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
