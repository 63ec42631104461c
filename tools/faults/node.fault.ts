import assert from 'node:assert/strict'
import { setTimeout as wait } from 'node:timers/promises'
import type { GatewaySession } from '@gatehouse/testkit/gateway-session'
import { startNats } from '@gatehouse/testkit/local-servers'
import type { Fault } from './fault.ts'
import { startNodes } from './nodes.ts'
import type { Target } from './target.ts'

const interactionsPerNode = 8
const responseMs = 3000
const maxNoticeDelayMs = 1000

/** Ends one of three nodes that have sessions of a bot and of a user: with SIGKILL and with SIGTERM. */
export const nodeFault: Fault = {
  name: 'node',
  invariant:
    'a node ends: another session gets its interactions within the three seconds, once; another node reports its missed deadlines within a second',
  engines: ['PostgreSQL'],
  timeoutMs: 400_000,
  async run(context) {
    const bus = await startNats()
    if (!bus) return context.skip('nats-server is not installed')
    context.after(() => bus.remove())
    const env = { NATS_URL: bus.url, DATABASE_URL: context.postgres?.url ?? '' }
    const nodes = await startNodes(context, env, [{}, {}, {}])
    const rounds = context.rounds ?? (context.short ? 1 : 5)
    const redelivered = { SIGKILL: 0, SIGTERM: 0 }
    const delays: number[] = []
    for (let round = 0; round < rounds; round++) {
      for (const signal of ['SIGKILL', 'SIGTERM'] as const) {
        redelivered[signal] += await assertRedelivered(nodes, signal)
        delays.push(...(await measureNotices(nodes, signal)))
      }
    }
    const late = delays.filter(delay => delay > maxNoticeDelayMs)
    assert.deepEqual(late, [], `${late.length} of ${delays.length} notices are late`)
    const counts = Object.entries(redelivered).map(([signal, count]) => `${count} after ${signal}`)
    return `${rounds} rounds: sent to another session: ${counts.join(', ')}; ${delays.length} notices, the latest ${Math.max(...delays)} ms after its deadline`
  },
}

/** Returns the number of interactions that had reached the session of the node that ended. */
async function assertRedelivered(
  [a, b, c]: readonly Target[],
  signal: 'SIGKILL' | 'SIGTERM',
): Promise<number> {
  assert.ok(a && b && c)
  const responses = new Map<string, number>()
  const silent = await c.connectBot()
  const bots = [silent, await respondToAll(a, responses), await respondToAll(b, responses)]
  const ids = await invokeOnEach([a, b, c])
  const unanswered = silent.events.filter(({ t }) => t === 'INTERACTION_CREATE').length
  await c.service.end(signal)
  const deadline = performance.now() + responseMs
  for (const id of ids) {
    for (;;) {
      const { body, text } = await a.send(`/api/interactions/${id}`, { headers: { cookie: a.cookie } })
      if (body.state === 'answered') break
      assert.equal(body.state, 'pending', `after ${signal}: ${text}`)
      assert.ok(performance.now() < deadline, `after ${signal} an interaction is still pending`)
      await wait(50)
    }
  }
  for (const bot of bots) bot.close()
  await c.service.start()
  assert.deepEqual([...responses.keys()].toSorted(), ids.toSorted())
  assert.equal(Math.max(...responses.values()), 1, 'an interaction got two responses')
  return unanswered
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

async function invokeOnEach(nodes: readonly Target[]): Promise<string[]> {
  const responses = await Promise.all(
    nodes.flatMap(node => Array.from({ length: interactionsPerNode }, () => node.invoke())),
  )
  for (const { status, text } of responses) assert.equal(status, 202, text)
  return responses.map(({ body }) => String(body.id))
}

/** Connects a bot that responds to every interaction. Counts the successful responses. */
async function respondToAll(target: Target, responses: Map<string, number>): Promise<GatewaySession> {
  const session = await target.connectBot()
  async function respond(): Promise<void> {
    for (let event = await session.next('INTERACTION_CREATE'); event; ) {
      const { id } = event.d
      const { status } = await target.respond(event)
      if (status === 200) responses.set(id, (responses.get(id) ?? 0) + 1)
      event = await session.next('INTERACTION_CREATE')
    }
  }
  void respond()
  return session
}
