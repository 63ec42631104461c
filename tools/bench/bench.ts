import { type ChildProcess, fork } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { testNatsUrl } from '@gatehouse/testkit/bus'
import { createFixture, type Fixture } from '@gatehouse/testkit/fixture'
import { createDurableDatabase } from '@gatehouse/testkit/postgres-databases'
import { type ServiceProcess, startServiceProcess } from '@gatehouse/testkit/service-process'
import type { Load, Server } from './load.ts'

const nodeOptions = `--expose-gc --import=${import.meta.resolve('./peers/collect.ts')}`

/** A service and its records. */
export interface Target extends Server {
  service: ServiceProcess
  fixture: Fixture
  databaseUrl: string
}

/** A process to compare with. */
export interface Peer extends Server {
  ports: readonly [number]
  /** Sends a message to the peer and resolves to its reply. */
  ask<T>(message: object): Promise<T>
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
  let shared: Promise<Target> | undefined
  let oneNode: Promise<Target> | undefined

  async function start(env: Record<string, string>): Promise<ServiceProcess> {
    const service = await startServiceProcess({ env: { ...env, NODE_OPTIONS: nodeOptions } })
    stack.defer(() => service.remove())
    return service
  }

  async function startTarget(nodes = 1): Promise<Target> {
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

  function target(): Promise<Target> {
    shared ??= startTarget(options.nodes)
    return shared
  }

  return {
    ...options,
    /** The duration of a load. */
    seconds: options.short ? 1 : 4,
    /** The service that the rows share. It can have several nodes. */
    target,
    /** Starts another service with an empty database and one node. */
    startTarget: () => startTarget(),
    async startPeer(file: string, ...args: string[]): Promise<Peer> {
      const cwd = mkdtempSync(join(tmpdir(), 'gatehouse-bench-'))
      stack.defer(() => rmSync(cwd, { recursive: true }))
      const program = join(import.meta.dirname, 'peers', file)
      const env = { ...process.env, NODE_OPTIONS: nodeOptions }
      const child = fork(program, args, { cwd, env, stdio: ['ignore', 'ignore', 'inherit', 'ipc'] })
      stack.defer(() => void child.kill('SIGKILL'))
      const { port } = await exchange<{ port: number }>(child)
      return { ports: [port], pids: () => [child.pid ?? 0], ask: message => exchange(child, message) }
    },
    /** The side `ours`, and with several nodes also `one node`. `prepare` returns the load of a service. */
    async ourSides(prepare: (target: Target) => Promise<Side>): Promise<Sides> {
      const ours = await prepare(await target())
      if (options.nodes === 1) return { ours }
      oneNode ??= startTarget()
      return { ours, 'one node': await prepare(await oneNode) }
    },
    [Symbol.asyncDispose]: () => stack.disposeAsync(),
  }
}

/** Sends the message, if any, and resolves to the next message of the process. */
async function exchange<T>(child: ChildProcess, message?: object): Promise<T> {
  if (message) child.send(message)
  const ended = once(child, 'exit').then(([code]) => [new Error(`${child.spawnargs[1]} ended with ${code}`)])
  const [reply] = await Promise.race([once(child, 'message'), ended])
  if (reply instanceof Error) throw reply
  return reply
}
