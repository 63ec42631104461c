import assert from 'node:assert/strict'
import {
  allPermissions,
  defaultEveryone,
  formatPermissions,
  Permission,
} from '@gatehouse/protocol/permissions'
import { register } from '@gatehouse/testkit/community'
import { fieldErrorsOf } from '@gatehouse/testkit/field-errors'
import { eachService, type TestResponse } from '@gatehouse/testkit/service'
import {
  assertError,
  buttons,
  createWorld,
  pressButton,
  receivedEvent,
  respond,
  runCommand,
  type World,
} from './interactions-testing.ts'

const teas = ['green', 'black', 'white'].map(value => ({ label: value.toUpperCase(), value }))
const teaMenu = { type: 'string_select', customId: 'tea', options: teas }

function rowsOf(...components: object[]): object[] {
  return components.map(component => ({ type: 'row', components: [component] }))
}

/** The bot posts a message with one menu per row. Returns the id of the message. */
async function post(world: World, components: object[], channelId = world.channelId): Promise<string> {
  const body = { content: 'Select', components }
  const reply = await world.bot.json('POST', `/api/channels/${channelId}/messages`, body)
  assert.equal(reply.status, 201, reply.text)
  return reply.body.id
}

/** What the bot receives for a successful use of a menu. */
async function dataOf(world: World, request: Promise<TestResponse>): Promise<unknown> {
  return (await receivedEvent(world, request)).data
}

eachService(
  '202: the bot receives the values of a menu with options, and its response changes the message (bots/select-values)',
  async (_t, service) => {
    const world = await createWorld(service)
    await world.bot.connect()
    const components = rowsOf({ ...teaMenu, minValues: 0, maxValues: 2 })
    const messageId = await post(world, components)
    const used = { customId: 'tea', componentType: 'string_select' }
    for (const values of [['white', 'green'], []]) {
      const data = await dataOf(world, pressButton(world, messageId, 'tea', { values }))
      assert.deepEqual(data, { ...used, values })
    }
    const update = { type: 'update', data: { content: 'Black', components: [] } }
    const { event, reply } = await respond(
      world,
      pressButton(world, messageId, 'tea', { values: ['black'] }),
      update,
    )
    assert.ok(event.type === 'component')
    assert.deepEqual(event.message, { id: messageId, content: 'Select', components })
    assert.equal(reply.body.message.id, messageId)
    assert.deepEqual(reply.body.message.components, [])
    const log = await world.owner.client.get(`/api/applications/${world.bot.applicationId}/interactions`)
    const entry = log.body.at(-1)
    assert.deepEqual([entry.type, entry.name, entry.state], ['component', 'tea', 'answered'])
    assert.deepEqual(entry.sent.data, { ...used, values: ['black'] })
  },
)

eachService(
  '202: the bot receives the users, roles and channels that the ids refer to (bots/select-values)',
  async (_t, service) => {
    const world = await createWorld(service)
    const { bot, owner, ann, serverId, channelId } = world
    await bot.connect()
    const membersPath = `/api/servers/${serverId}/members`
    const [role] = (await owner.client.get(`/api/servers/${serverId}/roles`)).body
    const types = ['user', 'role', 'channel', 'mentionable']
    const messageId = await post(
      world,
      rowsOf(...types.map(type => ({ type: `${type}_select`, customId: type, maxValues: 3 }))),
    )
    const use = (customId: string, values: string[]) =>
      dataOf(world, pressButton(world, messageId, customId, { values }))
    const users: Record<string, object> = {}
    const members: Record<string, object> = {}
    const everyone = formatPermissions(defaultEveryone)
    for (const id of [ann.id, owner.id, bot.botId]) {
      const { user, ...member } = (await owner.client.get(`${membersPath}/${id}`)).body
      users[id] = user
      members[id] = { ...member, permissions: id === owner.id ? formatPermissions(allPermissions) : everyone }
    }
    assert.deepEqual(await use('user', [ann.id, owner.id, bot.botId]), {
      customId: 'user',
      componentType: 'user_select',
      values: [ann.id, owner.id, bot.botId],
      resolved: { users, members },
    })
    assert.deepEqual(await use('role', [serverId]), {
      customId: 'role',
      componentType: 'role_select',
      values: [serverId],
      resolved: { roles: { [serverId]: role } },
    })
    assert.deepEqual(await use('mentionable', [ann.id, serverId]), {
      customId: 'mentionable',
      componentType: 'mentionable_select',
      values: [ann.id, serverId],
      resolved: {
        users: { [ann.id]: users[ann.id] },
        members: { [ann.id]: members[ann.id] },
        roles: { [serverId]: role },
      },
    })
    assert.deepEqual(await use('channel', [channelId]), {
      customId: 'channel',
      componentType: 'channel_select',
      values: [channelId],
      resolved: {
        channels: { [channelId]: { id: channelId, name: 'general', type: 'text', permissions: everyone } },
      },
    })
  },
)

eachService(
  '400: values that the user cannot select; the bot receives no event (bots/select-values)',
  async (_t, service) => {
    const world = await createWorld(service)
    const { owner, ann, serverId, channelId } = world
    await world.bot.connect()
    const outsider = await register(service, 'outsider')
    const other = (await outsider.client.json('POST', '/api/servers', { name: 'Other' })).body
    const [otherChannel] = (await outsider.client.get(`/api/servers/${other.id}/channels`)).body
    const channelsPath = `/api/servers/${serverId}/channels`
    const hidden = (await owner.client.json('POST', channelsPath, { name: 'hidden' })).body
    const deny = { type: 'role', allow: '0', deny: formatPermissions(Permission.VIEW_CHANNEL) }
    const path = `/api/channels/${hidden.id}/overwrites/${serverId}`
    assert.equal((await owner.client.json('PUT', path, deny)).status, 204)

    const messageId = await post(world, [
      ...rowsOf(
        { ...teaMenu, minValues: 2, maxValues: 2 },
        { type: 'user_select', customId: 'user', maxValues: 2 },
        { type: 'role_select', customId: 'role' },
        { type: 'channel_select', customId: 'channel', maxValues: 2 },
      ),
      ...(buttons('yes') as object[]),
    ])
    const use = (customId: string, values?: unknown) =>
      pressButton(world, messageId, customId, values === undefined ? {} : { values })
    const cases: [string, unknown, string[]][] = [
      ['tea', undefined, ['values required']],
      ['tea', 'green', ['values invalid_type']],
      ['tea', [5, 'green'], ['values[0] invalid_type']],
      ['tea', ['x'.repeat(101), 'green'], ['values[0] too_long']],
      ['tea', Array.from({ length: 26 }, (_, i) => `${i}`), ['values too_many']],
      ['tea', ['green'], ['values too_few']],
      ['tea', ['green', 'black', 'white'], ['values too_many']],
      ['tea', ['green', 'green'], ['values[1] duplicate']],
      ['tea', ['green', 'GREEN'], ['values[1] invalid_choice']],
      ['tea', ['red'], ['values too_few', 'values[0] invalid_choice']],
      ['user', [], ['values too_few']],
      ['user', ['ann'], ['values[0] invalid_format']],
      ['user', [ann.id, outsider.id], ['values[1] unknown_user']],
      ['role', [other.id], ['values[0] unknown_role']],
      ['channel', [channelId, hidden.id], ['values[1] unknown_channel']],
      ['channel', [otherChannel.id], ['values[0] unknown_channel']],
      ['yes', [], ['values not_allowed']],
    ]
    for (const [customId, values, errors] of cases) {
      assert.deepEqual(fieldErrorsOf(await use(customId, values)), errors, `${customId} ${values}`)
    }
    const command = await runCommand(world, 'ping', { values: [] })
    assert.deepEqual(fieldErrorsOf(command), ['values not_allowed'])
    assert.deepEqual(world.bot.received, [])
  },
)

eachService(
  '400 and 404: a disabled menu, a value as the customId, and a message of another channel (bots/button-refusals)',
  async (_t, service) => {
    const world = await createWorld(service)
    await world.bot.connect()
    const messageId = await post(world, rowsOf({ ...teaMenu, disabled: true }))
    const values = ['green']
    assert.deepEqual(fieldErrorsOf(await pressButton(world, messageId, 'tea', { values })), [
      'customId disabled',
    ])
    assertError(await pressButton(world, messageId, 'green', { values }), 404, 'not_found')
    assertError(await pressButton(world, world.serverId, 'tea', { values }), 404, 'not_found')
    assert.deepEqual(world.bot.received, [])
  },
)

eachService(
  'in a direct message, the user selects one of its two people; it has no roles and no channels (bots/select-values)',
  async (_t, service) => {
    const world = await createWorld(service)
    const { bot, ann, owner, serverId } = world
    await bot.connect()
    const channelId = (await bot.json('POST', '/api/users/@me/channels', { recipientId: ann.id })).body.id
    const types = ['user', 'role', 'channel', 'mentionable']
    const menus = types.map(type => ({ type: `${type}_select`, customId: type, minValues: 0, maxValues: 2 }))
    const messageId = await post(world, rowsOf(...menus), channelId)
    const use = (customId: string, ...values: string[]) =>
      pressButton(world, messageId, customId, { channelId, values })
    const event = await receivedEvent(world, use('user', bot.botId, ann.id))
    assert.ok(event.type === 'component' && event.data.componentType === 'user_select')
    assert.equal(event.serverId, null)
    assert.deepEqual(Object.keys(event.data.resolved ?? {}), ['users'])
    assert.deepEqual(Object.keys(event.data.resolved?.users ?? {}).toSorted(), [ann.id, bot.botId].toSorted())
    assert.deepEqual(fieldErrorsOf(await use('user', owner.id)), ['values[0] unknown_user'])
    assert.deepEqual(fieldErrorsOf(await use('role', serverId)), ['values[0] unknown_role'])
    assert.deepEqual(fieldErrorsOf(await use('channel', world.channelId)), ['values[0] unknown_channel'])
    assert.deepEqual(fieldErrorsOf(await use('mentionable', serverId)), ['values[0] unknown_mentionable'])
    const mentioned = await receivedEvent(world, use('mentionable', ann.id))
    assert.ok(mentioned.type === 'component' && 'values' in mentioned.data)
    assert.deepEqual(Object.keys(mentioned.data.resolved?.users ?? {}), [ann.id])
    const none = await receivedEvent(world, use('role'))
    assert.deepEqual(none.data, { customId: 'role', componentType: 'role_select', values: [] })
  },
)
