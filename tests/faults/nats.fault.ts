import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { setTimeout as wait } from 'node:timers/promises'
import { connectNatsBus, MAX_TTL_MS } from '@gatehouse/testkit/bus'
import type { TestResponse } from '@gatehouse/testkit/client'
import { type NatsClusterServer, startNatsCluster, waitForCluster } from '@gatehouse/testkit/local-servers'
import { retry } from '@gatehouse/testkit/wait-until'
import { bothEngines, fault } from './fault.ts'
import { assertWorks, repeatRounds, restart, runOnNodes, runWorkload } from './load.ts'
import { short } from './settings.ts'
import { assertInteracts } from './target.ts'

const maxResponseMs = 6000
const maxShutdownMs = 10_000
const maxOutageMs = 10_000

/** Kills NATS with SIGKILL and restarts it, several times. */
fault('bus', bothEngines, 4, 'no success is lost, all sessions recover', async context => {
  const server = await context.startBus()
  const target = await context.startTarget({ NATS_URL: server.url })
  return repeatRounds(target, async load => {
    await assertInteracts(target)
    const session = await target.connectUser()
    const invoke = async () => {
      await wait(1000)
      const { status, text } = await target.invoke()
      assert.ok([202, 503].includes(status), `interaction: ${status} ${text}`)
    }
    const responses = await runWorkload(target, load, restart(target, server, 500, invoke))
    await target.waitUntilReady()
    await assertInteracts(target)
    const content = randomUUID()
    assert.equal((await target.post(content)).status, 200)
    let event = await session.next('MESSAGE_CREATE')
    while (event && event.d.content !== content) event = await session.next('MESSAGE_CREATE')
    // The service may also have ended the session with Reconnect.
    const reason = event ?? (await Promise.race([session.ended, wait(0)]))
    assert.ok(event || reason === 'the service restarts', `an open session receives no events: ${reason}`)
    session.close()
    return responses.summary
  })
})

/** Stops the process of NATS with SIGSTOP: connections stay open, and nothing responds. */
fault('frozen', bothEngines, 3, 'responses within 6 s, recovery, clean shutdown', async context => {
  const server = await context.startBus()
  const target = await context.startTarget({ NATS_URL: server.url })
  await assertInteracts(target)
  // A session of a bot, so that the interactions of this bot wait for the bus.
  const bot = await target.connectBot()
  let slowestMs = 0
  async function measure(expected: number, request: () => Promise<TestResponse>): Promise<void> {
    const start = performance.now()
    const { status, text } = await request()
    slowestMs = Math.max(slowestMs, performance.now() - start)
    assert.equal(status, expected, text)
  }
  await server.signal('SIGSTOP')
  // The first requests arrive before the service has noticed, the last ones after it.
  for (let number = 0; number < (short ? 2 : 8); number++) {
    await Promise.all([
      measure(503, target.invoke),
      measure(200, () => target.post(`frozen ${number}`)),
      measure(200, () => target.listMessages()),
    ])
  }
  assert.ok(slowestMs < maxResponseMs, `a response took ${Math.round(slowestMs)} ms`)
  await server.signal('SIGCONT')
  bot.close()
  await target.waitUntilReady(20_000)
  await assertWorks(target)
  await assertInteracts(target)

  await server.signal('SIGSTOP')
  const start = performance.now()
  assert.equal(await target.service.end('SIGTERM'), 0, 'exit code')
  const shutdownMs = performance.now() - start
  assert.ok(shutdownMs < maxShutdownMs, `the shutdown took ${Math.round(shutdownMs)} ms`)
  await server.signal('SIGCONT')
  return `slowest response ${Math.round(slowestMs)} ms, shutdown ${Math.round(shutdownMs)} ms`
})

/**
 * Kills each of three NATS servers in turn, so also those that the nodes are connected to, and then all at once:
 * nothing that was answered is lost, and no code, refresh token or callback works twice.
 */
fault('cluster', ['PostgreSQL'], 7, 'all nodes go on within 10 s, nothing is lost', async context => {
  const { servers } = context.use('nats-server', await startNatsCluster())
  const urls = servers.map(({ url }) => url).join()
  const nodes = await context.startNodes([{}, {}], { NATS_URL: urls })
  await assertInteracts(nodes[0])
  const bus = await connectNatsBus(urls, { prefix: 'cluster-fault' })
  context.after(() => bus.close())
  await bus.kv.set('key', 'value', MAX_TTL_MS)

  const outages: number[] = []
  /** Users of each node can invoke a command whose bot is connected to the same node. */
  async function measureOutage(): Promise<void> {
    const start = performance.now()
    for (const node of nodes) await retry(maxOutageMs, () => assertInteracts(node))
    const ms = performance.now() - start
    assert.ok(ms < maxOutageMs, `the nodes needed ${Math.round(ms)} ms`)
    outages.push(Math.round(ms))
  }
  async function restartServers(killed: readonly NatsClusterServer[]): Promise<void> {
    await Promise.all(killed.map(server => server.start()))
    await waitForCluster(servers)
  }
  const { summary } = await runOnNodes(nodes, async () => {
    for (const server of servers) {
      await server.end('SIGKILL')
      await measureOutage()
      // The store may be unavailable while the other servers elect a leader.
      const entry = await retry(maxOutageMs, () => bus.kv.get('key'))
      assert.equal(entry?.value, 'value', 'a key of the store is lost')
      await restartServers([server])
    }
    await Promise.all(servers.map(server => server.end('SIGKILL')))
    await wait(2000)
    await restartServers(servers)
    await measureOutage()
  })
  return `${summary}; bots get interactions again after ${outages.join(', ')} ms`
})
