import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { CommandInteraction } from '@gatehouse/protocol/interactions'
import { maxWaitingOfApplication, maxWaitingOfUser } from '@gatehouse/protocol/limits'
import { createTestClock } from '@gatehouse/testkit/clock'
import type { ApplicationRecord } from '../applications/index.ts'
import type { BusMessage } from '../bus/bus.ts'
import { createLocalBus } from '../bus/local-bus.ts'
import type { NodeEnd } from '../bus/nodes.ts'
import { subjects } from '../events/gateway-events.ts'
import { StorageUnavailable } from '../storage/database.ts'
import { createDeliver, type SendResult } from './dispatch.ts'
import { createDispatcher } from './dispatcher.ts'
import type { Deps } from './interaction-deps.ts'

const application = { id: '1000000000000000001', interactionsEndpointUrl: null } as ApplicationRecord

function setUp() {
  const clock = createTestClock()
  const bus = createLocalBus({ clock: clock.now, timers: clock.timers })
  const sent: string[] = []
  const timedOut: string[] = []
  const pending = new Set<string>()
  /** How many more reads of the database fail. */
  let failingReads = 0
  let results: SendResult[] = []
  let onSend = () => {}
  const handedOver: BusMessage[] = []
  let onMessage: (message: BusMessage) => void = () => {}
  const onEnd: ((node: string, end: NodeEnd) => void)[] = []
  const nodes: Deps['nodes'] = {
    self: 'this',
    neighbour: () => 'neighbour',
    others: () => ['neighbour'],
    send: (_node, message) => void handedOver.push(message),
    onMessage: listener => {
      onMessage = listener
    },
    onEnd: listener => void onEnd.push(listener),
  }
  const { timers } = clock
  const dispatcher = createDispatcher({
    clock: clock.now,
    timers,
    nodes,
    deliver: createDeliver({ bus, nodes, timers }),
    async sendToGateway({ event }) {
      sent.push(event.id)
      onSend()
      return results.shift() ?? offline
    },
    async isPending(id) {
      if (failingReads-- > 0) throw unavailable
      return pending.has(id)
    },
    recordTimeout: async (id, isOffline) => {
      timedOut.push(isOffline ? `${id} offline` : id)
    },
    endpoint: { send: () => assert.fail(), toFailure: () => assert.fail() },
    callback: () => assert.fail(),
    recordEndpointFailure: () => assert.fail(),
    onError: error => assert.equal(error, unavailable),
  })
  const startOf = (userId: string, id: string, ...sendResults: SendResult[]) => {
    results = sendResults
    pending.add(id)
    const event = { id, applicationId: application.id, user: { id: userId } } as CommandInteraction
    return dispatcher.start({ event, application, deadlineAt: clock.now() + 3000 })
  }
  return {
    clock,
    dispatcher,
    sent,
    timedOut,
    pending,
    handedOver,
    receive(message: BusMessage, ...sendResults: SendResult[]) {
      results = sendResults
      onMessage(message)
    },
    endNode(node: string, end: NodeEnd) {
      for (const listener of onEnd) listener(node, end)
    },
    startOf,
    start: (id: string, ...sendResults: SendResult[]) => startOf('ann', id, ...sendResults),
    failReads(times: number) {
      failingReads = times
    },
    duringSend(f: () => void) {
      onSend = f
    },
    sessionConnected(...sendResults: SendResult[]) {
      results = sendResults
      bus.publish(subjects.gatewaySessionConnected(application.id), {})
    },
    sessionDisconnected: (sessionId: string) =>
      bus.publish(subjects.gatewaySessionDisconnected(application.id), { sessionId }),
  }
}

const unavailable = new StorageUnavailable('test')
const offline: SendResult = { kind: 'failed', reason: { code: 'offline' } }
const to = (sessionId: string, node?: string): SendResult => ({ kind: 'confirmed', sessionId, node })
const nextTick = () => new Promise(resolve => setImmediate(resolve))

test('without a session, an event waits until the deadline (bots/interaction-delivery)', async () => {
  const { start, clock, sent, timedOut } = setUp()
  assert.equal(await start('1', offline), undefined)
  clock.advance(2999)
  assert.deepEqual([sent, timedOut], [['1'], []])
  clock.advance(1)
  await nextTick()
  assert.deepEqual([sent, timedOut], [['1'], ['1 offline']])
})

test('the next session that connects receives a waiting event, once (bots/interaction-delivery)', async () => {
  const { start, sessionConnected, sent, timedOut, clock } = setUp()
  for (const id of ['1', '2']) await start(id, offline)
  sent.length = 0
  sessionConnected(offline, to('a'))
  await nextTick()
  assert.deepEqual(sent, ['1', '2'])
  sessionConnected(to('b'))
  sessionConnected(to('c'))
  await nextTick()
  assert.deepEqual(sent, ['1', '2', '1'], 'the session of the first connection was of another shard')
  clock.advance(3000)
  await nextTick()
  assert.deepEqual(timedOut, ['1', '2'])
})

test('a session that connects while the event is being sent receives it', async () => {
  const { start, sessionConnected, duringSend, sent } = setUp()
  duringSend(() => {
    if (sent.length === 1) sessionConnected(offline, to('a'))
  })
  await start('1')
  await nextTick()
  assert.deepEqual(sent, ['1', '1'])
})

test('a waiting event that was answered or failed in the meantime is not sent', async () => {
  const { start, dispatcher, pending, sessionConnected, sent, timedOut, clock } = setUp()
  for (const id of ['1', '2']) await start(id, offline)
  pending.delete('1')
  dispatcher.complete('2')
  sent.length = 0
  sessionConnected(to('a'))
  await nextTick()
  clock.advance(3000)
  await nextTick()
  assert.deepEqual([sent, timedOut], [[], []])
})

test('an event beyond the number that waits times out too (bots/interaction-delivery)', async () => {
  const { startOf, sessionConnected, sent, timedOut, clock } = setUp()
  const ids = Array.from({ length: maxWaitingOfUser + 1 }, (_, index) => `${index}`)
  for (const id of ids) await startOf('ann', id, offline)
  await startOf('bob', 'other', offline)
  sent.length = 0
  sessionConnected(...ids.map(() => to('a')))
  await nextTick()
  assert.deepEqual(sent, [...ids.slice(0, -1), 'other'])
  clock.advance(3000)
  await nextTick()
  assert.equal(timedOut.length, ids.length + 1)
})

test('the events of all users that wait for one application are limited', async () => {
  const { startOf, sessionConnected, sent } = setUp()
  for (let index = 0; index <= maxWaitingOfApplication; index++)
    await startOf(`${index}`, `${index}`, offline)
  sent.length = 0
  sessionConnected(...sent.map(() => to('a')))
  await nextTick()
  assert.equal(sent.length, maxWaitingOfApplication)
})

test('records the timeout once, at the deadline', async () => {
  const { start, clock, timedOut } = setUp()
  await start('1', to('a'))
  clock.advance(2999)
  assert.deepEqual(timedOut, [])
  clock.advance(1)
  clock.advance(60_000)
  await nextTick()
  assert.deepEqual(timedOut, ['1'])
})

test('records no timeout after the response', async () => {
  const { start, dispatcher, clock, timedOut } = setUp()
  await start('1', to('a'))
  dispatcher.complete('1')
  clock.advance(3000)
  await nextTick()
  assert.deepEqual(timedOut, [])
})

test('sends the event to another session if the first one closes (bots/interaction-delivery)', async () => {
  const { start, sessionDisconnected, sent } = setUp()
  await start('1', to('a'), to('b'))
  sessionDisconnected('other')
  await nextTick()
  assert.deepEqual(sent, ['1'])
  sessionDisconnected('a')
  await nextTick()
  assert.deepEqual(sent, ['1', '1'])
  sessionDisconnected('a')
  await nextTick()
  assert.deepEqual(sent, ['1', '1'])
})

test('sends the event again if the session closes while the event is being sent', async () => {
  const { start, sessionDisconnected, sent, duringSend } = setUp()
  duringSend(() => {
    if (sent.length === 1) sessionDisconnected('a')
  })
  await start('1', to('a'), to('b'))
  await nextTick()
  assert.deepEqual(sent, ['1', '1'])
})

test('does not send the event again if another node received the response', async () => {
  const { start, sessionDisconnected, sent, pending } = setUp()
  await start('1', to('a'), to('b'))
  pending.delete('1')
  sessionDisconnected('a')
  await nextTick()
  assert.deepEqual(sent, ['1'])
})

test('stays pending until the deadline if there is no other session (bots/interaction-after-disconnect)', async () => {
  const { start, sessionDisconnected, sent, clock, timedOut } = setUp()
  await start('1', to('a'), offline)
  sessionDisconnected('a')
  await nextTick()
  assert.deepEqual(sent, ['1', '1'])
  clock.advance(3000)
  await nextTick()
  assert.deepEqual(timedOut, ['1 offline'])
})

test('sends the event again to a session that connects later (bots/interaction-delivery)', async () => {
  const { start, sessionDisconnected, sessionConnected, sent } = setUp()
  await start('1', to('a'), offline)
  sessionDisconnected('a')
  await nextTick()
  assert.equal(sent.length, 2)
  sessionConnected(to('b'))
  await nextTick()
  assert.equal(sent.length, 3)
})

test('sends an event again until a session confirms it (bots/interaction-node-loss)', async () => {
  const { start, dispatcher, sent, clock } = setUp()
  const unconfirmed: SendResult = { kind: 'unconfirmed' }
  assert.equal(await start('1', unconfirmed, unconfirmed, to('b')), undefined)
  for (let passed = 0; passed < 1000; passed += 250) {
    await nextTick()
    clock.advance(250)
  }
  assert.deepEqual(sent, ['1', '1', '1'])
  await start('2', unconfirmed)
  dispatcher.complete('2')
  clock.advance(250)
  await nextTick()
  assert.equal(sent.length, 4)
})

test('sends the event to another session if its node dies, and only then (bots/interaction-node-loss)', async () => {
  const { start, endNode, sent } = setUp()
  await start('1', to('a', 'x'), to('b', 'y'))
  endNode('y', 'lost')
  endNode('x', 'stopped')
  await nextTick()
  assert.deepEqual(sent, ['1'])
  endNode('x', 'lost')
  await nextTick()
  assert.deepEqual(sent, ['1', '1'])
  endNode('x', 'lost')
  await nextTick()
  assert.deepEqual(sent, ['1', '1'])
})

test('another node knows an interaction of which this node has the session (bots/interaction-node-loss)', async () => {
  const { start, handedOver } = setUp()
  await start('1', to('a', 'other'))
  assert.deepEqual(handedOver, [])
  await start('2', to('a', 'this'))
  assert.equal(handedOver.length, 1)
})

test('sends the interactions of a node that died without a response (bots/interaction-node-loss)', async () => {
  const { start, handedOver } = setUp()
  for (const id of ['1', '2']) await start(id, to('a', 'this'))
  const neighbour = setUp()
  neighbour.pending.add('1')
  for (const message of handedOver) neighbour.receive(message, to('b', 'other'))
  neighbour.endNode('other', 'lost')
  await nextTick()
  assert.deepEqual(neighbour.sent, [])
  neighbour.endNode('this', 'lost')
  await nextTick()
  assert.deepEqual(neighbour.sent, ['1'])
  neighbour.clock.advance(3000)
  await nextTick()
  assert.deepEqual(neighbour.timedOut, ['1'])
})

test('a node that stops hands over what no session of another node has (bots/interaction-node-loss)', async () => {
  const { start, dispatcher, handedOver } = setUp()
  await start('1', to('a', 'other'))
  await start('2', to('b', 'this'))
  handedOver.length = 0
  await dispatcher.close()
  assert.equal(handedOver.length, 1)
  const neighbour = setUp()
  neighbour.pending.add('2')
  neighbour.receive(handedOver[0], to('c', 'other'))
  await nextTick()
  assert.deepEqual(neighbour.sent, ['2'])
})

test('a node that stops hands over what waits for a session (bots/interaction-node-loss)', async () => {
  const { start, dispatcher, handedOver } = setUp()
  await start('1', offline)
  await dispatcher.close()
  const neighbour = setUp()
  neighbour.pending.add('1')
  neighbour.receive(handedOver[0], offline)
  await nextTick()
  neighbour.sessionConnected(to('a'))
  await nextTick()
  assert.deepEqual(neighbour.sent, ['1', '1'])
})

test('sends nothing and records no timeout after it is closed', async () => {
  const { start, dispatcher, sessionDisconnected, sent, clock, timedOut } = setUp()
  await start('1', to('a'), to('b'))
  await dispatcher.close()
  sessionDisconnected('a')
  clock.advance(3000)
  await nextTick()
  assert.deepEqual([sent, timedOut], [['1'], []])
})

test('an event is sent again later if the database is unavailable (bots/interaction-delivery)', async () => {
  const { start, failReads, sessionDisconnected, sent, clock } = setUp()
  await start('1', to('a'), to('b'))
  failReads(2)
  sessionDisconnected('a')
  for (let retry = 0; retry < 2; retry++) {
    await nextTick()
    assert.deepEqual(sent, ['1'])
    clock.advance(250)
  }
  await nextTick()
  assert.deepEqual(sent, ['1', '1'])
})

test('a node takes over an interaction later if the database is unavailable (bots/interaction-node-loss)', async () => {
  const first = setUp()
  await first.start('1', offline)
  await first.dispatcher.close()
  const neighbour = setUp()
  neighbour.pending.add('1')
  neighbour.failReads(1)
  neighbour.receive(first.handedOver[0], to('b', 'other'))
  await nextTick()
  assert.deepEqual(neighbour.sent, [])
  neighbour.clock.advance(250)
  await nextTick()
  assert.deepEqual(neighbour.sent, ['1'])
})
