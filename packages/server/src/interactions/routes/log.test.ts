import assert from 'node:assert/strict'
import { eachService } from '../../testing.ts'
import {
  answered,
  assertRefused,
  buttons,
  eventOf,
  makeWorld,
  press,
  until,
  use,
  type World,
} from '../testing.ts'

async function logOf({ owner, bot }: World, query = '') {
  const reply = await owner.client.get(`/api/applications/${bot.applicationId}/interactions${query}`)
  assert.equal(reply.status, 200, reply.text)
  assert.ok(!reply.text.includes('git_'), 'the log holds no token')
  return reply.body
}

eachService('200: what was sent, how it was delivered, what came back, or why not', async (_t, service) => {
  const world = await makeWorld(service)
  const { bot, ann, channelId, serverId } = world
  await use(world, 'ping')
  await bot.connect()
  service.clock.advance(10)
  const late = await eventOf(world, use(world, 'roll', { options: [{ name: 'sides', value: 6 }] }))
  service.clock.advance(3412)
  await bot.callback(late, { type: 'defer' })
  const unanswered = await eventOf(world, use(world, 'ping'))
  service.clock.advance(5000)
  const quick = await eventOf(world, use(world, 'ping'))
  service.clock.advance(120)
  const components = buttons('go')
  const reply = await bot.callback(quick, { type: 'message', data: { content: 'Well', components } })
  const pressed = await answered(world, press(world, reply.body.message.id, 'go'), {
    type: 'deferred_update',
  })
  const open = await eventOf(world, use(world, 'ping'))

  const log = await logOf(world)
  const short = log.map((entry: Record<string, unknown>) => [
    entry.state,
    entry.delivery,
    entry.response,
    entry.respondedAfterMs,
    entry.reason,
  ])
  const timedOut = 'The bot did not answer within 3 seconds.'
  assert.deepEqual(short, [
    ['failed', 'none', null, null, 'The bot is not connected.'],
    ['timed_out', 'gateway', 'defer', 3412, 'The bot answered 412 ms after the deadline.'],
    ['timed_out', 'gateway', null, null, timedOut],
    ['answered', 'gateway', 'message', 120, null],
    ['answered', 'gateway', 'deferred_update', 0, null],
    ['pending', 'gateway', null, null, null],
  ])
  const { token: _, ...sent } = late
  assert.deepEqual(log[1], {
    id: late.id,
    type: 'command',
    name: 'roll',
    channelId,
    serverId,
    user: { id: ann.id, username: 'ann', displayName: 'ann', avatar: `/images/users/${ann.id}/default` },
    createdAt: late.createdAt,
    state: 'timed_out',
    sent,
    delivery: 'gateway',
    response: 'defer',
    respondedAfterMs: 3412,
    reason: 'The bot answered 412 ms after the deadline.',
  })
  assert.deepEqual([log[2].id, log[4].name, log[5].id], [unanswered.id, 'go', open.id])
  assert.deepEqual(
    log[4].sent.message.components,
    pressed.event.type === 'component' && pressed.event.message.components,
  )
  assert.deepEqual(await logOf(world, '?limit=2'), log.slice(-2))
})

eachService('400, 401 and 404: a limit out of range, nobody, and not the owner', async (_t, service) => {
  const world = await makeWorld(service)
  const path = `/api/applications/${world.bot.applicationId}/interactions`
  for (const limit of ['0', '101', 'x']) {
    assertRefused(await world.owner.client.get(`${path}?limit=${limit}`), 400, 'validation_failed')
  }
  assertRefused(await service.client().get(path), 401, 'unauthenticated')
  assertRefused(await world.ann.client.get(path), 404, 'not_found')
})

eachService('the metrics count how interactions ended', async (_t, service) => {
  const world = await makeWorld(service)
  await use(world, 'ping')
  await world.bot.connect()
  await answered(world, use(world, 'ping'), { type: 'message', data: { content: 'x' } })
  const { event } = await answered(world, use(world, 'ping'), { type: 'defer' })
  await world.bot.followup(event, { content: 'x' })
  await eventOf(world, use(world, 'ping'))
  service.clock.advance(3000)
  const counts = async () => {
    const { text } = await service.client().get('/metrics')
    const lines = text.matchAll(/^gatehouse_interactions_total\{outcome="(\w+)"\} (\d+)$/gm)
    return Object.fromEntries(Array.from(lines, ([, outcome, count]) => [outcome, Number(count)]))
  }
  await until(async () => (await counts()).timed_out === 1)
  assert.deepEqual(await counts(), { failed: 1, answered: 1, deferred: 1, timed_out: 1 })
})
