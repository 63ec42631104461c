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

eachService('200: message is shown, and who asked is told (D59, D61)', async (_t, service) => {
  const world = await makeWorld(service)
  const { bot, ann, channelId, serverId } = world
  await bot.connect()
  const [toAnn, toChannel] = [
    await listen(service, subjects.user(ann.id)),
    await listen(service, subjects.channel(channelId)),
  ]
  const embeds = [{ title: 'Result', color: 255 }]
  const components = buttons('again')
  const { event, reply } = await answered(world, use(world, 'ping', { nonce: 'n' }), {
    type: 'message',
    data: { content: ' pong ', embeds, components },
  })
  const { message } = reply.body
  const now = new Date(service.clock.now()).toISOString()
  assert.deepEqual(message, {
    id: message.id,
    channelId,
    serverId,
    author: {
      id: bot.botId,
      username: 'dice_bot',
      displayName: 'App of dice_bot',
      avatar: `/images/users/${bot.botId}/default`,
      bot: true,
    },
    content: 'pong',
    embeds,
    components,
    mentions: { users: [], roles: [], everyone: false },
    createdAt: now,
    editedAt: null,
    state: 'sent',
    interaction: { id: event.id, type: 'command', name: 'ping', user: event.user },
  })
  assert.deepEqual((await history(world)).body, [message])
  await until(() => toAnn.of('INTERACTION_UPDATE').length > 0)
  assert.deepEqual(toChannel.of('MESSAGE_CREATE'), [message])
  assert.deepEqual(toAnn.of('INTERACTION_UPDATE'), [{ id: event.id, state: 'answered', nonce: 'n' }])
  assert.equal(await progressOf(world, event.id), 'answered')
  service.clock.advance(10_000)
  assert.equal(await progressOf(world, event.id), 'answered')
})

eachService(
  '200: the types by number, and a response without SEND_MESSAGES and EMBED_LINKS (D65)',
  async (_t, service) => {
    const world = await makeWorld(service)
    const { bot, owner, channelId } = world
    await bot.connect()
    const messageId = await withButton(world)
    const deny = { type: 'member', allow: '0', deny: String((1 << 11) | (1 << 14)) }
    await owner.client.json('PUT', `/api/channels/${channelId}/overwrites/${bot.botId}`, deny)
    const four = await answered(world, use(world, 'ping'), { type: 4, data: { embeds: [{ title: 'x' }] } })
    assert.equal(four.reply.body.message.embeds[0].title, 'x')
    const five = await answered(world, use(world, 'ping'), { type: 5 })
    assert.deepEqual([five.reply.body.message.state, five.reply.body.message.content], ['deferred', ''])
    assert.equal(await progressOf(world, five.event.id), 'deferred')
    const six = await answered(world, press(world, messageId, 'go'), { type: 6 })
    assert.deepEqual(six.reply.body, { message: null })
    const seven = await answered(world, press(world, messageId, 'go'), {
      type: 7,
      data: { content: 'Pressed' },
    })
    assert.deepEqual([seven.reply.body.message.id, seven.reply.body.message.content], [messageId, 'Pressed'])
  },
)

eachService('200: update changes what it names and empties what is null or [] (D59)', async (_t, service) => {
  const world = await makeWorld(service)
  await world.bot.connect()
  const toChannel = await listen(service, subjects.channel(world.channelId))
  const messageId = await withButton(world)
  const update = (data: object) => answered(world, press(world, messageId, 'go'), { type: 'update', data })
  const first = await update({ embeds: [{ title: 'Card' }] })
  const { content, embeds, components, interaction, editedAt } = first.reply.body.message
  assert.deepEqual([content, embeds[0].title, components.length], ['Press', 'Card', 1])
  assert.equal(interaction, undefined)
  assert.equal(editedAt, new Date(service.clock.now()).toISOString())
  const second = await update({ content: null, components: [] })
  const after = second.reply.body.message
  assert.deepEqual([after.content, after.embeds[0].title, after.components], ['', 'Card', []])
  assert.equal(toChannel.of('MESSAGE_UPDATE').length, 2)
  assert.equal((await history(world)).body.length, 1)
})

eachService('200: message on a button is a new message (check 74)', async (_t, service) => {
  const world = await makeWorld(service)
  await world.bot.connect()
  const messageId = await withButton(world)
  const { reply } = await answered(world, press(world, messageId, 'go'), pong)
  assert.notEqual(reply.body.message.id, messageId)
  assert.deepEqual(reply.body.message.interaction.name, 'go')
  assert.equal((await history(world)).body.length, 2)
})

eachService('200: users alone are notified, unless the bot says otherwise (D36)', async (_t, service) => {
  const world = await makeWorld(service)
  await world.bot.connect()
  const content = `<@${world.ann.id}> @everyone <@&${world.serverId}>`
  const say = async (data: object) =>
    (await answered(world, use(world, 'ping'), { type: 'message', data })).reply.body.message.mentions
  const nobody = { users: [], roles: [], everyone: false }
  assert.deepEqual(await say({ content }), { ...nobody, users: [world.ann.id] })
  assert.deepEqual(await say({ content, allowedMentions: { parse: [] } }), nobody)
  // It does not hold MENTION_EVERYONE.
  assert.deepEqual(await say({ content, allowedMentions: { parse: ['everyone', 'roles'] } }), nobody)
})

eachService(
  '200: a bot with MENTION_EVERYONE notifies everyone when it asks for it (D36)',
  async (_t, service) => {
    const world = await makeWorld(service, { permissions: 1n << 17n })
    await world.bot.connect()
    const say = async (data: object) =>
      (await answered(world, use(world, 'ping'), { type: 'message', data })).reply.body.message.mentions
        .everyone
    assert.equal(await say({ content: '@everyone' }), false)
    assert.equal(await say({ content: '@everyone', allowedMentions: { parse: ['everyone'] } }), true)
  },
)

eachService(
  '200 until the deadline, 410 from it on with how late it was (checks 66, 67)',
  async (_t, service) => {
    const world = await makeWorld(service)
    const { bot, ann } = world
    await bot.connect()
    const heard = await listen(service, subjects.user(ann.id))
    const early = await eventOf(world, use(world, 'ping'))
    service.clock.advance(2999)
    assert.equal((await bot.callback(early, pong)).status, 200)

    const sharp = await eventOf(world, use(world, 'ping'))
    service.clock.advance(3000)
    assertRefused(await bot.callback(sharp, pong), 410, 'interaction_timed_out')

    const late = await eventOf(world, use(world, 'ping', { nonce: 'late' }))
    service.clock.advance(3412)
    const reply = await bot.callback(late, pong)
    assertRefused(reply, 410, 'interaction_timed_out')
    assert.match(reply.body.message, /answered 412 ms after the deadline/)
    const told = () => heard.of('INTERACTION_UPDATE').filter(({ id }) => id === late.id)
    await until(() => told().length > 0)
    service.clock.advance(60_000)
    await service.client().get('/healthz')
    const reason = 'The bot did not answer within 3 seconds.'
    assert.deepEqual(told(), [
      { id: late.id, state: 'timed_out', reason, reasonCode: 'no_answer', nonce: 'late' },
    ])
    assert.equal((await history(world)).body.length, 1)
    const again = await bot.callback(late, pong)
    assert.match(again.body.message, /answered 60412 ms after/)
  },
)

eachService('a deadline that nobody was there to see has passed all the same (D29)', async (_t, service) => {
  const world = await makeWorld(service)
  const { bot, ann } = world
  await bot.connect()
  const event = await eventOf(world, use(world, 'ping'))
  const deferred = await answered(world, use(world, 'ping'), { type: 'defer' })
  await service.restart()
  // The token outlives the restart (check 73).
  assert.equal((await bot.followup(deferred.event, { content: 'kept' })).status, 200)
  service.clock.advance(3000)
  assert.equal(await progressOf(world, event.id), 'timed_out')
  assertRefused(await bot.callback(event, pong), 410, 'interaction_timed_out')
  const heard = await listen(service, subjects.user(ann.id))
  service.clock.advance(60_000)
  await until(() => heard.of('INTERACTION_UPDATE').length > 0)
  assert.deepEqual(
    heard.of('INTERACTION_UPDATE').map(({ id, state }) => [id, state]),
    [[event.id, 'timed_out']],
  )
})

eachService('a restart before the deadline leaves the interaction open', async (_t, service) => {
  const world = await makeWorld(service)
  await world.bot.connect()
  const event = await eventOf(world, use(world, 'ping'))
  await service.restart()
  service.clock.advance(2999)
  assert.equal((await world.bot.callback(event, pong)).status, 200)
})

eachService('409: of 200 callbacks at once exactly one stands (check 68)', async (_t, service) => {
  const world = await makeWorld(service)
  await world.bot.connect()
  const event = await eventOf(world, use(world, 'ping'))
  const kinds = [pong, { type: 'defer' }, { type: 'message', data: { content: 'pong', ephemeral: true } }]
  const bodies = Array.from({ length: 200 }, (_, index) => kinds[index % kinds.length])
  const toAnn = await listen(service, subjects.user(world.ann.id))
  const replies = await Promise.all(bodies.map(body => world.bot.callback(event, body)))
  const won = replies.filter(reply => reply.status === 200)
  const lost = replies.filter(reply => reply.status === 409)
  assert.deepEqual([won.length, lost.length], [1, 199])
  for (const reply of lost) assert.equal(reply.body.code, 'interaction_already_answered')
  const ephemeral = won[0]?.body.message.ephemeral === true
  await until(() => toAnn.of('INTERACTION_UPDATE').length > 0)
  assert.equal((await history(world)).body.length, ephemeral ? 0 : 1)
  assert.equal(toAnn.of('MESSAGE_CREATE').length, ephemeral ? 1 : 0)
  assert.equal(toAnn.of('INTERACTION_UPDATE').length, 1)
})

eachService(
  '404, and nothing is taken: wrong token, wrong id, another bot (checks 56, 69, 70)',
  async (_t, service) => {
    const world = await makeWorld(service)
    const { bot, owner } = world
    await bot.connect()
    const event = await eventOf(world, use(world, 'ping'))
    const other = await eventOf(world, use(world, 'ping'))
    const stranger = await makeBot(service, owner, 'stranger_bot')
    const flipped = `${event.token.slice(0, -1)}${event.token.endsWith('0') ? '1' : '0'}`
    const refusals = [
      await bot.callback({ ...event, token: flipped }, pong),
      await bot.callback({ ...event, token: 'x' }, pong),
      await bot.callback({ ...event, token: `${event.token}0` }, pong),
      await bot.callback({ ...event, token: event.token.toUpperCase() }, pong),
      await bot.callback({ ...event, token: other.token }, pong),
      await bot.callback({ ...event, id: '1000000000000000001' }, pong),
      await bot.callback({ ...event, id: 'x' }, pong),
      await stranger.callback(event, pong),
    ]
    for (const reply of refusals) {
      assertRefused(reply, 404, 'not_found')
      assert.equal(reply.text, refusals[0]?.text)
    }
    for (const reply of [
      await stranger.followup(event, pong.data),
      await bot.followup({ ...event, token: 'x' }, {}),
    ]) {
      assertRefused(reply, 404, 'not_found')
    }
    assert.equal(await progressOf(world, event.id), 'pending')
    assert.equal((await bot.callback(event, pong)).status, 200)
  },
)

eachService('401: without a bot token, and with a session', async (_t, service) => {
  const world = await makeWorld(service)
  await world.bot.connect()
  const event = await eventOf(world, use(world, 'ping'))
  const path = `/api/interactions/${event.id}/${event.token}/callback`
  assertRefused(await service.client().json('POST', path, pong), 401, 'unauthenticated')
  assertRefused(await world.ann.client.json('POST', path, pong), 401, 'unauthenticated')
})

eachService('400: what is not valid leaves it pending (checks 74, 84)', async (_t, service) => {
  const world = await makeWorld(service)
  const { bot } = world
  await bot.connect()
  const event = await eventOf(world, use(world, 'ping'))
  const message = (data: unknown) => ({ type: 'message', data })
  const cases: [unknown, string[]][] = [
    [{ type: 'update', data: { content: 'x' } }, ['type not_allowed']],
    [{ type: 'deferred_update' }, ['type not_allowed']],
    [{ type: 'modal' }, ['type invalid_choice']],
    [{ type: 8 }, ['type invalid_choice']],
    [{ type: 'message' }, ['data.content required']],
    [message({ content: ' \u200b ' }), ['data.content required']],
    [message({ content: 'x'.repeat(2001) }), ['data.content too_long']],
    [message({ components: buttons('a') }), ['data.content required']],
    [
      message({ content: 'x', components: buttons('a', 'a') }),
      ['data.components[0].components[1].customId duplicate'],
    ],
    [message({ embeds: [{ url: 'javascript:alert(1)', title: 'x' }] }), ['data.embeds[0].url invalid_url']],
    [message({ content: 'x', flags: 4 }), ['data.flags invalid_choice']],
    [message({ content: 'x', tts: true }), ['data.tts unknown_member']],
    [{ type: 'defer', data: { content: 'x' } }, ['data.content not_allowed']],
  ]
  for (const [body, faults] of cases) assert.deepEqual(faultsOf(await bot.callback(event, body)), faults)
  assert.equal(await progressOf(world, event.id), 'pending')
  assert.deepEqual((await history(world)).body, [])
  assert.equal((await bot.callback(event, pong)).status, 200)

  const messageId = await withButton(world)
  const pressed = await eventOf(world, press(world, messageId, 'go'))
  const update = (data: object) => bot.callback(pressed, { type: 'update', data })
  assert.deepEqual(faultsOf(await update({ content: '' })), ['data.content required'])
  assert.deepEqual(faultsOf(await update({ content: 'x', ephemeral: true })), ['data.ephemeral not_allowed'])
  assert.equal(await progressOf(world, pressed.id), 'pending')
  assert.equal((await update({ content: 'x' })).status, 200)
})
