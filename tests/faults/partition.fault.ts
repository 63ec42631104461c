import assert from 'node:assert/strict'
import { setTimeout as wait } from 'node:timers/promises'
import { startNats, startPostgres } from '@gatehouse/testkit/local-servers'
import { type Fault, Skip } from './fault.ts'
import { createNetwork, type Network, removeNetwork } from './network.ts'
import { startNodes } from './nodes.ts'
import { assertWorks, connectRespondingBot, type Target, waitUntilReady } from './target.ts'

// More than the response deadline of a bot, which is 3 seconds.
const pendingTimeoutMs = 6000
const recoveryTimeoutMs = 60_000

/** Cuts one of two nodes off from the database, the bus and the other node, but not from its clients. */
export const partitionFault: Fault = {
  name: 'partition',
  invariant:
    'network partition: no interaction gets two responses, no response is lost, recovery without a restart',
  engines: ['PostgreSQL'],
  timeoutMs: 300_000,
  async run(context) {
    if (process.getuid?.() !== 0) throw new Skip('only root can create network namespaces')
    context.after(removeNetwork)
    let network: Network
    try {
      network = createNetwork()
    } catch (error) {
      throw new Skip(`creating network namespaces failed: ${error}`)
    }
    const database = context.use('PostgreSQL', await startPostgres(network.hub))
    const bus = context.use('nats-server', await startNats(network.hub))
    const env = { DATABASE_URL: database.url, NATS_URL: bus.url }
    const [a, b] = await startNodes(context, env, network.nodes)
    assert.ok(a && b)
    return runPartition(network, a, b)
  },
}

async function runPartition(network: Network, a: Target, b: Target): Promise<string> {
  const user = await a.connectUser()
  const answers: string[] = []
  const bots = [await connectRespondingBot(a, answers), await connectRespondingBot(b, answers)]
  const before = await invokeMany(a)
  await waitForStates(a, before, ['answered'])

  network.cut()
  const during = await invokeMany(a)
  const states = await waitForStates(a, during)
  await assertWorks(a)
  const rejected = await b.post('during the partition')
  assert.equal(rejected.status, 503, `without its database: ${rejected.status} ${rejected.text}`)
  assert.equal((await b.send('/readyz')).status, 503)

  network.heal()
  await waitUntilReady(b, recoveryTimeoutMs)
  await assertWorks(b)
  await assertWorks(a)
  bots.push(await connectRespondingBot(b, answers))
  // The bus can still route messages to the old connection of the node. Such a dispatch is retried and arrives half a
  // second later.
  const recoveryMs = await waitUntilAllAnswered(b)

  const received = user.events.filter(({ t }) => t === 'MESSAGE_CREATE').length
  assert.ok(received >= before.length, 'the user did not receive every response')
  const repeated = answers.filter((id, index) => answers.indexOf(id) !== index)
  assert.deepEqual(repeated, [], 'interactions with two successful responses')
  user.close()
  for (const bot of bots) await bot.close()
  const answered = states.filter(state => state === 'answered').length
  return `${answered} of ${during.length} interactions got a response during the partition; all before it, and all again ${Math.round(recoveryMs / 100) / 10} s after it`
}

/** Invokes the command ten times concurrently. Returns the ids of the interactions. */
async function invokeMany(target: Target): Promise<string[]> {
  const responses = await Promise.all(Array.from({ length: 10 }, () => target.invoke()))
  for (const { status, text } of responses) assert.equal(status, 202, text)
  return responses.map(({ body }) => body.id)
}

/** Invokes the command until all interactions of a round get a response. Returns the milliseconds. */
async function waitUntilAllAnswered(target: Target): Promise<number> {
  const start = performance.now()
  for (;;) {
    const states = await waitForStates(target, await invokeMany(target))
    const ms = performance.now() - start
    if (states.every(state => state === 'answered')) return ms
    assert.ok(ms < recoveryTimeoutMs, `after ${ms} ms interactions are still ${states.join(', ')}`)
  }
}

/** Waits until no interaction is pending. Returns their states. */
async function waitForStates(
  target: Target,
  ids: readonly string[],
  allowed = ['answered', 'timed_out', 'failed'],
): Promise<string[]> {
  const deadline = performance.now() + pendingTimeoutMs
  const states: string[] = []
  for (const id of ids) {
    let state = 'pending'
    while (state === 'pending') {
      const response = await target.send(`/api/interactions/${id}`, { headers: { cookie: target.cookie } })
      assert.equal(response.status, 200, response.text)
      state = response.body.state
      assert.ok(performance.now() < deadline || state !== 'pending', 'an interaction is still pending')
      if (state === 'pending') await wait(50)
    }
    assert.ok(allowed.includes(state), `an interaction is ${state}`)
    states.push(state)
  }
  return states
}
