import assert from 'node:assert/strict'
import { formatPermissions, Permission } from '@gatehouse/protocol/permissions'
import { addBot } from '@gatehouse/testkit/applications'
import { register } from '@gatehouse/testkit/community'
import { sweepDuring } from '@gatehouse/testkit/databases'
import { fieldErrorsOf } from '@gatehouse/testkit/field-errors'
import { eachService, type TestResponse } from '@gatehouse/testkit/service'
import { waitUntil } from '@gatehouse/testkit/wait-until'
import { subjects } from '../events/gateway-events.ts'
import {
  assertError,
  buttons,
  createBot,
  createWorld,
  history,
  pressButton,
  putCommands,
  receivedEvent,
  recordEvents,
  respond,
  rollCommand,
  runCommand,
  type World,
} from './interactions-testing.ts'

eachService('202: sends the event with every field of the specification', async (_t, service) => {
  const world = await createWorld(service)
  const { bot, ann, clock } = { ...world, clock: service.clock }
  await bot.connect()
  const options = [
    { name: 'note', value: ' for luck ' },
    { name: 'sides', value: 6 },
  ]
  const reply = await runCommand(world, 'roll', { options })
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
  const status = await ann.client.get(`/api/interactions/${event.id}`)
  assert.deepEqual([status.status, status.body], [200, { id: event.id, state: 'pending' }])
})

eachService('202: repeated requests with one nonce send one event', async (_t, service) => {
  const world = await createWorld(service)
  await world.bot.connect()
  const replies = await Promise.all(
    Array.from({ length: 5 }, () => runCommand(world, 'ping', { nonce: 'once' })),
  )
  replies.push(await runCommand(world, 'ping', { nonce: 'once' }))
  assert.deepEqual(new Set(replies.map(reply => reply.status)), new Set([202]))
  assert.equal(new Set(replies.map(reply => reply.body.id)).size, 1)
  assert.equal(world.bot.received.length, 1)
  await receivedEvent(world, runCommand(world, 'ping', { nonce: 'twice' }))
  assert.equal(world.bot.received.length, 2)
})

eachService(
  '202: without a session of the bot, the user reads at the deadline that it did not respond ' +
    '(bots/interaction-delivery)',
  async (_t, service) => {
    const world = await createWorld(service)
    const annEvents = await recordEvents(service, subjects.user(world.ann.id))
    const reply = await runCommand(world, 'ping', { nonce: 'n' })
    assert.deepEqual([reply.status, reply.body.state], [202, 'pending'])
    const failed = {
      id: reply.body.id,
      state: 'timed_out',
      reason: 'The bot did not respond within 3 seconds.',
      reasonCode: 'no_answer',
    }
    service.clock.advance(2999)
    assert.deepEqual(annEvents.of('INTERACTION_UPDATE'), [])
    service.clock.advance(1)
    await waitUntil(() => annEvents.of('INTERACTION_UPDATE').length > 0)
    assert.deepEqual(annEvents.of('INTERACTION_UPDATE'), [{ ...failed, nonce: 'n' }])
    const status = await world.ann.client.get(`/api/interactions/${failed.id}`)
    assert.deepEqual(status.body, failed)
  },
)

eachService(
  '202: sends the event to one session, and to another if that one closes (bots/interaction-delivery)',
  async (_t, service) => {
    const world = await createWorld(service)
    const sessions = [await world.bot.connect('one'), await world.bot.connect('two')]
    const event = await receivedEvent(world, runCommand(world, 'ping'))
    const counts = () => sessions.map(session => session.received.length)
    const first = counts().indexOf(1)
    assert.deepEqual(counts().toSorted(), [0, 1])
    sessions[first]?.close()
    await waitUntil(() => counts().every(count => count === 1))
    assert.deepEqual(sessions[1 - first]?.received, [event])
    assert.equal(
      (await world.bot.callback(event, { type: 'message', data: { content: 'pong' } })).status,
      200,
    )
  },
)

eachService('202: sends an answered interaction to no other session', async (_t, service) => {
  const world = await createWorld(service)
  const sessions = [await world.bot.connect('one'), await world.bot.connect('two')]
  await respond(world, runCommand(world, 'ping'), { type: 'message', data: { content: 'pong' } })
  for (const session of sessions) session.close()
  await new Promise(resolve => setImmediate(resolve))
  assert.equal(world.bot.received.length, 1)
})

eachService(
  '202: accepts a response before the deadline after the last session closed (bots/interaction-after-disconnect)',
  async (_t, service) => {
    const world = await createWorld(service)
    const session = await world.bot.connect()
    const event = await receivedEvent(world, runCommand(world, 'ping'))
    session.close()
    service.clock.advance(2999)
    assert.equal(
      (await world.bot.callback(event, { type: 'message', data: { content: 'back' } })).status,
      200,
    )
  },
)

eachService(
  '202: a button works in a server and in a direct message (bots/interaction-payload)',
  async (_t, service) => {
    const world = await createWorld(service)
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
      const event = await receivedEvent(world, pressButton(world, message.body.id, 'no', { channelId }))
      assert.equal(event.type, 'component')
      const { type, data, message: buttonMessage, user } = event
      assert.deepEqual(
        { type, channelId: event.channelId, serverId: event.serverId, data, message: buttonMessage, user },
        {
          type: 'component',
          channelId,
          serverId,
          data: { customId: 'no', componentType: 'button' },
          message: { id: message.body.id, content: 'Sure?', components: message.body.components },
          // Both kinds of event contain the avatar (bots/interaction-payload).
          user: {
            id: ann.id,
            username: 'ann',
            displayName: 'ann',
            avatar: `/images/users/${ann.id}/default`,
          },
        },
      )
      const reply = await bot.callback(event, { type: 'update', data: { content: 'Done', components: [] } })
      assert.equal(reply.status, 200, reply.text)
      assert.deepEqual([reply.body.message.id, reply.body.message.content], [message.body.id, 'Done'])
    }
  },
)

const amount = { type: 'integer', name: 'amount', description: 'How many', required: true, min: 1 }
const configCommand = {
  name: 'config',
  description: 'Changes settings',
  options: [
    {
      type: 'subcommand_group',
      name: 'role',
      description: 'Roles',
      options: [{ type: 'subcommand', name: 'add', description: 'Adds roles', options: [amount] }],
    },
    { type: 'subcommand', name: 'list', description: 'Lists settings' },
  ],
}

eachService(
  'runs a subcommand: the bot receives it with its group and options (bots/subcommands)',
  async (_t, service) => {
    const world = await createWorld(service)
    await world.bot.connect()
    world.commands = await putCommands(world.bot, [configCommand])
    const value = { name: 'amount', value: 3 }
    const add = [{ name: 'role', options: [{ name: 'add', options: [value] }] }]
    const event = await receivedEvent(world, runCommand(world, 'config', { options: add }))
    assert.deepEqual(event.data, {
      id: world.commands.config,
      name: 'config',
      options: [
        {
          name: 'role',
          type: 'subcommand_group',
          options: [{ name: 'add', type: 'subcommand', options: [{ ...value, type: 'integer' }] }],
        },
      ],
    })
    const reply = await world.bot.callback(event, { type: 'message', data: { content: 'Added' } })
    assert.equal(reply.body.message.interaction.name, 'config role add')

    const list = await receivedEvent(world, runCommand(world, 'config', { options: [{ name: 'list' }] }))
    assert.deepEqual('options' in list.data && list.data.options, [
      { name: 'list', type: 'subcommand', options: [] },
    ])
  },
)

eachService(
  '400: the request does not run exactly one subcommand; the bot receives no event (bots/subcommands)',
  async (_t, service) => {
    const world = await createWorld(service)
    await world.bot.connect()
    world.commands = await putCommands(world.bot, [configCommand, rollCommand])
    const add = (...options: object[]) => [{ name: 'role', options: [{ name: 'add', options }] }]
    const cases: [string, object[], string][] = [
      ['config', [], 'options required'],
      ['config', [{ name: 'other' }], 'options[0].name unknown_member'],
      ['config', [{ name: 'list' }, { name: 'list' }], 'options too_many'],
      ['config', [{ name: 'list', value: 1 }], 'options[0].value not_allowed'],
      [
        'config',
        [{ name: 'list', options: [{ name: 'x', value: 1 }] }],
        'options[0].options[0].name unknown_member',
      ],
      ['config', [{ name: 'role' }], 'options[0].options required'],
      ['config', add(), 'options[0].options[0].options required'],
      ['config', add({ name: 'amount', value: 0 }), 'options[0].options[0].options[0].value out_of_range'],
      ['config', add({ name: 'amount' }), 'options[0].options[0].options[0].value required'],
      [
        'config',
        add({ name: 'amount', value: 1, options: [] }),
        'options[0].options[0].options[0].options unknown_member',
      ],
      ['roll', [{ name: 'sides', value: 6, options: [] }], 'options[0].options not_allowed'],
      ['roll', [{ name: 'sides' }], 'options[0].value required'],
    ]
    for (const [name, options, error] of cases) {
      assert.deepEqual(fieldErrorsOf(await runCommand(world, name, { options })), [error])
    }
    assert.deepEqual(world.bot.received, [])
  },
)

eachService(
  '400: invalid option values; the bot receives no event (bots/option-values)',
  async (_t, service) => {
    const world = await createWorld(service)
    const { bot, owner } = world
    await bot.connect()
    const references = ['user', 'channel', 'role', 'mentionable'].map(type => ({
      type,
      name: type,
      description: 'One of this server',
    }))
    const put = await bot.json('PUT', '/api/applications/@me/commands', [
      rollCommand,
      { name: 'point', description: 'At something', options: references },
    ])
    world.commands.point = put.body[1].id
    const outsider = await register(service, 'outsider')
    const other = (await outsider.client.json('POST', '/api/servers', { name: 'Other' })).body
    const [otherChannel] = (await outsider.client.get(`/api/servers/${other.id}/channels`)).body
    const hidden = (
      await owner.client.json('POST', `/api/servers/${world.serverId}/channels`, { name: 'hidden' })
    ).body
    const deny = { type: 'role', allow: '0', deny: formatPermissions(Permission.VIEW_CHANNEL) }
    const path = `/api/channels/${hidden.id}/overwrites/${world.serverId}`
    assert.equal((await owner.client.json('PUT', path, deny)).status, 204)

    const roll = (...options: object[]) => runCommand(world, 'roll', { options })
    const point = (name: string, value: unknown) => runCommand(world, 'point', { options: [{ name, value }] })
    const cases = [
      [await runCommand(world, 'roll'), 'options required'],
      [await roll({ name: 'sides', value: 1 }), 'options[0].value out_of_range'],
      [await roll({ name: 'sides', value: 6 }, { name: 'x', value: 6 }), 'options[1].name unknown_member'],
      [await point('user', outsider.id), 'options[0].value unknown_user'],
      [await point('channel', otherChannel.id), 'options[0].value unknown_channel'],
      [await point('channel', hidden.id), 'options[0].value unknown_channel'],
      [await point('role', other.id), 'options[0].value unknown_role'],
      [await point('mentionable', other.id), 'options[0].value unknown_mentionable'],
      [await point('mentionable', outsider.id), 'options[0].value unknown_mentionable'],
      [await point('mentionable', world.channelId), 'options[0].value unknown_mentionable'],
    ] as const
    for (const [reply, error] of cases) assert.deepEqual(fieldErrorsOf(reply), [error])
    assert.deepEqual(bot.received, [])
    for (const [name, value] of [
      ['user', bot.botId],
      ['channel', world.channelId],
      ['role', world.serverId],
      ['mentionable', world.serverId],
      ['mentionable', bot.botId],
    ] as const) {
      const event = await receivedEvent(world, point(name, value))
      assert.ok(event.type === 'command')
      assert.deepEqual(event.data.options, [{ name, type: name, value }])
    }
  },
)

eachService('400: missing fields, and fields of the other type', async (_t, service) => {
  const world = await createWorld(service)
  const { channelId, ann } = world
  const send = (body: object) => ann.client.json('POST', '/api/interactions', { channelId, ...body })
  assert.deepEqual(fieldErrorsOf(await send({ type: 'command' })), ['commandId required'])
  assert.deepEqual(fieldErrorsOf(await send({ type: 'component', messageId: channelId })), [
    'customId required',
  ])
  assert.deepEqual(fieldErrorsOf(await send({ type: 'command', commandId: channelId, customId: 'x' })), [
    'customId not_allowed',
  ])
  assert.deepEqual(fieldErrorsOf(await send({ type: 'modal' })), ['type invalid_choice'])
})

eachService(
  '404 or 400: unknown, disabled and inaccessible buttons (bots/button-message-deleted, bots/button-refusals)',
  async (_t, service) => {
    const world = await createWorld(service)
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
    assertError(await pressButton(world, messageId, 'unknown'), 404, 'not_found')
    assertError(await pressButton(world, world.channelId, 'on'), 404, 'not_found')
    assert.deepEqual(fieldErrorsOf(await pressButton(world, messageId, 'off')), ['customId disabled'])
    const mine = await ann.client.json('POST', `/api/channels/${channelId}/messages`, { content: 'Mine' })
    assertError(await pressButton(world, mine.body.id, 'on'), 404, 'not_found')

    // Another channel than that of the message, and a channel that the user may not view.
    const other = (await owner.client.json('POST', `/api/servers/${serverId}/channels`, { name: 'other' }))
      .body
    assertError(await pressButton(world, messageId, 'on', { channelId: other.id }), 404, 'not_found')
    const deny = { type: 'member', allow: '0', deny: formatPermissions(Permission.VIEW_CHANNEL) }
    await owner.client.json('PUT', `/api/channels/${channelId}/overwrites/${ann.id}`, deny)
    assertError(await pressButton(world, messageId, 'on'), 404, 'not_found')
    await owner.client.json('DELETE', `/api/channels/${channelId}/overwrites/${ann.id}`)

    const deleted = await send('Gone', buttons('on'))
    assert.equal((await bot.json('DELETE', `/api/channels/${channelId}/messages/${deleted}`)).status, 204)
    assertError(await pressButton(world, deleted, 'on'), 404, 'not_found')
    assert.deepEqual(bot.received, [])
    await receivedEvent(world, pressButton(world, messageId, 'on'))
  },
)

eachService(
  'only the bot that sent the message receives the interaction of its button (bots/button-refusals)',
  async (_t, service) => {
    const world = await createWorld(service)
    const { bot, owner, ann, channelId, serverId } = world
    await bot.connect()
    const other = await createBot(service, owner, 'other_bot')
    await other.connect()
    const opened = await other.json('POST', '/api/users/@me/channels', { recipientId: ann.id })
    assertError(opened, 404, 'not_found')
    await addBot(owner.client, other.applicationId, serverId, Permission.SEND_MESSAGES)
    const body = { content: 'Mine', components: buttons('on') }
    const message = await other.json('POST', `/api/channels/${channelId}/messages`, body)
    assert.equal(message.status, 201, message.text)
    const event = await receivedEvent({ ...world, bot: other }, pressButton(world, message.body.id, 'on'))
    assert.equal(event.applicationId, other.applicationId)
    assertError(await bot.callback(event, { type: 'update', data: { content: 'x' } }), 404, 'not_found')
    // The buttons of a removed bot cannot be pressed.
    const removed = await owner.client.json('DELETE', `/api/servers/${serverId}/members/${other.botId}`)
    assert.equal(removed.status, 204)
    assertError(await pressButton(world, message.body.id, 'on'), 404, 'not_found')
    assert.deepEqual(bot.received, [])
    assert.equal(other.received.length, 1)
  },
)

eachService('404: the interaction of another user', async (_t, service) => {
  const world = await createWorld(service)
  await world.bot.connect()
  const event = await receivedEvent(world, runCommand(world, 'ping'))
  assertError(await world.owner.client.get(`/api/interactions/${event.id}`), 404, 'not_found')
  assertError(await world.ann.client.get(`/api/interactions/${world.channelId}`), 404, 'not_found')
})

eachService(
  'the token of an interaction is not in the log, the history and the database (webhooks/tokens-not-logged)',
  async (_t, service) => {
    const world = await createWorld(service)
    await world.bot.connect()
    const { event } = await respond(world, runCommand(world, 'ping'), {
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

async function logOf({ owner, bot }: World, query = '') {
  const reply = await owner.client.get(`/api/applications/${bot.applicationId}/interactions${query}`)
  assert.equal(reply.status, 200, reply.text)
  assert.ok(!reply.text.includes('git_'), 'the log contains no token')
  return reply.body
}

eachService('200: lists event, delivery, response and reason', async (_t, service) => {
  const world = await createWorld(service)
  const { bot, ann, channelId, serverId } = world
  await runCommand(world, 'ping')
  service.clock.advance(3000)
  await bot.connect()
  const late = await receivedEvent(
    world,
    runCommand(world, 'roll', { options: [{ name: 'sides', value: 6 }] }),
  )
  service.clock.advance(3412)
  await bot.callback(late, { type: 'defer' })
  const unanswered = await receivedEvent(world, runCommand(world, 'ping'))
  service.clock.advance(5000)
  const inTime = await receivedEvent(world, runCommand(world, 'ping'))
  service.clock.advance(120)
  const components = buttons('go')
  const reply = await bot.callback(inTime, { type: 'message', data: { content: 'Well', components } })
  const pressed = await respond(world, pressButton(world, reply.body.message.id, 'go'), {
    type: 'deferred_update',
  })
  const pending = await receivedEvent(world, runCommand(world, 'ping'))

  const log = await logOf(world)
  const summaries = log.map((entry: Record<string, unknown>) => [
    entry.state,
    entry.delivery,
    entry.response,
    entry.respondedAfterMs,
    entry.reason,
  ])
  const timedOut = 'The bot did not respond within 3 seconds.'
  assert.deepEqual(summaries, [
    ['timed_out', 'none', null, null, 'The bot is not connected.'],
    ['timed_out', 'gateway', 'defer', 3412, 'The bot responded 412 ms after the deadline.'],
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
    reason: 'The bot responded 412 ms after the deadline.',
  })
  assert.deepEqual([log[2].id, log[4].name, log[5].id], [unanswered.id, 'go', pending.id])
  assert.deepEqual(
    log[4].sent.message.components,
    pressed.event.type === 'component' && pressed.event.message.components,
  )
  assert.deepEqual(await logOf(world, '?limit=2'), log.slice(-2))
})

eachService('400 for a limit out of range', async (_t, service) => {
  const world = await createWorld(service)
  const path = `/api/applications/${world.bot.applicationId}/interactions`
  for (const limit of ['0', '101', 'x']) {
    assertError(await world.owner.client.get(`${path}?limit=${limit}`), 400, 'validation_failed')
  }
})

eachService('the metrics count interactions by type and outcome', async (_t, service) => {
  const world = await createWorld(service)
  await runCommand(world, 'ping')
  await world.bot.connect()
  const data = { content: 'x', components: buttons('open') }
  const { reply } = await respond(world, runCommand(world, 'ping'), { type: 'message', data })
  const { event } = await respond(world, runCommand(world, 'ping'), { type: 'defer' })
  await world.bot.followup(event, { content: 'x' })
  const press = pressButton(world, reply.body.message.id, 'open')
  const input = { type: 'text_input', customId: 'why', style: 'short', label: 'Why' }
  const modal = { customId: 'm', title: 'M', components: [{ type: 'row', components: [input] }] }
  const opened = await respond(world, press, { type: 'modal', data: modal })
  await receivedEvent(
    world,
    world.ann.client.json('POST', '/api/interactions', {
      type: 'modal_submit',
      channelId: world.channelId,
      interactionId: opened.event.id,
      components: [{ customId: 'why', value: 'Because' }],
    }),
  )
  await receivedEvent(world, runCommand(world, 'ping'))
  service.clock.advance(3000)
  const counts = async () => {
    const { text } = await service.client().get('/metrics')
    const lines = text.matchAll(/^gatehouse_interactions_total\{type="(\w+)",outcome="(\w+)"\} (\d+)$/gm)
    return Object.fromEntries(Array.from(lines, ([, type, outcome, n]) => [`${type} ${outcome}`, Number(n)]))
  }
  await waitUntil(async () => Object.values(await counts()).reduce((sum, count) => sum + count, 0) === 6)
  assert.deepEqual(await counts(), {
    ...{ 'command answered': 1, 'command deferred': 1, 'component answered': 1 },
    ...{ 'command timed_out': 2, 'modal_submit timed_out': 1 },
  })
})

eachService(
  'a member who is timed out has no commands and presses no buttons (community/timeouts)',
  async (_t, service) => {
    const world = await createWorld(service)
    const { owner, ann, bot, serverId, channelId } = world
    await bot.connect()
    const until = new Date(service.clock.now() + 60_000).toISOString()
    const path = `/api/servers/${serverId}`
    const commands = () => ann.client.get(`/api/channels/${channelId}/commands`)
    const [command] = (await commands()).body
    const button = { type: 'button', style: 'primary', label: 'Go', customId: 'go' }
    const message = await bot.json('POST', `/api/channels/${channelId}/messages`, {
      content: 'Press',
      components: [{ type: 'row', components: [button] }],
    })
    assert.equal(message.status, 201, message.text)
    assert.equal(
      (await owner.client.json('PATCH', `${path}/members/${ann.id}`, { timedOutUntil: until })).status,
      200,
    )
    assert.deepEqual((await commands()).body, [])
    const run = { type: 'command', channelId, commandId: command.id }
    const press = { type: 'component', channelId, messageId: message.body.id, customId: 'go' }
    for (const body of [run, press]) {
      const refused = await ann.client.json('POST', '/api/interactions', body)
      assertError(refused, 403, 'timed_out')
      assert.match(refused.body.message, new RegExp(until))
    }
  },
)

eachService(
  '404 if the bot is removed from the server before the interaction is stored (bots/bot-removed)',
  async (t, service) => {
    const world = await createWorld(service)
    const { bot, owner, serverId } = world
    await bot.connect()
    const transaction = service.db.transaction.bind(service.db)
    const mock = t.mock.method(service.db, 'transaction', async (...args: Parameters<typeof transaction>) => {
      mock.mock.restore()
      await owner.client.json('DELETE', `/api/servers/${serverId}/members/${bot.botId}`)
      return transaction(...args)
    })
    assertError(await runCommand(world, 'ping'), 404, 'not_found')

    await addBot(owner.client, bot.applicationId, serverId)
    // PostgreSQL: the removal commits while the request waits for it, after the check that the bot is a member.
    const replies: TestResponse[] = []
    await sweepDuring(
      service.db,
      tx => tx.run`DELETE FROM members WHERE server_id = ${serverId} AND user_id = ${bot.botId}`,
      async () => replies.push(await runCommand(world, 'ping')),
    )
    for (const reply of replies) assertError(reply, 404, 'not_found')
    assert.deepEqual(bot.received, [])
  },
)
