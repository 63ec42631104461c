import { randomBytes } from 'node:crypto'
import type { TestContext } from 'node:test'
import { type LocalServer, startPostgres } from '@gatehouse/testkit/local-servers'
import { PostgresClient } from '@gatehouse/testkit/postgres-client'
import { type ServiceProcess, startServiceProcess } from '@gatehouse/testkit/service-process'

export type Engine = 'SQLite' | 'PostgreSQL'

export const bothEngines: readonly Engine[] = ['SQLite', 'PostgreSQL']

/** An injected fault and the invariant that the service must keep. */
export interface Fault {
  name: string
  invariant: string
  /** The engines of the services that the fault starts. */
  engines: readonly Engine[]
  /** For each engine. A short run has a third of this time. */
  timeoutMs: number
  /** Returns a summary of the measurements. Throws if the invariant is violated. */
  run(context: FaultContext): Promise<string>
}

export interface Settings {
  short: boolean
  seed: number
  rounds: number | undefined
  /** Secrets that must not be in any log. */
  secrets: Set<string>
  /** The log output of all services of the run. */
  logFile: string
}

export interface FaultContext extends Settings {
  /** The server of the databases, if the engine is PostgreSQL. */
  postgres: LocalServer | undefined
  /** Removes the server at the end. Throws `Skip` if there is none, because it is not installed. */
  use<Server extends { remove(): Promise<void> }>(name: string, server: Server | undefined): Server
  /** Runs `f` at the end, in the order of the calls. */
  after(f: () => unknown): void
  /** Starts a service with a new database, or with the database of the service that had the same `folder`. */
  startService: typeof startServiceProcess
}

/** One of the requirements of a fault is missing. */
export class Skip extends Error {}

export async function createContext(
  t: TestContext,
  settings: Settings,
  engine: Engine,
): Promise<FaultContext> {
  const use: FaultContext['use'] = (name, server) => {
    if (!server) throw new Skip(`${name} is not installed`)
    t.after(() => server.remove())
    return server
  }
  const postgres = engine === 'PostgreSQL' ? use('PostgreSQL', await startPostgres()) : undefined
  const databases = new Map<string, string>()
  return {
    ...settings,
    postgres,
    use,
    after: f => t.after(async () => void (await f())),
    async startService(options = {}) {
      const database = databases.get(options.folder ?? '') ?? (postgres && (await createDatabase(postgres)))
      const env = {
        LOG_LEVEL: 'debug',
        ...(database === undefined ? {} : { DATABASE_URL: database }),
        ...options.env,
      }
      const service: ServiceProcess = await startServiceProcess({
        ...options,
        env,
        logFile: settings.logFile,
      })
      if (database !== undefined) databases.set(service.folder, database)
      t.after(async () => {
        await service.end('SIGKILL')
        await service.remove()
      })
      return service
    },
  }
}

/** Returns the URL of a new, empty database. */
async function createDatabase(server: LocalServer): Promise<string> {
  const name = `gatehouse_${randomBytes(4).toString('hex')}`
  const client = new PostgresClient(server.url)
  await client.query(`CREATE DATABASE ${name}`)
  await client.close()
  return new URL(name, server.url).href
}
