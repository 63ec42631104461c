import assert from 'node:assert/strict'
import { setTimeout as wait } from 'node:timers/promises'
import { assertWorks, type Community, communityAt, makeCommunity } from './community.ts'
import type { Fault, Trial } from './fault.ts'
import { connectBot, connectPerson, type Session, useCommand } from './interaction.ts'
import { makeNetwork, type Network, removeNamespaces } from './network.ts'
import { untilReady } from './postgres.fault.ts'
import { startOwnNats, startOwnPostgres } from './servers.ts'

// More than the response deadline of a bot, which is 3 seconds.
const pendingLimitMs = 6000
const callbackTimeoutMs = 15_000
const healLimitMs = 60_000

/** Cuts one of two nodes off from the database, the bus and the other node, but not from its clients. */
export const partitionFault: Fault = {
  name: 'partition',
  holds:
    'network partition: no interaction gets two responses, no response is lost, recovery without a restart',
  limitMs: 300_000,
  async run(trial) {
    const network = networkFor(trial)
    trial.after(() => network.remove())
    const database = (await startOwnPostgres(network.hub)) ?? trial.cannot('PostgreSQL is not installed')
    trial.after(() => database.remove())
    const bus = (await startOwnNats(network.hub)) ?? trial.cannot('nats-server is not installed')
    trial.after(() => bus.remove())
    const [a, b] = await startNodes(trial, network, { DATABASE_URL: database.url, NATS_URL: bus.url })
    const origin = a.service.url
    const user = await connectPerson(a, origin)
    const botOfA = await connectBot(a)
    const botOfB = await connectBot(b)
    const successes = new Map<string, number>()
    const bots = [respondToAll(a, botOfA, successes), respondToAll(b, botOfB, successes)]

    const before = await invokeMany(a, 10)
    await waitForStates(a, before, ['answered'])

    network.cut()
    const whileCut = await invokeMany(a, 10)
    const states = await waitForStates(a, whileCut, ['answered', 'timed_out', 'failed'])
    await assertWorks(a)
    const refused = await b.post('cut off')
    assert.equal(refused.status, 503, `without its database: ${refused.status} ${refused.text}`)
    assert.equal((await b.send('/readyz')).status, 503)

    network.heal()
    await untilReady(b.service.url, 60_000)
    await assertWorks(b)
    await assertWorks(a)
    const newBotOfB = await connectBot(b)
    bots.push(respondToAll(b, newBotOfB, successes))
    // The bus can still route messages to the old connection of the node. Such a dispatch is retried and
    // arrives half a second later.
    const healedMs = await waitUntilAllAnswered(b)

    const shown = user.frames.filter(({ t }) => t === 'MESSAGE_CREATE').length
    assert.ok(shown >= before.length, 'the user did not receive every response')
    const twice = [...successes].filter(([, count]) => count > 1)
    assert.deepEqual(twice, [], 'interactions with two successful responses')
    for (const session of [botOfA, botOfB, newBotOfB, user]) session.close()
    await Promise.all(bots)
    const answered = states.filter(state => state === 'answered').length
    return `${answered} of ${whileCut.length} interactions got a response during the partition; all before it, and all again ${Math.round(healedMs / 100) / 10} s after it`
  },
}

function networkFor(trial: Trial): Network {
  if (process.getuid?.() !== 0) trial.cannot('only root can create network namespaces')
  try {
    return makeNetwork()
  } catch (error) {
    removeNamespaces()
    return trial.cannot(
      `creating network namespaces failed: ${error instanceof Error ? error.message : error}`,
    )
  }
}

async function startNodes(
  trial: Trial,
  { nodes }: Network,
  env: Record<string, string>,
): Promise<[Community, Community]> {
  const [first, second] = nodes
  const shared = { ...env, SECRET_KEY: Buffer.alloc(32, 7).toString('base64') }
  trial.secret(shared.SECRET_KEY)
  const one = await trial.start({ ...first, env: shared })
  const two = await trial.start({ ...second, env: { ...shared, BASE_URL: one.url } })
  const a = await makeCommunity(trial, one)
  return [a, communityAt(trial, two, a)]
}

/** Invokes the command `count` times concurrently. Returns the ids of the interactions. */
async function invokeMany(community: Community, count: number): Promise<string[]> {
  const replies = await Promise.all(Array.from({ length: count }, () => useCommand(community)))
  for (const { status, text } of replies) assert.equal(status, 202, text)
  return replies.map(({ text }) => JSON.parse(text).id)
}

/** Invokes the command until all interactions of a round get a response. Returns the milliseconds. */
async function waitUntilAllAnswered(community: Community): Promise<number> {
  const start = performance.now()
  for (;;) {
    const states = await waitForStates(community, await invokeMany(community, 10), [
      'answered',
      'timed_out',
      'failed',
    ])
    const ms = performance.now() - start
    if (states.every(state => state === 'answered')) return ms
    assert.ok(ms < healLimitMs, `after ${ms} ms interactions are still ${states.join(', ')}`)
  }
}

/** Waits until no interaction is pending. Returns their states. Each must be in `allowed`. */
async function waitForStates(
  community: Community,
  ids: readonly string[],
  allowed: string[],
): Promise<string[]> {
  const end = performance.now() + pendingLimitMs
  const states: string[] = []
  for (const id of ids) {
    for (;;) {
      const headers = { cookie: community.cookie }
      const { status, text } = await community.send(`/api/interactions/${id}`, { headers })
      assert.equal(status, 200, text)
      const { state } = JSON.parse(text)
      if (state !== 'pending') {
        assert.ok(allowed.includes(state), `an interaction is ${state}`)
        states.push(state)
        break
      }
      assert.ok(performance.now() < end, 'an interaction is still pending')
      await wait(50)
    }
  }
  return states
}

/** Responds to every interaction of the session. Counts the successful responses per interaction. */
async function respondToAll(
  community: Community,
  session: Session,
  successes: Map<string, number>,
): Promise<void> {
  let isClosed = false
  void session.closed.then(() => {
    isClosed = true
  })
  while (!isClosed) {
    const event = await session.next()
    if (event === undefined) continue
    const reply = await community
      .send(`/api/interactions/${event.id}/${event.token}/callback`, {
        method: 'POST',
        headers: { authorization: `Bot ${community.bot.token}`, 'content-type': 'application/json' },
        body: JSON.stringify({ type: 'message', data: { content: `Answer to ${event.id}` } }),
        signal: AbortSignal.timeout(callbackTimeoutMs),
      })
      .catch(() => undefined)
    if (reply?.status === 200) successes.set(event.id, (successes.get(event.id) ?? 0) + 1)
  }
}
