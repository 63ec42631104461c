import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { CommandInteraction } from '@gatehouse/protocol/interactions'
import { createTestClock } from '@gatehouse/testkit/clock'
import { createLocalBus } from '../bus/local-bus.ts'
import { subjects } from '../events/gateway-events.ts'
import { createGatewayDispatch } from './gateway-dispatch.ts'

const applicationId = '1000000000000000001'
const event = { id: '1', applicationId } as CommandInteraction

/**
 * A bus on which nodes respond in turn. A node with the name `crashed` receives requests and never responds. `other
 * shard` has no session for the server. `stopping` has a session that waits for a resume on another node.
 */
async function setUp(...nodes: readonly string[]) {
  const clock = createTestClock()
  const bus = createLocalBus({ clock: clock.now, timers: clock.timers })
  const requested: string[] = []
  const closers = new Map<string, () => void>()
  for (const node of nodes) {
    const subject =
      node === 'stopping' ? subjects.waitingBotSessions(applicationId) : subjects.botSessions(applicationId)
    const subscription = await bus.respond(subject, async () => {
      requested.push(node)
      if (node === 'crashed') return new Promise(() => {})
      return node === 'other shard' ? { delivered: false } : { delivered: true, sessionId: node, node }
    })
    closers.set(node, () => subscription.close())
  }
  const send = createGatewayDispatch({ bus, clock: clock.now })
  const result = send({ event, deadlineAt: clock.now() + 3000 })
  return {
    requested,
    result,
    close: (node: string) => closers.get(node)?.(),
    async advance(ms: number) {
      await nextTick()
      clock.advance(ms)
      await nextTick()
    },
  }
}

const nextTick = () => new Promise(resolve => setImmediate(resolve))

test('asks another node if a crashed node does not respond within 500 ms (bots/interaction-delivery)', async () => {
  const { requested, result, advance } = await setUp('crashed', 'running')
  await advance(499)
  assert.deepEqual(requested, ['crashed'])
  await advance(1)
  assert.deepEqual(await result, { kind: 'confirmed', sessionId: 'running', node: 'running' })
  assert.deepEqual(requested, ['crashed', 'running'])
})

test('leaves the outcome to the deadline if no node confirms, and sends no request after it', async () => {
  const { requested, result, advance } = await setUp('crashed')
  for (let tries = 0; tries < 10; tries++) await advance(500)
  assert.deepEqual(await result, { kind: 'unconfirmed' })
  assert.equal(requested.length, 6)
})

test('fails with offline at once if no session is connected (bots/interaction-delivery)', async () => {
  const { result } = await setUp()
  assert.deepEqual(await result, { kind: 'failed', reason: { code: 'offline' } })
})

test('a session that waits for a resume on another node receives an interaction if none is connected', async () => {
  const alone = await setUp('stopping')
  assert.deepEqual(await alone.result, { kind: 'confirmed', sessionId: 'stopping', node: 'stopping' })
  const { result, requested } = await setUp('stopping', 'running')
  assert.deepEqual(await result, { kind: 'confirmed', sessionId: 'running', node: 'running' })
  assert.deepEqual(requested, ['running'])
})

test('leaves the outcome to the deadline if one node does not confirm and the others have no session', async () => {
  const { result, requested, advance } = await setUp('crashed', 'other shard', 'other shard')
  await advance(500)
  assert.deepEqual(await result, { kind: 'unconfirmed' })
  assert.deepEqual(requested, ['crashed', 'other shard', 'other shard'])
})

test('leaves the outcome to the deadline if a node closed without confirming', async () => {
  const { result, close, advance } = await setUp('crashed')
  await nextTick()
  close('crashed')
  await advance(500)
  assert.deepEqual(await result, { kind: 'unconfirmed' })
})
