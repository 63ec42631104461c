import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { addMembers } from '@gatehouse/testkit/fixture'
import type { Bench, Result, Row, Target } from '../bench.ts'
import {
  type Constants,
  type Cost,
  compare,
  describePrediction,
  type OperationName,
  predict,
  simulate,
} from '../capacity.ts'
import { type Costs, measureCosts, medianCosts } from '../costs.ts'
import { runClosedLoop } from '../load/closed-loop.ts'
import { HttpConnection, type HttpRequest } from '../load/http-client.ts'
import { portOf } from '../load/ports.ts'
import { runRoundTrips } from '../load/round-trips.ts'
import type { Scenario } from '../load/scenarios.ts'
import {
  authorizations,
  fetchCodes,
  interactions,
  json,
  passwordSignIn,
  post,
  tokens,
  webhookPosts,
} from '../scenarios.ts'
import { broadcastOf, gatewaySockets, measureGrowth } from './sockets.ts'

const people = 1_000_000
const connections = 20
const rounds = 3
const settleMs = 1500

export const capacityRow: Row = {
  name: 'capacity',
  what: 'the model of docs/scale.md against a simulated week at 1,000,000 people',
  ofOneNode: true,
  async run(bench) {
    const measured = bench.engine === 'postgres' ? await measureConstants(bench) : undefined
    const constants = measured ?? newestConstants()
    const prediction = predict(constants, people)
    return [
      ...(measured ? [describe(measured)] : []),
      ...[10_000, 100_000, people].map(count => describePrediction(predict(constants, count))),
      ...compare(prediction, simulate(constants, { people, nodes: prediction.nodes, short: bench.short })),
    ]
  },
}

/** Those of the newest result that has constants; without one, the committed ones. */
function newestConstants(): Constants {
  const folder = join(import.meta.dirname, '../results')
  for (const file of readFiles(folder).sort().reverse()) {
    const { results } = JSON.parse(readFileSync(join(folder, file), 'utf8'))
    const found = results.find((result: Result) => result.constants !== undefined)?.constants
    if (found) return found
  }
  return JSON.parse(readFileSync(join(import.meta.dirname, '../capacity-constants.json'), 'utf8')).constants
}

function readFiles(folder: string): string[] {
  try {
    return readdirSync(folder).filter(name => name.endsWith('.json'))
  } catch {
    return []
  }
}

function describe(constants: Constants): Result {
  const sides = Object.fromEntries(
    Object.entries(constants.operations).map(([name, cost]) => [
      name,
      `node ${cost.node} µs, PostgreSQL ${cost.postgres} µs, NATS ${cost.nats} µs, ${cost.wal} bytes of WAL, ` +
        `${cost.bus} on the bus, ${cost.trips} round trips, ${cost.statements} statements, ` +
        `${cost.transactions} transactions`,
    ]),
  )
  const { frame, delivery, session } = constants
  return {
    what: 'constants of the capacity model',
    sides,
    figure: `a frame ${frame} µs, an event for a node ${delivery} µs, a session ${session} bytes`,
    goal: undefined,
    isReached: true,
    errors: {},
    constants,
  }
}

async function measureConstants(bench: Bench): Promise<Constants> {
  const target = await bench.target()
  const { fixture, service } = target
  const session = { cookie: fixture.cookie, origin: service.url, 'sec-fetch-site': 'same-origin' }
  const members = await addMembers(service, fixture, connections)
  const channel = `/api/channels/${fixture.channelId}`
  const messageIds: string[] = []
  const count = bench.short ? 20 : 100

  const headers = { ...json, ...session }
  let readRound = 0
  const measures: Record<Exclude<OperationName, 'connect' | 'password'>, () => Promise<Costs>> = {
    post: () =>
      loop(
        target,
        count,
        () => ({ method: 'POST', path: `${channel}/messages`, headers, body: post }),
        body => messageIds.push(JSON.parse(body).id),
      ),
    read: () => {
      const ids = messageIds.toSorted((a, b) => (BigInt(a) < BigInt(b) ? -1 : 1))
      const from = count * readRound++
      return loop(target, count, (connection, i) => ({
        method: 'PUT',
        path: `${channel}/read`,
        headers: { ...headers, cookie: members[connection]?.client.cookieHeader() ?? '' },
        body: JSON.stringify({ messageId: ids[from + i] }),
      }))
    },
    list: () => loop(target, count, () => ({ method: 'GET', path: `${channel}/messages`, headers: session })),
    webhook: () => loop(target, count, () => webhookPosts(target, '')),
    interaction: async () => {
      const job = { ...interactions(target), rate: 200, ms: bench.short ? 1500 : 5000 }
      return (await measureCosts(target, () => runRoundTrips(job))).costs
    },
    signIn: () => costsOf(target, authorizations(target, count * connections)),
    tokens: async () => {
      const { found } = await fetchCodes(target, { count: count * connections, connections, ms: 60_000 })
      return costsOf(target, tokens(target, found))
    },
  }
  const operations: Partial<Constants['operations']> = {}
  for (const [name, measure] of Object.entries(measures)) {
    operations[name as OperationName] = await medianOfRounds(measure)
  }
  // The loop has set the operations of `measures`.
  const measured = operations as Constants['operations']
  const { connect, ...sockets } = await measureSockets(bench, target, measured.webhook)
  // Last, because a new session ends an old one of the user.
  const bySession = await medianOfRounds(() => loop(target, 2, () => passwordSignIn))
  return { ...sockets, operations: { ...measured, connect, password: bySession } }
}

/** Posts to many sockets give the cost of a frame; posts to one socket and to none, that of an event for a node. */
async function measureSockets(
  bench: Bench,
  target: Target,
  webhook: Cost,
): Promise<Pick<Constants, 'frame' | 'delivery' | 'session'> & { connect: Cost }> {
  const many = bench.short ? 500 : 4000
  const job = await gatewaySockets(target, many)
  const posts = bench.short ? 10 : 100
  const broadcast = broadcastOf(target, posts)
  const connect = async (count: number) => {
    const { costs } = await measureCosts(target, async () => ({
      done: await bench.sockets.connect({ ...job, count }),
    }))
    return costs
  }
  // For the JIT.
  await connect(many)
  bench.sockets.disconnect()
  await wait(settleMs)
  // Under load, as the posts to nobody of `webhook`: a node that is idle in between needs more for each.
  await connect(1)
  const toOne = await medianOfRounds(() => loop(target, posts, () => ({ method: 'POST', ...broadcast })))
  bench.sockets.disconnect()
  await wait(settleMs)
  const connected = await connect(many)
  const { costs: toMany } = await measureCosts(target, () => bench.sockets.broadcast(broadcast))
  bench.sockets.disconnect()
  // Of a new process, because what the runtime has reserved once is not returned.
  const fresh = await bench.startTarget()
  const count = bench.short ? 1000 : 5000
  const { growth } = await measureGrowth(bench, fresh.service.pid(), await gatewaySockets(fresh, count))
  await fresh.service.end('SIGTERM')
  const session = growth / count
  const frame = toMany.node / many
  const delivery = Math.max(0, toOne.node - frame - webhook.node)
  return {
    frame: round(frame),
    delivery: round(delivery),
    session: round(session),
    connect: toCost(connected),
  }
}

/** The first round is for the JIT. */
async function medianOfRounds(measure: () => Promise<Costs>): Promise<Cost> {
  const all: Costs[] = []
  for (let round = 0; round <= rounds; round++) {
    const costs = await measure()
    if (round > 0) all.push(costs)
  }
  return toCost(medianCosts(all))
}

/** Runs requests on several connections and requires that all succeed. */
async function loop(
  target: Target,
  count: number,
  request: (connection: number, i: number) => HttpRequest,
  onBody?: (body: string) => void,
): Promise<Costs> {
  const { costs } = await measureCosts(target, async () => {
    const run = async (number: number) => {
      const connection = new HttpConnection(portOf(target.ports, number))
      for (let i = 0; i < count; i++) {
        const { status, body } = await connection.request(request(number, i))
        if (status < 200 || status > 299) throw new Error(`${status} ${body.slice(0, 200)}`)
        onBody?.(body)
      }
      connection.close()
    }
    await Promise.all(Array.from({ length: connections }, (_, number) => run(number)))
    return { done: count * connections }
  })
  return costs
}

async function costsOf(target: Target, scenario: Scenario): Promise<Costs> {
  const run = () => runClosedLoop({ port: target.ports, connections, ms: 60_000, scenario })
  return (await measureCosts(target, run)).costs
}

function toCost({ round_trips: trips, ...costs }: Costs): Cost {
  const rounded = Object.entries({ ...costs, trips }).map(([name, value]) => [name, round(value)])
  // Has the same names.
  return Object.fromEntries(rounded) as Cost
}

/** Three significant digits. */
function round(value: number): number {
  return Number(value.toPrecision(3))
}
