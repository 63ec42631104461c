// The capacity model of docs/scale.md, and a simulation that checks it.
import type { Result } from './bench.ts'
import { quantile } from './load/statistics.ts'

/** What one operation costs: processor time in microseconds, bytes, and waits for PostgreSQL. */
export interface Cost {
  node: number
  postgres: number
  nats: number
  wal: number
  bus: number
  trips: number
  /** Not used by the model. */
  statements?: number
  transactions?: number
}

/** `tokens` is an exchange or a refresh, `signIn` the page that issues the code, `connect` an identify with READY. */
export type OperationName = keyof typeof ratesOfPerson

export interface Constants {
  operations: Record<OperationName, Cost>
  /** Processor time of a node for one frame to one session, and for one event that it gets from the bus. */
  frame: number
  delivery: number
  /** Bytes of memory. */
  session: number
}

/** Operations a second of one connected person at the busiest time. Assumed, not measured: see docs/scale.md. */
const ratesOfPerson = {
  post: 1 / 600,
  read: 1 / 120,
  list: 1 / 180,
  webhook: 1 / 3600,
  interaction: 1 / 3600,
  signIn: 1 / 28_800,
  tokens: 1 / 7200,
  password: 1 / 86_400,
  connect: 1 / 7200,
} as const
const names = Object.keys(ratesOfPerson) as OperationName[]
const eventNames: readonly OperationName[] = ['post', 'webhook', 'interaction']

/** Servers for each person, servers that a person is in, and the exponent of Zipf's law for their sizes. */
const community = { servers: 0.1, memberships: 4, exponent: 0.8 }
/** The highest planned share of a processor. */
const plannedUtilization = 0.6
/** Cores of the largest PostgreSQL server, of the servers of NATS together, and of a node. */
const cores = { postgres: 32, nats: 32, node: 1 }
/** What a node sends to all others in a second: five heartbeats and ten times its counts of requests. */
const messagesToAll = 15
const networkMs = 0.3
/** A client waits 0.5 to 1 s, and up to a second before it identifies. */
const reconnectMs = { from: 500, to: 2000 }

interface Community {
  /** The share of the memberships, and so of the messages, of each server. Cumulative for a random choice. */
  weights: Float64Array
  cumulative: Float64Array
}

function createCommunity(people: number): Community {
  const weights = Float64Array.from(
    { length: people * community.servers },
    (_, i) => (i + 1) ** -community.exponent,
  )
  const total = weights.reduce((sum, weight) => sum + weight, 0)
  let sum = 0
  for (let i = 0; i < weights.length; i++) weights[i] = (weights[i] ?? 0) / total
  return { weights, cumulative: weights.map(weight => (sum += weight)) }
}

interface Utilization {
  node: number
  postgres: number
  nats: number
}

export interface Prediction {
  people: number
  nodes: number
  /** The share of all cores that is in use at the busiest time. */
  utilization: Utilization
  /** The mean over the hours of the week before it. */
  earlierUtilization: Utilization
  postgresCores: number
  natsCores: number
  walPerSecond: number
  busPerSecond: number
  memoryPerNode: number
  framesPerSecond: number
  /** The mean time that a request waits for its node, in milliseconds (the formula of Pollaczek and Khinchine). */
  nodeWaitMs: number
  /** The utilization of the remaining nodes while the sessions of a lost node reconnect. */
  utilizationAfterLoss: number
}

/** What a number of connected people uses. */
function demandOf({ operations, frame, delivery }: Constants, weights: Float64Array, online: number) {
  const perSecond = (figure: (cost: Cost) => number, of = names) =>
    of.reduce((sum, name) => sum + online * ratesOfPerson[name] * figure(operations[name]), 0)
  const events = perSecond(() => 1, [...eventNames])
  const members = online * community.memberships
  const fanOut = members * weights.reduce((sum, weight) => sum + weight * weight, 0)
  const postgresCores = perSecond(cost => cost.postgres) / 1e6
  /** The mean number of nodes that have a member of the server of an event. */
  const reached = (nodes: number) =>
    weights.reduce((sum, weight) => sum + weight * nodes * (1 - (1 - 1 / nodes) ** (members * weight)), 0)
  const nodeCores = (nodes: number, reachedNodes = reached(nodes)) =>
    (perSecond(cost => cost.node) + events * (fanOut * frame + reachedNodes * delivery)) / 1e6
  return {
    perSecond,
    events,
    members,
    fanOut,
    nodeCores,
    use(nodes: number) {
      const reachedNodes = reached(nodes)
      const copies = reachedNodes - 1
      const messages = events * copies + messagesToAll * nodes * nodes
      const natsCores = (perSecond(cost => cost.nats) + (messages * operations.webhook.nats) / 2) / 1e6
      const utilization: Utilization = {
        node: nodeCores(nodes, reachedNodes) / nodes,
        postgres: postgresCores / cores.postgres,
        nats: natsCores / cores.nats,
      }
      return { copies, postgresCores, natsCores, utilization }
    },
  }
}

/** The formula. After the loss of a node the others stay below the planned utilization, and below 1 while its sessions reconnect. */
export function predict(constants: Constants, people: number): Prediction {
  const { weights } = createCommunity(people)
  const { operations, frame, delivery, session } = constants
  const { perSecond, events, members, fanOut, nodeCores, use } = demandOf(constants, weights, people)
  /** The remaining nodes after the loss of one, while its sessions reconnect. */
  const useAfterLoss = (nodes: number) => {
    const reconnects =
      ((people / nodes) * operations.connect.node) / 1000 / (reconnectMs.to - reconnectMs.from)
    return (nodeCores(nodes) + reconnects) / (nodes - 1)
  }
  const isEnough = (count: number) =>
    nodeCores(count) <= (count - 1) * plannedUtilization && useAfterLoss(count) <= 1
  let nodes = 2
  while (!isEnough(nodes)) nodes = Math.ceil(nodes * 1.1)
  while (nodes > 2 && isEnough(nodes - 1)) nodes--
  const { copies, postgresCores, natsCores, utilization } = use(nodes)
  const earlier = Array.from(
    { length: busiestHour },
    (_, hour) => demandOf(constants, weights, people * shareAt(hour)).use(nodes).utilization,
  )

  // The pieces of work of a node: those of its operations between two waits, and the events for its sessions.
  const squares = perSecond(cost => cost.node ** 2 / piecesOf(cost))
  const eventSquares = weights.reduce((sum, weight) => {
    const online = members * weight
    const share = 1 - (1 - 1 / nodes) ** online
    const work = delivery + (online / nodes / share) * frame
    return sum + weight * share * nodes * work ** 2
  }, 0)
  const meanSquare = (squares + events * eventSquares) / nodes
  const nodeWaitMs = (meanSquare / 1e12 / (2 * (1 - utilization.node))) * 1000
  return {
    people,
    nodes,
    utilization,
    earlierUtilization: meanOf(earlier),
    postgresCores,
    natsCores,
    walPerSecond: perSecond(cost => cost.wal),
    busPerSecond: perSecond(cost => cost.bus) + (events * copies * operations.webhook.bus) / 2,
    memoryPerNode: (people / nodes) * session,
    framesPerSecond: events * fanOut,
    nodeWaitMs,
    utilizationAfterLoss: useAfterLoss(nodes),
  }
}

function meanOf(all: readonly Utilization[]): Utilization {
  const mean = (figure: keyof Utilization) => all.reduce((sum, each) => sum + each[figure], 0) / all.length
  return { node: mean('node'), postgres: mean('postgres'), nats: mean('nats') }
}

function waitsOf({ trips }: Cost): number {
  return Math.max(1, Math.round(trips))
}

function piecesOf(cost: Cost): number {
  return waitsOf(cost) + 1
}

/** Cores that take work in the order of its arrival. */
class Queue {
  readonly #freeAt: Float64Array
  busyMs = 0

  constructor(size: number) {
    this.#freeAt = new Float64Array(size)
  }

  /** Returns when the work is done. Calls are in the order of `now`. */
  serve(now: number, microseconds: number): number {
    let core = 0
    for (let i = 1; i < this.#freeAt.length; i++)
      if ((this.#freeAt[i] ?? 0) < (this.#freeAt[core] ?? 0)) core = i
    const start = Math.max(now, this.#freeAt[core] ?? 0)
    const end = start + microseconds / 1000
    this.#freeAt[core] = end
    this.busyMs += microseconds / 1000
    return end
  }
}

/** An operation that arrives at its next queue at a time. After the last piece `isEvent` delivers its event. */
interface Step {
  at: number
  startedAt: number
  name: OperationName
  node: number
  /** Even: the node, odd: PostgreSQL. */
  piece: number
  /** Negative if the operation has no event. */
  server: number
  targets?: ReadonlyMap<number, number>
}

/** A binary heap by time. */
class Schedule {
  readonly #steps: Step[] = []

  get next(): Step | undefined {
    return this.#steps[0]
  }

  add(step: Step): void {
    const steps = this.#steps
    let i = steps.push(step) - 1
    for (let parent = (i - 1) >> 1; i > 0 && (steps[parent]?.at ?? 0) > step.at; parent = (i - 1) >> 1) {
      steps[i] = steps[parent] ?? step
      i = parent
    }
    steps[i] = step
  }

  take(): Step | undefined {
    const steps = this.#steps
    const first = steps[0]
    const last = steps.pop()
    if (first === last || last === undefined) return first
    let i = 0
    for (;;) {
      let child = 2 * i + 1
      if ((steps[child + 1]?.at ?? Number.POSITIVE_INFINITY) < (steps[child]?.at ?? Number.POSITIVE_INFINITY))
        child++
      const below = steps[child]
      if (below === undefined || below.at >= last.at) break
      steps[i] = below
      i = child
    }
    steps[i] = last
    return first
  }
}

/** The same sequence in each run (mulberry32). */
function createRandom(seed: number): () => number {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let t = Math.imul(state ^ (state >>> 15), 1 | state)
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296
  }
}

/** The share of the people that is connected: most at 20 h, fewer on weekdays, and most on the last day. */
export function shareAt(hour: number): number {
  const daily = 0.3 + 0.35 * (1 + Math.cos(((hour % 24) - 20) * (Math.PI / 12)))
  if (hour < 120) return daily * 0.9
  return hour < 144 ? daily * 0.97 : daily
}

const busiestHour = 6 * 24 + 20

interface Sample {
  utilization: Utilization
  nodeWaitMs: number
  /** From the arrival of a request to its response, and to the last node that delivers its event. */
  responseP99: number
  deliveryP99: number
  /** The pieces of work and deliveries. */
  steps: number
}

/** The queues of a cluster. Its time goes on from one hour to the next. */
function createCluster(constants: Constants, people: number, nodeCount: number) {
  const { weights, cumulative } = createCommunity(people)
  const { operations, frame, delivery } = constants
  const random = createRandom(1)
  const schedule = new Schedule()
  const nodes = Array.from({ length: nodeCount }, () => new Queue(cores.node))
  const postgres = new Queue(cores.postgres)
  const nats = new Queue(cores.nats)
  const copyCost = operations.webhook.nats / 2
  let alive = nodes.map((_, i) => i)
  const isLost = nodes.map(() => false)
  let now = 0
  let online = people
  let responses: number[] = []
  let waits: number[] = []
  let deliveries: number[] = []
  let handled = 0

  function pickServer(): number {
    const at = random()
    let [low, high] = [0, cumulative.length - 1]
    while (low < high) {
      const middle = (low + high) >> 1
      if ((cumulative[middle] ?? 1) < at) low = middle + 1
      else high = middle
    }
    return low
  }

  function arrive(at: number, name: OperationName): void {
    const node = alive[Math.floor(random() * alive.length)] ?? 0
    schedule.add({
      at,
      startedAt: at,
      name,
      node,
      piece: 0,
      server: eventNames.includes(name) ? pickServer() : -1,
    })
  }

  /** The nodes that have sessions of members of the server, with their number of frames. */
  function pickTargets(server: number): ReadonlyMap<number, number> {
    const members = online * community.memberships * (weights[server] ?? 0)
    if (members > 8 * alive.length) return new Map(alive.map(node => [node, members / alive.length]))
    const frames = new Map<number, number>()
    // A fraction is a member with this probability.
    for (let left = members; left >= 1 || random() < left; left--) {
      const node = alive[Math.floor(random() * alive.length)] ?? 0
      frames.set(node, (frames.get(node) ?? 0) + 1)
    }
    return frames
  }

  function deliver({ at, startedAt, targets }: Step): void {
    let end = at
    for (const [node, frames] of targets ?? []) {
      if (!isLost[node]) end = Math.max(end, nodes[node]?.serve(at, delivery + frames * frame) ?? 0)
    }
    deliveries.push(end - startedAt)
  }

  function advance(step: Step): void {
    handled++
    const cost = operations[step.name]
    const pieces = piecesOf(cost)
    const last = 2 * (pieces - 1)
    if (step.piece > last) {
      deliver(step)
      return
    }
    // The node has ended, and the request with it.
    if (isLost[step.node]) return
    const isNode = step.piece % 2 === 0
    const end = isNode
      ? (nodes[step.node]?.serve(step.at, cost.node / pieces) ?? 0)
      : postgres.serve(step.at, cost.postgres / (pieces - 1))
    if (step.piece === 0) waits.push(end - step.at - cost.node / pieces / 1000)
    if (step.piece < last) {
      step.piece++
      step.at = end + networkMs / 2
      schedule.add(step)
      return
    }
    responses.push(end - step.startedAt)
    const { server } = step
    const targets = server < 0 ? undefined : pickTargets(server)
    // The cost of the operation contains one copy.
    const copies = targets === undefined ? 0 : targets.size - 1
    const published = nats.serve(end, Math.max(0, cost.nats + copies * copyCost))
    if (targets === undefined) return
    step.targets = targets
    step.piece++
    step.at = published + networkMs
    schedule.add(step)
  }

  return {
    /** The sessions of one node reconnect to the others. */
    loseNode(): void {
      const sessions = Math.round(online / alive.length)
      isLost[alive[0] ?? 0] = true
      alive = alive.slice(1)
      for (let i = 0; i < sessions; i++) {
        arrive(now + reconnectMs.from + random() * (reconnectMs.to - reconnectMs.from), 'connect')
      }
    },

    run(share: number, ms: number): Sample {
      online = people * share
      const end = now + ms
      const rates = names.map(name => (online * ratesOfPerson[name]) / 1000)
      const limits = rates.map((_, i) => rates.slice(0, i + 1).reduce((sum, rate) => sum + rate, 0))
      const total = (limits.at(-1) ?? 0) + (alive.length * messagesToAll) / 1000
      for (const queue of [...nodes, postgres, nats]) queue.busyMs = 0
      responses = []
      waits = []
      deliveries = []
      handled = 0
      let arrival = now - Math.log(1 - random()) / total
      for (;;) {
        const step = schedule.next
        if (Math.min(arrival, step?.at ?? Number.POSITIVE_INFINITY) >= end) break
        if (step !== undefined && step.at <= arrival) {
          schedule.take()
          advance(step)
          continue
        }
        const at = random() * total
        const name = names[limits.findIndex(limit => at < limit)]
        if (name !== undefined) arrive(arrival, name)
        else nats.serve(arrival, alive.length * copyCost)
        arrival -= Math.log(1 - random()) / total
      }
      now = end
      const living = alive.map(node => nodes[node]).filter(node => node !== undefined)
      return {
        utilization: {
          node: living.reduce((sum, { busyMs }) => sum + busyMs, 0) / living.length / ms,
          postgres: postgres.busyMs / cores.postgres / ms,
          nats: nats.busyMs / cores.nats / ms,
        },
        nodeWaitMs: waits.reduce((sum, wait) => sum + wait, 0) / waits.length,
        responseP99: quantile(Float64Array.from(responses).sort(), 0.99),
        deliveryP99: quantile(Float64Array.from(deliveries).sort(), 0.99),
        steps: handled,
      }
    },
  }
}

/** The greatest accepted differences between the formula and the simulation. */
const accepted = { utilization: 0.05, wait: 0.25 }

/** The hours up to the busiest one of the week, that hour, and the times after the loss of a node. */
export interface Simulation {
  /** The mean over the hours before the busiest one. */
  earlierUtilization: Utilization
  busiest: Sample
  beforeReconnects: Sample
  reconnects: Sample
  afterReconnects: Sample
  steps: number
}

/** Simulates a week up to its busiest hour, in which a node is lost. */
export function simulate(
  constants: Constants,
  { people, nodes, short }: { people: number; nodes: number; short: boolean },
): Simulation {
  const cluster = createCluster(constants, people, nodes)
  const [msOfHour, msOfBusiest] = short ? [20, 5000] : [200, 20_000]
  const hours = Array.from({ length: busiestHour }, (_, hour) => cluster.run(shareAt(hour), msOfHour))
  const busiest = cluster.run(1, msOfBusiest)
  cluster.loseNode()
  return {
    earlierUtilization: meanOf(hours.map(({ utilization }) => utilization)),
    busiest,
    beforeReconnects: cluster.run(1, reconnectMs.from),
    reconnects: cluster.run(1, reconnectMs.to - reconnectMs.from),
    afterReconnects: cluster.run(1, 2000),
    steps: [...hours, busiest].reduce((sum, { steps }) => sum + steps, 0),
  }
}

/** Compares the formula with the simulation. The first result is missed if they differ too much. */
export function compare(prediction: Prediction, simulation: Simulation): Result[] {
  const { people, nodes } = prediction
  const { earlierUtilization, busiest, beforeReconnects, reconnects, afterReconnects, steps } = simulation
  const compareUse = (when: string, predicted: Utilization, simulated: Utilization) => ({
    [`nodes in use, ${when}`]: [predicted.node, simulated.node, accepted.utilization],
    [`PostgreSQL in use, ${when}`]: [predicted.postgres, simulated.postgres, accepted.utilization],
    [`NATS in use, ${when}`]: [predicted.nats, simulated.nats, accepted.utilization],
  })
  const differences: Record<string, readonly [predicted: number, simulated: number, accepted: number]> = {
    ...compareUse('busiest hour', prediction.utilization, busiest.utilization),
    ...compareUse('mean of the hours before', prediction.earlierUtilization, earlierUtilization),
    'wait for a node, ms': [prediction.nodeWaitMs, busiest.nodeWaitMs, accepted.wait],
    'nodes in use while sessions reconnect': [
      prediction.utilizationAfterLoss,
      reconnects.utilization.node,
      accepted.wait,
    ],
  }
  const difference = ([predicted, simulated]: readonly [number, number, number]) =>
    Math.abs(predicted / simulated - 1)
  const sides = Object.fromEntries(
    Object.entries(differences).map(([what, values]) => [
      what,
      `${values[0].toFixed(3)} predicted, ${values[1].toFixed(3)} simulated, ${percent(difference(values))} of ${percent(values[2])}`,
    ]),
  )
  const isReached = Object.values(differences).every(values => difference(values) <= values[2])
  const p99 = ({ responseP99, deliveryP99 }: Sample) =>
    `response ${responseP99.toFixed(1)} ms, message on the last node ${deliveryP99.toFixed(1)} ms`
  return [
    {
      what: `a week of ${people} people on ${nodes} nodes, to its busiest hour: the formula against the simulation`,
      sides: { ...sides, steps: `${steps} simulated` },
      figure: isReached ? 'agrees' : 'differs',
      goal: `within ${percent(accepted.utilization)}, waits and the loss of a node ${percent(accepted.wait)}`,
      isReached,
      isRequired: true,
      errors: {},
    },
    {
      what: 'the p99 at the busiest hour, and after the loss of a node',
      sides: {
        'all nodes': p99(busiest),
        'no reconnect yet': p99(beforeReconnects),
        'sessions reconnect': p99(reconnects),
        'two seconds later': p99(afterReconnects),
      },
      figure: p99(reconnects),
      goal: 'under 1 s',
      isReached: Math.max(reconnects.responseP99, reconnects.deliveryP99) < 1000,
      errors: {},
    },
  ]
}

export function describePrediction(prediction: Prediction): Result {
  const { people, nodes, postgresCores, natsCores, utilization, utilizationAfterLoss } = prediction
  const mega = (bytes: number) => (bytes / 1e6).toFixed(1)
  return {
    what: `the model for ${people} people`,
    sides: {
      PostgreSQL: `${postgresCores.toFixed(2)} cores in use, ${mega(prediction.walPerSecond)} MB of WAL a second`,
      NATS: `${natsCores.toFixed(2)} cores in use, ${mega(prediction.busPerSecond)} MB a second`,
      node: `${percent(utilization.node)} of a core, ${percent(utilizationAfterLoss)} while sessions reconnect, ${mega(prediction.memoryPerNode)} MB of sessions`,
      frames: `${prediction.framesPerSecond.toFixed(0)} a second`,
    },
    figure: `${nodes} nodes`,
    goal: undefined,
    isReached: true,
    errors: {},
  }
}

function percent(share: number): string {
  return `${(share * 100).toFixed(1)} %`
}
