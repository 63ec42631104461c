import assert from 'node:assert/strict'
import type { InteractionUpdate } from '@gatehouse/protocol/interactions'
import { createRealClock } from '@gatehouse/testkit/clock'
import type { Published } from '@gatehouse/testkit/community'
import { eachService } from '@gatehouse/testkit/service'
import { subjects } from '../events/gateway-events.ts'
import { createWorld, runCommand } from './interactions-testing.ts'

const count = 2000
const lanes = 20
const waitMs = 60_000

eachService(
  'with real timers, publishes one timeout for each of 2,000 interactions, not before its deadline',
  async (_t, service) => {
    const world = await createWorld(service)
    await world.bot.connect()
    const updates = new Map<string, { update: InteractionUpdate; at: number }>()
    const all = Promise.withResolvers<void>()
    await service.bus.subscribe(subjects.user(world.ann.id), message => {
      const { t, d } = message as Omit<Published, 'subject'>
      if (t !== 'INTERACTION_UPDATE') return
      const update = d as InteractionUpdate
      assert.ok(!updates.has(update.id), 'there is one INTERACTION_UPDATE for each interaction')
      updates.set(update.id, { update, at: service.clock.now() })
      if (updates.size === count) all.resolve()
    })
    const deadlines = new Map<string, number>()
    let left = count
    const lane = async () => {
      while (left-- > 0) {
        const reply = await runCommand(world, 'ping')
        assert.equal(reply.status, 202, reply.text)
        deadlines.set(reply.body.id, Date.parse(reply.body.deadlineAt))
      }
    }
    await Promise.all(Array.from({ length: lanes }, lane))
    const late = setTimeout(
      () => all.reject(new Error(`${count - updates.size} of ${count} updates are missing`)),
      waitMs,
    )
    await all.promise.finally(() => clearTimeout(late))
    for (const [id, { update, at }] of updates) {
      assert.equal(update.state, 'timed_out')
      assert.ok(
        at >= (deadlines.get(id) ?? Number.POSITIVE_INFINITY),
        'an update was published before the deadline',
      )
    }
  },
  { clock: createRealClock() },
)
