import assert from 'node:assert/strict'
import { setTimeout as wait } from 'node:timers/promises'
import { type Bus, BusUnavailable, connectNatsBus, MAX_TTL_MS } from '@gatehouse/testkit/bus'
import { type NatsClusterServer, startNatsCluster, waitForCluster } from '@gatehouse/testkit/local-servers'
import type { Fault } from './fault.ts'
import { startNodes } from './nodes.ts'
import { assertOnce, createOperations, repeatCallbacks, repeatSignIns, withOwnBot } from './operations.ts'
import { assertInteracts, assertNoneLost, assertWorks, type Target } from './target.ts'
import { describe, runWorkload } from './workload.ts'

const maxOutageMs = 10_000

/** Kills each of three NATS servers in turn, so also those that the nodes are connected to, and then all at once. */
export const clusterFault: Fault = {
  name: 'cluster',
  invariant: `NATS cluster: without one server, and after the loss of all, the nodes go on within ${maxOutageMs / 1000} s, nothing that was answered is lost, no code, refresh token or callback works twice`,
  engines: ['PostgreSQL'],
  timeoutMs: 400_000,
  async run(context) {
    const { servers } = context.use('nats-server', await startNatsCluster())
    const env = {
      NATS_URL: servers.map(({ url }) => url).join(),
      DATABASE_URL: context.postgres?.url ?? '',
    }
    const nodes = await startNodes(context, env, [{}, {}])
    const [a, b] = nodes
    assert.ok(a && b)
    await assertInteracts(a)
    const bus = await connectNatsBus(env.NATS_URL, { prefix: 'cluster-fault' })
    context.after(() => bus.close())
    await bus.kv.set('key', 'value', MAX_TTL_MS)
    const operations = createOperations()
    const withBots = await Promise.all(nodes.map(node => withOwnBot(context, node)))
    const outages: number[] = []
    async function loseServers(): Promise<void> {
      for (const server of servers) {
        await server.kill()
        outages.push(await waitUntilInteracting(nodes))
        await assertKeyRemains(bus)
        await restart([server], servers)
      }
      await Promise.all(servers.map(server => server.kill()))
      await wait(2000)
      await restart(servers, servers)
      outages.push(await waitUntilInteracting(nodes))
    }
    const losing = loseServers()
    const [result] = await Promise.all([
      runWorkload(a, losing),
      ...nodes.map(node => repeatSignIns(node, operations, losing)),
      ...withBots.map(node => repeatCallbacks(node, operations, losing)),
    ])
    for (const node of nodes) await assertWorks(node)
    await assertNoneLost(b, result.contents)
    await assertOnce(b, operations)
    return `${describe(result)}; ${operations.callbacks.length} callbacks; bots get interactions again after ${outages.map(Math.round).join(', ')} ms`
  },
}

/** The store may be unavailable while the other servers elect a leader. */
async function assertKeyRemains({ kv }: Bus): Promise<void> {
  const end = performance.now() + maxOutageMs
  for (;;) {
    try {
      assert.equal((await kv.get('key'))?.value, 'value', 'a key of the store is lost')
      return
    } catch (error) {
      if (!(error instanceof BusUnavailable) || performance.now() > end) throw error
      await wait(200)
    }
  }
}

async function restart(
  killed: readonly NatsClusterServer[],
  all: readonly NatsClusterServer[],
): Promise<void> {
  await Promise.all(killed.map(server => server.start()))
  await waitForCluster(all)
}

/** Waits until users of each node can invoke a command whose bot is connected to the same node. Returns the milliseconds. */
async function waitUntilInteracting(nodes: readonly Target[]): Promise<number> {
  const start = performance.now()
  for (const node of nodes) {
    for (;;) {
      try {
        await assertInteracts(node)
        break
      } catch (error) {
        if (performance.now() - start > maxOutageMs) throw error
        await wait(200)
      }
    }
  }
  const ms = performance.now() - start
  assert.ok(ms < maxOutageMs, `the nodes needed ${Math.round(ms)} ms`)
  return ms
}
