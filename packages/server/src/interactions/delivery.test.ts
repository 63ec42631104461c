import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { CommandInteraction } from '@gatehouse/protocol/interactions'
import type { ApplicationRecord } from '../applications/index.ts'
import { createLocalBus } from '../bus/local.ts'
import { createTestClock } from '../kit/testing.ts'
import { subjects } from '../platform/events.ts'
import { createDeliveries, type Delivered } from './delivery.ts'

const application = { id: '1000000000000000001', interactionsEndpointUrl: null } as ApplicationRecord

function setUp() {
  const clock = createTestClock()
  const bus = createLocalBus({ clock: clock.now, timers: clock.timers })
  const sent: string[] = []
  const timedOut: string[] = []
  const pending = new Set<string>()
  let next: Delivered[] = []
  let onDeliver = () => {}
  const deliveries = createDeliveries({
    bus,
    clock: clock.now,
    timers: clock.timers,
    async deliver({ event }) {
      sent.push(event.id)
      onDeliver()
      return next.shift() ?? { taken: false, reason: 'offline' }
    },
    isPending: async id => pending.has(id),
    timeOut: async id => {
      timedOut.push(id)
    },
    report: error => assert.fail(String(error)),
  })
  return {
    clock,
    deliveries,
    sent,
    timedOut,
    pending,
    start(id: string, ...answers: Delivered[]) {
      next = answers
      pending.add(id)
      const event = { id, applicationId: application.id } as CommandInteraction
      return deliveries.start({ event, application, deadlineAt: clock.now() + 3000 })
    },
    duringDelivery(f: () => void) {
      onDeliver = f
    },
    sessionClosed: (sessionId: string) => bus.publish(subjects.sessionClosed(application.id), { sessionId }),
  }
}

const to = (sessionId: string): Delivered => ({ taken: true, sessionId })
const settle = () => new Promise(resolve => setImmediate(resolve))

test('what nobody took is told at once and forgotten', async () => {
  const { start, clock, timedOut } = setUp()
  assert.deepEqual(await start('1', { taken: false, reason: 'offline' }), { taken: false, reason: 'offline' })
  clock.advance(3000)
  await settle()
  assert.deepEqual(timedOut, [])
})

test('at the deadline, not before, it is timed out, once', async () => {
  const { start, clock, timedOut } = setUp()
  await start('1', to('a'))
  clock.advance(2999)
  assert.deepEqual(timedOut, [])
  clock.advance(1)
  clock.advance(60_000)
  await settle()
  assert.deepEqual(timedOut, ['1'])
})

test('what is answered does not time out', async () => {
  const { start, deliveries, clock, timedOut } = setUp()
  await start('1', to('a'))
  deliveries.settled('1')
  clock.advance(3000)
  await settle()
  assert.deepEqual(timedOut, [])
})

test('when the session that has it closes, another gets it (D26)', async () => {
  const { start, sessionClosed, sent } = setUp()
  await start('1', to('a'), to('b'))
  sessionClosed('other')
  await settle()
  assert.deepEqual(sent, ['1'])
  sessionClosed('a')
  await settle()
  assert.deepEqual(sent, ['1', '1'])
  sessionClosed('a')
  await settle()
  assert.deepEqual(sent, ['1', '1'])
})

test('a session that closes while it is being handed over counts too', async () => {
  const { start, sessionClosed, sent, duringDelivery } = setUp()
  duringDelivery(() => {
    if (sent.length === 1) sessionClosed('a')
  })
  await start('1', to('a'), to('b'))
  await settle()
  assert.deepEqual(sent, ['1', '1'])
})

test('what was answered by way of another node is not given to another session', async () => {
  const { start, sessionClosed, sent, pending } = setUp()
  await start('1', to('a'), to('b'))
  pending.delete('1')
  sessionClosed('a')
  await settle()
  assert.deepEqual(sent, ['1'])
})

test('with no other session it stays open until the deadline (D54)', async () => {
  const { start, sessionClosed, sent, clock, timedOut } = setUp()
  await start('1', to('a'), { taken: false, reason: 'offline' })
  sessionClosed('a')
  await settle()
  assert.deepEqual(sent, ['1', '1'])
  clock.advance(3000)
  await settle()
  assert.deepEqual(timedOut, ['1'])
})

test('nothing happens after closing', async () => {
  const { start, deliveries, sessionClosed, sent, clock, timedOut } = setUp()
  await start('1', to('a'), to('b'))
  await deliveries.close()
  sessionClosed('a')
  clock.advance(3000)
  await settle()
  assert.deepEqual([sent, timedOut], [['1'], []])
})
