import { randomBytes } from 'node:crypto'
import { appendFileSync } from 'node:fs'
import { type TestContext, test } from 'node:test'
import { startNats, startPostgres } from '@gatehouse/testkit/local-servers'
import { PostgresClient } from '@gatehouse/testkit/postgres-client'
import type { ServerProcess } from '@gatehouse/testkit/server-process'
import { startServiceProcess } from '@gatehouse/testkit/service-process'
import { help, logFile, only, secretKey, short } from './settings.ts'
import { createTarget, type Target } from './target.ts'

export type Engine = 'SQLite' | 'PostgreSQL'

export const bothEngines: readonly Engine[] = ['SQLite', 'PostgreSQL']

/** The names of all faults. */
export const names: string[] = []

/**
 * Declares a test for each engine of the services that the fault starts. In a short run it has a third of the
 * minutes. `run` injects the fault, throws if the service does not keep the invariant, and returns a summary of
 * the measurements.
 */
export function fault(
  name: string,
  engines: readonly Engine[],
  minutes: number,
  invariant: string,
  run: (context: FaultContext) => Promise<string>,
): void {
  names.push(name)
  if (help) console.log(`  ${name.padEnd(13)} ${invariant}`)
  if (help || only?.includes(name) === false) return
  const timeout = minutes * (short ? 20_000 : 60_000)
  for (const engine of engines)
    test(`${name}, ${engine}: ${invariant}`, { timeout }, async t => {
      try {
        t.diagnostic(`${name}, ${engine}: ${await run(await createContext(t, engine))}`)
      } catch (error) {
        if (!(error instanceof Skip)) throw error
        t.skip(error.message)
      }
    })
}

/** One of the requirements of a fault is missing. */
export class Skip extends Error {}

/** What a fault starts. It ends with its test. */
export type FaultContext = Awaited<ReturnType<typeof createContext>>

/** The address that a node listens on, and the command that enters its network namespace. Default: loopback. */
type Place = { host?: string; wrapper?: readonly string[] }

async function createContext(t: TestContext, engine: Engine) {
  /** Removes the server at the end and keeps its log. Throws `Skip` if there is none, because it is not installed. */
  function use<Server extends { readLog(): string; remove(): Promise<void> }>(
    name: string,
    server: Server | undefined,
  ): Server {
    if (!server) throw new Skip(`${name} is not installed`)
    t.after(async () => {
      appendFileSync(logFile, server.readLog())
      await server.remove()
    })
    return server
  }
  const startBus = async () => use('nats-server', await startNats())
  const postgres = engine === 'PostgreSQL' ? use('PostgreSQL', await startPostgres()) : undefined
  const databases = new Map<string, string>()

  /** Starts a service with a new database, or with the database of the service that had the same `folder`. */
  async function startService(options: Parameters<typeof startServiceProcess>[0] = {}) {
    const database = databases.get(options.folder ?? '') ?? (postgres && (await createDatabase(postgres)))
    const env = { LOG_LEVEL: 'debug', ...(database && { DATABASE_URL: database }), ...options.env }
    const service = await startServiceProcess({ ...options, env, logFile })
    if (database !== undefined) databases.set(service.folder, database)
    t.after(async () => {
      await service.end('SIGKILL')
      await service.remove()
    })
    return service
  }

  /** Starts a service with a new database and a fixture. */
  async function startTarget(env: Readonly<Record<string, string>> = {}): Promise<Target> {
    return createTarget(await startService({ env }))
  }

  /** Starts nodes of one service, one at each place, on loopback by default. They share the fixture of the first. */
  async function startNodes<const Places extends readonly Place[]>(
    places: Places,
    options: Readonly<Record<string, string>> = {},
  ): Promise<{ [Node in keyof Places]: Target }> {
    const env: Record<string, string> = {
      NATS_URL: options.NATS_URL ?? (await startBus()).url,
      DATABASE_URL: postgres?.url ?? '',
      SECRET_KEY: secretKey,
      ...options,
    }
    const nodes: Target[] = []
    for (const place of places) {
      const service = await startService({ ...place, env })
      env.BASE_URL ??= service.url
      nodes.push(await createTarget(service, nodes[0]))
    }
    return nodes as { [Node in keyof Places]: Target }
  }

  /** Runs `f` at the end, in the order of the calls. */
  const after = (f: () => unknown) => t.after(async () => void (await f()))
  return { after, postgres, use, startBus, startService, startTarget, startNodes }
}

/** Returns the URL of a new, empty database. */
async function createDatabase(server: ServerProcess): Promise<string> {
  const name = `gatehouse_${randomBytes(4).toString('hex')}`
  const client = new PostgresClient(server.url)
  await client.query(`CREATE DATABASE ${name}`)
  await client.close()
  return new URL(name, server.url).href
}
