import assert from 'node:assert/strict'
import {
  assertRefused,
  eventOf,
  faultsOf,
  listen,
  makeBot,
  makeWorld,
  type TestBot,
  until,
  use,
} from '../../interactions/testing.ts'
import { authorizePath, decide } from '../../oauth/testing.ts'
import { subjects } from '../../platform/events.ts'
import { register } from '../../platform/testing.ts'
import { eachService, type TestService } from '../../testing.ts'

const global = '/api/applications/@me/commands'
const option = { type: 'string', name: 'what', description: 'What to do' }

function named(name: string, more: object = {}) {
  return { name, description: 'Does it', ...more }
}

function many<Item>(count: number, make: (index: number) => Item): Item[] {
  return Array.from({ length: count }, (_, index) => make(index))
}

async function lonelyBot(service: TestService): Promise<TestBot> {
  return makeBot(service, await register(service, 'owner'), 'lonely_bot')
}

eachService(
  'check 46, D28, D52: names are small letters, Latin or Cyrillic, digits, - and _, and not trimmed',
  async (_t, service) => {
    const bot = await lonelyBot(service)
    const good = ['статус', 'straße', 'їжак', 'roll-20', '_', 'ж'.repeat(32)]
    const put = await bot.json(
      'PUT',
      global,
      good.map(name => named(name, { options: [{ ...option, name }] })),
    )
    assert.equal(put.status, 200, put.text)
    const registered: { name: string; options: { name: string }[] }[] = put.body
    assert.deepEqual(
      registered.map(({ name, options }) => [name, options[0]?.name]),
      good.map(name => [name, name]),
    )
    const marks = ['a\u200d', 'a\u202e', 'a\ufe0f']
    const letters = ['Статус', 'Ping', 'คำสั่ง', 'हिन्दी', 'Ⅳ', '\u212a', 'İ', 'ǅ', '😀', 'αβγ']
    for (const name of [...marks, ...letters, 'a b', 'a.b', '/a', ' ping', 'ping ', 'ping\n']) {
      const refused = await bot.json('PUT', global, [
        named('fine'),
        named(name, { options: [{ ...option, name }] }),
      ])
      assert.deepEqual(
        faultsOf(refused),
        ['[1].name invalid_format', '[1].options[0].name invalid_format'],
        name,
      )
    }
    assert.deepEqual(faultsOf(await bot.json('PUT', global, [named('ж'.repeat(33))])), ['[0].name too_long'])
    assert.deepEqual(faultsOf(await bot.json('PUT', global, [named('')])), ['[0].name required'])
    assert.deepEqual((await bot.json('GET', global)).body, put.body)
  },
)

eachService('check 47, D28: NFC and NFD of a name are one name, which stays', async (_t, service) => {
  const bot = await lonelyBot(service)
  const [nfc, nfd] = ['caf\u00e9', 'cafe\u0301']
  const first = await bot.json('PUT', global, [named(nfd, { options: [{ ...option, name: nfd }] })])
  assert.deepEqual([first.body[0].name, first.body[0].options[0].name], [nfc, nfc])
  const again = await bot.json('PUT', global, [named(nfc, { options: [{ ...option, name: nfc }] })])
  assert.deepEqual(again.body, first.body)
  const both = [named(nfc), named(nfd)]
  assert.deepEqual(faultsOf(await bot.json('PUT', global, both)), ['[1].name duplicate'])
  const options = [nfd, nfc].map(name => ({ ...option, name }))
  const refused = await bot.json('PUT', global, [named('order', { options })])
  assert.deepEqual(faultsOf(refused), ['[0].options[1].name duplicate'])
})

eachService('check 48, D28: a name that only looks plain is refused', async (_t, service) => {
  const bot = await lonelyBot(service)
  const set = ['ｐｉｎｇ', 'x²', '𝐩𝐢𝐧𝐠', 'ﬁn'].map(name => named(name))
  assert.deepEqual(
    faultsOf(await bot.json('PUT', global, set)),
    set.map((_, index) => `[${index}].name invalid_format`),
  )
})

eachService('check 49: names that look alike are legal, and say whose they are', async (_t, service) => {
  const world = await makeWorld(service)
  const { owner, ann, channelId, serverId } = world
  const other = await makeBot(service, owner, 'other_bot')
  const application = { id: other.applicationId, secret: '', redirectUri: 'https://app.example/callback' }
  const request = { scope: 'bot applications.commands', permissions: '0', server_id: serverId }
  const page = await owner.client.get(authorizePath(application, request))
  assert.equal((await decide(owner.client, page, { server_id: serverId })).status, 303)
  const cyrillic = 'p\u0456ng'
  assert.equal((await other.json('PUT', global, [named(cyrillic)])).status, 200)
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
})

eachService(
  'check 51, D28, D52: every limit of a set by its path, and the set stays as it was',
  async (_t, service) => {
    const bot = await lonelyBot(service)
    const before = await bot.json('PUT', global, [named('kept')])
    const options = (count: number) => many(count, index => ({ ...option, name: `o${index}` }))
    const choices = (count: number) => many(count, index => ({ name: `c${index}`, value: `${index}` }))
    const late = [option, { ...option, name: 'must', required: true }]
    const cases: [object, string][] = [
      [{ options: options(26) }, '[1].options too_many'],
      [{ options: [{ ...option, choices: choices(26) }] }, '[1].options[0].choices too_many'],
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
    ]
    for (const [more, fault] of cases) {
      assert.deepEqual(faultsOf(await bot.json('PUT', global, [named('kept'), named('new', more)])), [fault])
    }
    const over = await bot.json(
      'PUT',
      global,
      many(101, index => named(`c${index}`)),
    )
    assertRefused(over, 400, 'command_limit')
    assert.deepEqual((await bot.json('GET', global)).body, before.body)
    const most = [
      named('a', { options: options(25), description: 'x'.repeat(100) }),
      named('b', { options: [{ ...option, choices: choices(25) }] }),
      ...many(98, index => named(`c${index}`)),
    ]
    const put = await bot.json('PUT', global, most)
    assert.deepEqual([put.status, put.body.length], [200, 100], put.text)
  },
)

eachService('check 53: each bot puts its own set, and nobody else puts any', async (_t, service) => {
  const world = await makeWorld(service)
  const { bot, owner, ann } = world
  const before = (await bot.json('GET', global)).body
  const other = await makeBot(service, owner, 'other_bot')
  assert.deepEqual(
    (await other.json('PUT', global, [named('mine')])).body[0].applicationId,
    other.applicationId,
  )
  assert.deepEqual((await bot.json('GET', global)).body, before)
  // A server where the application was not added is none that it may know of.
  const scoped = `/api/applications/@me/servers/${world.serverId}/commands`
  assertRefused(await other.json('PUT', scoped, [named('mine')]), 404, 'not_found')
  assertRefused(await other.json('GET', scoped), 404, 'not_found')
  for (const authorization of [`Bearer ${bot.token}`, `Bot gat_${bot.token.slice(4)}`, bot.token, 'Bot']) {
    const reply = await service.client().json('PUT', global, [], { authorization })
    assertRefused(reply, 401, 'unauthenticated')
  }
  assertRefused(await ann.client.json('PUT', global, []), 401, 'unauthenticated')
  assert.deepEqual((await bot.json('GET', global)).body, before)
})

eachService(
  'D27: the set of a server stands before the global one there, keeps its ids, and goes with the bot',
  async (_t, service) => {
    const world = await makeWorld(service)
    const { bot, ann, owner, channelId, serverId } = world
    await bot.connect()
    const told = await listen(service, subjects.server(serverId))
    const scoped = `/api/applications/@me/servers/${serverId}/commands`
    assert.deepEqual((await bot.json('GET', scoped)).body, [])
    const put = await bot.json('PUT', scoped, [named('ping'), named('here')])
    assert.deepEqual([put.status, put.body[0].serverId], [200, serverId], put.text)
    await until(() => told.of('COMMANDS_UPDATE').length > 0)
    assert.deepEqual(told.of('COMMANDS_UPDATE'), [{ serverId }])
    assert.deepEqual((await bot.json('GET', scoped)).body, put.body)
    // The global set is another one.
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
    const changed = await bot.json('PUT', scoped, [named('ping', { description: 'Another' })])
    assert.deepEqual([changed.body.length, changed.body[0].id], [1, put.body[0].id])
    const event = await eventOf(world, use({ ...world, commands: { ping: put.body[0].id } }, 'ping'))
    assert.ok(event.type === 'command')
    assert.deepEqual([event.data.id, event.data.name], [put.body[0].id, 'ping'])
    // Global commands reach every server of the bot, by the hundred of each set.
    const hundred = many(100, index => named(`c${index}`))
    assert.equal((await bot.json('PUT', scoped, hundred)).status, 200)
    assertRefused(await bot.json('PUT', scoped, [...hundred, named('more')]), 400, 'command_limit')

    await owner.client.json('DELETE', `/api/servers/${serverId}/members/${bot.botId}`)
    assert.deepEqual(await names(), [])
    assertRefused(await bot.json('GET', scoped), 404, 'not_found')
    const left = await service.db.all`SELECT id FROM commands WHERE server_id = ${serverId}`
    assert.deepEqual(left, [])
  },
)

eachService('D61: a changed global set is told on every server of the bot', async (_t, service) => {
  const { bot, serverId } = await makeWorld(service)
  const told = await listen(service, subjects.server(serverId))
  assert.equal((await bot.json('PUT', global, [])).status, 200)
  await until(() => told.of('COMMANDS_UPDATE').length > 0)
  assert.deepEqual(told.of('COMMANDS_UPDATE'), [{ serverId }])
})
