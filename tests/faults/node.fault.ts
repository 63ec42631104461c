import assert from 'node:assert/strict'
import { setTimeout as wait } from 'node:timers/promises'
import { retry } from '@gatehouse/testkit/wait-until'
import { fault } from './fault.ts'
import { repeatDuring } from './load.ts'
import { rounds, short } from './settings.ts'
import { connectAnsweringBot, type Target } from './target.ts'

const interactionsPerNode = Array.from({ length: 8 })
const sendersPerNode = Array.from({ length: 2 })
const pauseMs = 100
const responseMs = 3000
const maxNoticeDelayMs = 1000
/** With less time, an interaction need not be answered: its session may have had it for nearly three seconds. */
const minLeftMs = 500

type Nodes = readonly [Target, Target, Target]
type Signal = 'SIGKILL' | 'SIGTERM'

/** A command that `node` accepted with 202, perhaps while the last node ended. */
interface Accepted {
  id: string
  node: Target
  wasEnding: boolean
}

/**
 * Ends one of three nodes that have sessions of a bot and of a user, with SIGKILL and with SIGTERM: another
 * session gets its interactions within the three seconds, once, and another node reports its missed deadlines
 * within a second.
 */
fault('node', ['PostgreSQL'], 10, 'other nodes take over its interactions', async context => {
  const nodes = await context.startNodes([{}, {}, {}])
  const count = rounds ?? (short ? 1 : 5)
  const delays: number[] = []
  const summaries: string[] = []
  for (const signal of ['SIGKILL', 'SIGTERM'] as const) {
    const total = { redelivered: 0, during: 0, reported: 0 }
    for (let round = 0; round < count; round++) {
      const { redelivered, during, reported } = await assertRedelivered(nodes, signal)
      total.redelivered += redelivered
      total.during += during
      total.reported += reported
      delays.push(...(await measureNotices(nodes, signal)))
    }
    const { redelivered, during, reported } = total
    assert.ok(redelivered > 0, `after ${signal} no interaction was sent to another session`)
    assert.ok(during > 0, `no command was accepted during ${signal}`)
    const others = `${during} accepted meanwhile, ${reported} reported as missed`
    summaries.push(`${signal}: ${redelivered} sent to another session, ${others}`)
  }
  const late = delays.filter(delay => delay > maxNoticeDelayMs)
  assert.deepEqual(late, [], `${late.length} of ${delays.length} notices are late`)
  const notices = `${delays.length} notices, the latest ${Math.max(...delays)} ms after its deadline`
  return `${count} rounds: ${summaries.join('; ')}; ${notices}`
})

/** Ends the last node, whose session of the bot does not respond, after and while commands are sent to all nodes. */
async function assertRedelivered(nodes: Nodes, signal: Signal) {
  const [a, b, c] = nodes
  const answers: string[] = []
  const user = await a.connectUser()
  const silent = await c.connectBot()
  const silentEnd = silent.ended.then(() => Date.now())
  const bots = [await connectAnsweringBot(a, answers), await connectAnsweringBot(b, answers)]
  const accepted = await Promise.all(
    nodes.flatMap(node => interactionsPerNode.map(() => accept(node, false))),
  )
  accepted.push(...(await invokeWhileEnding(nodes, signal)))
  const states = new Map<string, string>()
  await retry(responseMs + 2 * maxNoticeDelayMs, () => {
    for (const { t, d } of user.events) if (t === 'INTERACTION_UPDATE') states.set(d.id, d.state)
    const unknown = accepted.filter(({ id }) => !states.has(id))
    assert.equal(unknown.length, 0, `after ${signal} commands with 202 are neither answered nor reported`)
  })
  const endedAt = await silentEnd
  user.close()
  for (const bot of bots) await bot.close()
  await c.service.start()

  const isAnswered = ({ id }: Accepted) => states.get(id) === 'answered'
  const held = silent.events.filter(({ t }) => t === 'INTERACTION_CREATE')
  const leftMs = new Map(held.map(({ d }) => [d.id, Date.parse(d.deadlineAt) - endedAt]))
  // What a killed node accepted last, it may not have told to the others. Then another node reports it.
  const answerable = accepted
    .filter(({ node, wasEnding }) => !(signal === 'SIGKILL' && node === c && wasEnding))
    .filter(({ id }) => (leftMs.get(id) ?? responseMs) >= minLeftMs)
  const failed = answerable.filter(command => !isAnswered(command)).map(({ id }) => states.get(id))
  assert.deepEqual(failed, [], `after ${signal} no other session answered an interaction`)
  assert.equal(new Set(answers).size, answers.length, 'an interaction got two responses')
  const unconfirmed = accepted.filter(isAnswered).filter(({ id }) => !answers.includes(id))
  assert.deepEqual(unconfirmed, [], 'an interaction is answered, but no bot got a success')
  return {
    /** Interactions that the session of the node that ended had, and another session answered. */
    redelivered: answers.filter(id => leftMs.has(id)).length,
    /** Commands whose 202 came while the node ended. */
    during: accepted.filter(({ wasEnding }) => wasEnding).length,
    /** Interactions that were reported as missed instead of answered. */
    reported: accepted.filter(command => !isAnswered(command)).length,
  }
}

async function accept(node: Target, wasEnding: boolean): Promise<Accepted> {
  return { id: (await node.command()).id, node, wasEnding }
}

/** Sends commands to all nodes until the last one has ended. That one may refuse them or not respond. */
async function invokeWhileEnding(nodes: Nodes, signal: Signal): Promise<Accepted[]> {
  const accepted: Accepted[] = []
  // Some requests are in flight then.
  const ending = wait(pauseMs / 2).then(() => nodes[2].service.end(signal))
  async function send(node: Target): Promise<void> {
    try {
      accepted.push(await accept(node, true))
    } catch (error) {
      if (node !== nodes[2]) throw error
    }
  }
  const senders = nodes.flatMap(node =>
    sendersPerNode.map(() => repeatDuring(ending, () => send(node), pauseMs)),
  )
  await Promise.all([ending, ...senders])
  return accepted
}

/** Returns the milliseconds between the deadline of each interaction of a node that ended, and its notice. */
async function measureNotices([a, b, c]: Nodes, signal: Signal): Promise<number[]> {
  const user = await a.connectUser()
  const bots = [await b.connectBot(), await c.connectBot()]
  const invoked = await Promise.all(interactionsPerNode.map(() => c.command()))
  await c.service.end(signal)
  const delays: number[] = []
  for (const { id, deadlineAt } of invoked) {
    const update = await retry(responseMs + 10_000, () => {
      const found = user.events.find(({ t, d }) => t === 'INTERACTION_UPDATE' && d.id === id)
      return found ?? assert.fail(`after ${signal} there is no notice of a missed deadline`)
    })
    assert.equal(update.d.state, 'timed_out')
    delays.push(update.receivedAt - Date.parse(deadlineAt))
  }
  for (const session of [user, ...bots]) session.close()
  await c.service.start()
  return delays
}
