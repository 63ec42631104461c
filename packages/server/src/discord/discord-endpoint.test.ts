import assert from 'node:assert/strict'
import type { ServerResponse } from 'node:http'
import type { TestContext } from 'node:test'
import { Permission } from '@gatehouse/protocol/permissions'
import { listenHttp } from '@gatehouse/testkit/listen'
import { eachService, type TestService } from '@gatehouse/testkit/service'
import { waitUntil } from '@gatehouse/testkit/wait-until'
import type { TestEndpoint } from '../applications/applications-testing.ts'
import {
  createWorld,
  history,
  pressButton,
  putCommands,
  runCommand,
  setEndpoint,
  type World,
} from '../interactions/interactions-testing.ts'

const local = { env: { ALLOW_PRIVATE_TARGETS: '127.0.0.1' } }

/** The body of Discord's API, of which tests read members. */
type Received = ReturnType<typeof JSON.parse>

interface Endpoint {
  world: World
  /** The next event, to which the endpoint responds with `response`, or with 202. */
  next(request: () => Promise<unknown>, response?: unknown): Promise<Received>
}

async function setUp(t: TestContext, service: TestService): Promise<Endpoint> {
  const world = await createWorld(service)
  const endpoint: TestEndpoint = await setEndpoint(t, world, 'discord')
  return {
    world,
    async next(request, response) {
      endpoint.respond = (_: unknown, reply: ServerResponse) =>
        response === undefined ? reply.writeHead(202).end() : reply.end(JSON.stringify(response))
      const count = endpoint.received.length
      await request()
      await waitUntil(() => endpoint.received.length > count)
      return JSON.parse(endpoint.received[count] ?? '')
    },
  }
}

const messages = async (world: World): Promise<Received[]> => (await history(world)).body

eachService(
  'an endpoint receives a command in the format of Discord, and responds in it ' +
    '(discord/endpoint, discord/interaction-event)',
  async (t, service) => {
    const { world, next } = await setUp(t, service)
    const { ann, bot, channelId, serverId } = world
    const options = [
      { type: 'user', name: 'who', description: 'x' },
      { type: 'role', name: 'role', description: 'x' },
      { type: 'channel', name: 'where', description: 'x' },
      { type: 'mentionable', name: 'any', description: 'x' },
      { type: 'integer', name: 'count', description: 'x' },
    ]
    const subcommand = { type: 'subcommand', name: 'them', description: 'x', options }
    world.commands = await putCommands(bot, [{ name: 'pick', description: 'x', options: [subcommand] }])
    const entered = { who: ann.id, role: serverId, where: channelId, any: serverId, count: 3 }
    const body = [
      { name: 'them', options: Object.entries(entered).map(([name, value]) => ({ name, value })) },
    ]
    const event = await next(() => runCommand(world, 'pick', { options: body }), {
      type: 4,
      data: { content: 'picked', embeds: [{ title: 'x' }] },
    })
    const { id, token, member, channel, data, ...rest } = event
    assert.match(id, /^\d{17,20}$/)
    assert.match(token, /^gdi_[0-9A-Za-z]{49}$/)
    assert.deepEqual(rest, {
      application_id: bot.applicationId,
      type: 2,
      version: 1,
      channel_id: channelId,
      guild_id: serverId,
      guild: { id: serverId, features: [], locale: 'en-US' },
      guild_locale: 'en-US',
      locale: 'en-US',
      context: 0,
      app_permissions: rest.app_permissions,
      entitlements: [],
      authorizing_integration_owners: { 0: serverId },
      attachment_size_limit: 0,
    })
    assert.equal(BigInt(rest.app_permissions) & Permission.VIEW_CHANNEL, Permission.VIEW_CHANNEL)
    assert.deepEqual([member.user.id, member.roles, member.permissions], [ann.id, [], channel.permissions])
    assert.equal(BigInt(member.permissions) & Permission.USE_COMMANDS, Permission.USE_COMMANDS)
    assert.deepEqual(
      [channel.id, channel.type, channel.name, channel.guild_id],
      [channelId, 0, 'general', serverId],
    )
    assert.ok(!('permission_overwrites' in channel))
    assert.deepEqual(
      [data.name, data.type, data.options[0].type, data.options[0].name],
      ['pick', 1, 1, 'them'],
    )
    assert.deepEqual(
      data.options[0].options.map((option: Received) => [option.name, option.type, option.value]),
      [
        ['who', 6, ann.id],
        ['role', 8, serverId],
        ['where', 7, channelId],
        ['any', 9, serverId],
        ['count', 4, 3],
      ],
    )
    const { users, members, roles, channels } = data.resolved
    assert.equal(users[ann.id].username, 'ann')
    assert.deepEqual([members[ann.id].user, members[ann.id].permissions], [undefined, member.permissions])
    assert.equal(roles[serverId].name, '@everyone')
    assert.deepEqual([channels[channelId].type, channels[channelId].permissions], [0, member.permissions])
    await waitUntil(async () => (await messages(world)).length === 1)
    assert.equal((await messages(world))[0].content, 'picked')
  },
  local,
)

eachService(
  'menus, components and modals have the whole message (discord/interaction-event)',
  async (t, service) => {
    const { world, next } = await setUp(t, service)
    const { ann, bot } = world
    world.commands = await putCommands(bot, [
      { type: 'user', name: 'Look' },
      { type: 'message', name: 'Quote' },
    ])
    const select = { type: 5, custom_id: 'who' }
    const rows = [
      { type: 1, components: [{ type: 2, style: 1, label: 'Go', custom_id: 'go' }] },
      { type: 1, components: [select] },
    ]
    const user = await next(() => runCommand(world, 'Look', { targetId: ann.id }), {
      type: 4,
      data: { content: 'looked', components: rows },
    })
    assert.deepEqual([user.data.type, user.data.target_id], [2, ann.id])
    assert.deepEqual(
      [user.data.resolved.users[ann.id].id, user.data.resolved.members[ann.id].roles],
      [ann.id, []],
    )
    await waitUntil(async () => (await messages(world)).length === 1)
    const messageId: string = (await messages(world))[0].id

    const quoted = await next(() => runCommand(world, 'Quote', { targetId: messageId }))
    assert.deepEqual([quoted.data.type, quoted.data.target_id, quoted.message], [3, messageId, undefined])
    assert.equal(quoted.data.resolved.messages[messageId].content, 'looked')
    const modal = {
      custom_id: 'form',
      title: 'Form',
      components: [{ type: 1, components: [{ type: 4, custom_id: 'why', style: 1, label: 'Why' }] }],
    }
    const pressed = await next(() => pressButton(world, messageId, 'go'), { type: 9, data: modal })
    assert.deepEqual([pressed.type, pressed.data], [3, { custom_id: 'go', component_type: 2 }])
    assert.deepEqual([pressed.message.id, pressed.message.author.id], [messageId, bot.botId])
    const bounds = { min_values: 1, max_values: 1, default_values: [], disabled: false }
    const shown = { ...select, id: 4, ...bounds }
    assert.deepEqual([pressed.message.type, pressed.message.components[1].components[0]], [23, shown])
    const picked = await next(() => pressButton(world, messageId, 'who', { values: [ann.id] }))
    assert.deepEqual([picked.data.component_type, picked.data.values], [5, [ann.id]])
    assert.equal(picked.data.resolved.users[ann.id].username, 'ann')
    await waitUntil(async () => {
      const status = await ann.client.get(`/api/interactions/${pressed.id}`)
      return status.body.modal !== undefined
    })
    const submit = {
      type: 'modal_submit',
      channelId: world.channelId,
      interactionId: pressed.id,
      components: [{ customId: 'why', value: 'Because' }],
    }
    const submitted = await next(() => ann.client.json('POST', '/api/interactions', submit))
    assert.deepEqual([submitted.type, submitted.message.id], [5, messageId])
    assert.deepEqual(submitted.data, {
      custom_id: 'form',
      components: [{ type: 1, id: 1, components: [{ type: 4, id: 2, custom_id: 'why', value: 'Because' }] }],
    })
  },
  local,
)

eachService(
  'a ping has the number 1, when the URL or the format is set (discord/endpoint)',
  async (t, service) => {
    const { owner, bot } = await createWorld(service)
    const path = `/api/applications/${bot.applicationId}`
    const pings: string[] = []
    let pong = '{"type":1}'
    const { port } = await listenHttp(t, async (request, response) => {
      let body = ''
      for await (const chunk of request.setEncoding('utf8')) body += chunk
      pings.push(body)
      response.writeHead(pings.length % 2 === 1 ? 200 : 401).end(pong)
    })
    const set = (body: object) => owner.client.json('PATCH', path, body)
    const interactionsEndpointUrl = `http://127.0.0.1:${port}/`
    const format = { interactionsEndpointFormat: 'discord' }
    assert.equal((await set({ ...format, interactionsEndpointUrl })).status, 200)
    assert.deepEqual(pings, ['{"type":1}', '{"type":1}'])
    const native = await set({ interactionsEndpointFormat: 'native' })
    assert.equal(native.status, 400)
    assert.match(native.body.errors[0].message, /\{"type":"pong"\}/)
    assert.equal((await owner.client.get(path)).body.interactionsEndpointFormat, 'discord')
    pings.length = 0
    pong = '{"type":"pong"}'
    assert.equal((await set({ interactionsEndpointUrl })).status, 400)
    assert.equal((await set({ interactionsEndpointFormat: 'other' })).status, 400)
    assert.equal((await set({ interactionsEndpointUrl: null })).status, 200)
    pings.length = 0
    assert.equal((await set({ interactionsEndpointFormat: 'native' })).status, 200)
    assert.deepEqual(pings, [])
  },
  local,
)

eachService(
  'an endpoint may respond with a callback, and a wrong response is in the log (discord/endpoint)',
  async (t, service) => {
    const { world, next } = await setUp(t, service)
    const { ann, owner, bot } = world
    const event = await next(() => runCommand(world, 'ping'))
    const url = `/api/v10/interactions/${event.id}/${event.token}/callback`
    const reply = await service.client().json('POST', url, { type: 4, data: { content: 'later', flags: 64 } })
    assert.equal(reply.status, 204, reply.text)
    assert.equal((await ann.client.get(`/api/interactions/${event.id}`)).body.state, 'answered')

    await next(() => runCommand(world, 'ping'), { type: 4, data: { content: 'x'.repeat(2001) } })
    const log = `/api/applications/${bot.applicationId}/interactions`
    await waitUntil(async () => (await owner.client.get(log)).body.at(-1).reason !== undefined)
    assert.match((await owner.client.get(log)).body.at(-1).reason, /data\.content must/)
  },
  local,
)
