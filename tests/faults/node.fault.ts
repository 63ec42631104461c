import assert from 'node:assert/strict'
import { setTimeout as wait } from 'node:timers/promises'
import type { GatewaySession } from '@gatehouse/testkit/gateway-session'
import { startNats } from '@gatehouse/testkit/local-servers'
import type { Fault } from './fault.ts'
import { startNodes } from './nodes.ts'
import { connectRespondingBot, type Target } from './target.ts'

const interactionsPerNode = 8
const responseMs = 3000
const maxNoticeDelayMs = 1000
/** With less time, an interaction need not be answered: its session may have had it for nearly all of the three seconds. */
const minLeftMs = 500
const sendersPerNode = 2
const pauseMs = 100

interface Accepted {
  id: string
  /** The node that responded 202. */
  node: Target
}

interface Counts {
  /** Interactions that the session of the node that ended had, and another session answered. */
  redelivered: number
  /** Commands whose 202 came while the node ended. */
  during: number
  /** Interactions that were reported as missed instead of answered. */
  reported: number
}

/** Ends one of three nodes that have sessions of a bot and of a user: with SIGKILL and with SIGTERM. */
export const nodeFault: Fault = {
  name: 'node',
  invariant:
    'a node ends: another session gets its interactions within the three seconds, once; another node reports its missed deadlines within a second',
  engines: ['PostgreSQL'],
  timeoutMs: 600_000,
  async run(context) {
    const bus = context.use('nats-server', await startNats())
    const env = { NATS_URL: bus.url, DATABASE_URL: context.postgres?.url ?? '' }
    const nodes = await startNodes(context, env, [{}, {}, {}])
    const rounds = context.rounds ?? (context.short ? 1 : 5)
    const totals = { SIGKILL: noCounts(), SIGTERM: noCounts() }
    const delays: number[] = []
    for (let round = 0; round < rounds; round++) {
      for (const signal of ['SIGKILL', 'SIGTERM'] as const) {
        add(totals[signal], await assertRedelivered(nodes, signal))
        delays.push(...(await measureNotices(nodes, signal)))
      }
    }
    const late = delays.filter(delay => delay > maxNoticeDelayMs)
    assert.deepEqual(late, [], `${late.length} of ${delays.length} notices are late`)
    for (const [signal, { redelivered, during }] of Object.entries(totals)) {
      assert.ok(redelivered > 0, `after ${signal} no interaction was sent to another session`)
      assert.ok(during > 0, `no command was accepted during ${signal}`)
    }
    const counts = Object.entries(totals).map(
      ([signal, { redelivered, during, reported }]) =>
        `${signal}: ${redelivered} sent to another session, ${during} accepted meanwhile, ${reported} reported as missed`,
    )
    return `${rounds} rounds: ${counts.join('; ')}; ${delays.length} notices, the latest ${Math.max(...delays)} ms after its deadline`
  },
}

const noCounts = (): Counts => ({ redelivered: 0, during: 0, reported: 0 })

function add(total: Counts, counts: Counts): void {
  total.redelivered += counts.redelivered
  total.during += counts.during
  total.reported += counts.reported
}

/** Ends the last node, whose session of the bot does not respond, after and while commands are sent to all nodes. */
async function assertRedelivered(
  [a, b, c]: readonly Target[],
  signal: 'SIGKILL' | 'SIGTERM',
): Promise<Counts> {
  assert.ok(a && b && c)
  const answers: string[] = []
  const user = await a.connectUser()
  const silent = await c.connectBot()
  const silentEnd = silent.ended.then(() => Date.now())
  const bots = [await connectRespondingBot(a, answers), await connectRespondingBot(b, answers)]
  const before = await invokeOnEach([a, b, c])
  const during = await invokeDuring([a, b, c], c, () => c.service.end(signal))
  const accepted = [...before, ...during]
  const states = await waitForOutcomes(user, accepted)
  const endedAt = await silentEnd
  user.close()
  for (const bot of bots) await bot.close()
  await c.service.start()

  const isAnswered = ({ id }: Accepted) => states.get(id) === 'answered'
  const unknown = accepted.filter(({ id }) => !states.has(id))
  assert.equal(unknown.length, 0, `after ${signal} commands with 202 are neither answered nor reported`)
  const held = silent.events.filter(({ t }) => t === 'INTERACTION_CREATE')
  const leftMs = new Map(held.map(({ d }) => [d.id, Date.parse(d.deadlineAt) - endedAt]))
  // What a killed node accepted last, it may not have told to the others. Then another node reports it.
  const answerable = accepted.filter(
    ({ id, node }) =>
      (leftMs.get(id) ?? responseMs) >= minLeftMs &&
      !(signal === 'SIGKILL' && node === c && during.some(other => other.id === id)),
  )
  const failed = answerable.filter(command => !isAnswered(command)).map(({ id }) => states.get(id))
  assert.deepEqual(failed, [], `after ${signal} no other session answered an interaction`)
  assert.equal(new Set(answers).size, answers.length, 'an interaction got two responses')
  assert.deepEqual(
    accepted.filter(isAnswered).filter(({ id }) => !answers.includes(id)),
    [],
  )
  return {
    redelivered: answers.filter(id => leftMs.has(id)).length,
    during: during.length,
    reported: accepted.filter(command => !isAnswered(command)).length,
  }
}

/** Returns the milliseconds between the deadline of each interaction of a node that ended, and its notice. */
async function measureNotices(
  [a, b, c]: readonly Target[],
  signal: 'SIGKILL' | 'SIGTERM',
): Promise<number[]> {
  assert.ok(a && b && c)
  const user = await a.connectUser()
  const bots = [await b.connectBot(), await c.connectBot()]
  const invoked = await Promise.all(Array.from({ length: interactionsPerNode }, () => c.invoke()))
  for (const { status, text } of invoked) assert.equal(status, 202, text)
  await c.service.end(signal)
  const delays: number[] = []
  for (const { body } of invoked) {
    const update = await findUpdate(user, body.id)
    assert.ok(update, `after ${signal} there is no notice of a missed deadline`)
    assert.equal(update.d.state, 'timed_out')
    delays.push(update.receivedAt - Date.parse(body.deadlineAt))
  }
  user.close()
  for (const bot of bots) bot.close()
  await c.service.start()
  return delays
}

async function findUpdate(user: GatewaySession, id: string) {
  const isUpdate = ({ t, d }: GatewaySession['events'][number]) => t === 'INTERACTION_UPDATE' && d.id === id
  while (!user.events.some(isUpdate)) if (!(await user.next('INTERACTION_UPDATE'))) return undefined
  return user.events.find(isUpdate)
}

async function invokeOnEach(nodes: readonly Target[]): Promise<Accepted[]> {
  const repeated = nodes.flatMap(node => Array.from({ length: interactionsPerNode }, () => node))
  return Promise.all(
    repeated.map(async node => {
      const { status, text, body } = await node.invoke()
      assert.equal(status, 202, text)
      return { id: String(body.id), node }
    }),
  )
}

/** Sends commands to all nodes until `end` resolves. `ending` may refuse them or not respond. Returns those with 202. */
async function invokeDuring(
  nodes: readonly Target[],
  ending: Target,
  end: () => Promise<unknown>,
): Promise<Accepted[]> {
  const accepted: Accepted[] = []
  let isOver = false
  async function send(node: Target): Promise<void> {
    while (!isOver) {
      const response = await node.invoke().catch((error: unknown) => {
        if (node !== ending) throw error
        return undefined
      })
      if (response?.status === 202) accepted.push({ id: String(response.body.id), node })
      else assert.equal(node, ending, response?.text ?? 'no response')
      await wait(pauseMs)
    }
  }
  const senders = nodes.flatMap(node => Array.from({ length: sendersPerNode }, () => send(node)))
  // Some requests are in flight then.
  await wait(pauseMs / 2)
  await Promise.all([...senders, end().finally(() => (isOver = true))])
  return accepted
}

/** The states in the notices that the user gets, by interaction. None for an interaction that is not reported in time. */
async function waitForOutcomes(
  user: GatewaySession,
  accepted: readonly Accepted[],
): Promise<ReadonlyMap<string, string>> {
  const deadline = performance.now() + responseMs + 2 * maxNoticeDelayMs
  for (;;) {
    const updates = user.events.filter(({ t }) => t === 'INTERACTION_UPDATE')
    const states = new Map(updates.map(({ d }) => [String(d.id), String(d.state)]))
    if (accepted.every(({ id }) => states.has(id)) || performance.now() > deadline) return states
    await wait(50)
  }
}
