import { probeNats, probePostgres, startNats, startPostgres } from '@gatehouse/testkit/local-servers'
import type { ServerProcess } from '@gatehouse/testkit/server-process'
import { findBrowser } from '@gatehouse/testkit/start-browser'

export interface Services {
  /** One line for each service that is missing, with the reason. */
  missing: string[]
  /** The servers that were started for this run. */
  started: ServerProcess[]
}

const servers = [
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
 * Finds PostgreSQL, NATS and Chromium and sets the environment variables that the tests read. A server that is
 * installed but not running is started for this run, unless the variable names one.
 */
export async function findServices(): Promise<Services> {
  const missing: string[] = []
  const started: ServerProcess[] = []
  for (const { name, variable, defaultUrl, probe, start } of servers) {
    const { [variable]: configured } = process.env
    const url = configured ?? defaultUrl
    try {
      const problem = await probe(url).then(() => undefined, findReason)
      const server = problem === undefined || configured !== undefined ? undefined : await start()
      if (server) started.push(server)
      else if (problem !== undefined)
        throw new Error(`the server at ${configured ? variable : url} is not usable (${problem})`)
      process.env[variable] = server?.url ?? url
    } catch (error) {
      missing.push(`${name}: ${error instanceof Error ? error.message : String(error)}`)
    }
  }
  const browser = findBrowser()
  const { CHROMIUM_PATH: named } = process.env
  if (browser) process.env.CHROMIUM_PATH = browser
  else missing.push(`Chromium: ${named ? `${named} is not an executable file` : 'not installed'}`)
  return { missing, started }
}

/** The innermost cause has the system error. */
function findReason(error: Error): string {
  return error.cause instanceof Error ? findReason(error.cause) : error.message
}
