import assert from 'node:assert/strict'
import { setTimeout as wait } from 'node:timers/promises'
import type { TestResponse } from '@gatehouse/testkit/client'
import { retry } from '@gatehouse/testkit/wait-until'
import fc from 'fast-check'
import { bothEngines, fault } from './fault.ts'
import { ignoreLostConnection, Load, repeatDuring } from './load.ts'
import { rounds, seed, short } from './settings.ts'
import type { Target } from './target.ts'

const attempts = 200
const listOf = (length: number) => Array.from({ length }, (_, number) => number)

/** Time between two interactions. Shorter pauses overload a small machine. */
const pauseMs = 20
const maxDelayMs = 250
/** Shorter than the interval of the sweep (one minute), which would hide an update that the timer missed. */
const updateTimeoutMs = 10_000

/**
 * Kills the service with SIGKILL under load and restarts it, in several rounds: no successful operation is lost, and no
 * code, refresh token or callback succeeds twice.
 */
fault('kill', bothEngines, 15, 'no success is lost, nothing succeeds twice', async context => {
  const count = rounds ?? (short ? 5 : 50)
  const target = await context.startTarget()
  // Before the kill each response is a success.
  const load = new Load(true)
  const delays = fc.sample(fc.integer({ min: 200, max: 1000 }), { seed, numRuns: count })
  for (const [round, delayMs] of delays.entries()) {
    const killing = wait(delayMs).then(() => target.service.end('SIGKILL'))
    const repeat = (work: (number: number) => Promise<unknown>) =>
      repeatDuring(killing, number => ignoreLostConnection(work(number)), 0)
    await Promise.all([
      ...listOf(8).map(worker =>
        repeat(number => load.post(target, `round ${round} worker ${worker} message ${number}`)),
      ),
      ...listOf(8).map(() => repeat(() => load.signIn(target))),
      load.repeatCallbacks(target, killing),
    ])
    await target.service.start()
    // Also the messages of earlier rounds.
    await load.assertKept(target)
  }
  return `${count} rounds: ${load.summarize()}`
})

/** Sends SIGTERM during requests and with open gateway sessions, which get Reconnect. The service exits within 10 s. */
fault('stop', bothEngines, 3, 'every request in flight gets a response', async context => {
  const count = short ? 2 : 10
  const target = await context.startTarget()
  let responses = 0
  let slowestMs = 0
  for (let round = 0; round < count; round++) {
    const sessions = [await target.connectBot(), await target.connectUser()]
    const load = new Load()
    // Each worker has a request in flight when the signal is sent. Its connection stays open, as with a proxy.
    const starting = wait(500)
    const requests = listOf(30).map(worker => {
      async function send(number: number): Promise<void> {
        const { status, text } = await load.post(target, `stop ${round} ${worker} ${number}`)
        assert.ok(status === 200 || status === 503, `${status} ${text}`)
        responses++
      }
      return repeatDuring(starting, send, 0)
    })
    await starting
    const start = performance.now()
    // A rejection: a request in flight got no response.
    const [code] = await Promise.all([target.service.end('SIGTERM'), ...requests])
    const ms = performance.now() - start
    slowestMs = Math.max(slowestMs, ms)
    assert.equal(code, 0, 'exit code')
    assert.ok(ms < 10_000, `the exit took ${ms} ms`)
    for (const session of sessions) assert.equal(await session.ended, 'the service restarts')
    await target.service.start()
    await load.assertKept(target)
  }
  return `${count} stops, ${responses} responses, slowest stop ${Math.round(slowestMs)} ms`
})

/** Uses a code, a refresh token and an interaction concurrently: on one service, and with PostgreSQL on three nodes. */
fault('once', bothEngines, 4, 'exactly one of 200 concurrent uses succeeds', async context => {
  await assertOnce([await context.startTarget()])
  if (!context.postgres) return `${attempts} attempts of each`
  await assertOnce(await context.startNodes([{}, {}, {}]))
  return `${attempts} attempts of each on one service, and on three nodes`
})

async function assertOnce(nodes: readonly [Target, ...Target[]]): Promise<void> {
  const [target] = nodes
  /** Sends the request concurrently. All but one response must have the status `refusal`. */
  async function assertOneSucceeds(
    name: string,
    refusal: number,
    send: (node: Target) => Promise<TestResponse>,
  ): Promise<TestResponse> {
    const requests = Array.from({ length: attempts }, (_, n) => send(nodes[n % nodes.length] ?? target))
    const responses = await Promise.all(requests)
    const statuses = responses.map(({ status }) => status).toSorted()
    assert.deepEqual(statuses, [200, ...Array(attempts - 1).fill(refusal)], name)
    return responses.find(({ status }) => status === 200) ?? assert.fail()
  }

  const code = (await target.authorize()) ?? ''
  const issued = await assertOneSucceeds('code', 400, node => node.exchange(code))
  assert.ok(issued.body.access_token)

  const tokens = await target.exchange((await target.authorize()) ?? '')
  await assertOneSucceeds('refresh token', 400, node => node.refresh(tokens.body.refresh_token))

  const session = await target.connectBot()
  await target.command()
  const event = await session.next('INTERACTION_CREATE')
  assert.ok(event !== undefined, 'the bot got no interaction')
  await assertOneSucceeds('callback', 409, node => node.respond(event, 'Once'))
  session.close()
  assert.deepEqual(await target.findMissing(['Once']), [])
}

/** A bot that receives 2,000 interactions and responds to none. */
fault('deadlines', bothEngines, 6, 'each time-out is reported within 250 ms', async context => {
  const target = await context.startTarget()
  const sessions = [await target.connectUser(), await target.connectBot()] as const
  const interactionCount = short ? 200 : 2000
  const deadlines = new Map<string, number>()
  async function invoke(): Promise<void> {
    const { id, deadlineAt } = await target.command()
    deadlines.set(id, Date.parse(deadlineAt))
  }
  const requests: Promise<void>[] = []
  // The largest timer delay of this process. On a busy machine the service has similar delays.
  let timerDelayMs = 0
  while (requests.length < interactionCount) {
    requests.push(invoke())
    const start = performance.now()
    await wait(pauseMs)
    timerDelayMs = Math.max(timerDelayMs, Math.round(performance.now() - start - pauseMs))
  }
  await Promise.all(requests)

  await wait(Math.max(...deadlines.values()) + maxDelayMs - Date.now())
  const delays = await retry(updateTimeoutMs, () => {
    const updates = sessions[0].events.filter(({ t }) => t === 'INTERACTION_UPDATE')
    assert.equal(updates.length, interactionCount, 'updates are missing')
    return updates.map(({ d, receivedAt }) => receivedAt - (deadlines.get(d.id) ?? 0))
  })
  for (const session of sessions) session.close()
  const late = delays.filter(delay => delay > maxDelayMs)
  const timerDelay = `timer delay of this process: up to ${timerDelayMs} ms`
  assert.equal(late.length, 0, `${late.length} updates were later than ${maxDelayMs} ms; ${timerDelay}`)
  assert.ok(Math.min(...delays) >= 0, 'an update was sent before its deadline')
  return `${interactionCount} updates, the latest after ${Math.max(...delays)} ms (${timerDelay})`
})
