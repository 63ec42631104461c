import { install, installFault } from './install.ts'
import { findCommand, natsFault, postgresFault } from './probe.ts'
import { type Started, startNats, startPostgres } from './start.ts'

/** What the tests run against, as the environment variables that they read. */
export interface Services {
  env: Record<string, string>
  /** In words, one each: what is not there, and so what will not be run. */
  missing: string[]
  /** Ends what was started here. */
  stop(): Promise<void>
}

interface Server {
  name: string
  variable: string
  defaultUrl: string
  package: string
  fault: (url: string) => Promise<string | undefined>
  start: () => Promise<Started | undefined>
}

const servers: Server[] = [
  {
    name: 'PostgreSQL',
    variable: 'TEST_DATABASE_URL',
    defaultUrl: 'postgres://root@127.0.0.1:5432/postgres',
    package: 'postgresql',
    fault: postgresFault,
    start: startPostgres,
  },
  {
    name: 'NATS',
    variable: 'TEST_NATS_URL',
    defaultUrl: 'nats://127.0.0.1:4222',
    package: 'nats-server',
    fault: natsFault,
    start: startNats,
  },
]

const browsers = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable']

/**
 * Finds PostgreSQL, NATS and Chromium: what answers is used, what is installed is started for this run, what can be
 * installed is; the rest is missing, with the reason. What a variable names is used or missing, never replaced.
 */
export async function findServices(signal: AbortSignal): Promise<Services> {
  const env: Record<string, string> = {}
  const missing: string[] = []
  const started: Started[] = []
  for (const server of servers) {
    try {
      const found = await findServer(server, signal)
      env[server.variable] = found.url
      if ('stop' in found) started.push(found)
    } catch (error) {
      missing.push(`${server.name}: ${error instanceof Error ? error.message : String(error)}`)
    }
  }
  const chromium = await findChromium(signal)
  if ('path' in chromium) env.CHROMIUM_PATH = chromium.path
  else missing.push(`Chromium: ${chromium.fault}`)
  return {
    env,
    missing,
    async stop() {
      await Promise.all(started.map(service => service.stop()))
    },
  }
}

async function findServer(server: Server, signal: AbortSignal): Promise<Started | { url: string }> {
  const named = process.env[server.variable]
  const url = named ?? server.defaultUrl
  const fault = await server.fault(url)
  if (fault === undefined) return { url }
  if (named !== undefined) throw new Error(`${server.variable} does not answer (${fault})`)
  const own = await server.start()
  if (own) return own
  const refused = installFault() ?? (await install(server.package, signal))
  if (refused !== undefined) throw new Error(`nothing answers at ${server.defaultUrl}, and ${refused}`)
  const fresh = await server.start()
  if (!fresh) throw new Error(`${server.package} was installed and its server was not found`)
  return fresh
}

async function findChromium(signal: AbortSignal): Promise<{ path: string } | { fault: string }> {
  const named = process.env.CHROMIUM_PATH ?? process.env.CHROMIUM
  if (named !== undefined) {
    const path = findCommand([named])
    return path ? { path } : { fault: `${named} cannot be run` }
  }
  const names = browsers.flatMap(name => [`/usr/bin/${name}`, name])
  const path = findCommand(names)
  if (path) return { path }
  const refused = installFault() ?? (await install('chromium', signal))
  const fresh = findCommand(names)
  return fresh ? { path: fresh } : { fault: refused ?? 'it was installed and not found' }
}
