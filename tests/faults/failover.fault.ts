import assert from 'node:assert/strict'
import { setTimeout as wait } from 'node:timers/promises'
import { startNats, startPostgresPair } from '@gatehouse/testkit/local-servers'
import type { Fault } from './fault.ts'
import { startNodes } from './nodes.ts'
import { assertOnce, createOperations, repeatCallbacks, repeatSignIns, withOwnBot } from './operations.ts'
import { assertNoneLost, assertWorks, waitUntilReady } from './target.ts'
import { assertUnavailable, describe, runWorkload } from './workload.ts'

const maxOutageMs = 10_000

/** Kills the primary of two PostgreSQL servers and promotes the synchronous standby. */
export const failoverFault: Fault = {
  name: 'failover',
  invariant: `PostgreSQL fail-over: all nodes go on within ${maxOutageMs / 1000} s, nothing that was answered is lost, no code, refresh token or callback works twice`,
  engines: ['PostgreSQL'],
  timeoutMs: 240_000,
  async run(context) {
    const pair = context.use('pg_basebackup of PostgreSQL', await startPostgresPair())
    const bus = context.use('nats-server', await startNats())
    const nodes = await startNodes(context, { NATS_URL: bus.url, DATABASE_URL: pair.url }, [{}, {}])
    const [a, b] = nodes
    assert.ok(a && b)
    const operations = createOperations()
    const withBots = await Promise.all(nodes.map(node => withOwnBot(context, node)))
    let outageMs = 0
    async function failOver(): Promise<void> {
      await wait(2000)
      await pair.kill()
      // As long as an operator or a cluster manager needs at least.
      await wait(1000)
      await pair.promote()
      const start = performance.now()
      for (const node of nodes) await waitUntilReady(node, maxOutageMs)
      outageMs = performance.now() - start
      await wait(1000)
    }
    const failingOver = failOver()
    const [result] = await Promise.all([
      runWorkload(a, failingOver),
      ...nodes.map(node => repeatSignIns(node, operations, failingOver)),
      ...withBots.map(node => repeatCallbacks(node, operations, failingOver)),
    ])
    assertUnavailable(result)
    for (const node of nodes) await assertWorks(node)
    await assertNoneLost(b, result.contents)
    await assertOnce(b, operations)
    const { usedCodes, usedRefreshTokens, callbacks } = operations
    return `${describe(result)}; ${usedCodes.length} codes, ${usedRefreshTokens.length} refresh tokens and ${callbacks.length} callbacks; all nodes ready ${Math.round(outageMs)} ms after the promotion`
  },
}
