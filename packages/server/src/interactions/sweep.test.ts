import assert from 'node:assert/strict'
import { createMessages } from '../platform/messages/index.ts'
import { eachService } from '../testing.ts'
import { sweepInteractions } from './sweep.ts'
import { answered, eventOf, makeWorld, use } from './testing.ts'

const minute = 60_000
const hour = 60 * minute

eachService('the log keeps a day, and of a busy application the last ones', async (_t, service) => {
  const { db, clock } = service
  const world = await makeWorld(service)
  const { owner, bot } = world
  await bot.connect()
  const events = { toChannel() {}, toUser() {} }
  const messages = createMessages({ clock: clock.now, ids: () => '', events })
  const progress = { ended() {}, followed() {} }
  const sweep = (keep: number) =>
    sweepInteractions({ db, clock: clock.now, events, messages, progress }, { size: 2, keep })
  const names = async (): Promise<string[]> => {
    const reply = await owner.client.get(`/api/applications/${bot.applicationId}/interactions`)
    assert.equal(reply.status, 200, reply.text)
    return reply.body.map(({ id }: { id: string }) => id)
  }
  const ids: string[] = []
  for (let n = 0; n < 6; n++) {
    ids.push(
      (await answered(world, use(world, 'ping'), { type: 'message', data: { content: 'x' } })).event.id,
    )
    clock.advance(1)
  }
  await sweep(3)
  assert.deepEqual(await names(), ids, 'while the tokens hold nothing is deleted')
  clock.advance(17 * minute)
  const young = (await eventOf(world, use(world, 'ping'))).id
  await sweep(3)
  assert.deepEqual(await names(), [...ids.slice(-2), young])
  clock.advance(24 * hour - minute)
  await sweep(3)
  assert.deepEqual(await names(), [young])
  clock.advance(2 * minute)
  await sweep(3)
  assert.deepEqual(await names(), [])
})
