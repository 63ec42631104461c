import { randomBytes } from 'node:crypto'
import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { testNatsUrl } from '@gatehouse/testkit/bus'
import { createFixture, type Fixture } from '@gatehouse/testkit/fixture'
import { createDurableDatabase } from '@gatehouse/testkit/postgres-databases'
import { startServerProcess } from '@gatehouse/testkit/server-process'
import { freePort, type ServiceProcess, startServiceProcess } from '@gatehouse/testkit/service-process'
import type { Load, Server } from './load.ts'

const nodeOptions = `--expose-gc --import=${import.meta.resolve('./peers/collect.ts')}`

/** A service and its records. */
export interface Target extends Server {
  service: ServiceProcess
  fixture: Fixture
  databaseUrl: string
}

export interface Options {
  short: boolean
  /** Rounds that count. */
  rounds: number
  engine: 'sqlite' | 'postgres'
  nodes: number
}

export type Side = () => Promise<Load>
export type Sides = Readonly<Record<string, Side>>
export type Bench = ReturnType<typeof createBench>

/** Starts services and peers. Its disposal stops them. */
export function createBench(options: Options) {
  const stack = new AsyncDisposableStack()
  const shared: Promise<Target>[] = []

  async function start(env: Record<string, string>): Promise<ServiceProcess> {
    const service = await startServiceProcess({ env: { ...env, NODE_OPTIONS: nodeOptions } })
    stack.defer(() => service.remove())
    return service
  }

  async function startTarget(nodes: number): Promise<Target> {
    const database = options.engine === 'postgres' ? await createDurableDatabase() : undefined
    if (database) stack.defer(() => database.drop())
    // All services of a run share one NATS server. Their snowflake ids differ, so their messages do not mix.
    const urls = database && { DATABASE_URL: database.url, NATS_URL: testNatsUrl }
    const env = { ...urls, SECRET_KEY: randomBytes(32).toString('base64') }
    const service = await start(env)
    const others = Array.from({ length: nodes - 1 }, () => start({ ...env, BASE_URL: service.url }))
    const services = [service, ...(await Promise.all(others))]
    return {
      service,
      ports: services.map(({ port }) => port),
      pids: () => services.map(each => each.pid()),
      fixture: await createFixture(service),
      databaseUrl: database?.url ?? `sqlite:${join(service.folder, 'gatehouse.db')}`,
    }
  }

  /** The service with this number of nodes, which the rows share. */
  function target(nodes: number): Promise<Target> {
    shared[nodes] ??= startTarget(nodes)
    return shared[nodes]
  }

  return {
    ...options,
    /** The number of codes or the duration of a load. */
    codes: options.short ? 500 : 2000,
    seconds: options.short ? 1 : 4,
    target,
    /** Starts another service with an empty database and one node. */
    startTarget: () => startTarget(1),
    /** Starts a process to compare with. */
    async startPeer(file: string, ...args: string[]): Promise<Server> {
      const port = await freePort()
      const url = `http://127.0.0.1:${port}`
      const peer = await startServerProcess({
        command: [process.execPath, join(import.meta.dirname, 'peers', file), ...args],
        folder: mkdtempSync(join(tmpdir(), 'gatehouse-bench-')),
        url,
        probe: async () => void (await fetch(url)),
        env: { NODE_OPTIONS: nodeOptions, PORT: String(port) },
        logFile: 'inherit',
      })
      stack.defer(() => peer.remove())
      return { ports: [port], pids: () => [peer.pid()] }
    },
    /** The side `ours`, and with several nodes also `one node`. `prepare` returns the load of a service. */
    async ourSides(prepare: (target: Target) => Promise<Side>): Promise<Sides> {
      const ours = await prepare(await target(options.nodes))
      return options.nodes === 1 ? { ours } : { ours, 'one node': await prepare(await target(1)) }
    },
    [Symbol.asyncDispose]: () => stack.disposeAsync(),
  }
}
