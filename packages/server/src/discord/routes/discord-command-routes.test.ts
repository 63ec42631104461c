import assert from 'node:assert/strict'
import { type DiscordBotSetup, eachDiscordBot } from '../discord-testing.ts'

const ping = { name: 'ping', description: 'Answers' }

/** All option types, as discord.js and discord.py send them. */
const full = {
  name: 'full',
  name_localizations: { ru: 'полная', de: null },
  description: 'Has all options',
  description_localizations: null,
  type: 1,
  default_member_permissions: 8192,
  dm_permission: true,
  nsfw: false,
  contexts: [0, 1],
  integration_types: [0],
  options: [
    { type: 3, name: 'text', description: 'x', required: true, min_length: 2, max_length: 5 },
    { type: 4, name: 'whole', description: 'x', min_value: 1, max_value: 9, choices: [] },
    { type: 5, name: 'flag', description: 'x', required: false },
    { type: 6, name: 'who', description: 'x' },
    { type: 7, name: 'where', description: 'x', channel_types: [0, 5] },
    { type: 8, name: 'role', description: 'x' },
    { type: 9, name: 'any', description: 'x' },
    {
      type: 10,
      name: 'real',
      description: 'x',
      choices: [{ name: 'half', name_localizations: { ru: 'пол' }, value: 0.5 }],
    },
    { type: 3, name: 'typed', description: 'x', autocomplete: true },
  ],
}

const nested = {
  name: 'nested',
  description: 'Has subcommands',
  options: [
    {
      type: 2,
      name: 'group',
      description: 'x',
      options: [{ type: 1, name: 'sub', description: 'x', options: [] }],
    },
    { type: 1, name: 'other', description: 'x', options: [{ type: 3, name: 'text', description: 'x' }] },
  ],
}

const pathOf = ({ bot }: DiscordBotSetup) => `/applications/${bot.applicationId}/commands`
const guildPathOf = ({ bot, server }: DiscordBotSetup) =>
  `/applications/${bot.applicationId}/guilds/${server.id}/commands`

eachDiscordBot('a bot replaces its commands, global and of a guild (discord/commands)', async setup => {
  const { call, bot, server } = setup
  const menus = [
    { name: 'Show Profile', type: 2 },
    { name: 'Report', type: 3 },
  ]
  const replaced = await call('PUT', pathOf(setup), [full, nested, ...menus])
  assert.deepEqual(await call('GET', pathOf(setup)), replaced)
  const [command, tree, user, message] = replaced
  const { id, version, ...rest } = command
  assert.match(id, /^\d{17,20}$/)
  assert.match(version, /^\d{17,20}$/)
  const common = { name_localizations: null, description: 'x', description_localizations: null }
  assert.deepEqual(rest, {
    application_id: bot.applicationId,
    type: 1,
    name: 'full',
    name_localizations: { ru: 'полная' },
    description: 'Has all options',
    description_localizations: null,
    default_member_permissions: '8192',
    default_permission: true,
    dm_permission: false,
    contexts: [0],
    integration_types: [0],
    nsfw: false,
    options: [
      { type: 3, name: 'text', ...common, required: true, min_length: 2, max_length: 5 },
      { type: 4, name: 'whole', ...common, min_value: 1, max_value: 9 },
      { type: 5, name: 'flag', ...common, required: false },
      { type: 6, name: 'who', ...common },
      { type: 7, name: 'where', ...common },
      { type: 8, name: 'role', ...common },
      { type: 9, name: 'any', ...common },
      {
        type: 10,
        name: 'real',
        ...common,
        choices: [{ name: 'half', name_localizations: { ru: 'пол' }, value: 0.5 }],
      },
      { type: 3, name: 'typed', ...common, autocomplete: true },
    ],
  })
  const [group, other] = tree.options
  assert.deepEqual([group.type, group.options[0].type, group.options[0].options], [2, 1, []])
  assert.deepEqual([other.type, other.options[0].type], [1, 3])
  assert.deepEqual([user.type, user.name, message.type, message.description], [2, 'Show Profile', 3, ''])
  const [inGuild] = await call('PUT', guildPathOf(setup), [ping])
  assert.deepEqual([inGuild.guild_id, inGuild.contexts], [server.id, undefined])
  assert.equal((await call('GET', pathOf(setup))).length, 4)
  assert.deepEqual(await call('GET', `${guildPathOf(setup)}/${inGuild.id}`), inGuild)
})

eachDiscordBot('one command is added, changed and deleted (discord/commands)', async setup => {
  const { call, send } = setup
  for (const path of [pathOf(setup), guildPathOf(setup)]) {
    const created = await call('POST', path, ping)
    const second = await call('POST', path, { ...ping, name: 'second' })
    const again = await call('POST', path, { ...ping, description: 'Answers again' })
    assert.equal(again.id, created.id)
    const url = `${path}/${created.id}`
    const renamed = await call('PATCH', url, { name: 'pong', default_member_permissions: '0' })
    assert.deepEqual(
      [renamed.id, renamed.name, renamed.description, renamed.default_member_permissions],
      [created.id, 'pong', 'Answers again', '0'],
    )
    assert.deepEqual(
      (await call('GET', path)).map((each: { name: string }) => each.name),
      ['pong', 'second'],
    )
    const taken = await send('PATCH', url, { name: 'second' })
    assert.deepEqual([taken.status, taken.body.code], [400, 50035])
    assert.ok(taken.body.errors.name._errors[0])
    assert.equal((await send('DELETE', url)).status, 204)
    assert.deepEqual(await call('GET', path), [second])
    for (const method of ['GET', 'PATCH', 'DELETE']) {
      const unknown = await send(method, url, method === 'PATCH' ? {} : undefined)
      assert.deepEqual([unknown.status, unknown.body.code], [404, 10063], unknown.text)
    }
  }
})

eachDiscordBot('commands that are added at the same time all remain (discord/commands)', async setup => {
  const { call, send } = setup
  const names = Array.from({ length: 20 }, (_, index) => `c${index}`)
  const replies = await Promise.all(names.map(name => send('POST', pathOf(setup), { ...ping, name })))
  assert.deepEqual(new Set(replies.map(({ status }) => status)), new Set([200]))
  const stored: { id: string; name: string }[] = await call('GET', pathOf(setup))
  assert.deepEqual(stored.map(({ name }) => name).toSorted(), names.toSorted())
  const url = (index: number) => `${pathOf(setup)}/${stored[index]?.id}`
  await Promise.all([
    call('DELETE', url(0)),
    call('PATCH', url(1), { description: 'new' }),
    call('DELETE', url(2)),
    call('POST', pathOf(setup), { ...ping, name: 'last' }),
  ])
  const after: { id: string; description: string }[] = await call('GET', pathOf(setup))
  assert.equal(after.length, 19)
  assert.deepEqual([after[0]?.id, after[0]?.description], [stored[1]?.id, 'new'])
})

eachDiscordBot('a set has at most 15 user commands (discord/commands)', async setup => {
  const { send } = setup
  for (let i = 0; i < 15; i++) {
    assert.equal((await send('POST', pathOf(setup), { type: 2, name: `c${i}` })).status, 200)
  }
  const exceeding = await send('POST', pathOf(setup), { type: 2, name: 'one more' })
  assert.deepEqual([exceeding.status, exceeding.body.code], [400, 30032], exceeding.text)
  assert.equal((await send('POST', pathOf(setup), { type: 2, name: 'c3' })).status, 200)
})

eachDiscordBot('errors name the members of Discord (discord/commands)', async setup => {
  const { send } = setup
  const option = { type: 4, name: 'x', description: 'x' }
  const cases: [command: object, path: string[]][] = [
    [{ ...ping, name: 'A B' }, ['name']],
    [{ ...ping, type: 4 }, ['type']],
    [{ ...ping, description: undefined }, ['description']],
    [{ ...ping, options: [{ ...option, type: 12 }] }, ['options', '0', 'type']],
    [{ ...ping, options: [{ ...option, min_value: 'x' }] }, ['options', '0', 'min_value']],
    [
      { ...ping, options: [{ ...option, name_localizations: { xx: '' } }] },
      ['options', '0', 'name_localizations', 'xx'],
    ],
    [{ ...ping, default_member_permissions: 'x' }, ['default_member_permissions']],
  ]
  for (const [command, path] of cases) {
    for (const [method, body, prefix] of [
      ['POST', command, []],
      ['PUT', [ping, command], ['1']],
    ] as const) {
      const reply = await send(method, pathOf(setup), body)
      assert.deepEqual([reply.status, reply.body.code], [400, 50035], reply.text)
      const node = [...prefix, ...path].reduce((errors, step) => errors?.[step], reply.body.errors)
      assert.ok(node?._errors[0].message, `${method} ${path.join('.')}: ${reply.text}`)
    }
  }
})

eachDiscordBot(
  'only its own commands, and only people decide who may use them (discord/commands)',
  async setup => {
    const { call, send, server, owner, ann, bot } = setup
    const { id } = await call('POST', pathOf(setup), ping)
    for (const [method, path, body] of [
      ['GET', '', undefined],
      ['PUT', '', []],
      ['POST', '', ping],
      ['DELETE', `/${id}`, undefined],
    ] as const) {
      const other = await send(method, `/applications/${server.id}/commands${path}`, body)
      assert.deepEqual([other.status, other.body.code], [403, 20012], other.text)
    }
    const unknown = await send(
      'GET',
      `/applications/${bot.applicationId}/guilds/${bot.applicationId}/commands`,
    )
    assert.deepEqual([unknown.status, unknown.body.code], [403, 50001], unknown.text)

    const permissions = `${guildPathOf(setup)}/${id}/permissions`
    const none = await send('GET', permissions)
    assert.deepEqual([none.status, none.body.code], [404, 10066], none.text)
    assert.deepEqual(await call('GET', `${guildPathOf(setup)}/permissions`), [])
    const overrides = [{ type: 'user', id: ann.id, allow: false }]
    await owner.client.request('PUT', `/api/servers/${server.id}/commands/${id}/permissions`, overrides)
    const expected = {
      id,
      application_id: bot.applicationId,
      guild_id: server.id,
      permissions: [{ id: ann.id, type: 2, permission: false }],
    }
    assert.deepEqual(await call('GET', permissions), expected)
    assert.deepEqual(await call('GET', `${guildPathOf(setup)}/permissions`), [expected])
    const refused = await send('PUT', permissions, { permissions: [] })
    assert.deepEqual([refused.status, refused.body.code], [405, 0], refused.text)
  },
)

eachDiscordBot(
  'one command at a time, a set gets no larger than a request could replace it (discord/commands)',
  async ({ bot, call, send }) => {
    const path = `/applications/${bot.applicationId}/commands`
    const choices = Array.from({ length: 25 }, (_, n) => ({ name: `${n}`.padEnd(100, 'x'), value: `${n}` }))
    const options = Array.from({ length: 25 }, (_, n) => ({
      ...{ type: 3, name: `o${n}` },
      description: 'x',
      choices,
    }))
    const large = (n: number) => ({ name: `large${n}`, description: 'x', options })
    const statuses: number[] = []
    for (let n = 0; n < 16; n++) statuses.push((await send('POST', path, large(n))).status)
    assert.deepEqual([statuses[0], statuses.at(-1)], [200, 413])
    const [first] = await call('GET', path)
    const change = { options: [{ ...options[0], description: 'x'.repeat(100) }] }
    assert.equal((await send('PATCH', `${path}/${first.id}`, change)).status, 200)
    const reply = await send('PUT', path, [])
    assert.equal(reply.status, 200, reply.text)
  },
)

eachDiscordBot(
  'an option for files is left out of a set of commands, and the console names it (discord/unsupported-options)',
  async setup => {
    const { bot, server, owner, call } = setup
    const path = `/applications/${bot.applicationId}/commands`
    const listNotRegistered = async () =>
      (await owner.client.call('getApplication', { id: bot.applicationId })).notRegistered
    assert.deepEqual(await listNotRegistered(), [])
    const text = { name: 'text', description: 'A text', type: 3 }
    const file = { name: 'file', description: 'A file', type: 11 }
    const required = { ...file, required: true }
    const command = (name: string, ...options: object[]) => ({ name, description: 'Does it', options })
    const sub = (name: string, ...options: object[]) => ({ type: 1, ...command(name, ...options) })
    const group = (name: string, ...options: object[]) => ({ type: 2, ...command(name, ...options) })
    const set = [
      command('upload', required, text),
      command('post', text, file),
      command('only', file),
      command('files', sub('add', required), sub('list', file)),
      command('groups', group('a', sub('x', required)), group('b', sub('y', text), sub('z', required))),
      command('gone', group('a', sub('x', required))),
    ]
    interface Named {
      name: string
      options?: Named[]
    }
    const names = ({ name, options = [] }: Named): unknown => [name, options.map(names)]
    const expected = [
      ['post', [['text', []]]],
      ['only', []],
      ['files', [['list', []]]],
      ['groups', [['b', [['y', [['text', []]]]]]]],
    ]
    assert.deepEqual((await call('PUT', path, set)).map(names), expected)
    assert.deepEqual((await call('GET', path)).map(names), expected)
    const leftOut = [
      { command: 'upload' },
      { command: 'post', option: 'file' },
      { command: 'only', option: 'file' },
      { command: 'files add' },
      { command: 'files list', option: 'file' },
      { command: 'groups a x' },
      { command: 'groups b z' },
      { command: 'gone a x' },
    ]
    assert.deepEqual(await listNotRegistered(), leftOut)
    await call('PUT', guildPathOf(setup), [command('here', file)])
    const here = { command: 'here', option: 'file', serverId: server.id }
    assert.deepEqual(await listNotRegistered(), [...leftOut, here])
    // The same commands again, without those for files.
    await call('PUT', path, [...set.slice(2, 3), command('post', text)])
    assert.deepEqual(await listNotRegistered(), [{ command: 'only', option: 'file' }, here])
    await call('PUT', path, [command('only'), command('post', text)])
    assert.deepEqual(await listNotRegistered(), [here])
    const native = { name: 'here', description: 'Does it' }
    const headers = { Authorization: `Bot ${bot.token}` }
    const url = `/api/applications/@me/servers/${server.id}/commands`
    const replaced = await setup.service.client().json('PUT', url, [native], headers)
    assert.equal(replaced.status, 200, replaced.text)
    assert.deepEqual(await listNotRegistered(), [])
  },
)

eachDiscordBot(
  'an error has the index that the bot sent, beside options for files (discord/unsupported-options)',
  async setup => {
    const { call, send } = setup
    const path = pathOf(setup)
    const registered = await call('POST', path, ping)
    const file = { name: 'file', description: 'A file', type: 11 }
    const wrong = { name: '', description: 'A text', type: 3 }
    const command = (...options: object[]) => ({ name: 'post', description: 'Does it', options })
    const sub = (name: string, ...options: object[]) => ({ type: 1, ...command(...options), name })
    const upload = { ...command({ ...file, required: true }), name: 'upload' }
    for (const [body, ...steps] of [
      [[upload, command(file, wrong)], '1', 'options', '1', 'name'],
      [
        [command(sub('a', { ...file, required: true }), sub('b', file, wrong))],
        '0',
        'options',
        '1',
        'options',
        '1',
        'name',
      ],
      [[command(file, { ...wrong, type: 12 })], '0', 'options', '1', 'type'],
      [[command(file, { ...file, name: '' })], '0', 'options', '1', 'name'],
    ] as [object[], ...string[]][]) {
      const reply = await send('PUT', path, body)
      assert.deepEqual([reply.status, reply.body.code], [400, 50035], reply.text)
      const node = steps.reduce((errors, step) => errors?.[step], reply.body.errors)
      assert.ok(node?._errors[0].message, `${steps.join('.')}: ${reply.text}`)
    }
    // One alone is refused, so that its bot knows.
    for (const [method, url] of [
      ['POST', path],
      ['PATCH', `${path}/${registered.id}`],
    ] as const) {
      const reply = await send(method, url, command(file))
      assert.deepEqual([reply.status, reply.body.code], [400, 50035], reply.text)
      assert.deepEqual(
        reply.body.errors.options[0].type._errors.map(({ code }: { code: string }) => code),
        ['BASE_TYPE_CHOICES'],
        reply.text,
      )
    }
    assert.deepEqual(await call('GET', path), [registered])
  },
)
