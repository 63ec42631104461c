import assert from 'node:assert/strict'
import { subjects } from '../../platform/events.ts'
import { eachService } from '../../testing.ts'
import {
  answered,
  assertRefused,
  buttons,
  eventOf,
  faultsOf,
  history,
  listen,
  makeBot,
  makeWorld,
  press,
  until,
  use,
  type World,
} from '../testing.ts'

const pong = { type: 'message', data: { content: 'pong' } }
const minutes = (count: number) => count * 60_000

async function contents(world: World): Promise<string[]> {
  return (await history(world)).body.map(({ content }: { content: string }) => content).reverse()
}

async function stateOf(world: World, id: string): Promise<unknown> {
  return (await world.ann.client.get(`/api/interactions/${id}`)).body.state
}

eachService('the original is read, edited and deleted, then it is gone', async (_t, service) => {
  const world = await makeWorld(service)
  const { bot, channelId, serverId } = world
  await bot.connect()
  const toChannel = await listen(service, subjects.channel(channelId))
  const { event, reply } = await answered(world, use(world, 'ping'), pong)
  const { id } = reply.body.message
  const read = await bot.response('GET', event, 'original')
  assert.deepEqual([read.status, read.body], [200, reply.body.message])

  service.clock.advance(1000)
  const edited = await bot.response('PATCH', event, 'original', { embeds: [{ title: 'Card' }] })
  assert.equal(edited.status, 200, edited.text)
  const { content, embeds, editedAt } = edited.body
  assert.deepEqual([content, embeds[0].title], ['pong', 'Card'])
  assert.equal(editedAt, new Date(service.clock.now()).toISOString())
  assert.deepEqual(faultsOf(await bot.response('PATCH', event, 'original', { content: null, embeds: [] })), [
    'content required',
  ])

  assert.equal((await bot.response('DELETE', event, 'original')).status, 204)
  for (const method of ['GET', 'PATCH', 'DELETE']) {
    const body = method === 'PATCH' ? { content: 'x' } : undefined
    assertRefused(await bot.response(method, event, 'original', body), 404, 'not_found')
  }
  assert.deepEqual(toChannel.of('MESSAGE_DELETE'), [{ id, channelId, serverId }])
  assert.deepEqual(await contents(world), [])
})

eachService(
  'after defer, editing the original is the answer under the same id (check 71, D60)',
  async (_t, service) => {
    const world = await makeWorld(service)
    const { bot, ann, channelId } = world
    await bot.connect()
    const [toAnn, toChannel] = [
      await listen(service, subjects.user(ann.id)),
      await listen(service, subjects.channel(channelId)),
    ]
    const { event, reply } = await answered(world, use(world, 'ping'), { type: 'defer' })
    const placeholder = reply.body.message
    assert.deepEqual([placeholder.state, placeholder.content], ['deferred', ''])
    assert.deepEqual((await bot.response('GET', event, 'original')).body, placeholder)
    assert.deepEqual(faultsOf(await bot.response('PATCH', event, 'original', {})), ['content required'])
    service.clock.advance(minutes(14))
    const edited = await bot.response('PATCH', event, 'original', { content: `<@${ann.id}>` })
    assert.equal(edited.status, 200, edited.text)
    assert.deepEqual(edited.body, {
      ...placeholder,
      content: `<@${ann.id}>`,
      mentions: { users: [ann.id], roles: [], everyone: false },
      state: 'sent',
    })
    await until(() => toAnn.of('INTERACTION_UPDATE').length === 2)
    assert.deepEqual(
      toAnn.of('INTERACTION_UPDATE').map(({ state }) => state),
      ['deferred', 'answered'],
    )
    assert.deepEqual(toChannel.of('MESSAGE_UPDATE'), [edited.body])
    const more = await bot.followup(event, { content: 'more' })
    assert.notEqual(more.body.id, placeholder.id)
  },
)

eachService(
  'after defer, the first follow-up of many at once takes the place (D29, D60)',
  async (_t, service) => {
    const world = await makeWorld(service)
    const { bot } = world
    await bot.connect()
    const { event, reply } = await answered(world, use(world, 'ping'), { type: 'defer' })
    const replies = await Promise.all(
      Array.from({ length: 20 }, (_, index) => bot.followup(event, { content: `answer ${index}` })),
    )
    assert.deepEqual(new Set(replies.map(({ status }) => status)), new Set([200]))
    const ids = replies.map(({ body }) => body.id)
    assert.equal(new Set(ids).size, 20)
    assert.equal(ids.filter(id => id === reply.body.message.id).length, 1)
    assert.equal(await stateOf(world, event.id), 'answered')
    const states = (await history(world)).body.map(({ state }: { state: string }) => state)
    assert.deepEqual(new Set(states), new Set(['sent']))
  },
)

eachService(
  'the placeholder deleted, a follow-up is a message of its own (check 71)',
  async (_t, service) => {
    const world = await makeWorld(service)
    const { bot } = world
    await bot.connect()
    const { event, reply } = await answered(world, use(world, 'ping'), { type: 'defer' })
    assert.equal((await bot.response('DELETE', event, 'original')).status, 204)
    assert.equal(await stateOf(world, event.id), 'answered')
    const after = await bot.followup(event, { content: 'new' })
    assert.equal(after.status, 200, after.text)
    assert.notEqual(after.body.id, reply.body.message.id)
    assertRefused(await bot.response('GET', event, 'original'), 404, 'not_found')
    assert.deepEqual(await contents(world), ['new'])
  },
)

eachService('a placeholder that a moderator deleted: the follow-up is the original', async (_t, service) => {
  const world = await makeWorld(service)
  const { bot, owner, channelId } = world
  await bot.connect()
  const { event, reply } = await answered(world, use(world, 'ping'), { type: 'defer' })
  await owner.client.json('DELETE', `/api/channels/${channelId}/messages/${reply.body.message.id}`)
  const after = await bot.followup(event, { content: 'new' })
  assert.equal(after.status, 200, after.text)
  assert.equal((await bot.response('GET', event, 'original')).body.id, after.body.id)
})

eachService('a follow-up says for itself whether it is ephemeral (check 72)', async (_t, service) => {
  const world = await makeWorld(service)
  const { bot, ann } = world
  await bot.connect()
  const toAnn = await listen(service, subjects.user(ann.id))
  const defer = async (ephemeral: boolean) =>
    (await answered(world, use(world, 'ping'), { type: 'defer', data: { ephemeral } })).event

  const hidden = await defer(true)
  const placeholder = toAnn.of('MESSAGE_CREATE')[0]
  assert.deepEqual([placeholder?.state, placeholder?.ephemeral], ['deferred', true])
  const seen = await bot.followup(hidden, { content: 'for all' })
  assert.equal(seen.body.ephemeral, undefined)
  assert.deepEqual(await contents(world), ['for all'])
  assert.deepEqual(
    toAnn.of('MESSAGE_DELETE').map(({ id }) => id),
    [placeholder?.id],
  )
  assert.equal((await bot.response('GET', hidden, 'original')).body.id, seen.body.id)

  const shown = await defer(false)
  const secret = await bot.followup(shown, { content: 'for ann', flags: 64 })
  assert.equal(secret.body.ephemeral, true)
  assert.deepEqual(await contents(world), ['for all'])
  assert.deepEqual((await bot.response('GET', shown, 'original')).body, secret.body)

  const both = await defer(true)
  const taken = await bot.followup(both, { content: 'for ann again', ephemeral: true })
  const [last] = toAnn.of('MESSAGE_CREATE').slice(-1)
  assert.equal(taken.body.id, last?.id)
  assert.deepEqual(toAnn.of('MESSAGE_UPDATE'), [taken.body])
  assert.deepEqual([taken.body.state, taken.body.editedAt], ['sent', null])
})

eachService('follow-ups are edited and deleted, each by its own interaction alone', async (_t, service) => {
  const world = await makeWorld(service)
  const { bot } = world
  await bot.connect()
  const { event } = await answered(world, use(world, 'ping'), pong)
  const { event: other } = await answered(world, use(world, 'ping'), pong)
  const { body: stored } = await bot.followup(event, { content: 'stored', components: buttons('go') })
  const { body: ephemeral } = await bot.followup(event, { content: 'ephemeral', ephemeral: true })
  for (const { id } of [stored, ephemeral]) {
    const what = `followup/${id}`
    const edited = await bot.response('PATCH', event, what, { content: 'edited' })
    assert.equal(edited.status, 200, edited.text)
    assert.deepEqual([edited.body.id, edited.body.content], [id, 'edited'])
    assertRefused(await bot.response('PATCH', other, what, { content: 'x' }), 404, 'not_found')
    assertRefused(await bot.response('DELETE', other, what), 404, 'not_found')
    assert.equal((await bot.response('DELETE', event, what)).status, 204)
    assertRefused(await bot.response('DELETE', event, what), 404, 'not_found')
    assertRefused(await bot.response('PATCH', event, what, { content: 'x' }), 404, 'not_found')
  }
  assert.deepEqual(await contents(world), ['pong', 'pong'])
})

eachService(
  'D59: the original of a pressed button is its message, unless it was answered with a new one',
  async (_t, service) => {
    const world = await makeWorld(service)
    const { bot, channelId } = world
    await bot.connect()
    const body = { content: 'Press', components: buttons('go') }
    const message = await bot.json('POST', `/api/channels/${channelId}/messages`, body)
    for (const type of ['deferred_update', 'update']) {
      const data = type === 'update' ? { data: { content: 'Pressed' } } : {}
      const { event } = await answered(world, press(world, message.body.id, 'go'), { type, ...data })
      const edited = await bot.response('PATCH', event, 'original', { content: `after ${type}` })
      assert.equal(edited.status, 200, edited.text)
      assert.deepEqual([edited.body.id, edited.body.content], [message.body.id, `after ${type}`])
    }
    const { event, reply } = await answered(world, press(world, message.body.id, 'go'), pong)
    assert.equal((await bot.response('GET', event, 'original')).body.id, reply.body.message.id)
  },
)

eachService('409 before the first response, 410 after a time-out (D59)', async (_t, service) => {
  const world = await makeWorld(service)
  const { bot } = world
  await bot.connect()
  const event = await eventOf(world, use(world, 'ping'))
  const all = async () => [
    await bot.followup(event, { content: 'x' }),
    await bot.response('GET', event, 'original'),
    await bot.response('PATCH', event, 'original', { content: 'x' }),
    await bot.response('DELETE', event, 'original'),
    await bot.response('PATCH', event, `followup/${event.id}`, { content: 'x' }),
    await bot.response('DELETE', event, `followup/${event.id}`),
  ]
  for (const reply of await all()) assertRefused(reply, 409, 'interaction_not_answered')
  service.clock.advance(3000)
  for (const reply of await all()) assertRefused(reply, 410, 'interaction_timed_out')
  assert.deepEqual(await contents(world), [])
})

eachService(
  'the token holds for 15 minutes, also over a restart; a placeholder expires with it (check 73, D29, D60)',
  async (_t, service) => {
    const world = await makeWorld(service)
    const { bot, ann, channelId } = world
    await bot.connect()
    const { event } = await answered(world, use(world, 'ping'), pong)
    const { event: deferred, reply } = await answered(world, use(world, 'ping'), { type: 'defer' })
    service.clock.advance(minutes(15) - 1000)
    await service.restart()
    const { body: last, status } = await bot.followup(event, { content: 'just in time' })
    assert.equal(status, 200)
    assert.equal((await bot.response('PATCH', event, 'original', { content: 'changed' })).status, 200)
    const toAnn = await listen(service, subjects.user(ann.id))
    const toChannel = await listen(service, subjects.channel(channelId))

    service.clock.advance(2000)
    for (const refused of [
      await bot.followup(event, { content: 'x' }),
      await bot.response('GET', event, 'original'),
      await bot.response('PATCH', event, 'original', { content: 'x' }),
      await bot.response('DELETE', event, 'original'),
      await bot.response('PATCH', event, `followup/${last.id}`, { content: 'x' }),
      await bot.followup(deferred, { content: 'x' }),
    ]) {
      assertRefused(refused, 410, 'interaction_token_expired')
    }
    // D29, D60: the placeholder that nobody replaced.
    assert.equal(await stateOf(world, deferred.id), 'timed_out')
    assert.equal(await stateOf(world, event.id), 'answered')
    const placeholder = (await history(world)).body.find(
      ({ id }: { id: string }) => id === reply.body.message.id,
    )
    assert.equal(placeholder.state, 'expired')
    service.clock.advance(60_000)
    await until(() => toChannel.of('MESSAGE_UPDATE').length > 0)
    const reason = 'The bot did not follow up within 15 minutes.'
    assert.deepEqual(toAnn.of('INTERACTION_UPDATE'), [
      { id: deferred.id, state: 'timed_out', reason, reasonCode: 'no_follow_up' },
    ])
    assert.deepEqual(toChannel.of('MESSAGE_UPDATE'), [placeholder])
  },
)

eachService('400: a follow-up that is not valid, and one that shows nothing', async (_t, service) => {
  const world = await makeWorld(service)
  const { bot } = world
  await bot.connect()
  const { event } = await answered(world, use(world, 'ping'), { type: 'defer' })
  assert.deepEqual(faultsOf(await bot.followup(event, {})), ['content required'])
  assert.deepEqual(faultsOf(await bot.followup(event, { content: 'x', embeds: [{}] })), ['embeds[0] empty'])
  assert.deepEqual(faultsOf(await bot.response('PATCH', event, 'original', { ephemeral: true })), [
    'ephemeral unknown_member',
  ])
  assert.equal(await stateOf(world, event.id), 'deferred')
})

eachService('an edit that does not say whom it notifies never notifies more (D46)', async (_t, service) => {
  const world = await makeWorld(service)
  const { bot, ann, owner } = world
  await bot.connect()
  const content = `<@${ann.id}>`
  const { event } = await answered(world, use(world, 'ping'), { type: 'message', data: { content } })
  const edit = async (body: object) =>
    (await bot.response('PATCH', event, 'original', body)).body.mentions.users
  const both = `<@${ann.id}> <@${owner.id}>`
  assert.deepEqual(await edit({ content: both }), [ann.id])
  assert.deepEqual(await edit({ content: both, allowedMentions: { parse: ['users'] } }), [ann.id, owner.id])
})

eachService('404 and 401: not the bot of the interaction', async (_t, service) => {
  const world = await makeWorld(service)
  const { bot, owner } = world
  await bot.connect()
  const { event, reply } = await answered(world, use(world, 'ping'), pong)
  const stranger = await makeBot(service, owner, 'stranger_bot')
  assertRefused(await stranger.response('DELETE', event, 'original'), 404, 'not_found')
  assertRefused(await stranger.response('GET', event, 'original'), 404, 'not_found')
  const followup = `/api/interactions/${event.id}/${event.token}/followup`
  const nobody = service.client()
  for (const refused of [
    await nobody.get(`/api/interactions/${event.id}/${event.token}/original`),
    await nobody.json('POST', followup, { content: 'x' }),
    await nobody.json('PATCH', `${followup}/${reply.body.message.id}`, { content: 'x' }),
    await world.ann.client.json(
      'DELETE',
      `/api/interactions/${event.id}/${event.token}/followup/${event.id}`,
    ),
  ]) {
    assertRefused(refused, 401, 'unauthenticated')
  }
})
