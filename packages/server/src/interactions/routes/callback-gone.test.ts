import assert from 'node:assert/strict'
import { formatPermissions, Permission } from '@gatehouse/protocol/permissions'
import { subjects } from '../../platform/events.ts'
import { eachService } from '../../testing.ts'
import {
  answered,
  assertRefused,
  buttons,
  eventOf,
  history,
  listen,
  makeWorld,
  press,
  use,
  type World,
} from '../testing.ts'

const pong = { type: 'message', data: { content: 'pong' } }

async function progressOf(world: World, id: string): Promise<unknown> {
  return (await world.ann.client.get(`/api/interactions/${id}`)).body.state
}

/** A stored message of the bot with a button `go`. */
async function withButton(world: World, content = 'Press'): Promise<string> {
  const body = { content, components: buttons('go') }
  const reply = await world.bot.json('POST', `/api/channels/${world.channelId}/messages`, body)
  assert.equal(reply.status, 201, reply.text)
  return reply.body.id
}

eachService(
  '404: update of a message that was deleted meanwhile, which leaves it open (check 75)',
  async (_t, service) => {
    const world = await makeWorld(service)
    const { bot, channelId } = world
    await bot.connect()
    const messageId = await withButton(world)
    const event = await eventOf(world, press(world, messageId, 'go'))
    await bot.json('DELETE', `/api/channels/${channelId}/messages/${messageId}`)
    assertRefused(await bot.callback(event, { type: 'update', data: { content: 'x' } }), 404, 'not_found')
    assert.equal(await progressOf(world, event.id), 'pending')
    assert.equal((await bot.callback(event, pong)).status, 200)
  },
)

eachService(
  '404: after the bot was removed from the server, now and later (D53, check 78)',
  async (_t, service) => {
    const world = await makeWorld(service)
    const { bot, owner, ann, serverId } = world
    await bot.connect()
    const pending = await eventOf(world, use(world, 'ping'))
    const deferred = await answered(world, use(world, 'ping'), { type: 'defer' })
    const done = await answered(world, use(world, 'ping'), pong)
    const heard = await listen(service, subjects.user(ann.id))
    const removed = await owner.client.json('DELETE', `/api/servers/${serverId}/members/${bot.botId}`)
    assert.equal(removed.status, 204, removed.text)
    assertRefused(await bot.callback(pending, pong), 404, 'not_found')
    assertRefused(await bot.followup(deferred.event, pong.data), 404, 'not_found')
    assertRefused(await bot.response('PATCH', done.event, 'original', pong.data), 404, 'not_found')
    assert.equal(await progressOf(world, pending.id), 'failed')
    assert.equal(await progressOf(world, deferred.event.id), 'failed')
    assert.equal(await progressOf(world, done.event.id), 'answered')
    const told = heard.of('INTERACTION_UPDATE').map(({ id, state }) => [id, state])
    assert.deepEqual(
      told.toSorted(),
      [
        [pending.id, 'failed'],
        [deferred.event.id, 'failed'],
      ].toSorted(),
    )
    service.clock.advance(3000)
    assert.equal(await progressOf(world, pending.id), 'failed')
  },
)

eachService('404: after the channel was deleted (check 79)', async (_t, service) => {
  const world = await makeWorld(service)
  const { bot, owner, channelId } = world
  await bot.connect()
  const pending = await eventOf(world, use(world, 'ping'))
  const done = await answered(world, use(world, 'ping'), pong)
  assert.equal((await owner.client.json('DELETE', `/api/channels/${channelId}`)).status, 204)
  assertRefused(await bot.callback(pending, pong), 404, 'not_found')
  assertRefused(await bot.followup(done.event, pong.data), 404, 'not_found')
  assertRefused(await bot.response('GET', done.event, 'original'), 404, 'not_found')
})

eachService(
  'who may not see the channel any more is answered in public all the same (check 77)',
  async (_t, service) => {
    const world = await makeWorld(service)
    const { bot, ann, owner, channelId } = world
    await bot.connect()
    const open = [await eventOf(world, use(world, 'ping')), await eventOf(world, use(world, 'ping'))] as const
    const hidden = { type: 'member', allow: '0', deny: formatPermissions(Permission.VIEW_CHANNEL) }
    const path = `/api/channels/${channelId}/overwrites/${ann.id}`
    assert.equal((await owner.client.json('PUT', path, hidden)).status, 204)
    const heard = await listen(service, subjects.user(ann.id))
    const said = await bot.callback(open[0], pong)
    assert.deepEqual([said.status, said.body.message.interaction.user], [200, open[0].user])
    const secret = { type: 'message', data: { content: 'For you', ephemeral: true } }
    assert.equal((await bot.callback(open[1], secret)).status, 200)
    assert.deepEqual(heard.of('MESSAGE_CREATE'), [])
    assert.deepEqual((await history(world)).body, [said.body.message])
  },
)

eachService('who left meanwhile is answered in public all the same (check 77)', async (_t, service) => {
  const world = await makeWorld(service)
  const { bot, ann, serverId } = world
  await bot.connect()
  const open = [await eventOf(world, use(world, 'ping')), await eventOf(world, use(world, 'ping'))] as const
  assert.equal((await ann.client.json('DELETE', `/api/servers/${serverId}/members/@me`)).status, 204)
  const heard = await listen(service, subjects.user(ann.id))
  const reply = await bot.callback(open[0], pong)
  assert.equal(reply.status, 200, reply.text)
  assert.deepEqual(reply.body.message.interaction.user, open[0].user)
  const silent = await bot.callback(open[1], {
    type: 'message',
    data: { content: 'For you', ephemeral: true },
  })
  assert.equal(silent.status, 200, silent.text)
  assert.equal(silent.body.message.ephemeral, true)
  assert.deepEqual(heard.of('MESSAGE_CREATE'), [])
  assert.equal((await history(world)).body.length, 1)
})
