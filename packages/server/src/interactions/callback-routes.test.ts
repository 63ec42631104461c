import assert from 'node:assert/strict'
import { formatPermissions, Permission } from '@gatehouse/protocol/permissions'
import { fieldErrorsOf } from '@gatehouse/testkit/field-errors'
import { sendLateBody } from '@gatehouse/testkit/late-body'
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

async function stateOf(world: World, id: string): Promise<unknown> {
  return (await world.ann.client.get(`/api/interactions/${id}`)).body.state
}

/** Sends a message of the bot with a button `go`. */
async function sendButton(world: World, content = 'Press'): Promise<string> {
  const body = { content, components: buttons('go') }
  const reply = await world.bot.json('POST', `/api/channels/${world.channelId}/messages`, body)
  assert.equal(reply.status, 201, reply.text)
  return reply.body.id
}

eachService(
  '200: creates a message and notifies the user (bots/callback-response, gateway/event-payloads)',
  async (_t, service) => {
    const world = await createWorld(service)
    const { bot, ann, channelId, serverId } = world
    await bot.connect()
    const [annEvents, channelEvents] = [
      await recordEvents(service, subjects.user(ann.id)),
      await recordEvents(service, subjects.channel(channelId)),
    ]
    const embeds = [{ title: 'Result', color: 255 }]
    const components = buttons('again')
    const { event, reply } = await respond(world, runCommand(world, 'ping', { nonce: 'n' }), {
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
    await waitUntil(() => annEvents.of('INTERACTION_UPDATE').length > 0)
    assert.deepEqual(channelEvents.of('MESSAGE_CREATE'), [message])
    assert.deepEqual(annEvents.of('INTERACTION_UPDATE'), [{ id: event.id, state: 'answered', nonce: 'n' }])
    assert.equal(await stateOf(world, event.id), 'answered')
    service.clock.advance(10_000)
    assert.equal(await stateOf(world, event.id), 'answered')
  },
)

eachService(
  '200: numeric types, for a bot without SEND_MESSAGES and EMBED_LINKS (bots/command-visibility)',
  async (_t, service) => {
    const world = await createWorld(service)
    const { bot, owner, channelId } = world
    await bot.connect()
    const messageId = await sendButton(world)
    const deny = { type: 'member', allow: '0', deny: String((1 << 11) | (1 << 14)) }
    await owner.client.json('PUT', `/api/channels/${channelId}/overwrites/${bot.botId}`, deny)
    const four = await respond(world, runCommand(world, 'ping'), {
      type: 4,
      data: { embeds: [{ title: 'x' }] },
    })
    assert.equal(four.reply.body.message.embeds[0].title, 'x')
    const five = await respond(world, runCommand(world, 'ping'), { type: 5 })
    assert.deepEqual([five.reply.body.message.state, five.reply.body.message.content], ['deferred', ''])
    assert.equal(await stateOf(world, five.event.id), 'deferred')
    const six = await respond(world, pressButton(world, messageId, 'go'), { type: 6 })
    assert.deepEqual(six.reply.body, { message: null })
    const seven = await respond(world, pressButton(world, messageId, 'go'), {
      type: 7,
      data: { content: 'Pressed' },
    })
    assert.deepEqual([seven.reply.body.message.id, seven.reply.body.message.content], [messageId, 'Pressed'])
  },
)

eachService(
  '200: concurrent updates change only their fields, and editedAt increases (bots/callback-response)',
  async (_t, service) => {
    const world = await createWorld(service)
    const { bot, owner, ann } = world
    await bot.connect()
    const messageId = await sendButton(world)
    let before = 0
    for (let round = 0; round < 10; round++) {
      const [one, two] = [
        await receivedEvent(world, pressButton(world, messageId, 'go')),
        await receivedEvent(world, pressButton({ ...world, ann: owner }, messageId, 'go')),
      ]
      const content = `Round ${round}`
      const components = buttons('go', `round-${round}`)
      const replies = await Promise.all([
        bot.callback(one, { type: 'update', data: { content } }),
        bot.callback(two, { type: 'update', data: { components } }),
      ])
      assert.deepEqual(
        replies.map(reply => reply.status),
        [200, 200],
      )
      const [message] = (await ann.client.get(`/api/channels/${world.channelId}/messages?limit=1`)).body
      assert.deepEqual([message.content, message.components], [content, components])
      const times = replies.map(reply => Date.parse(reply.body.message.editedAt)).toSorted((a, b) => a - b)
      assert.ok(
        times.every((time, i) => time > (times[i - 1] ?? before)),
        times.join(),
      )
      before = Date.parse(message.editedAt)
      assert.equal(before, times.at(-1))
    }
  },
)

eachService(
  '200: update changes the given fields; null and [] clear them (bots/callback-response)',
  async (_t, service) => {
    const world = await createWorld(service)
    await world.bot.connect()
    const channelEvents = await recordEvents(service, subjects.channel(world.channelId))
    const messageId = await sendButton(world)
    const update = (data: object) =>
      respond(world, pressButton(world, messageId, 'go'), { type: 'update', data })
    const first = await update({ embeds: [{ title: 'Card' }] })
    const { content, embeds, components, interaction, editedAt } = first.reply.body.message
    assert.deepEqual([content, embeds[0].title, components.length], ['Press', 'Card', 1])
    assert.equal(interaction, undefined)
    assert.equal(editedAt, new Date(service.clock.now()).toISOString())
    const second = await update({ content: null, components: [] })
    const after = second.reply.body.message
    assert.deepEqual([after.content, after.embeds[0].title, after.components], ['', 'Card', []])
    assert.equal(channelEvents.of('MESSAGE_UPDATE').length, 2)
    assert.equal((await history(world)).body.length, 1)
  },
)

eachService('200: message for a button creates a new message (bots/callback-type)', async (_t, service) => {
  const world = await createWorld(service)
  await world.bot.connect()
  const messageId = await sendButton(world)
  const { reply } = await respond(world, pressButton(world, messageId, 'go'), pong)
  assert.notEqual(reply.body.message.id, messageId)
  assert.deepEqual(reply.body.message.interaction.name, 'go')
  assert.equal((await history(world)).body.length, 2)
})

eachService('200: mentions only users by default (webhooks/mentions)', async (_t, service) => {
  const world = await createWorld(service)
  await world.bot.connect()
  const content = `<@${world.ann.id}> @everyone <@&${world.serverId}>`
  const respondWith = async (data: object) =>
    (await respond(world, runCommand(world, 'ping'), { type: 'message', data })).reply.body.message.mentions
  const noMentions = { users: [], roles: [], everyone: false }
  assert.deepEqual(await respondWith({ content }), { ...noMentions, users: [world.ann.id] })
  assert.deepEqual(await respondWith({ content, allowedMentions: { parse: [] } }), noMentions)
  // The bot does not have MENTION_EVERYONE.
  assert.deepEqual(
    await respondWith({ content, allowedMentions: { parse: ['everyone', 'roles'] } }),
    noMentions,
  )
})

eachService(
  '200: a bot with MENTION_EVERYONE can allow @everyone (webhooks/mentions)',
  async (_t, service) => {
    const world = await createWorld(service, { permissions: 1n << 17n })
    await world.bot.connect()
    const respondWith = async (data: object) =>
      (await respond(world, runCommand(world, 'ping'), { type: 'message', data })).reply.body.message.mentions
        .everyone
    assert.equal(await respondWith({ content: '@everyone' }), false)
    assert.equal(await respondWith({ content: '@everyone', allowedMentions: { parse: ['everyone'] } }), true)
  },
)

eachService('200 before the deadline, then 410 with the delay (bots/deadline)', async (_t, service) => {
  const world = await createWorld(service)
  const { bot, ann } = world
  await bot.connect()
  const annEvents = await recordEvents(service, subjects.user(ann.id))
  const early = await receivedEvent(world, runCommand(world, 'ping'))
  service.clock.advance(2999)
  assert.equal((await bot.callback(early, pong)).status, 200)

  const onTime = await receivedEvent(world, runCommand(world, 'ping'))
  service.clock.advance(3000)
  assertError(await bot.callback(onTime, pong), 410, 'interaction_timed_out')

  const late = await receivedEvent(world, runCommand(world, 'ping', { nonce: 'late' }))
  service.clock.advance(3412)
  const reply = await bot.callback(late, pong)
  assertError(reply, 410, 'interaction_timed_out')
  assert.match(reply.body.message, /arrived 412 ms after the deadline/)
  const updates = () => annEvents.of('INTERACTION_UPDATE').filter(({ id }) => id === late.id)
  await waitUntil(() => updates().length > 0)
  service.clock.advance(60_000)
  await service.client().get('/healthz')
  const reason = 'The bot did not respond within 3 seconds.'
  assert.deepEqual(updates(), [
    { id: late.id, state: 'timed_out', reason, reasonCode: 'no_answer', nonce: 'late' },
  ])
  assert.equal((await history(world)).body.length, 1)
  const again = await bot.callback(late, pong)
  assert.match(again.body.message, /arrived 60412 ms after/)
})

eachService(
  'an interaction times out although its node restarted (bots/interaction-states)',
  async (_t, service) => {
    const world = await createWorld(service)
    const { bot, ann } = world
    await bot.connect()
    const event = await receivedEvent(world, runCommand(world, 'ping'))
    const deferred = await respond(world, runCommand(world, 'ping'), { type: 'defer' })
    await service.restart()
    // The token is valid after the restart (bots/token-lifetime).
    assert.equal((await bot.followup(deferred.event, { content: 'kept' })).status, 200)
    service.clock.advance(3000)
    assert.equal(await stateOf(world, event.id), 'timed_out')
    assertError(await bot.callback(event, pong), 410, 'interaction_timed_out')
    const annEvents = await recordEvents(service, subjects.user(ann.id))
    service.clock.advance(60_000)
    await waitUntil(() => annEvents.of('INTERACTION_UPDATE').length > 0)
    assert.deepEqual(
      annEvents.of('INTERACTION_UPDATE').map(({ id, state }) => [id, state]),
      [[event.id, 'timed_out']],
    )
  },
)

eachService('a restart before the deadline leaves the interaction pending', async (_t, service) => {
  const world = await createWorld(service)
  await world.bot.connect()
  const event = await receivedEvent(world, runCommand(world, 'ping'))
  await service.restart()
  service.clock.advance(2999)
  assert.equal((await world.bot.callback(event, pong)).status, 200)
})

eachService(
  'a callback whose body arrives after its headers is accepted, and one with a wrong bot token is not',
  async (_t, service) => {
    const world = await createWorld(service)
    await world.bot.connect()
    const { id, token } = await receivedEvent(world, runCommand(world, 'ping'))
    const send = async (botToken: string) => {
      const headers = { authorization: `Bot ${botToken}` }
      const request = { method: 'POST', path: `/api/interactions/${id}/${token}/callback`, headers }
      return (await sendLateBody(service.client(), request, pong, async () => undefined)).status
    }
    const { token: ownToken } = world.bot
    assert.equal(await send(`${ownToken.slice(0, -1)}${ownToken.endsWith('x') ? 'y' : 'x'}`), 401)
    assert.equal(await send(ownToken), 200)
  },
)

eachService(
  '409: exactly one of 200 concurrent callbacks succeeds (bots/callback-once)',
  async (_t, service) => {
    const world = await createWorld(service)
    await world.bot.connect()
    const event = await receivedEvent(world, runCommand(world, 'ping'))
    const kinds = [pong, { type: 'defer' }, { type: 'message', data: { content: 'pong', ephemeral: true } }]
    const bodies = Array.from({ length: 200 }, (_, index) => kinds[index % kinds.length])
    const annEvents = await recordEvents(service, subjects.user(world.ann.id))
    const replies = await Promise.all(bodies.map(body => world.bot.callback(event, body)))
    const accepted = replies.filter(reply => reply.status === 200)
    const rejected = replies.filter(reply => reply.status === 409)
    assert.deepEqual([accepted.length, rejected.length], [1, 199])
    for (const reply of rejected) assert.equal(reply.body.code, 'interaction_already_answered')
    const ephemeral = accepted[0]?.body.message.ephemeral === true
    await waitUntil(() => annEvents.of('INTERACTION_UPDATE').length > 0)
    assert.equal((await history(world)).body.length, ephemeral ? 0 : 1)
    assert.equal(annEvents.of('MESSAGE_CREATE').length, ephemeral ? 1 : 0)
    assert.equal(annEvents.of('INTERACTION_UPDATE').length, 1)
  },
)

eachService(
  '404 for a wrong token, a wrong id and another bot; the interaction stays pending ' +
    '(webhooks/unknown-webhook, bots/interaction-authentication)',
  async (_t, service) => {
    const world = await createWorld(service)
    const { bot, owner } = world
    await bot.connect()
    const event = await receivedEvent(world, runCommand(world, 'ping'))
    const other = await receivedEvent(world, runCommand(world, 'ping'))
    const otherBot = await createBot(service, owner, 'other_bot')
    const wrongToken = `${event.token.slice(0, -1)}${event.token.endsWith('0') ? '1' : '0'}`
    const rejections = [
      await bot.callback({ ...event, token: wrongToken }, pong),
      await bot.callback({ ...event, token: 'x' }, pong),
      await bot.callback({ ...event, token: `${event.token}0` }, pong),
      await bot.callback({ ...event, token: event.token.toUpperCase() }, pong),
      await bot.callback({ ...event, token: other.token }, pong),
      await bot.callback({ ...event, id: '1000000000000000001' }, pong),
      await bot.callback({ ...event, id: 'x' }, pong),
      await otherBot.callback(event, pong),
    ]
    for (const reply of rejections) {
      assertError(reply, 404, 'not_found')
      assert.equal(reply.text, rejections[0]?.text)
    }
    for (const reply of [
      await otherBot.followup(event, pong.data),
      await bot.followup({ ...event, token: 'x' }, {}),
    ]) {
      assertError(reply, 404, 'not_found')
    }
    assert.equal(await stateOf(world, event.id), 'pending')
    assert.equal((await bot.callback(event, pong)).status, 200)
  },
)

eachService(
  '400 leaves the interaction pending (bots/callback-type, bots/response-validation)',
  async (_t, service) => {
    const world = await createWorld(service)
    const { bot } = world
    await bot.connect()
    const event = await receivedEvent(world, runCommand(world, 'ping'))
    const message = (data: unknown) => ({ type: 'message', data })
    const cases: [unknown, string[]][] = [
      [{ type: 'update', data: { content: 'x' } }, ['type not_allowed']],
      [{ type: 'deferred_update' }, ['type not_allowed']],
      [{ type: 'poll' }, ['type invalid_choice']],
      [{ type: 'modal' }, ['data required']],
      [{ type: 10 }, ['type invalid_choice']],
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
    for (const [body, errors] of cases)
      assert.deepEqual(fieldErrorsOf(await bot.callback(event, body)), errors)
    assert.equal(await stateOf(world, event.id), 'pending')
    assert.deepEqual((await history(world)).body, [])
    assert.equal((await bot.callback(event, pong)).status, 200)

    const messageId = await sendButton(world)
    const pressed = await receivedEvent(world, pressButton(world, messageId, 'go'))
    const update = (data: object) => bot.callback(pressed, { type: 'update', data })
    assert.deepEqual(fieldErrorsOf(await update({ content: '' })), ['data.content required'])
    assert.deepEqual(fieldErrorsOf(await update({ content: 'x', ephemeral: true })), [
      'data.ephemeral not_allowed',
    ])
    assert.equal(await stateOf(world, pressed.id), 'pending')
    assert.equal((await update({ content: 'x' })).status, 200)
  },
)

eachService(
  '404: update of a deleted message leaves the interaction pending (bots/button-message-deleted)',
  async (_t, service) => {
    const world = await createWorld(service)
    const { bot, channelId } = world
    await bot.connect()
    const messageId = await sendButton(world)
    const event = await receivedEvent(world, pressButton(world, messageId, 'go'))
    await bot.json('DELETE', `/api/channels/${channelId}/messages/${messageId}`)
    assertError(await bot.callback(event, { type: 'update', data: { content: 'x' } }), 404, 'not_found')
    assert.equal(await stateOf(world, event.id), 'pending')
    assert.equal((await bot.callback(event, pong)).status, 200)
  },
)

eachService('404 after the bot was removed from the server (bots/bot-removed)', async (_t, service) => {
  const world = await createWorld(service)
  const { bot, owner, ann, serverId } = world
  await bot.connect()
  const pending = await receivedEvent(world, runCommand(world, 'ping'))
  const deferred = await respond(world, runCommand(world, 'ping'), { type: 'defer' })
  const completed = await respond(world, runCommand(world, 'ping'), pong)
  const annEvents = await recordEvents(service, subjects.user(ann.id))
  const removed = await owner.client.json('DELETE', `/api/servers/${serverId}/members/${bot.botId}`)
  assert.equal(removed.status, 204, removed.text)
  assertError(await bot.callback(pending, pong), 404, 'not_found')
  assertError(await bot.followup(deferred.event, pong.data), 404, 'not_found')
  assertError(await bot.response('PATCH', completed.event, 'original', pong.data), 404, 'not_found')
  assert.equal(await stateOf(world, pending.id), 'failed')
  assert.equal(await stateOf(world, deferred.event.id), 'failed')
  assert.equal(await stateOf(world, completed.event.id), 'answered')
  const updates = annEvents.of('INTERACTION_UPDATE').map(({ id, state }) => [id, state])
  assert.deepEqual(
    updates.toSorted(),
    [
      [pending.id, 'failed'],
      [deferred.event.id, 'failed'],
    ].toSorted(),
  )
  service.clock.advance(3000)
  assert.equal(await stateOf(world, pending.id), 'failed')
})

eachService('404 after the channel was deleted (bots/channel-deleted)', async (_t, service) => {
  const world = await createWorld(service)
  const { bot, owner, channelId } = world
  await bot.connect()
  const pending = await receivedEvent(world, runCommand(world, 'ping'))
  const completed = await respond(world, runCommand(world, 'ping'), pong)
  assert.equal((await owner.client.json('DELETE', `/api/channels/${channelId}`)).status, 204)
  assertError(await bot.callback(pending, pong), 404, 'not_found')
  assertError(await bot.followup(completed.event, pong.data), 404, 'not_found')
  assertError(await bot.response('GET', completed.event, 'original'), 404, 'not_found')
})

eachService(
  'a user who lost access to the channel gets public responses and no ephemeral ones (bots/user-left)',
  async (_t, service) => {
    const world = await createWorld(service)
    const { bot, ann, owner, channelId } = world
    await bot.connect()
    const pending = [
      await receivedEvent(world, runCommand(world, 'ping')),
      await receivedEvent(world, runCommand(world, 'ping')),
    ] as const
    const overwrite = { type: 'member', allow: '0', deny: formatPermissions(Permission.VIEW_CHANNEL) }
    const path = `/api/channels/${channelId}/overwrites/${ann.id}`
    assert.equal((await owner.client.json('PUT', path, overwrite)).status, 204)
    const annEvents = await recordEvents(service, subjects.user(ann.id))
    const stored = await bot.callback(pending[0], pong)
    assert.deepEqual([stored.status, stored.body.message.interaction.user], [200, pending[0].user])
    const ephemeral = { type: 'message', data: { content: 'For you', ephemeral: true } }
    assert.equal((await bot.callback(pending[1], ephemeral)).status, 200)
    assert.deepEqual(annEvents.of('MESSAGE_CREATE'), [])
    assert.deepEqual((await history(world)).body, [stored.body.message])
  },
)

eachService(
  'a user who left the server gets public responses and no ephemeral ones (bots/user-left)',
  async (_t, service) => {
    const world = await createWorld(service)
    const { bot, ann, serverId } = world
    await bot.connect()
    const pending = [
      await receivedEvent(world, runCommand(world, 'ping')),
      await receivedEvent(world, runCommand(world, 'ping')),
    ] as const
    assert.equal((await ann.client.json('DELETE', `/api/servers/${serverId}/members/@me`)).status, 204)
    const annEvents = await recordEvents(service, subjects.user(ann.id))
    const reply = await bot.callback(pending[0], pong)
    assert.equal(reply.status, 200, reply.text)
    assert.deepEqual(reply.body.message.interaction.user, pending[0].user)
    const ephemeral = await bot.callback(pending[1], {
      type: 'message',
      data: { content: 'For you', ephemeral: true },
    })
    assert.equal(ephemeral.status, 200, ephemeral.text)
    assert.equal(ephemeral.body.message.ephemeral, true)
    assert.deepEqual(annEvents.of('MESSAGE_CREATE'), [])
    assert.equal((await history(world)).body.length, 1)
  },
)
