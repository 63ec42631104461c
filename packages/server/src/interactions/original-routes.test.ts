import assert from 'node:assert/strict'
import { fieldErrorsOf } from '@gatehouse/testkit/field-errors'
import { eachService } from '@gatehouse/testkit/service'
import { waitUntil } from '@gatehouse/testkit/wait-until'
import { subjects } from '../events/gateway-events.ts'
import {
  assertError,
  buttons,
  createBot,
  createWorld,
  history,
  pressButton,
  receivedEvent,
  recordEvents,
  respond,
  runCommand,
  type World,
} from './interactions-testing.ts'

const pong = { type: 'message', data: { content: 'pong' } }
const minutes = (count: number) => count * 60_000

async function contents(world: World): Promise<string[]> {
  return (await history(world)).body.map(({ content }: { content: string }) => content).reverse()
}

async function stateOf(world: World, id: string): Promise<unknown> {
  return (await world.ann.client.get(`/api/interactions/${id}`)).body.state
}

eachService('reads, edits and deletes the original, then 404', async (_t, service) => {
  const world = await createWorld(service)
  const { bot, channelId, serverId } = world
  await bot.connect()
  const channelEvents = await recordEvents(service, subjects.channel(channelId))
  const { event, reply } = await respond(world, runCommand(world, 'ping'), pong)
  const { id } = reply.body.message
  const read = await bot.response('GET', event, 'original')
  assert.deepEqual([read.status, read.body], [200, reply.body.message])

  service.clock.advance(1000)
  const edited = await bot.response('PATCH', event, 'original', { embeds: [{ title: 'Card' }] })
  assert.equal(edited.status, 200, edited.text)
  const { content, embeds, editedAt } = edited.body
  assert.deepEqual([content, embeds[0].title], ['pong', 'Card'])
  assert.equal(editedAt, new Date(service.clock.now()).toISOString())
  assert.deepEqual(
    fieldErrorsOf(await bot.response('PATCH', event, 'original', { content: null, embeds: [] })),
    ['content required'],
  )

  assert.equal((await bot.response('DELETE', event, 'original')).status, 204)
  for (const method of ['GET', 'PATCH', 'DELETE']) {
    const body = method === 'PATCH' ? { content: 'x' } : undefined
    assertError(await bot.response(method, event, 'original', body), 404, 'not_found')
  }
  assert.deepEqual(channelEvents.of('MESSAGE_DELETE'), [{ id, channelId, serverId }])
  assert.deepEqual(await contents(world), [])
})

eachService(
  'after defer, editing the original replaces the placeholder under the same id ' +
    '(bots/original-order, bots/placeholder-id)',
  async (_t, service) => {
    const world = await createWorld(service)
    const { bot, ann, channelId } = world
    await bot.connect()
    const [annEvents, channelEvents] = [
      await recordEvents(service, subjects.user(ann.id)),
      await recordEvents(service, subjects.channel(channelId)),
    ]
    const { event, reply } = await respond(world, runCommand(world, 'ping'), { type: 'defer' })
    const placeholder = reply.body.message
    assert.deepEqual([placeholder.state, placeholder.content], ['deferred', ''])
    assert.deepEqual((await bot.response('GET', event, 'original')).body, placeholder)
    assert.deepEqual(fieldErrorsOf(await bot.response('PATCH', event, 'original', {})), ['content required'])
    service.clock.advance(minutes(14))
    const edited = await bot.response('PATCH', event, 'original', { content: `<@${ann.id}>` })
    assert.equal(edited.status, 200, edited.text)
    assert.deepEqual(edited.body, {
      ...placeholder,
      content: `<@${ann.id}>`,
      mentions: { users: [ann.id], roles: [], everyone: false },
      state: 'sent',
    })
    await waitUntil(() => annEvents.of('INTERACTION_UPDATE').length === 2)
    assert.deepEqual(
      annEvents.of('INTERACTION_UPDATE').map(({ state }) => state),
      ['deferred', 'answered'],
    )
    assert.deepEqual(channelEvents.of('MESSAGE_UPDATE'), [edited.body])
    const more = await bot.followup(event, { content: 'more' })
    assert.notEqual(more.body.id, placeholder.id)
  },
)

eachService(
  'after the placeholder was deleted, a follow-up is a new message (bots/original-order)',
  async (_t, service) => {
    const world = await createWorld(service)
    const { bot } = world
    await bot.connect()
    const { event, reply } = await respond(world, runCommand(world, 'ping'), { type: 'defer' })
    assert.equal((await bot.response('DELETE', event, 'original')).status, 204)
    assert.equal(await stateOf(world, event.id), 'answered')
    const after = await bot.followup(event, { content: 'new' })
    assert.equal(after.status, 200, after.text)
    assert.notEqual(after.body.id, reply.body.message.id)
    assertError(await bot.response('GET', event, 'original'), 404, 'not_found')
    assert.deepEqual(await contents(world), ['new'])
  },
)

eachService(
  'the original of a button is its message, or the new message of the first response (bots/callback-response)',
  async (_t, service) => {
    const world = await createWorld(service)
    const { bot, channelId } = world
    await bot.connect()
    const body = { content: 'Press', components: buttons('go') }
    const message = await bot.json('POST', `/api/channels/${channelId}/messages`, body)
    for (const type of ['deferred_update', 'update']) {
      const data = type === 'update' ? { data: { content: 'Pressed' } } : {}
      const { event } = await respond(world, pressButton(world, message.body.id, 'go'), { type, ...data })
      const edited = await bot.response('PATCH', event, 'original', { content: `after ${type}` })
      assert.equal(edited.status, 200, edited.text)
      assert.deepEqual([edited.body.id, edited.body.content], [message.body.id, `after ${type}`])
    }
    const { event, reply } = await respond(world, pressButton(world, message.body.id, 'go'), pong)
    assert.equal((await bot.response('GET', event, 'original')).body.id, reply.body.message.id)
  },
)

eachService(
  '409 before the first response, 410 after a timeout (bots/callback-response)',
  async (_t, service) => {
    const world = await createWorld(service)
    const { bot } = world
    await bot.connect()
    const event = await receivedEvent(world, runCommand(world, 'ping'))
    const sendAll = async () => [
      await bot.followup(event, { content: 'x' }),
      await bot.response('GET', event, 'original'),
      await bot.response('PATCH', event, 'original', { content: 'x' }),
      await bot.response('DELETE', event, 'original'),
      await bot.response('PATCH', event, `followup/${event.id}`, { content: 'x' }),
      await bot.response('DELETE', event, `followup/${event.id}`),
    ]
    for (const reply of await sendAll()) assertError(reply, 409, 'interaction_not_answered')
    service.clock.advance(3000)
    for (const reply of await sendAll()) assertError(reply, 410, 'interaction_timed_out')
    assert.deepEqual(await contents(world), [])
  },
)

eachService(
  'the token is valid for 15 minutes, also after a restart, and the placeholder expires with ' +
    'it (bots/token-lifetime, bots/interaction-states, bots/placeholder-id)',
  async (_t, service) => {
    const world = await createWorld(service)
    const { bot, ann, channelId } = world
    await bot.connect()
    const { event } = await respond(world, runCommand(world, 'ping'), pong)
    const { event: deferred, reply } = await respond(world, runCommand(world, 'ping'), { type: 'defer' })
    service.clock.advance(minutes(15) - 1000)
    await service.restart()
    const { body: last, status } = await bot.followup(event, { content: 'just in time' })
    assert.equal(status, 200)
    assert.equal((await bot.response('PATCH', event, 'original', { content: 'changed' })).status, 200)
    const annEvents = await recordEvents(service, subjects.user(ann.id))
    const channelEvents = await recordEvents(service, subjects.channel(channelId))

    service.clock.advance(2000)
    for (const reply of [
      await bot.followup(event, { content: 'x' }),
      await bot.response('GET', event, 'original'),
      await bot.response('PATCH', event, 'original', { content: 'x' }),
      await bot.response('DELETE', event, 'original'),
      await bot.response('PATCH', event, `followup/${last.id}`, { content: 'x' }),
      await bot.followup(deferred, { content: 'x' }),
    ]) {
      assertError(reply, 410, 'interaction_token_expired')
    }
    // The placeholder was not replaced (bots/interaction-states, bots/placeholder-id).
    assert.equal(await stateOf(world, deferred.id), 'timed_out')
    assert.equal(await stateOf(world, event.id), 'answered')
    const placeholder = (await history(world)).body.find(
      ({ id }: { id: string }) => id === reply.body.message.id,
    )
    assert.equal(placeholder.state, 'expired')
    service.clock.advance(60_000)
    await waitUntil(() => channelEvents.of('MESSAGE_UPDATE').length > 0)
    const reason = 'The bot did not follow up within 15 minutes.'
    assert.deepEqual(annEvents.of('INTERACTION_UPDATE'), [
      { id: deferred.id, state: 'timed_out', reason, reasonCode: 'no_follow_up' },
    ])
    assert.deepEqual(channelEvents.of('MESSAGE_UPDATE'), [placeholder])
  },
)

eachService(
  'an edit without allowedMentions adds no mention (webhooks/edit-mentions)',
  async (_t, service) => {
    const world = await createWorld(service)
    const { bot, ann, owner } = world
    await bot.connect()
    const content = `<@${ann.id}>`
    const { event } = await respond(world, runCommand(world, 'ping'), { type: 'message', data: { content } })
    const edit = async (body: object) =>
      (await bot.response('PATCH', event, 'original', body)).body.mentions.users
    const both = `<@${ann.id}> <@${owner.id}>`
    assert.deepEqual(await edit({ content: both }), [ann.id])
    assert.deepEqual(await edit({ content: both, allowedMentions: { parse: ['users'] } }), [ann.id, owner.id])
  },
)

eachService('404 for another bot', async (_t, service) => {
  const world = await createWorld(service)
  const { bot, owner } = world
  await bot.connect()
  const { event } = await respond(world, runCommand(world, 'ping'), pong)
  const otherBot = await createBot(service, owner, 'other_bot')
  assertError(await otherBot.response('DELETE', event, 'original'), 404, 'not_found')
  assertError(await otherBot.response('GET', event, 'original'), 404, 'not_found')
})
