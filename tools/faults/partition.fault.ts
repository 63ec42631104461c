import assert from 'node:assert/strict'
import { setTimeout as wait } from 'node:timers/promises'
import { assertWorks, type Community, communityAt, makeCommunity } from './community.ts'
import type { Fault, Trial } from './fault.ts'
import { connectBot, connectPerson, type Session, useCommand } from './interaction.ts'
import { makeNetwork, type Network, removeNamespaces } from './network.ts'
import { untilReady } from './postgres.fault.ts'
import { startOwnNats, startOwnPostgres } from './servers.ts'

// Somewhat more than the three seconds that a bot has.
const settledMs = 6000
const answerMs = 15_000
const healLimitMs = 60_000

/** Two nodes; one is cut off from the database, the bus and the other, while its clients still reach it. */
export const partitionFault: Fault = {
  name: 'partition',
  holds: 'two nodes and a cut network: no double delivery that counts, no lost answer, heals by itself',
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
    const person = await connectPerson(a, origin)
    const near = await connectBot(a)
    const far = await connectBot(b)
    const answers = new Map<string, number>()
    const bots = [answering(a, near, answers), answering(b, far, answers)]

    const before = await useMany(a, 10)
    await settled(a, before, ['answered'])

    network.cut()
    const whileCut = await useMany(a, 10)
    const states = await settled(a, whileCut, ['answered', 'timed_out', 'failed'])
    await assertWorks(a)
    const refused = await b.post('cut off')
    assert.equal(refused.status, 503, `cut off from its database: ${refused.status} ${refused.text}`)
    assert.equal((await b.send('/readyz')).status, 503)

    network.heal()
    await untilReady(b.service.url, 60_000)
    await assertWorks(b)
    await assertWorks(a)
    const again = await connectBot(b)
    bots.push(answering(b, again, answers))
    // The bus may still think that the node is where it was: what is sent there is asked for again, and comes half a second
    // later.
    const healedMs = await untilAllAnswered(b)

    const shown = person.frames.filter(({ t }) => t === 'MESSAGE_CREATE').length
    assert.ok(shown >= before.length, 'the person did not see what was answered')
    const twice = [...answers].filter(([, count]) => count > 1)
    assert.deepEqual(twice, [], 'answered with success twice')
    for (const session of [near, far, again, person]) session.close()
    await Promise.all(bots)
    const answered = states.filter(state => state === 'answered').length
    return `${answered} of ${whileCut.length} interactions answered while one node was cut off, the others told; all before, and all again ${Math.round(healedMs / 100) / 10} s after`
  },
}

function networkFor(trial: Trial): Network {
  if (process.getuid?.() !== 0) trial.cannot('only root can make network namespaces')
  try {
    return makeNetwork()
  } catch (error) {
    removeNamespaces()
    return trial.cannot(
      `network namespaces cannot be made: ${error instanceof Error ? error.message : error}`,
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

/** Uses the command, some at once; the ids of the interactions. */
async function useMany(community: Community, count: number): Promise<string[]> {
  const replies = await Promise.all(Array.from({ length: count }, () => useCommand(community)))
  for (const { status, text } of replies) assert.equal(status, 202, text)
  return replies.map(({ text }) => JSON.parse(text).id)
}

/** How long it took until every one of several interactions was answered. */
async function untilAllAnswered(community: Community): Promise<number> {
  const start = performance.now()
  for (;;) {
    const states = await settled(community, await useMany(community, 10), ['answered', 'timed_out', 'failed'])
    const ms = performance.now() - start
    if (states.every(state => state === 'answered')) return ms
    assert.ok(ms < healLimitMs, `after ${ms} ms interactions are still ${states.join(', ')}`)
  }
}

/** The states that they came to, each one of `allowed`. */
async function settled(community: Community, ids: readonly string[], allowed: string[]): Promise<string[]> {
  const end = performance.now() + settledMs
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
      assert.ok(performance.now() < end, 'an interaction stays pending')
      await wait(50)
    }
  }
  return states
}

/** Answers whatever the session is given, through its node; counts the successes of each. */
async function answering(
  community: Community,
  session: Session,
  answers: Map<string, number>,
): Promise<void> {
  let over = false
  void session.closed.then(() => {
    over = true
  })
  while (!over) {
    const event = await session.next()
    if (event === undefined) continue
    const reply = await community
      .send(`/api/interactions/${event.id}/${event.token}/callback`, {
        method: 'POST',
        headers: { authorization: `Bot ${community.bot.token}`, 'content-type': 'application/json' },
        body: JSON.stringify({ type: 'message', data: { content: `Answer to ${event.id}` } }),
        signal: AbortSignal.timeout(answerMs),
      })
      .catch(() => undefined)
    if (reply?.status === 200) answers.set(event.id, (answers.get(event.id) ?? 0) + 1)
  }
}
