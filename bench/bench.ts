import { randomBytes } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { testNatsUrl } from '@gatehouse/testkit/bus'
import { createFixture, type Fixture } from '@gatehouse/testkit/fixture'
import { createDurableDatabase } from '@gatehouse/testkit/postgres-databases'
import { type ServiceProcess, startServiceProcess } from '@gatehouse/testkit/service-process'
import { createSocketGroup, type SocketGroup } from './load/socket-group.ts'
import { median } from './load/statistics.ts'
import { type Peer, startPeer } from './peer.ts'

export type Engine = 'sqlite' | 'postgres'

/** One line of the results table. */
export interface Result {
  what: string
  /** Medians over all rounds by side, with units. */
  sides: Record<string, string>
  /** The measured value, its goal if there is one, and whether the value reaches the goal. */
  figure: string
  goal: string | undefined
  isReached: boolean
  /** The command fails if the goal is missed. */
  isRequired?: true
  /** For the capacity model. */
  constants?: object
  errors: Record<string, number>
}

export interface Row {
  name: string
  /** The description for `--help`. */
  what: string
  /** Skipped with several nodes: the row starts its own services, or loads a single page. */
  ofOneNode?: true
  run(bench: Bench): Promise<Result[]>
}

/** A service and its records. */
export interface Target {
  service: ServiceProcess
  /** `service` and the other nodes. */
  services: readonly ServiceProcess[]
  /** The ports of `service` and of the other nodes. */
  ports: readonly number[]
  fixture: Fixture
  databaseUrl: string
}

export interface Bench {
  short: boolean
  engine: Engine
  nodes: number
  rounds: number
  /** The duration of the load per side and round, in milliseconds. */
  ms: number
  connections: number
  sockets: SocketGroup
  /** The service that the rows share. It can have several nodes. */
  target(): Promise<Target>
  /** What the processor time of `target` is compared with: one node if it has several, otherwise SQLite. */
  reference(): Promise<Target | undefined>
  /** Starts another service with an empty database and one node. */
  startTarget(env?: Readonly<Record<string, string>>): Promise<Target>
  startPeer: typeof startPeer
  folder: string
}

export interface BenchOptions {
  short: boolean
  rounds: number
  engine: Engine
  /** Nodes of the shared service. More than one requires PostgreSQL. */
  nodes: number
}

/** Stops everything that `f` started when `f` returns. */
export async function withBench<T>(options: BenchOptions, f: (bench: Bench) => Promise<T>): Promise<T> {
  const folder = mkdtempSync(join(tmpdir(), 'gatehouse-bench-'))
  const databases: { drop(): Promise<void> }[] = []
  const services: ServiceProcess[] = []
  const peers: Peer[] = []
  let shared: Promise<Target> | undefined
  let reference: Promise<Target> | undefined

  async function start(env: Record<string, string>): Promise<ServiceProcess> {
    const service = await startServiceProcess({ env })
    services.push(service)
    return service
  }

  async function startTarget({ engine = options.engine, nodes = 1, more = {} } = {}): Promise<Target> {
    const database = engine === 'postgres' ? await createDurableDatabase() : undefined
    if (database) databases.push(database)
    // All services of a run share one NATS server. Their snowflake ids differ, so their messages do not mix.
    const urls = database && { DATABASE_URL: database.url, NATS_URL: testNatsUrl }
    const env = { ...urls, ...more, SECRET_KEY: randomBytes(32).toString('base64') }
    const service = await start(env)
    const others = Array.from({ length: nodes - 1 }, () => start({ ...env, BASE_URL: service.url }))
    const all = [service, ...(await Promise.all(others))]
    const databaseUrl = database?.url ?? `sqlite:${join(service.folder, 'gatehouse.db')}`
    const ports = all.map(({ port }) => port)
    return { service, services: all, ports, fixture: await createFixture(service), databaseUrl }
  }

  const bench: Bench = {
    short: options.short,
    engine: options.engine,
    nodes: options.nodes,
    rounds: options.rounds,
    ms: options.short ? 500 : 4000,
    connections: 50,
    sockets: createSocketGroup(),
    startTarget: (more = {}) => startTarget({ more }),
    target() {
      shared ??= startTarget({ nodes: options.nodes })
      return shared
    },
    async reference() {
      if (options.engine === 'postgres')
        reference ??= startTarget({ engine: options.nodes === 1 ? 'sqlite' : 'postgres' })
      return reference
    },
    async startPeer(file, ...args) {
      const peer = await startPeer(file, ...args)
      peers.push(peer)
      return peer
    },
    folder,
  }
  try {
    return await f(bench)
  } finally {
    for (const peer of peers) peer.stop()
    await Promise.all(services.map(service => service.remove()))
    for (const database of databases) await database.drop()
    rmSync(folder, { recursive: true, force: true })
  }
}

/** Measures the sides alternately in every round. The first round is a warm-up for the JIT and does not count. */
export async function measureAlternately<Round extends object>(
  rounds: number,
  sides: { [Side in keyof Round]: () => Promise<Round[Side]> },
): Promise<Round[]> {
  const results: Round[] = []
  for (let round = 0; round <= rounds; round++) {
    const result: Partial<Round> = {}
    for (const side in sides) result[side] = await sides[side]()
    // The loop above has set every side.
    if (round > 0) results.push(result as Round)
  }
  return results
}

export function medianOf<T>(rounds: readonly T[], value: (round: T) => number): number {
  return median(rounds.map(value))
}

export function joinErrors(...all: readonly Record<string, number>[]): Record<string, number> {
  const joined: Record<string, number> = {}
  for (const errors of all) {
    for (const [text, count] of Object.entries(errors)) joined[text] = (joined[text] ?? 0) + count
  }
  return joined
}
