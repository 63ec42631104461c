import assert from 'node:assert/strict'
import { type DiscordBotSetup, eachDiscordBot } from '../discord-testing.ts'
import { bit, identifyDiscord, nextEvent } from '../gateway/discord-gateway-testing.ts'

type Json = ReturnType<typeof JSON.parse>

const button = (custom_id: string, more: object = {}) => ({
  type: 2,
  style: 1,
  label: 'x',
  custom_id,
  ...more,
})
const row = (components: object[], more: object = {}) => ({ type: 1, components, ...more })

/** Some have an id, one has that which would be the first number, and 0 and null are none. */
const given = [
  row([button('a', { id: 2 }), button('b'), button('c', { id: 0 })], { id: 2_147_483_647 }),
  row([{ type: 5, custom_id: 'd', id: 1 }], { id: null }),
  row([button('e')]),
]
const numbered = [2_147_483_647, 2, 3, 4, 5, 1, 6, 7]

function idsOf(components: Json): unknown[] {
  return components.flatMap(({ id, components = [] }: Json) => [id, ...idsOf(components)])
}

const nativePath = ({ general }: DiscordBotSetup, id: string) => `/api/channels/${general.id}/messages/${id}`

eachDiscordBot(
  'components have the ids that the bot gave, others are numbered, everywhere the same (discord/components)',
  async setup => {
    const { service, bot, general, call } = setup
    const intents = bit.guilds | bit.messages
    const session = await identifyDiscord(service, { token: bot.token, intents })
    const path = `/channels/${general.id}/messages`
    const sent = await call('POST', path, { content: 'x', components: given })
    assert.deepEqual(idsOf(sent.components), numbered)
    assert.deepEqual(idsOf((await nextEvent(session, 'MESSAGE_CREATE')).components), numbered)
    assert.deepEqual(idsOf((await call('GET', `${path}/${sent.id}`)).components), numbered)
    const [listed] = await call('GET', path)
    assert.deepEqual(listed.components, sent.components)
    // An edit of the text keeps the components, and what the bot read can be sent again.
    const edited = await call('PATCH', `${path}/${sent.id}`, { content: 'y' })
    assert.deepEqual(edited.components, sent.components)
    assert.deepEqual((await nextEvent(session, 'MESSAGE_UPDATE')).components, sent.components)
    const again = await call('PATCH', `${path}/${sent.id}`, { components: sent.components })
    assert.deepEqual(again.components, sent.components)
    const without = await call('PATCH', `${path}/${sent.id}`, { components: [row([button('a')])] })
    assert.deepEqual(idsOf(without.components), [1, 2])
  },
)

eachDiscordBot('an id is an integer from 1 to 2147483647, once (discord/components)', async setup => {
  const path = `/channels/${setup.general.id}/messages`
  const cases: [components: object[], at: string][] = [
    [[row([button('a', { id: 5 }), button('b', { id: 5 })])], '0.components.1.id'],
    [[row([button('a', { id: 5 })], { id: 5 })], '0.components.0.id'],
    [[row([button('a')], { id: 5 }), row([button('b')], { id: 5 })], '1.id'],
    [[row([button('a', { id: 2_147_483_648 })])], '0.components.0.id'],
    [[row([button('a', { id: -1 })])], '0.components.0.id'],
    [[row([button('a')], { id: 1.5 })], '0.id'],
    [[row([button('a')], { id: '5' })], '0.id'],
  ]
  for (const [components, at] of cases) {
    const { status, body, text } = await setup.send('POST', path, { content: 'x', components })
    assert.deepEqual([status, body.code], [400, 50035], text)
    const node = at.split('.').reduce((errors, step) => errors?.[step], body.errors.components)
    assert.ok(node?._errors[0].message, `${at}: ${text}`)
  }
})

eachDiscordBot('our own API neither has nor accepts ids of components (discord/components)', async setup => {
  const { service, bot, owner, general, call } = setup
  const { id } = await call('POST', `/channels/${general.id}/messages`, { content: 'x', components: given })
  const { body } = await owner.client.get(nativePath(setup, id))
  const shown = (components: Json) => JSON.stringify(components).includes('"id"')
  assert.deepEqual([body.components.length, shown(body.components)], [3, false])
  const headers = { authorization: `Bot ${bot.token}` }
  const component = { type: 'button', style: 'primary', label: 'x', customId: 'a', id: 1 }
  for (const components of [
    [{ type: 'row', id: 1, components: [{ ...component, id: undefined }] }],
    [{ type: 'row', components: [component] }],
  ]) {
    const path = `/api/channels/${general.id}/messages`
    const reply = await service.client().json('POST', path, { content: 'x', components }, headers)
    assert.deepEqual([reply.status, reply.body.errors[0].code], [400, 'unknown_member'], reply.text)
  }
})

eachDiscordBot('default values of a select menu come back (discord/components)', async setup => {
  const { ann, owner, server, general, call } = setup
  const gone = '199999999999999999'
  const users = [ann.id, gone].map(id => ({ id, type: 'user' }))
  const both = [
    { id: server.id, type: 'role' },
    { id: owner.id, type: 'user' },
  ]
  const menus = [
    { type: 5, custom_id: 'users', max_values: 2, default_values: users },
    { type: 6, custom_id: 'roles', default_values: [{ id: gone, type: 'role' }] },
    { type: 7, custom_id: 'both', min_values: 0, max_values: 2, default_values: both },
    { type: 8, custom_id: 'channels', default_values: [{ id: general.id, type: 'channel' }] },
    { type: 8, custom_id: 'none', default_values: [] },
  ]
  const path = `/channels/${general.id}/messages`
  const sent = await call('POST', path, { content: 'x', components: menus.map(menu => row([menu])) })
  const defaults = sent.components.map(({ components: [menu] }: Json) => menu.default_values)
  assert.deepEqual(
    defaults,
    menus.map(menu => menu.default_values),
  )
  // What a bot read can be sent again.
  const again = await call('PATCH', `${path}/${sent.id}`, { components: sent.components })
  assert.deepEqual(again.components, sent.components)
  const { body } = await owner.client.get(nativePath(setup, sent.id))
  assert.deepEqual(body.components[0].components[0].defaultValues, users)
})

eachDiscordBot('kind and number of default values are checked (discord/components)', async setup => {
  const { ann, owner, general, send } = setup
  const user = { id: ann.id, type: 'user' }
  const cases: [menu: object, at: (string | number)[]][] = [
    [{ type: 5, default_values: [{ ...user, type: 'role' }] }, [0, 'type']],
    [{ type: 6, default_values: [user] }, [0, 'type']],
    [{ type: 7, default_values: [{ ...user, type: 'channel' }] }, [0, 'type']],
    [{ type: 8, default_values: [user] }, [0, 'type']],
    [{ type: 5, default_values: [{ ...user, type: 'member' }] }, [0, 'type']],
    [{ type: 5, default_values: [user, { ...user, id: owner.id }] }, []],
    [{ type: 5, min_values: 2, max_values: 3, default_values: [user] }, []],
    [{ type: 5, max_values: 2, default_values: [user, user] }, [1, 'id']],
    [{ type: 5, default_values: [{ type: 'user', id: 'ann' }] }, [0, 'id']],
    [{ type: 5, default_values: ann.id }, []],
  ]
  for (const [menu, at] of cases) {
    const components = [row([{ ...menu, custom_id: 'm' }])]
    const { status, body, text } = await send('POST', `/channels/${general.id}/messages`, {
      ...{ content: 'x', components },
    })
    assert.deepEqual([status, body.code], [400, 50035], text)
    const of = body.errors.components[0].components[0].default_values
    const node = at.reduce((errors, step) => errors?.[step], of)
    assert.ok(node?._errors[0].message, `${at}: ${text}`)
  }
})
