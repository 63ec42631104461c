import { randomBytes } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Writable } from 'node:stream'
import { type TestContext, test } from 'node:test'
import { freePort } from '../../../tools/free-port.ts'
import type { Bus } from './bus/bus.ts'
import { connectNatsBus } from './bus/nats.ts'
import { openTestNats, testNatsUrl } from './bus/testing.ts'
import { compose, type Service } from './compose.ts'
import { type Config, readConfig } from './config.ts'
import { createLogger } from './http/log.ts'
import { createTestClock, type TestClock } from './kit/testing.ts'
import type { Mail } from './mail/mailer.ts'
import { seedSigningKey } from './oauth/signing-keys/testing.ts'
import type { Database } from './storage/database.ts'
import { type EngineName, engines, openTestDatabase, skipsWithout } from './storage/testing.ts'

const secretKey = randomBytes(32)

/** The whole service, listening on a loopback port of its own, with a clock in hand. */
export interface TestService {
  /** `http://localhost:PORT`, also the BASE_URL. */
  url: string
  clock: TestClock
  db: Database
  bus: Bus
  /** What was sent so far. */
  mails: Mail[]
  /** Every line of the log so far. */
  log: string[]
  config: Config
  client(): Client
  /** Those that were started beside it, and end with it. */
  nodes: TestService[]
  /** Stops and starts it again on the same data and port. */
  restart(): Promise<void>
  close(): Promise<void>
}

export interface StartOptions {
  engine?: EngineName
  env?: Readonly<Record<string, string>>
  /** With NATS_URL: services with the same are nodes of one. */
  natsPrefix?: string
  /** Another node on the data and the clock of this one, which closes it. */
  beside?: TestService
  /** Gives a port to try. */
  pickPort?: () => Promise<number>
}

/** Starts the service; it is closed, and its data removed, when the test ends. */
export async function startService(t: TestContext, options: StartOptions = {}): Promise<TestService> {
  const { pickPort = freePort } = options
  for (;;) {
    try {
      return await startAt(await pickPort(), t, options)
    } catch (error) {
      // Another process may take a free port, or look whether it is free, before this one listens on it.
      if (!(error instanceof Error && 'code' in error && error.code === 'EADDRINUSE')) throw error
    }
  }
}

async function startAt(port: number, t: TestContext, options: StartOptions): Promise<TestService> {
  const { engine = 'sqlite', natsPrefix, beside } = options
  const clock = beside?.clock ?? createTestClock()
  const database = beside ? undefined : await openTestDatabase(engine)
  if (database && options.env?.SECRET_KEY === undefined) await seedSigningKey(database.db, clock, secretKey)
  await database?.db.close()
  const folder = beside?.config.dataDir ?? (await mkdtemp(join(tmpdir(), 'gatehouse-test-')))
  const url = `http://localhost:${port}`
  const config: Config = {
    ...readConfig({
      LOG_LEVEL: 'debug',
      RATE_LIMITS: 'on',
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
    async close() {},
  }
  async function start(): Promise<Service> {
    const service = await compose(config, logger, {
      clock: clock.now,
      timers: clock.timers,
      mailer,
      ...(natsPrefix === undefined ? {} : { natsPrefix }),
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
    await database.close()
    await rm(folder, { recursive: true, force: true })
  }
  let service = await start().catch(async error => {
    await removeData()
    throw error
  })
  const started: TestService = {
    url,
    clock,
    db: service.db,
    bus: service.bus,
    mails,
    log,
    config,
    client: () => createClient(url),
    async restart() {
      await service.close()
      service = await start()
      started.db = service.db
      started.bus = service.bus
    },
    nodes: [],
    async close() {
      for (const node of started.nodes.splice(0)) await node.close()
      await service.close()
      await removeData()
    },
  }
  if (beside) beside.nodes.push(started)
  else t.after(() => started.close())
  return started
}

/**
 * Two nodes of one service on PostgreSQL and NATS, which the second asks at `natsUrl`. Undefined where one of the two is
 * not there: the test is then skipped by name.
 */
export async function startNodes(
  t: TestContext,
  natsUrl = testNatsUrl,
): Promise<[TestService, TestService] | undefined> {
  if ((await skipsWithout(t, 'postgres')) || !(await openTestNats(t))) return undefined
  const natsPrefix = `test-${randomBytes(6).toString('hex')}`
  const options = { engine: 'postgres', natsPrefix } as const
  const first = await startService(t, { ...options, env: { NATS_URL: testNatsUrl } })
  t.after(async () => {
    const bus = await connectNatsBus(testNatsUrl, { prefix: natsPrefix })
    await bus.dropTransient()
    await bus.close()
  })
  return [first, await startService(t, { ...options, env: { NATS_URL: natsUrl }, beside: first })]
}

/** One test per storage engine, each with a service of its own. */
export function eachService(
  name: string,
  run: (t: TestContext, service: TestService) => Promise<void>,
  options: Omit<StartOptions, 'engine'> = {},
): void {
  for (const engine of engines) {
    test(`${name} (${engine.name})`, async t => {
      if (await skipsWithout(t, engine.name)) return
      await run(t, await startService(t, { ...options, engine: engine.name }))
    })
  }
}

/** Like a browser without script: keeps cookies, sends its own origin, follows no redirect. */
export interface Client {
  readonly cookies: Map<string, string>
  /** A JSON request; `body` undefined sends none. */
  json(
    method: string,
    path: string,
    body?: unknown,
    headers?: Readonly<Record<string, string>>,
  ): Promise<Reply>
  /** A form post, as a page of the service would send it. */
  form(
    path: string,
    fields: Readonly<Record<string, string>>,
    headers?: Readonly<Record<string, string>>,
  ): Promise<Reply>
  get(path: string, headers?: Readonly<Record<string, string>>): Promise<Reply>
  send(path: string, init: RequestInit): Promise<Reply>
}

export interface Reply {
  status: number
  headers: Headers
  text: string
  /** What JSON.parse makes of the body, for assertions to look into; undefined where it is not JSON. */
  body: ReturnType<typeof JSON.parse>
}

export function createClient(url: string): Client {
  const cookies = new Map<string, string>()
  async function send(path: string, init: RequestInit): Promise<Reply> {
    const headers = new Headers(init.headers)
    if (cookies.size > 0 && !headers.has('cookie')) {
      headers.set('cookie', [...cookies].map(([name, value]) => `${name}=${value}`).join('; '))
    }
    const response = await fetch(new URL(path, url), { redirect: 'manual', ...init, headers })
    for (const line of response.headers.getSetCookie()) {
      const [pair = ''] = line.split(';')
      const equals = pair.indexOf('=')
      const value = pair.slice(equals + 1)
      if (value === '') cookies.delete(pair.slice(0, equals))
      else cookies.set(pair.slice(0, equals), value)
    }
    const text = await response.text()
    return { status: response.status, headers: response.headers, text, body: parsed(text) }
  }
  return {
    cookies,
    send,
    get: (path, headers = {}) => send(path, { headers }),
    json: (method, path, body, headers = {}) =>
      send(path, {
        method,
        headers: { ...(body === undefined ? {} : { 'content-type': 'application/json' }), ...headers },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      }),
    form: (path, fields, headers = {}) =>
      send(path, {
        method: 'POST',
        headers: {
          'content-type': 'application/x-www-form-urlencoded',
          'sec-fetch-site': 'same-origin',
          ...headers,
        },
        body: new URLSearchParams(fields).toString(),
      }),
  }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

export { freePort }
