import assert from 'node:assert/strict'
import { formatPermissions, Permission } from '@gatehouse/protocol/permissions'
import { subjects } from '../../platform/events.ts'
import { register } from '../../platform/testing.ts'
import { eachService } from '../../testing.ts'
import {
  answered,
  assertRefused,
  buttons,
  eventOf,
  faultsOf,
  history,
  install,
  listen,
  makeBot,
  makeWorld,
  press,
  rollCommand,
  until,
  use,
} from '../testing.ts'

eachService('202: the bot gets the event with every field of the specification', async (_t, service) => {
  const world = await makeWorld(service)
  const { bot, ann, clock } = { ...world, clock: service.clock }
  await bot.connect()
  const options = [
    { name: 'note', value: ' for luck ' },
    { name: 'sides', value: 6 },
  ]
  const reply = await use(world, 'roll', { options })
  assert.equal(reply.status, 202, reply.text)
  const at = (ms: number) => new Date(clock.now() + ms).toISOString()
  assert.deepEqual(reply.body, { id: reply.body.id, state: 'pending', deadlineAt: at(3000) })
  const [event] = bot.received
  assert.ok(event)
  assert.match(event.token, /^git_[0-9A-Za-z]{49}$/)
  assert.deepEqual(event, {
    version: 1,
    id: reply.body.id,
    token: event.token,
    type: 'command',
    applicationId: bot.applicationId,
    channelId: world.channelId,
    serverId: world.serverId,
    user: { id: ann.id, username: 'ann', displayName: 'ann', avatar: `/images/users/${ann.id}/default` },
    data: {
      id: world.commands.roll,
      name: 'roll',
      options: [
        { name: 'sides', type: 'integer', value: 6 },
        { name: 'note', type: 'string', value: 'for luck' },
      ],
    },
    createdAt: at(0),
    deadlineAt: at(3000),
    expiresAt: at(900_000),
  })
  const progress = await ann.client.get(`/api/interactions/${event.id}`)
  assert.deepEqual([progress.status, progress.body], [200, { id: event.id, state: 'pending' }])
})

eachService('202: a repeat with the same nonce asks the bot once', async (_t, service) => {
  const world = await makeWorld(service)
  await world.bot.connect()
  const replies = await Promise.all(Array.from({ length: 5 }, () => use(world, 'ping', { nonce: 'once' })))
  replies.push(await use(world, 'ping', { nonce: 'once' }))
  assert.deepEqual(new Set(replies.map(reply => reply.status)), new Set([202]))
  assert.equal(new Set(replies.map(reply => reply.body.id)).size, 1)
  assert.equal(world.bot.received.length, 1)
  await eventOf(world, use(world, 'ping', { nonce: 'twice' }))
  assert.equal(world.bot.received.length, 2)
})

eachService('202: with the bot offline the person is told at once (check 80)', async (_t, service) => {
  const world = await makeWorld(service)
  const heard = await listen(service, subjects.user(world.ann.id))
  const reply = await use(world, 'ping', { nonce: 'n' })
  assert.deepEqual([reply.status, reply.body.state], [202, 'failed'])
  const told = {
    id: reply.body.id,
    state: 'failed',
    reason: 'The bot is not connected.',
    reasonCode: 'offline',
  }
  await until(() => heard.of('INTERACTION_UPDATE').length > 0)
  assert.deepEqual(heard.of('INTERACTION_UPDATE'), [{ ...told, nonce: 'n' }])
  const progress = await world.ann.client.get(`/api/interactions/${told.id}`)
  assert.deepEqual(progress.body, told)
})

eachService(
  '202: of two sessions one gets the event, and the other when that one closes (D26)',
  async (_t, service) => {
    const world = await makeWorld(service)
    const sessions = [await world.bot.connect('one'), await world.bot.connect('two')]
    const event = await eventOf(world, use(world, 'ping'))
    const counts = () => sessions.map(session => session.received.length)
    const first = counts().indexOf(1)
    assert.deepEqual(counts().toSorted(), [0, 1])
    sessions[first]?.close()
    await until(() => counts().every(count => count === 1))
    assert.deepEqual(sessions[1 - first]?.received, [event])
    assert.equal(
      (await world.bot.callback(event, { type: 'message', data: { content: 'pong' } })).status,
      200,
    )
  },
)

eachService('202: what was answered is not given to another session', async (_t, service) => {
  const world = await makeWorld(service)
  const sessions = [await world.bot.connect('one'), await world.bot.connect('two')]
  await answered(world, use(world, 'ping'), { type: 'message', data: { content: 'pong' } })
  for (const session of sessions) session.close()
  await new Promise(resolve => setImmediate(resolve))
  assert.equal(world.bot.received.length, 1)
})

eachService(
  '202: the last session dies, resumes and answers within the deadline (D54)',
  async (_t, service) => {
    const world = await makeWorld(service)
    const session = await world.bot.connect()
    const event = await eventOf(world, use(world, 'ping'))
    session.close()
    service.clock.advance(2999)
    assert.equal(
      (await world.bot.callback(event, { type: 'message', data: { content: 'back' } })).status,
      200,
    )
  },
)

eachService('202: a button under a message of a bot, in a direct message too (D56)', async (_t, service) => {
  const world = await makeWorld(service)
  const { bot, ann } = world
  await bot.connect()
  const opened = await bot.json('POST', '/api/users/@me/channels', { recipientId: ann.id })
  assert.equal(opened.status, 201, opened.text)
  for (const [channelId, serverId] of [
    [world.channelId, world.serverId],
    [opened.body.id, null],
  ]) {
    const body = { content: 'Sure?', components: buttons('yes', 'no') }
    const message = await bot.json('POST', `/api/channels/${channelId}/messages`, body)
    assert.equal(message.status, 201, message.text)
    const event = await eventOf(world, press(world, message.body.id, 'no', { channelId }))
    assert.equal(event.type, 'component')
    const { type, data, message: pressed, user } = event
    assert.deepEqual(
      { type, channelId: event.channelId, serverId: event.serverId, data, message: pressed, user },
      {
        type: 'component',
        channelId,
        serverId,
        data: { customId: 'no', componentType: 'button' },
        message: { id: message.body.id, content: 'Sure?', components: message.body.components },
        // D56: the avatar stands in both kinds of event.
        user: { id: ann.id, username: 'ann', displayName: 'ann', avatar: `/images/users/${ann.id}/default` },
      },
    )
    const reply = await bot.callback(event, { type: 'update', data: { content: 'Done', components: [] } })
    assert.equal(reply.status, 200, reply.text)
    assert.deepEqual([reply.body.message.id, reply.body.message.content], [message.body.id, 'Done'])
  }
})

eachService('400: options that do not fit, by path, and nothing is sent (check 55)', async (_t, service) => {
  const world = await makeWorld(service)
  const { bot, owner } = world
  await bot.connect()
  const references = ['user', 'channel', 'role'].map(type => ({
    type,
    name: type,
    description: 'One of this server',
  }))
  const put = await bot.json('PUT', '/api/applications/@me/commands', [
    rollCommand,
    { name: 'point', description: 'At something', options: references },
  ])
  world.commands.point = put.body[1].id
  const stranger = await register(service, 'stranger')
  const other = (await stranger.client.json('POST', '/api/servers', { name: 'Other' })).body
  const [otherChannel] = (await stranger.client.get(`/api/servers/${other.id}/channels`)).body
  const hidden = (
    await owner.client.json('POST', `/api/servers/${world.serverId}/channels`, { name: 'hidden' })
  ).body
  const deny = { type: 'role', allow: '0', deny: formatPermissions(Permission.VIEW_CHANNEL) }
  const path = `/api/channels/${hidden.id}/overwrites/${world.serverId}`
  assert.equal((await owner.client.json('PUT', path, deny)).status, 204)

  const roll = (...options: object[]) => use(world, 'roll', { options })
  const point = (name: string, value: unknown) => use(world, 'point', { options: [{ name, value }] })
  const cases = [
    [await use(world, 'roll'), 'options required'],
    [await roll({ name: 'sides', value: 1 }), 'options[0].value out_of_range'],
    [await roll({ name: 'sides', value: 6 }, { name: 'x', value: 6 }), 'options[1].name unknown_member'],
    [await point('user', stranger.id), 'options[0].value unknown_user'],
    [await point('channel', otherChannel.id), 'options[0].value unknown_channel'],
    [await point('channel', hidden.id), 'options[0].value unknown_channel'],
    [await point('role', other.id), 'options[0].value unknown_role'],
  ] as const
  for (const [reply, fault] of cases) assert.deepEqual(faultsOf(reply), [fault])
  assert.deepEqual(bot.received, [])
  for (const [name, value] of [
    ['user', bot.botId],
    ['channel', world.channelId],
    ['role', world.serverId],
  ] as const) {
    const event = await eventOf(world, point(name, value))
    assert.ok(event.type === 'command')
    assert.deepEqual(event.data.options, [{ name, type: name, value }])
  }
})

eachService('400: what goes with the other kind, or lacks', async (_t, service) => {
  const world = await makeWorld(service)
  const { channelId, ann } = world
  const send = (body: object) => ann.client.json('POST', '/api/interactions', { channelId, ...body })
  assert.deepEqual(faultsOf(await send({ type: 'command' })), ['commandId required'])
  assert.deepEqual(faultsOf(await send({ type: 'component', messageId: channelId })), ['customId required'])
  assert.deepEqual(faultsOf(await send({ type: 'command', commandId: channelId, customId: 'x' })), [
    'customId not_allowed',
  ])
  assert.deepEqual(faultsOf(await send({ type: 'modal' })), ['type invalid_choice'])
})

eachService('401: without a session', async (_t, service) => {
  const world = await makeWorld(service)
  const client = service.client()
  assertRefused(await client.json('POST', '/api/interactions', {}), 401, 'unauthenticated')
  assertRefused(await client.get(`/api/channels/${world.channelId}/commands`), 401, 'unauthenticated')
  const bot = { authorization: `Bot ${world.bot.token}` }
  assertRefused(await client.get(`/api/interactions/${world.channelId}`, bot), 401, 'unauthenticated')
})

eachService('404 or 400: buttons that are not there to be pressed (checks 75, 76)', async (_t, service) => {
  const world = await makeWorld(service)
  const { bot, ann, owner, channelId, serverId } = world
  await bot.connect()
  const send = async (content: string, components: unknown[]) => {
    const reply = await bot.json('POST', `/api/channels/${channelId}/messages`, { content, components })
    assert.equal(reply.status, 201, reply.text)
    return reply.body.id
  }
  const row = { type: 'row' }
  const button = { type: 'button', style: 'primary', label: 'x' }
  const messageId = await send('Look', [
    {
      ...row,
      components: [
        { ...button, customId: 'on' },
        { ...button, customId: 'off', disabled: true },
        { type: 'button', style: 'link', label: 'x', url: 'https://example.org' },
      ],
    },
  ])
  assertRefused(await press(world, messageId, 'unknown'), 404, 'not_found')
  assertRefused(await press(world, world.channelId, 'on'), 404, 'not_found')
  assert.deepEqual(faultsOf(await press(world, messageId, 'off')), ['customId disabled'])
  const mine = await ann.client.json('POST', `/api/channels/${channelId}/messages`, { content: 'Mine' })
  assertRefused(await press(world, mine.body.id, 'on'), 404, 'not_found')

  // Another channel than the message's, and one that the person may not see.
  const other = (await owner.client.json('POST', `/api/servers/${serverId}/channels`, { name: 'other' })).body
  assertRefused(await press(world, messageId, 'on', { channelId: other.id }), 404, 'not_found')
  const deny = { type: 'member', allow: '0', deny: formatPermissions(Permission.VIEW_CHANNEL) }
  await owner.client.json('PUT', `/api/channels/${channelId}/overwrites/${ann.id}`, deny)
  assertRefused(await press(world, messageId, 'on'), 404, 'not_found')
  await owner.client.json('DELETE', `/api/channels/${channelId}/overwrites/${ann.id}`)

  const deleted = await send('Gone', buttons('on'))
  assert.equal((await bot.json('DELETE', `/api/channels/${channelId}/messages/${deleted}`)).status, 204)
  assertRefused(await press(world, deleted, 'on'), 404, 'not_found')
  assert.deepEqual(bot.received, [])
  await eventOf(world, press(world, messageId, 'on'))
})

eachService(
  'a button is its own bot’s affair, whoever else is there; of a webhook’s message there is none (check 76)',
  async (_t, service) => {
    const world = await makeWorld(service)
    const { bot, owner, ann, channelId, serverId } = world
    await bot.connect()
    const other = await makeBot(service, owner, 'other_bot')
    await other.connect()
    const opened = await other.json('POST', '/api/users/@me/channels', { recipientId: ann.id })
    assertRefused(opened, 404, 'not_found')
    await install(owner, other, serverId, Permission.SEND_MESSAGES)
    const body = { content: 'Mine', components: buttons('on') }
    const message = await other.json('POST', `/api/channels/${channelId}/messages`, body)
    assert.equal(message.status, 201, message.text)
    const event = await eventOf({ ...world, bot: other }, press(world, message.body.id, 'on'))
    assert.equal(event.applicationId, other.applicationId)
    assertRefused(await bot.callback(event, { type: 'update', data: { content: 'x' } }), 404, 'not_found')
    // Once it is gone from the server its buttons are nobody's.
    const gone = await owner.client.json('DELETE', `/api/servers/${serverId}/members/${other.botId}`)
    assert.equal(gone.status, 204)
    assertRefused(await press(world, message.body.id, 'on'), 404, 'not_found')
    assert.deepEqual(bot.received, [])
    assert.equal(other.received.length, 1)
  },
)

eachService("404: another person's interaction", async (_t, service) => {
  const world = await makeWorld(service)
  await world.bot.connect()
  const event = await eventOf(world, use(world, 'ping'))
  assertRefused(await world.owner.client.get(`/api/interactions/${event.id}`), 404, 'not_found')
  assertRefused(await world.ann.client.get(`/api/interactions/${world.channelId}`), 404, 'not_found')
})

eachService(
  'check 58: an interaction leaves no token and no trace of it in log, history and database',
  async (_t, service) => {
    const world = await makeWorld(service)
    await world.bot.connect()
    const { event } = await answered(world, use(world, 'ping'), {
      type: 'message',
      data: { content: 'pong' },
    })
    await world.bot.callback(event, { type: 'message', data: { content: 'again' } })
    assert.ok(service.log.length > 0)
    const log = service.log.join('')
    assert.ok(!log.includes(event.token.slice(4)))
    assert.ok(!(await history(world)).text.includes(event.token))
    const rows = await service.db.all`SELECT * FROM interactions`
    assert.ok(!JSON.stringify(rows).includes(event.token))
  },
)
