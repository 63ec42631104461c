import { readdirSync, readFileSync } from 'node:fs'
import { PostgresClient } from '@gatehouse/testkit/postgres-client'
import { readProcessorTime } from '@gatehouse/testkit/service-process'
import type { Target } from './bench.ts'
import { median } from './load/statistics.ts'

const counters = ['round_trips', 'statements', 'transactions'] as const
const figures = [...counters, 'node', 'postgres', 'nats', 'wal', 'bus'] as const

/** What one operation uses. `node`, `postgres` and `nats` are processor times in microseconds, `wal` and `bus` are bytes. */
export type Costs = Record<(typeof figures)[number], number>

/** Runs a load on the service and measures what each of its operations costs. */
export async function measureCosts<Result extends { done: number }>(
  target: Target,
  run: () => Promise<Result>,
): Promise<Result & { costs: Costs }> {
  const database = target.databaseUrl.startsWith('postgres')
    ? new PostgresClient(target.databaseUrl)
    : undefined
  try {
    const before = await readUsage(target, database)
    const result = await run()
    const after = await readUsage(target, database)
    const costs = mapFigures(name => (after[name] - before[name]) / result.done)
    return { ...result, costs }
  } finally {
    await database?.close()
  }
}

export function medianCosts(all: readonly Costs[]): Costs {
  return mapFigures(name => median(all.map(each => each[name])))
}

/** Without those of the second, both of the same number of operations. */
export function subtractCosts(costs: Costs, other: Costs): Costs {
  return mapFigures(name => costs[name] - other[name])
}

/** The median of each figure. */
export function describeCosts(all: readonly Costs[]): string {
  const costs = medianCosts(all)
  const node = `node ${costs.node.toFixed(0)} µs`
  if (costs.statements === 0) return node
  const counts = counters.map(name => `${costs[name].toFixed(2)} ${name.replace('_', ' ')}`).join(', ')
  return (
    `${counts}; ${node}, PostgreSQL ${costs.postgres.toFixed(0)} µs, NATS ${costs.nats.toFixed(0)} µs; ` +
    `${costs.wal.toFixed(0)} bytes of WAL, ${costs.bus.toFixed(0)} bytes on the bus`
  )
}

function mapFigures(f: (name: keyof Costs) => number): Costs {
  // Has every name.
  return Object.fromEntries(figures.map(name => [name, f(name)])) as Costs
}

/** Since the start of the processes. */
async function readUsage({ services }: Target, database: PostgresClient | undefined): Promise<Costs> {
  const metrics = await Promise.all(
    services.map(({ url }) => fetch(`${url}/metrics`).then(reply => reply.text())),
  )
  const sum = (values: readonly number[]) => values.reduce((total, value) => total + value, 0)
  const count = (name: string) =>
    sum(
      metrics.map(text =>
        Number(new RegExp(`^gatehouse_postgres_${name}_total (\\d+)`, 'm').exec(text)?.[1] ?? 0),
      ),
    )
  const [server] = database
    ? await database.query<{ pids: string; wal: string }>(`
        SELECT string_agg(pid::text, ',') AS pids, pg_current_wal_lsn() - '0/0'::pg_lsn AS wal FROM pg_stat_activity
        WHERE datname = current_database() AND pid <> pg_backend_pid()`)
    : []
  return {
    round_trips: count('round_trips'),
    statements: count('statements'),
    transactions: count('transactions'),
    node: sum(services.map(service => readProcessorTime(service.pid()) * 1e6)),
    postgres: sum((server?.pids.split(',') ?? []).map(readSingleThreadTime)),
    nats: database ? sum(listProcesses('nats-server').map(pid => readProcessorTime(pid) * 1e6)) : 0,
    wal: Number(server?.wal ?? 0),
    bus: database ? sum(listProcesses('nats-server').map(readTransferred)) : 0,
  }
}

/** More precise than `readProcessorTime`, for processes with one thread. NaN if the process runs on another machine. */
function readSingleThreadTime(pid: string): number {
  try {
    return Number(readFileSync(`/proc/${pid}/schedstat`, 'utf8').split(' ')[0]) / 1000
  } catch {
    return Number.NaN
  }
}

/** The bytes that a process has read and written, NATS on its connections. */
function readTransferred(pid: number): number {
  const io = readFileSync(`/proc/${pid}/io`, 'utf8')
  return ['rchar', 'wchar'].reduce(
    (total, name) => total + Number(new RegExp(`^${name}: (\\d+)`, 'm').exec(io)?.[1]),
    0,
  )
}

function listProcesses(name: string): number[] {
  return readdirSync('/proc')
    .map(Number)
    .filter(pid => {
      try {
        return pid > 0 && readFileSync(`/proc/${pid}/comm`, 'utf8').trim() === name
      } catch {
        return false
      }
    })
}
