import assert from 'node:assert/strict'
import { register } from '@gatehouse/testkit/community'
import { fieldErrorsOf } from '@gatehouse/testkit/field-errors'
import { measureReads } from '@gatehouse/testkit/measure-reads'
import { eachService, type TestService } from '@gatehouse/testkit/service'
import { waitUntil } from '@gatehouse/testkit/wait-until'
import { subjects } from '../events/gateway-events.ts'
import {
  assertError,
  createBot,
  createWorld,
  receivedEvent,
  recordEvents,
  runCommand,
  type TestBot,
} from '../interactions/interactions-testing.ts'
import { authorizePath, decide } from '../oauth/oauth-testing.ts'
import { listCommandsOfApplication } from './command-store.ts'

const global = '/api/applications/@me/commands'
const roll = {
  name: 'roll',
  description: 'Roll the dice',
  options: [{ type: 'integer', name: 'sides', description: 'How many' }],
}

const option = { type: 'string', name: 'what', description: 'What to do' }

function command(name: string, more: object = {}) {
  return { name, description: 'Does it', ...more }
}

function repeat<Item>(count: number, create: (index: number) => Item): Item[] {
  return Array.from({ length: count }, (_, index) => create(index))
}

async function createBotWithoutServer(service: TestService): Promise<TestBot> {
  return createBot(service, await register(service, 'owner'), 'dice_bot')
}

eachService(
  'names contain lowercase Latin or Cyrillic letters, digits, - and _, and are not trimmed ' +
    '(bots/command-names, bots/command-set)',
  async (_t, service) => {
    const bot = await createBotWithoutServer(service)
    const validNames = ['статус', 'straße', 'їжак', 'roll-20', '_', 'ж'.repeat(32)]
    const put = await bot.json(
      'PUT',
      global,
      validNames.map(name => command(name, { options: [{ ...option, name }] })),
    )
    assert.equal(put.status, 200, put.text)
    const registered: { name: string; options: { name: string }[] }[] = put.body
    assert.deepEqual(
      registered.map(({ name, options }) => [name, options[0]?.name]),
      validNames.map(name => [name, name]),
    )
    const marks = ['a\u200d', 'a\u202e', 'a\ufe0f']
    const letters = ['Статус', 'Ping', 'คำสั่ง', 'हिन्दी', 'Ⅳ', '\u212a', 'İ', 'ǅ', '😀', 'αβγ']
    for (const name of [...marks, ...letters, 'a b', 'a.b', '/a', ' ping', 'ping ', 'ping\n']) {
      const rejected = await bot.json('PUT', global, [
        command('fine'),
        command(name, { options: [{ ...option, name }] }),
      ])
      assert.deepEqual(
        fieldErrorsOf(rejected),
        ['[1].name invalid_format', '[1].options[0].name invalid_format'],
        name,
      )
    }
    assert.deepEqual(fieldErrorsOf(await bot.json('PUT', global, [command('ж'.repeat(33))])), [
      '[0].name too_long',
    ])
    assert.deepEqual(fieldErrorsOf(await bot.json('PUT', global, [command('')])), ['[0].name required'])
    assert.deepEqual((await bot.json('GET', global)).body, put.body)
  },
)

eachService('NFC and NFD of a name are the same name (bots/command-names)', async (_t, service) => {
  const bot = await createBotWithoutServer(service)
  const [nfc, nfd] = ['caf\u00e9', 'cafe\u0301']
  const first = await bot.json('PUT', global, [command(nfd, { options: [{ ...option, name: nfd }] })])
  assert.deepEqual([first.body[0].name, first.body[0].options[0].name], [nfc, nfc])
  const again = await bot.json('PUT', global, [command(nfc, { options: [{ ...option, name: nfc }] })])
  assert.deepEqual(again.body, first.body)
  const both = [command(nfc), command(nfd)]
  assert.deepEqual(fieldErrorsOf(await bot.json('PUT', global, both)), ['[1].name duplicate'])
  const options = [nfd, nfc].map(name => ({ ...option, name }))
  const rejected = await bot.json('PUT', global, [command('order', { options })])
  assert.deepEqual(fieldErrorsOf(rejected), ['[0].options[1].name duplicate'])
})

eachService('rejects names that change under NFKC (bots/command-names)', async (_t, service) => {
  const bot = await createBotWithoutServer(service)
  const set = ['ｐｉｎｇ', 'x²', '𝐩𝐢𝐧𝐠', 'ﬁn'].map(name => command(name))
  assert.deepEqual(
    fieldErrorsOf(await bot.json('PUT', global, set)),
    set.map((_, index) => `[${index}].name invalid_format`),
  )
})

eachService(
  'accepts names that look alike and lists their applications (bots/command-homoglyphs)',
  async (_t, service) => {
    const world = await createWorld(service)
    const { owner, ann, channelId, serverId } = world
    const other = await createBot(service, owner, 'other_bot')
    const application = { id: other.applicationId, secret: '', redirectUri: 'https://app.example/callback' }
    const request = { scope: 'bot applications.commands', permissions: '0', server_id: serverId }
    const page = await owner.client.get(authorizePath(application, request))
    assert.equal((await decide(owner.client, page, { server_id: serverId })).status, 303)
    const cyrillic = 'p\u0456ng'
    assert.equal((await other.json('PUT', global, [command(cyrillic)])).status, 200)
    const listed = await ann.client.get(`/api/channels/${channelId}/commands`)
    const commands: { name: string; application: { name: string; botId: string } }[] = listed.body
    const alike = commands.filter(({ name }) => name === 'ping' || name === cyrillic)
    assert.deepEqual(
      alike.map(({ name, application: { name: of, botId } }) => [name, of, botId]),
      [
        ['ping', 'App of dice_bot', world.bot.botId],
        [cyrillic, 'App of other_bot', other.botId],
      ],
    )
  },
)

eachService(
  'rejects a set that exceeds a limit, with the path, and changes nothing (bots/command-set, bots/command-names)',
  async (_t, service) => {
    const bot = await createBotWithoutServer(service)
    const before = await bot.json('PUT', global, [command('kept')])
    const options = (count: number) => repeat(count, index => ({ ...option, name: `o${index}` }))
    const choices = (count: number) => repeat(count, index => ({ name: `c${index}`, value: `${index}` }))
    const late = [option, { ...option, name: 'must', required: true }]
    const cases: [object, string][] = [
      [{ options: options(26) }, '[1].options too_many'],
      [{ options: [{ ...option, choices: choices(26) }] }, '[1].options[0].choices too_many'],
      [
        { options: [{ ...option, choices: [{ name: 'none', value: '' }] }] },
        '[1].options[0].choices[0].value too_short',
      ],
      [{ options: late }, '[1].options[1].required wrong_order'],
      [{ options: [option, option] }, '[1].options[1].name duplicate'],
      [{ description: '' }, '[1].description required'],
      [{ description: 'x'.repeat(101) }, '[1].description too_long'],
      [{ options: [{ ...option, description: '' }] }, '[1].options[0].description required'],
      [{ options: [{ ...option, description: 'x'.repeat(101) }] }, '[1].options[0].description too_long'],
      [{ options: [{ ...option, type: 'date' }] }, '[1].options[0].type invalid_choice'],
      [{ options: [{ ...option, min: 1 }] }, '[1].options[0].min not_allowed'],
      [{ options: [{ ...option, type: 'integer', min: 2, max: 1 }] }, '[1].options[0].max out_of_range'],
      [{ options: [{ ...option, type: 'user', choices: choices(1) }] }, '[1].options[0].choices not_allowed'],
      [{ name: 'kept' }, '[1].name duplicate'],
      [{ nsfw: true }, '[1].nsfw unknown_member'],
      [
        { options: [{ ...option, type: 'channel', channelTypes: ['text'] }] },
        '[1].options[0].channelTypes unknown_member',
      ],
      [{ options: [{ ...option, type: 'attachment' }] }, '[1].options[0].type invalid_choice'],
    ]
    for (const [more, error] of cases) {
      assert.deepEqual(
        fieldErrorsOf(await bot.json('PUT', global, [command('kept'), command('new', more)])),
        [error],
      )
    }
    const over = await bot.json(
      'PUT',
      global,
      repeat(101, index => command(`c${index}`)),
    )
    assertError(over, 400, 'command_limit')
    assert.deepEqual((await bot.json('GET', global)).body, before.body)
    const largest = [
      command('a', { options: options(25), description: 'x'.repeat(100) }),
      command('b', { options: [{ ...option, choices: choices(25) }] }),
      ...repeat(98, index => command(`c${index}`)),
    ]
    const put = await bot.json('PUT', global, largest)
    assert.deepEqual([put.status, put.body.length], [200, 100], put.text)
  },
)

const subcommand = { type: 'subcommand', name: 'add', description: 'Adds one', options: [option] }
const group = { type: 'subcommand_group', name: 'role', description: 'Roles', options: [subcommand] }

eachService('registers subcommands and groups of subcommands (bots/subcommands)', async (_t, service) => {
  const bot = await createBotWithoutServer(service)
  const list = { type: 'subcommand', name: 'list', description: 'Lists all' }
  const put = await bot.json('PUT', global, [command('config', { options: [group, list] })])
  assert.equal(put.status, 200, put.text)
  assert.deepEqual(put.body[0].options, [group, { ...list, options: [] }])
  assert.deepEqual((await bot.json('GET', global)).body, put.body)

  const cases: [object[], string][] = [
    [[subcommand, option], '[0].options[1].type not_allowed'],
    [[option, group], '[0].options[1].type not_allowed'],
    [[subcommand, subcommand], '[0].options[1].name duplicate'],
    [[{ ...subcommand, required: true }], '[0].options[0].required unknown_member'],
    [[{ ...subcommand, options: [subcommand] }], '[0].options[0].options[0].type invalid_choice'],
    [[{ ...group, options: [option] }], '[0].options[0].options[0].type invalid_choice'],
    [[{ ...group, options: [group] }], '[0].options[0].options[0].type invalid_choice'],
    [[{ ...group, options: [] }], '[0].options[0].options too_few'],
    [[{ type: 'subcommand_group', name: 'role', description: 'Roles' }], '[0].options[0].options required'],
    [
      [{ ...group, options: repeat(26, index => ({ ...subcommand, name: `s${index}` })) }],
      '[0].options[0].options too_many',
    ],
    [
      [{ ...group, options: [{ ...subcommand, options: [{ ...option, name: 'A' }] }] }],
      '[0].options[0].options[0].options[0].name invalid_format',
    ],
  ]
  for (const [options, error] of cases) {
    assert.deepEqual(
      fieldErrorsOf(await bot.json('PUT', global, [command('config', { options })])).slice(0, 1),
      [error],
    )
  }
  assert.deepEqual((await bot.json('GET', global)).body, put.body)
})

eachService('strings have bounds of their length (bots/string-length)', async (_t, service) => {
  const bot = await createBotWithoutServer(service)
  const register = async (more: object) =>
    bot.json('PUT', global, [command('say', { options: [{ ...option, ...more }] })])
  const bounded = await register({ minLength: 0, maxLength: 6000 })
  assert.deepEqual(bounded.body[0].options, [{ ...option, minLength: 0, maxLength: 6000 }])
  const cases: [object, string][] = [
    [{ minLength: -1 }, 'minLength out_of_range'],
    [{ maxLength: 0 }, 'maxLength out_of_range'],
    [{ maxLength: 6001 }, 'maxLength out_of_range'],
    [{ minLength: 1.5 }, 'minLength invalid_type'],
    [{ maxLength: '5' }, 'maxLength invalid_type'],
    [{ minLength: 3, maxLength: 2 }, 'maxLength out_of_range'],
    [{ type: 'integer', minLength: 1 }, 'minLength not_allowed'],
    [{ minLength: 2, choices: [{ name: 'A', value: 'a' }] }, 'choices[0].value too_short'],
  ]
  for (const [more, error] of cases) {
    assert.deepEqual(fieldErrorsOf(await register(more)), [`[0].options[0].${error}`])
  }
})

eachService('an option has choices within its bounds (bots/option-bounds)', async (_t, service) => {
  const world = await createWorld(service)
  const { bot } = world
  const bounds = { type: 'integer', min: 0.5, max: 6 }
  const register = (more: object) =>
    bot.json('PUT', global, [command('roll', { options: [{ ...option, ...bounds, ...more }] })])
  const choices = [
    { name: 'One', value: 1 },
    { name: 'Six', value: 6 },
  ]
  const outside = [{ name: 'None', value: 0 }, ...choices, { name: 'Seven', value: 7 }]
  assert.deepEqual(fieldErrorsOf(await register({ choices: outside })), [
    '[0].options[0].choices[0].value out_of_range',
    '[0].options[0].choices[3].value out_of_range',
  ])
  const put = await register({ choices })
  assert.deepEqual(put.body[0].options, [{ ...option, ...bounds, choices }])
  await bot.connect()
  const roll = (value: number) => runCommand(world, 'roll', { options: [{ name: option.name, value }] })
  assert.deepEqual(fieldErrorsOf(await roll(2)), ['options[0].value invalid_choice'])
  assert.equal((await roll(6)).status, 202)
  await register({})
  assert.deepEqual(fieldErrorsOf(await roll(0)), ['options[0].value out_of_range'])
  assert.equal((await roll(1)).status, 202)
})

eachService('stores names and descriptions in other languages (bots/localizations)', async (_t, service) => {
  const world = await createWorld(service)
  const { bot, ann, channelId } = world
  const names = {
    ru: 'бросок',
    'pt-BR': 'rolar',
    ko: '주사위',
    ja: 'サイコロ',
    'zh-CN': '掷骰子',
    th: 'คำสั่ง',
  }
  const localizedOptions = [
    {
      ...option,
      nameLocalizations: { ru: 'что' },
      descriptionLocalizations: { ru: 'Что бросить' },
      choices: [{ name: 'Coin', nameLocalizations: { ru: 'Монета' }, value: 'coin' }],
    },
  ]
  const localized = command('roll', {
    nameLocalizations: names,
    descriptionLocalizations: { ru: ' Бросает кости ' },
    options: localizedOptions,
  })
  const put = await bot.json('PUT', global, [localized])
  assert.equal(put.status, 200, put.text)
  const { id, nameLocalizations, descriptionLocalizations } = put.body[0]
  assert.equal(id, world.commands.roll)
  assert.deepEqual([nameLocalizations, descriptionLocalizations], [names, { ru: 'Бросает кости' }])
  assert.deepEqual(put.body[0].options, localizedOptions)
  const [available] = (await ann.client.get(`/api/channels/${channelId}/commands`)).body
  assert.deepEqual([available.nameLocalizations, available.options], [names, localizedOptions])

  const none = { nameLocalizations: null, descriptionLocalizations: null }
  const options = [{ ...option, ...none, autocomplete: null }]
  for (const given of [command('roll', { options: [option] }), command('roll', { ...none, options })]) {
    const { body } = await bot.json('PUT', global, [given])
    assert.equal('nameLocalizations' in body[0], false)
    assert.deepEqual(body[0].options, [option])
  }

  const cases: [object, string][] = [
    [{ nameLocalizations: { russian: 'бросок' } }, 'nameLocalizations invalid_format'],
    [{ nameLocalizations: { ru: 'Бросок' } }, 'nameLocalizations.ru invalid_format'],
    [{ nameLocalizations: { el: 'Ζάρι' } }, 'nameLocalizations.el invalid_format'],
    [{ name: '주사위' }, 'name invalid_format'],
    [{ nameLocalizations: { ru: '' } }, 'nameLocalizations.ru required'],
    [{ nameLocalizations: 'бросок' }, 'nameLocalizations invalid_type'],
    [{ descriptionLocalizations: { ru: 'x'.repeat(101) } }, 'descriptionLocalizations.ru too_long'],
    [
      { nameLocalizations: Object.fromEntries(repeat(51, index => [`a${letter(index)}`, 'x'])) },
      'nameLocalizations too_many',
    ],
  ]
  for (const [more, error] of cases) {
    assert.deepEqual(fieldErrorsOf(await bot.json('PUT', global, [command('roll', more)])), [`[0].${error}`])
  }
})

/** Two letters for each index. */
function letter(index: number): string {
  return String.fromCharCode(97 + Math.floor(index / 26), 97 + (index % 26))
}

eachService('a bot can replace only its own commands (bots/command-authentication)', async (_t, service) => {
  const world = await createWorld(service)
  const { bot, owner } = world
  const before = (await bot.json('GET', global)).body
  const other = await createBot(service, owner, 'other_bot')
  assert.deepEqual(
    (await other.json('PUT', global, [command('mine')])).body[0].applicationId,
    other.applicationId,
  )
  assert.deepEqual((await bot.json('GET', global)).body, before)
  // 404 for a server without the application.
  const scoped = `/api/applications/@me/servers/${world.serverId}/commands`
  assertError(await other.json('PUT', scoped, [command('mine')]), 404, 'not_found')
  assertError(await other.json('GET', scoped), 404, 'not_found')
})

eachService(
  'server commands hide global ones, keep their ids and are deleted with the bot (bots/server-commands)',
  async (_t, service) => {
    const world = await createWorld(service)
    const { bot, ann, owner, channelId, serverId } = world
    await bot.connect()
    const events = await recordEvents(service, subjects.server(serverId))
    const scoped = `/api/applications/@me/servers/${serverId}/commands`
    assert.deepEqual((await bot.json('GET', scoped)).body, [])
    const put = await bot.json('PUT', scoped, [command('ping'), command('here')])
    assert.deepEqual([put.status, put.body[0].serverId], [200, serverId], put.text)
    await waitUntil(() => events.of('COMMANDS_UPDATE').length > 0)
    assert.deepEqual(events.of('COMMANDS_UPDATE'), [{ serverId }])
    assert.deepEqual((await bot.json('GET', scoped)).body, put.body)
    // The global set does not change.
    assert.deepEqual(
      (await bot.json('GET', global)).body.map(({ name }: { name: string }) => name),
      ['roll', 'ping'],
    )
    const names = async () =>
      (await ann.client.get(`/api/channels/${channelId}/commands`)).body.map(
        ({ name, serverId: of }: { name: string; serverId?: string }) => [name, of],
      )
    assert.deepEqual(await names(), [
      ['here', serverId],
      ['ping', serverId],
      ['roll', undefined],
    ])
    const changed = await bot.json('PUT', scoped, [command('ping', { description: 'Another' })])
    assert.deepEqual([changed.body.length, changed.body[0].id], [1, put.body[0].id])
    const event = await receivedEvent(
      world,
      runCommand({ ...world, commands: { ping: put.body[0].id } }, 'ping'),
    )
    assert.ok(event.type === 'command')
    assert.deepEqual([event.data.id, event.data.name], [put.body[0].id, 'ping'])
    // Each set has a limit of 100 commands.
    const largestSet = repeat(100, index => command(`c${index}`))
    assert.equal((await bot.json('PUT', scoped, largestSet)).status, 200)
    assertError(await bot.json('PUT', scoped, [...largestSet, command('more')]), 400, 'command_limit')

    await owner.client.json('DELETE', `/api/servers/${serverId}/members/${bot.botId}`)
    assert.deepEqual(await names(), [])
    assertError(await bot.json('GET', scoped), 404, 'not_found')
    const left = await service.db.all`SELECT id FROM commands WHERE server_id = ${serverId}`
    assert.deepEqual(left, [])
  },
)

eachService(
  'a changed global set publishes COMMANDS_UPDATE to every server of the bot (gateway/event-payloads)',
  async (_t, service) => {
    const { bot, serverId } = await createWorld(service)
    const events = await recordEvents(service, subjects.server(serverId))
    assert.equal((await bot.json('PUT', global, [])).status, 200)
    await waitUntil(() => events.of('COMMANDS_UPDATE').length > 0)
    assert.deepEqual(events.of('COMMANDS_UPDATE'), [{ serverId }])
  },
)

eachService(
  'PUT replaces the whole set, and a name that remains keeps its id (bots/command-ids)',
  async (_t, service) => {
    const bot = await createBotWithoutServer(service)
    const put = (commands: unknown) => bot.json('PUT', global, commands)
    const ping = { name: 'ping', description: 'Answers', options: [] }
    const first = await put([roll, ping])
    assert.equal(first.status, 200, first.text)
    assert.deepEqual(
      first.body.map((command: { name: string }) => command.name),
      ['roll', 'ping'],
    )
    assert.equal(first.body[0].serverId, undefined)
    service.clock.advance(1000)
    assert.deepEqual((await put([roll, ping])).body, first.body)
    const second = await put([{ ...ping, description: 'Answers at once' }])
    assert.equal(second.body.length, 1)
    assert.equal(second.body[0].id, first.body[1].id)
    assert.equal(second.body[0].createdAt, first.body[1].createdAt)
    assert.notEqual(second.body[0].updatedAt, first.body[1].updatedAt)
    const listed = await bot.json('GET', global)
    assert.deepEqual(listed.body, second.body)
    assert.deepEqual((await put([])).body, [])
  },
)

eachService(
  'an invalid set changes nothing and gets the path of the error (bots/command-set)',
  async (_t, service) => {
    const bot = await createBotWithoutServer(service)
    const put = (commands: unknown) => bot.json('PUT', global, commands)
    const before = await put([roll])
    const wrong = await put([
      { name: 'ok', description: 'Fine' },
      {
        name: 'bad',
        description: 'x',
        options: [{ type: 'string', name: 'a', description: 'b', choices: [{ name: 'n', value: 1 }] }],
      },
    ])
    assert.equal(wrong.status, 400)
    assert.equal(wrong.body.errors[0].path, '[1].options[0].choices[0].value')
    const many = Array.from({ length: 101 }, (_, i) => ({ name: `c${i}`, description: 'x' }))
    assert.equal((await put(many)).body.code, 'command_limit')
    assert.equal((await put({ name: 'x' })).status, 400)
    assert.equal((await put('nothing')).status, 400)
    const listed = await bot.json('GET', global)
    assert.deepEqual(listed.body, before.body)
    assert.equal((await put(many.slice(1))).status, 200)
  },
)

eachService(
  'concurrent requests leave one complete set (bots/command-set-concurrency)',
  async (_t, service) => {
    const bot = await createBotWithoutServer(service)
    const sets = Array.from({ length: 8 }, (_, set) =>
      Array.from({ length: 6 }, (_, i) => ({ name: `c${i}`, description: `set ${set}` })),
    )
    const replies = await Promise.all(sets.map(set => bot.json('PUT', global, set)))
    assert.deepEqual(new Set(replies.map(reply => reply.status)), new Set([200]))
    const { body } = await bot.json('GET', global)
    assert.equal(body.length, 6)
    assert.equal(new Set(body.map((command: { description: string }) => command.description)).size, 1)
  },
)

eachService('the sets of an application are read one at a time (limits/event-loop)', async (_t, service) => {
  const { bot, owner, serverId } = await createWorld(service)
  const server = `/api/applications/@me/servers/${serverId}/commands`
  const put = await bot.json('PUT', server, [{ name: 'local', description: 'Of the server' }])
  assert.equal(put.status, 200, put.text)
  const sql = measureReads(service.db)
  const commands = await listCommandsOfApplication(sql, bot.applicationId)
  assert.deepEqual(
    commands.map(({ name, serverId }) => [name, serverId]),
    [
      ['roll', null],
      ['ping', null],
      ['local', serverId],
    ],
  )
  assert.equal(sql.bytes.length, 3)
  const listed = await owner.client.get(`/api/applications/${bot.applicationId}/commands`)
  assert.deepEqual(
    listed.body.map(({ id }: { id: string }) => id),
    commands.map(({ id }) => id),
  )
})
