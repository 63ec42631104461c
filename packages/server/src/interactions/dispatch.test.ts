import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { CommandInteraction } from '@gatehouse/protocol/interactions'
import { createTestClock } from '@gatehouse/testkit/clock'
import type { ApplicationRecord } from '../applications/index.ts'
import { createLocalBus } from '../bus/local.ts'
import { createBackgroundTasks } from '../kit/background.ts'
import { subjects } from '../platform/events.ts'
import { createDispatcher, type DispatchResult } from './dispatch.ts'

const application = { id: '1000000000000000001', interactionsEndpointUrl: null } as ApplicationRecord

function setUp() {
  const clock = createTestClock()
  const bus = createLocalBus({ clock: clock.now, timers: clock.timers })
  const sent: string[] = []
  const timedOut: string[] = []
  const pending = new Set<string>()
  let results: DispatchResult[] = []
  let onSend = () => {}
  const dispatcher = createDispatcher({
    bus,
    clock: clock.now,
    timers: clock.timers,
    async send({ event }) {
      sent.push(event.id)
      onSend()
      return results.shift() ?? offline
    },
    isPending: async id => pending.has(id),
    recordTimeout: async id => {
      timedOut.push(id)
    },
    recordFailure: async id => assert.fail(`${id} failed`),
    background: createBackgroundTasks(error => assert.fail(String(error))),
  })
  return {
    clock,
    dispatcher,
    sent,
    timedOut,
    pending,
    start(id: string, ...sendResults: DispatchResult[]) {
      results = sendResults
      pending.add(id)
      const event = { id, applicationId: application.id } as CommandInteraction
      return dispatcher.start({ event, application, deadlineAt: clock.now() + 3000 })
    },
    duringSend(f: () => void) {
      onSend = f
    },
    sessionDisconnected: (sessionId: string) =>
      bus.publish(subjects.sessionDisconnected(application.id), { sessionId }),
  }
}

const offline: DispatchResult = { dispatched: false, reason: { code: 'offline' } }
const to = (sessionId: string): DispatchResult => ({ dispatched: true, sessionId })
const nextTick = () => new Promise(resolve => setImmediate(resolve))

test('returns the failure if no session accepts the event, and sets no timeout', async () => {
  const { start, clock, timedOut } = setUp()
  assert.deepEqual(await start('1', offline), offline)
  clock.advance(3000)
  await nextTick()
  assert.deepEqual(timedOut, [])
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
  assert.deepEqual(timedOut, ['1'])
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
