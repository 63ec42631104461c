import assert from 'node:assert/strict'
import { eachService } from '@gatehouse/testkit/service'
import { createMessageRepository } from '../community/messages/index.ts'
import { createEvents } from '../events/gateway-events.ts'
import { createProxyUrls } from '../images/media-proxy/index.ts'
import { sweepInteractions } from './interaction-sweep.ts'
import { createWorld, receivedEvent, respond, runCommand } from './interactions-testing.ts'

const minute = 60_000
const hour = 60 * minute

eachService('deletes log entries after a day, and earlier beyond the log size', async (_t, service) => {
  const { db, clock } = service
  const world = await createWorld(service)
  const { owner, bot } = world
  await bot.connect()
  const events = createEvents({ publish() {} })
  const proxyUrls = createProxyUrls(new Uint8Array(32))
  const messages = createMessageRepository({ db, clock: clock.now, ids: () => '', events, proxyUrls })
  const status = { publishTimeout() {}, publishUpdate() {} }
  const sweep = (logSize: number) =>
    sweepInteractions({ db, clock: clock.now, events, messages, status }, { batchSize: 2, logSize })
  const listedIds = async (): Promise<string[]> => {
    const reply = await owner.client.get(`/api/applications/${bot.applicationId}/interactions`)
    assert.equal(reply.status, 200, reply.text)
    return reply.body.map(({ id }: { id: string }) => id)
  }
  const ids: string[] = []
  for (let n = 0; n < 6; n++) {
    ids.push(
      (await respond(world, runCommand(world, 'ping'), { type: 'message', data: { content: 'x' } })).event.id,
    )
    clock.advance(1)
  }
  await sweep(3)
  assert.deepEqual(await listedIds(), ids, 'nothing is deleted before the tokens expire')
  clock.advance(17 * minute)
  const newer = (await receivedEvent(world, runCommand(world, 'ping'))).id
  await sweep(3)
  assert.deepEqual(await listedIds(), [...ids.slice(-2), newer])
  clock.advance(24 * hour - minute)
  await sweep(3)
  assert.deepEqual(await listedIds(), [newer])
  clock.advance(2 * minute)
  await sweep(3)
  assert.deepEqual(await listedIds(), [])
})
