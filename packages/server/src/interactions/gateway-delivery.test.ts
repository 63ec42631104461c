import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { CommandInteraction } from '@gatehouse/protocol/interactions'
import type { ApplicationRecord } from '../applications/index.ts'
import { createLocalBus } from '../bus/local.ts'
import { createTestClock } from '../kit/testing.ts'
import { subjects } from '../platform/events.ts'
import { createGatewayDelivery } from './gateway-delivery.ts'

const applicationId = '1000000000000000001'
const event = { id: '1', applicationId } as CommandInteraction
const application = { id: applicationId } as ApplicationRecord

/** A bus on which nodes take turns; a node that is gone is asked and never answers. */
async function setUp(...nodes: readonly ('gone' | string)[]) {
  const clock = createTestClock()
  const bus = createLocalBus({ clock: clock.now, timers: clock.timers })
  const asked: string[] = []
  const leaves = new Map<string, () => void>()
  for (const node of nodes) {
    const subscription = await bus.respond(subjects.app(applicationId), async () => {
      asked.push(node)
      return node === 'gone' ? new Promise(() => {}) : { delivered: true, sessionId: node }
    })
    leaves.set(node, () => subscription.close())
  }
  const deliver = createGatewayDelivery({ bus, clock: clock.now })
  const delivered = deliver({ event, application, deadlineAt: clock.now() + 3000 })
  return {
    asked,
    delivered,
    leave: (node: string) => leaves.get(node)?.(),
    async pass(ms: number) {
      await settle()
      clock.advance(ms)
      await settle()
    },
  }
}

const settle = () => new Promise(resolve => setImmediate(resolve))

test('D26: a node that is gone without a word costs half a second: another is asked', async () => {
  const { asked, delivered, pass } = await setUp('gone', 'here')
  await pass(499)
  assert.deepEqual(asked, ['gone'])
  await pass(1)
  assert.deepEqual(await delivered, { taken: true, sessionId: 'here' })
  assert.deepEqual(asked, ['gone', 'here'])
})

test('where nobody says that it was taken the deadline decides, and nobody is asked after it', async () => {
  const { asked, delivered, pass } = await setUp('gone')
  for (let tries = 0; tries < 10; tries++) await pass(500)
  assert.deepEqual(await delivered, { taken: true, sessionId: undefined })
  assert.equal(asked.length, 6)
})

test('check 80: with nobody there the bot is offline, at once', async () => {
  const { delivered } = await setUp()
  assert.deepEqual(await delivered, { taken: false, reason: 'The bot is not connected.' })
})

test('what one node may have taken before it left stays open until the deadline', async () => {
  const { delivered, leave, pass } = await setUp('gone')
  await settle()
  leave('gone')
  await pass(500)
  assert.deepEqual(await delivered, { taken: true, sessionId: undefined })
})
