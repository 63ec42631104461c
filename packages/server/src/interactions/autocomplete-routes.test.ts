import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { InteractionCreate } from '@gatehouse/protocol/interactions'
import { formatPermissions, Permission } from '@gatehouse/protocol/permissions'
import { fieldErrorsOf } from '@gatehouse/testkit/field-errors'
import { eachService, startNodes, type TestResponse, type TestService } from '@gatehouse/testkit/service'
import {
  assertError,
  botOnNode,
  createBot,
  createWorld,
  putCommands,
  receivedEvent,
  rollCommand,
  runCommand,
  setEndpoint,
  type World,
} from './interactions-testing.ts'

const path = '/api/interactions/autocomplete'

const find = {
  name: 'find',
  description: 'Finds a song',
  options: [
    { type: 'string', name: 'artist', description: 'Who', required: true },
    { type: 'string', name: 'song', description: 'What', autocomplete: true },
    { type: 'integer', name: 'year', description: 'When', autocomplete: true, min: 1900 },
  ],
}

async function createSearchWorld(service: TestService): Promise<World> {
  const world = await createWorld(service)
  return { ...world, commands: await putCommands(world.bot, [find, rollCommand]) }
}

function type(world: World, more: object, user = world.ann): Promise<TestResponse> {
  const { channelId, commands } = world
  return user.client.json('POST', path, { channelId, commandId: commands.find, focused: 'song', ...more })
}

/** Types in an option until the bot has the event. */
async function ask(
  world: World,
  more: object,
): Promise<{ reply: Promise<TestResponse>; event: InteractionCreate }> {
  const reply = type(world, more)
  return { reply, event: await world.bot.event(world.bot.received.length) }
}

const suggest = (...choices: unknown[]) => ({ type: 'autocomplete', data: { choices } })

eachService('200: the bot suggests choices for the text so far (bots/autocomplete)', async (_t, service) => {
  const world = await createSearchWorld(service)
  const { bot, owner, ann } = world
  await bot.connect()
  const { reply, event } = await ask(world, { options: [{ name: 'song', value: ' mos' }] })
  const at = (ms: number) => new Date(service.clock.now() + ms).toISOString()
  assert.deepEqual(event, {
    version: 1,
    id: event.id,
    token: event.token,
    type: 'autocomplete',
    applicationId: bot.applicationId,
    channelId: world.channelId,
    serverId: world.serverId,
    user: { id: ann.id, username: 'ann', displayName: 'ann', avatar: `/images/users/${ann.id}/default` },
    data: {
      id: world.commands.find,
      name: 'find',
      options: [{ name: 'song', type: 'string', value: ' mos', focused: true }],
    },
    createdAt: at(0),
    deadlineAt: at(3000),
    expiresAt: at(3000),
  })
  const choices = [
    { name: 'Moskau', nameLocalizations: { ru: 'Москва' }, value: 'moscow' },
    { name: 'Moss', value: ' moss ' },
  ]
  const answered = await bot.callback(event, { type: 8, data: { choices } })
  assert.deepEqual([answered.status, answered.body], [200, { message: null }])
  const body = await reply
  assert.deepEqual([body.status, body.body], [200, { choices }])
  assertError(await bot.callback(event, suggest()), 409, 'interaction_already_answered')

  // The other options are validated, and a number is a text while the user types it.
  const year = await ask(world, {
    focused: 'year',
    options: [
      { name: 'year', value: 19 },
      { name: 'artist', value: ' Moby ' },
    ],
  })
  assert.deepEqual('options' in year.event.data && year.event.data.options, [
    { name: 'artist', type: 'string', value: 'Moby' },
    { name: 'year', type: 'integer', value: '19', focused: true },
  ])
  await bot.callback(year.event, suggest())
  assert.deepEqual((await year.reply).body, { choices: [] })
  const log = await owner.client.get(`/api/applications/${bot.applicationId}/interactions`)
  assert.deepEqual(log.body, [], 'nothing is stored')
  // The value of the command itself is free, and not trimmed.
  for (const song of [' moss ', 'none of the choices']) {
    const options = [
      { name: 'artist', value: ' Moby ' },
      { name: 'song', value: song },
    ]
    const { data } = await receivedEvent(world, runCommand(world, 'find', { options }))
    assert.deepEqual('options' in data && data.options, [
      { name: 'artist', type: 'string', value: 'Moby' },
      { name: 'song', type: 'string', value: song },
    ])
  }
})

eachService(
  '400 to the bot: invalid choices and other types of responses (bots/autocomplete)',
  async (_t, service) => {
    const world = await createSearchWorld(service)
    const { bot, owner } = world
    await bot.connect()
    const song = await ask(world, {})
    assert.deepEqual(fieldErrorsOf(await bot.callback(song.event, suggest({ name: 'x', value: '' }))), [
      'data.choices[0].value too_short',
    ])
    await bot.callback(song.event, suggest())
    await song.reply
    const { reply, event } = await ask(world, { focused: 'year' })
    const many = Array.from({ length: 26 }, (_, value) => ({ name: `c${value}`, value }))
    for (const [body, ...errors] of [
      [suggest({ name: 'x', value: 'x' }), 'data.choices[0].value invalid_type'],
      [suggest({ name: '', value: 1 }), 'data.choices[0].name required'],
      [suggest(...many), 'data.choices too_many'],
      [{ type: 'autocomplete' }, 'data.choices required'],
      [{ type: 'autocomplete', data: { choices: [], content: 'x' } }, 'data.content not_allowed'],
      [{ type: 'message', data: { content: 'x' } }, 'type not_allowed'],
      [{ type: 'defer' }, 'type not_allowed'],
    ] as const) {
      assert.deepEqual(fieldErrorsOf(await bot.callback(event, body)), errors, JSON.stringify(body))
    }
    const other = await createBot(service, owner, 'other_bot')
    assertError(await other.callback(event, suggest()), 404, 'not_found')
    assertError(
      await bot.callback({ ...event, token: `${event.token.slice(0, -1)}!` }, suggest()),
      404,
      'not_found',
    )
    const same = [
      { name: 'x', value: 2000 },
      { name: 'x', value: 2001 },
    ]
    assert.equal((await bot.callback(event, suggest(...same))).status, 200)
    assert.equal((await reply).status, 200)

    const sides = [{ name: 'sides', value: 6 }]
    const command = await receivedEvent(world, runCommand(world, 'roll', { options: sides }))
    assert.deepEqual(fieldErrorsOf(await bot.callback(command, suggest())), ['type not_allowed'])
    const withChoices = { type: 'message', data: { content: 'x', choices: [] } }
    assert.deepEqual(fieldErrorsOf(await bot.callback(command, withChoices)), ['data.choices not_allowed'])
  },
)

eachService(
  '410 after three seconds, to the user and to the bot (bots/autocomplete)',
  async (_t, service) => {
    const world = await createSearchWorld(service)
    await world.bot.connect()
    const { reply, event } = await ask(world, {})
    service.clock.advance(3000)
    assertError(await reply, 410, 'interaction_timed_out')
    assertError(await world.bot.callback(event, suggest()), 410, 'interaction_timed_out')
  },
)

eachService('400, 403, 404 and 409: nothing to wait for (bots/autocomplete)', async (_t, service) => {
  const world = await createSearchWorld(service)
  const { bot, owner, serverId, channelId } = world
  assertError(await type(world, {}), 409, 'interaction_not_answered')
  await bot.connect()
  for (const [more, error] of [
    [{ focused: 'artist' }, 'focused invalid_choice'],
    [{ focused: 'other' }, 'focused invalid_choice'],
    [{ options: [{ name: 'song', value: true }] }, 'options[0].value invalid_type'],
    [{ options: [{ name: 'year', value: 5 }] }, 'options[0].value out_of_range'],
    [{ options: [{ name: 'other', value: 5 }] }, 'options[0].name unknown_member'],
  ] as const) {
    assert.deepEqual(fieldErrorsOf(await type(world, more)), [error])
  }
  assertError(await type(world, { commandId: channelId }), 404, 'not_found')
  const deny = { type: 'role', allow: '0', deny: formatPermissions(Permission.USE_COMMANDS) }
  await owner.client.json('PUT', `/api/channels/${channelId}/overwrites/${serverId}`, deny)
  assertError(await type(world, {}), 403, 'missing_permission')
  assert.deepEqual(bot.received, [])
})

eachService(
  'an interactions endpoint suggests choices in its response (bots/autocomplete)',
  async (t, service) => {
    const world = await createSearchWorld(service)
    const endpoint = await setEndpoint(t, world)
    const respondWith = (...choices: unknown[]) => {
      endpoint.respond = (_, response) => response.writeHead(200).end(JSON.stringify(suggest(...choices)))
    }
    respondWith({ name: 'Moss', value: 'moss' })
    const reply = await type(world, {})
    assert.deepEqual([reply.status, reply.body], [200, { choices: [{ name: 'Moss', value: 'moss' }] }])
    respondWith({ name: 'Moss', value: 1 })
    assertError(await type(world, {}), 409, 'interaction_not_answered')
  },
  { env: { ALLOW_PRIVATE_TARGETS: '127.0.0.0/8' } },
)

eachService(
  'the response of the bot is accepted after the user has left (bots/autocomplete)',
  async (_t, service) => {
    const world = await createSearchWorld(service)
    const { bot, ann } = world
    await bot.connect()
    const left = new AbortController()
    const { channelId, commands } = world
    const reply = ann.client.send(path, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ channelId, commandId: commands.find, focused: 'song' }),
      signal: left.signal,
    })
    const rejected = assert.rejects(reply, { name: 'AbortError' })
    const event = await bot.event(0)
    left.abort()
    await rejected
    const answered = await bot.callback(event, suggest({ name: 'Moss', value: 'moss' }))
    assert.deepEqual([answered.status, answered.body], [200, { message: null }])
    assertError(await bot.callback(event, suggest()), 409, 'interaction_already_answered')
    // The next text of the same user.
    const next = await ask(world, { options: [{ name: 'song', value: 'm' }] })
    await bot.callback(next.event, suggest())
    assert.deepEqual((await next.reply).body, { choices: [] })
  },
)

eachService(
  'another session receives the request if the first one closes before its response (bots/interaction-delivery)',
  async (_t, service) => {
    const world = await createSearchWorld(service)
    const { bot } = world
    const first = await bot.connect('first')
    const { reply, event } = await ask(world, { options: [{ name: 'song', value: 'mos' }] })
    const second = await bot.connect('second')
    first.close()
    assert.deepEqual(await bot.event(1), event)
    await bot.callback(event, suggest({ name: 'Moss', value: 'moss' }))
    assert.deepEqual((await reply).body, { choices: [{ name: 'Moss', value: 'moss' }] })
    const third = await bot.connect('third')
    second.close()
    const next = await ask(world, {})
    await bot.callback(next.event, suggest())
    await next.reply
    assert.deepEqual(third.received, [next.event], 'after its response, no session receives the first event')
  },
)

test('the response of the bot may reach another node (bots/autocomplete)', async t => {
  const [a, b] = (await startNodes(t)) ?? []
  if (!a || !b) return
  const world = await createSearchWorld(a)
  await world.bot.connect()
  const onOther = botOnNode(b, world.bot)
  const { reply, event } = await ask(world, { options: [{ name: 'song', value: 'mos' }] })
  assert.deepEqual(fieldErrorsOf(await onOther.callback(event, suggest({ name: 'Moss', value: 1 }))), [
    'data.choices[0].value invalid_type',
  ])
  assert.deepEqual(fieldErrorsOf(await onOther.callback(event, { type: 'defer' })), ['type not_allowed'])
  const forged = { ...event, token: `${event.token.slice(0, -1)}!` }
  assertError(await onOther.callback(forged, suggest()), 404, 'not_found')
  const choices = [{ name: 'Moss', value: 'moss' }]
  const answered = await onOther.callback(event, suggest(...choices))
  assert.deepEqual([answered.status, answered.body], [200, { message: null }])
  assert.deepEqual((await reply).body, { choices })
  assertError(await onOther.callback(event, suggest()), 409, 'interaction_already_answered')

  const late = await ask(world, {})
  a.clock.advance(3000)
  assertError(await late.reply, 410, 'interaction_timed_out')
  assertError(await onOther.callback(late.event, suggest()), 410, 'interaction_timed_out')
})
