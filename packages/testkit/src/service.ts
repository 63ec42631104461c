import { randomBytes } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Writable } from 'node:stream'
import { type TestContext, test } from 'node:test'
import type { Bus } from '../../server/src/bus/bus.ts'
import { connectNatsBus } from '../../server/src/bus/nats/nats-bus.ts'
import { compose, type Overrides, type Service } from '../../server/src/compose.ts'
import { type Config, readConfig } from '../../server/src/config.ts'
import { createLogger } from '../../server/src/http/log.ts'
import type { Route } from '../../server/src/http/route.ts'
import type { Mail } from '../../server/src/mail/mailer.ts'
import { seedSigningKey } from '../../server/src/oauth/signing-keys-testing.ts'
import type { Database } from '../../server/src/storage/database.ts'
import { openMigrated } from '../../server/src/storage/open.ts'
import { apiCheckOf } from './api-document.ts'
import { openTestNats, testNatsUrl } from './bus.ts'
import { createClient, type Exchange, type TestClient } from './client.ts'
import { advanceUntilSettled, createTestClock, type TestClock } from './clock.ts'
import { createTestDatabase, type EngineName, engines, skipIfUnavailable } from './databases.ts'
import { freePort } from './free-port.ts'

const secretKey = randomBytes(32)

/** The costs of the service take 20 ms of processor time for each registration and login. Its own tests cover them. */
const passwordCosts = { memory: 64, passes: 1 }

/** The service on a free loopback port, with a test clock. */
export interface TestService {
  /** `http://localhost:PORT`, also the BASE_URL. */
  url: string
  clock: TestClock
  db: Database
  bus: Bus
  routes: readonly Route[]
  /** All mails that were sent, without SMTP_URL. */
  mails: Mail[]
  /** All log lines. */
  log: string[]
  config: Config
  /** Its requests fail if `/api/openapi.json` does not have their responses. */
  client(): TestClient
  /** Other nodes that share the data. They close with this one. */
  nodes: TestService[]
  /** Stops the service and keeps its data. */
  stop(): Promise<void>
  /** Restarts the service, also a stopped one, with the same port and the same data or another database. */
  restart(databaseUrl?: string): Promise<void>
  close(): Promise<void>
}

export interface StartOptions {
  engine?: EngineName
  env?: Readonly<Record<string, string>>
  /** With NATS_URL: services with the same prefix are nodes of one cluster. */
  natsPrefix?: string
  /** Starts another node with the data and the clock of this service. */
  beside?: TestService
  /** Default: a test clock that does not advance by itself. */
  clock?: TestClock
  /** Receives the requests of clients for operations of the API document. */
  onExchange?: (operationId: string, exchange: Exchange) => void
  /** Returns a port to try. */
  pickPort?: () => Promise<number>
}

/**
 * Tests send more requests than users, and their clock stands still. The tests of these rates set `RATE_LIMITS: 'on'`.
 */
const testRateLimits = [
  'requests',
  'responses',
  'channelMessages',
  'messages',
  'interactions',
  'servers',
  'applications',
  'channels',
  'channelMoves',
  'roles',
  'webhooks',
  'invites',
  'profiles',
  'reports',
  'images',
  'endpointChecks',
  'authorizations',
  'refreshes',
  'identifies',
  'resumes',
  'passwordConfirmations',
  'signIns',
  'mailRequests',
]
  .map(name => `${name}=1000000/1`)
  .join()

/** Starts the service. After the test, closes it and removes its data. */
export async function startService(
  t: Pick<TestContext, 'after'>,
  options: StartOptions = {},
): Promise<TestService> {
  const { pickPort = freePort } = options
  for (;;) {
    try {
      return await startAt(await pickPort(), t, options)
    } catch (error) {
      // Another process may listen on the port in the meantime.
      if (!(error instanceof Error && 'code' in error && error.code === 'EADDRINUSE')) throw error
    }
  }
}

async function startAt(
  port: number,
  t: Pick<TestContext, 'after'>,
  options: StartOptions,
): Promise<TestService> {
  const { engine = 'sqlite', natsPrefix, beside } = options
  const clock = beside?.clock ?? options.clock ?? createTestClock()
  const database = beside ? undefined : await createTestDatabase(engine)
  const folder = beside?.config.dataDir ?? (await mkdtemp(join(tmpdir(), 'gatehouse-test-')))
  const url = `http://localhost:${port}`
  const config: Config = {
    ...readConfig({
      LOG_LEVEL: 'debug',
      RATE_LIMITS: testRateLimits,
      BASE_URL: url,
      SECRET_KEY: secretKey.toString('base64'),
      ...options.env,
    }),
    databaseUrl: beside?.config.databaseUrl ?? database?.url ?? '',
    port,
    dataDir: folder,
  }
  const mails: Mail[] = []
  const log: string[] = []
  const logger = createLogger(
    config.logLevel,
    new Writable({
      write(chunk, _encoding, done) {
        log.push(String(chunk))
        done()
      },
    }),
  )
  const mailer = {
    async send(mail: Mail) {
      mails.push(mail)
    },
    async deliver(mail: Mail) {
      mails.push(mail)
      return undefined
    },
    async close() {},
  }
  /** Applies no migrations, because a new test database has all. */
  async function openTestDatabase(url: string): Promise<Database> {
    const db = await openMigrated(url)
    if (database !== undefined && options.env?.SECRET_KEY === undefined)
      await seedSigningKey(db, clock, secretKey)
    return db
  }
  async function start(overrides: Overrides = {}, databaseUrl = config.databaseUrl): Promise<Service> {
    const service = await compose({ ...config, databaseUrl }, logger, {
      clock: clock.now,
      timers: clock.timers,
      ...(config.smtpUrl === undefined && { mailer }),
      passwordCosts,
      ...(natsPrefix === undefined ? {} : { natsPrefix }),
      ...overrides,
    })
    try {
      await service.listen()
      return service
    } catch (error) {
      await service.close()
      throw error
    }
  }
  async function removeData(): Promise<void> {
    if (database === undefined) return
    await database.remove()
    await rm(folder, { recursive: true, force: true })
  }
  let service = await start({ openDatabase: openTestDatabase }).catch(async error => {
    await removeData()
    throw error
  })
  /** A request of a client fails if the API document does not have its response. */
  function checkExchange(exchange: Exchange): void {
    const { method, path, response } = exchange
    const check = apiCheckOf(service.routes)
    const [pathname = ''] = path.split('?', 1)
    const operation = check.findOperation(method, pathname)
    if (!operation) return
    check.checkResponse(operation, response)
    options.onExchange?.(operation.operationId, exchange)
  }
  const started: TestService = {
    url,
    clock,
    db: service.db,
    bus: service.bus,
    routes: service.routes,
    mails,
    log,
    config,
    client: () => createClient(url, checkExchange),
    stop: () => service.close(),
    async restart(databaseUrl) {
      await service.close()
      service = await start({}, databaseUrl)
      started.db = service.db
      started.bus = service.bus
    },
    nodes: [],
    async close() {
      for (const node of started.nodes.splice(0)) await node.close()
      // Otherwise the service gives the clients 100 ms for another request.
      service.app.server.closeIdleConnections()
      const closing = service.close()
      // A node waits for the load balancer, and until its clients have resumed on other nodes.
      await (config.natsUrl === undefined ? closing : advanceUntilSettled(clock, closing, 500))
      await removeData()
    },
  }
  if (beside) beside.nodes.push(started)
  else t.after(() => started.close())
  return started
}

/**
 * Starts two nodes with PostgreSQL and NATS. The second node uses `natsUrl`. If one of the services is unavailable,
 * skips the test and returns undefined.
 */
export async function startNodes(
  t: TestContext,
  natsUrl = testNatsUrl,
  env: Readonly<Record<string, string>> = {},
  clock = createTestClock(),
): Promise<[TestService, TestService] | undefined> {
  if ((await skipIfUnavailable(t, 'postgres')) || !(await openTestNats(t))) return undefined
  const natsPrefix = `test-${randomBytes(6).toString('hex')}`
  const options = { engine: 'postgres', natsPrefix, clock } as const
  const first = await startService(t, { ...options, env: { ...env, NATS_URL: testNatsUrl } })
  t.after(async () => {
    const bus = await connectNatsBus(testNatsUrl, { prefix: natsPrefix })
    await bus.dropKv()
    await bus.close()
  })
  return [first, await startService(t, { ...options, env: { ...env, NATS_URL: natsUrl }, beside: first })]
}

/** Declares one test per database engine, each with a new service. */
export function eachService(
  name: string,
  run: (t: TestContext, service: TestService) => Promise<void>,
  options: Omit<StartOptions, 'engine'> = {},
): void {
  for (const engine of engines) {
    test(`${name} (${engine.name})`, async t => {
      if (await skipIfUnavailable(t, engine.name)) return
      await run(t, await startService(t, { ...options, engine: engine.name }))
    })
  }
}

export { createClient, type TestClient, type TestResponse } from './client.ts'
export { freePort }
