import {
  type LocalServer,
  probeNats,
  probePostgres,
  startNats,
  startPostgres,
} from '@gatehouse/testkit/local-servers'
import { findBrowser } from '@gatehouse/testkit/start-browser'

/** The services that the tests use, as the environment variables that they read. */
export interface Services {
  env: Record<string, string>
  /** One line for each service that is missing, with the reason. */
  missing: string[]
  /** Stops the servers that were started here. */
  stop(): Promise<void>
}

interface Server {
  name: string
  variable: string
  defaultUrl: string
  probe: (url: string) => Promise<string | undefined>
  start: () => Promise<LocalServer | undefined>
}

const servers: Server[] = [
  {
    name: 'PostgreSQL',
    variable: 'TEST_DATABASE_URL',
    defaultUrl: 'postgres://root@127.0.0.1:5432/postgres',
    probe: probePostgres,
    // The data is not needed after the run, so nothing is flushed to the disk.
    start: () => startPostgres(undefined, ['fsync=off', 'synchronous_commit=off', 'full_page_writes=off']),
  },
  {
    name: 'NATS',
    variable: 'TEST_NATS_URL',
    defaultUrl: 'nats://127.0.0.1:4222',
    probe: probeNats,
    start: () => startNats(),
  },
]

/**
 * Finds PostgreSQL, NATS and Chromium. A server that is installed but not running is started for this run. If an
 * environment variable names a service, only that one is used.
 */
export async function findServices(): Promise<Services> {
  const env: Record<string, string> = {}
  const missing: string[] = []
  const started: LocalServer[] = []
  for (const server of servers) {
    try {
      const found = await findServer(server)
      env[server.variable] = found.url
      if ('remove' in found) started.push(found)
    } catch (error) {
      missing.push(`${server.name}: ${error instanceof Error ? error.message : String(error)}`)
    }
  }
  const browser = findBrowser()
  const named = process.env.CHROMIUM_PATH
  if (browser) env.CHROMIUM_PATH = browser
  else missing.push(`Chromium: ${named ? `${named} is not an executable file` : 'not installed'}`)
  return {
    env,
    missing,
    async stop() {
      await Promise.all(started.map(server => server.remove()))
    },
  }
}

async function findServer(server: Server): Promise<LocalServer | { url: string }> {
  const configured = process.env[server.variable]
  const url = configured ?? server.defaultUrl
  const problem = await server.probe(url)
  if (problem === undefined) return { url }
  if (configured !== undefined) throw new Error(`the server at ${server.variable} is not usable (${problem})`)
  const started = await server.start()
  if (!started) throw new Error(`no server at ${server.defaultUrl}, and none is installed`)
  return started
}
