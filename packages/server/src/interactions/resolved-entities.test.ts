import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { InteractionCreate, ResolvedEntities } from '@gatehouse/protocol/interactions'
import {
  allPermissions,
  defaultEveryone,
  formatPermissions,
  Permission,
} from '@gatehouse/protocol/permissions'
import { register } from '@gatehouse/testkit/community'
import { eachService, startNodes, type TestService } from '@gatehouse/testkit/service'
import { waitUntil } from '@gatehouse/testkit/wait-until'
import { type GatewayClient, identify } from '../gateway/gateway-testing.ts'
import {
  createWorld,
  putCommands,
  receivedEvent,
  runCommand,
  setEndpoint,
  type World,
} from './interactions-testing.ts'

const types = ['user', 'channel', 'role']
const options = types.map(type => ({ type, name: type, description: 'One of this server' }))
const point = {
  name: 'point',
  description: 'At something',
  options: [...options, { type: 'string', name: 'why', description: 'Why', autocomplete: true }],
}
const aim = {
  name: 'aim',
  description: 'At something',
  options: [{ type: 'subcommand', name: 'at', description: 'At something', options }],
}

interface Entities extends World {
  /** A role of ann. */
  role: { id: string }
  /** A channel that ann and the owner can view, and the bot cannot. */
  secret: { id: string }
}

/** A bot with commands whose options are users, channels and roles. */
async function createEntities(service: TestService): Promise<Entities> {
  const world = await createWorld(service)
  const { owner, ann, serverId } = world
  const commands = await putCommands(world.bot, [point, aim])
  const send = async (method: string, path: string, body?: object) => {
    const reply = await owner.client.json(method, `/api/servers/${serverId}${path}`, body)
    assert.ok(reply.status < 300, reply.text)
    return reply.body
  }
  const role = await send('POST', '/roles', {
    name: 'Crew',
    permissions: formatPermissions(Permission.MANAGE_MESSAGES),
  })
  await send('PUT', `/members/${ann.id}/roles/${role.id}`)
  const secret = await send('POST', '/channels', {
    name: 'secret',
    topic: 'What nobody else knows',
    private: { roles: [role.id], members: [] },
  })
  return { ...world, commands, role, secret }
}

/** What the service returns for each of them, as the event has it. */
async function expectedEntities({ owner, ann, serverId, role, secret }: Entities): Promise<ResolvedEntities> {
  const { user, ...member } = (await owner.client.get(`/api/servers/${serverId}/members/${ann.id}`)).body
  const roles: { id: string }[] = (await owner.client.get(`/api/servers/${serverId}/roles`)).body
  const permissions = formatPermissions(defaultEveryone | Permission.MANAGE_MESSAGES)
  return {
    users: { [ann.id]: user },
    members: { [ann.id]: { ...member, permissions } },
    roles: { [role.id]: roles.find(({ id }) => id === role.id) },
    channels: { [secret.id]: { id: secret.id, name: 'secret', type: 'text', permissions } },
  } as ResolvedEntities
}

function valuesOf({ ann, role, secret }: Entities) {
  const values = { user: ann.id, channel: secret.id, role: role.id }
  return Object.entries(values).map(([name, value]) => ({ name, value }))
}

function resolvedOf({ data }: InteractionCreate): ResolvedEntities | undefined {
  return 'options' in data && !('targetId' in data) ? data.resolved : undefined
}

async function nextInteraction(session: GatewayClient): Promise<InteractionCreate> {
  for (;;) {
    const { t, d } = await session.nextDispatch()
    const payload: unknown = d
    if (t === 'INTERACTION_CREATE') return payload as InteractionCreate
  }
}

eachService(
  '202: a command has what the ids in its options refer to (bots/resolved)',
  async (_t, service) => {
    const world = await createEntities(service)
    const session = await identify(service, world.bot)
    const expected = await expectedEntities(world)
    const values = valuesOf(world)
    for (const [name, given] of [
      ['point', values],
      ['aim', [{ name: 'at', options: values }]],
    ] as const) {
      const reply = await runCommand(world, name, { options: given })
      assert.equal(reply.status, 202, reply.text)
      assert.deepEqual(resolvedOf(await nextInteraction(session)), expected)
      const log = await world.owner.client.get(`/api/applications/${world.bot.applicationId}/interactions`)
      assert.deepEqual(log.body.at(-1).sent.data.resolved, expected)
    }
  },
)

eachService('202: each of 25 channels is in `resolved` (bots/resolved)', async (_t, service) => {
  const world = await createWorld(service)
  const { bot, owner, serverId } = world
  await bot.connect()
  const given: { name: string; value: string }[] = []
  for (let i = 0; i < 25; i++) {
    const reply = await owner.client.json('POST', `/api/servers/${serverId}/channels`, { name: `c${i}` })
    given.push({ name: `c${i}`, value: reply.body.id })
  }
  const channels = given.map(({ name }) => ({ type: 'channel', name, description: 'A channel' }))
  world.commands = await putCommands(bot, [{ name: 'many', description: 'Many', options: channels }])
  const event = await receivedEvent(world, runCommand(world, 'many', { options: given }))
  const found = Object.values(resolvedOf(event)?.channels ?? {})
  assert.deepEqual(
    found.map(({ id, name }) => ({ name, value: id })).toSorted((a, b) => (a.value < b.value ? -1 : 1)),
    given.toSorted((a, b) => (a.value < b.value ? -1 : 1)),
  )
})

eachService('202: without ids there is no `resolved` (bots/resolved)', async (_t, service) => {
  const world = await createEntities(service)
  await world.bot.connect()
  const given = [{ name: 'why', value: world.ann.id }]
  const { data } = await receivedEvent(world, runCommand(world, 'point', { options: given }))
  const event = [{ name: 'why', type: 'string', value: world.ann.id }]
  assert.deepEqual(data, { id: world.commands.point, name: 'point', options: event })
})

eachService(
  '202: the permissions of a member are those in the channel of the command (bots/resolved)',
  async (_t, service) => {
    const world = await createEntities(service)
    const { bot, owner, channelId, serverId } = world
    const cem = await register(service, 'cem')
    const { code } = await owner.client.call('createInvite', { id: serverId })
    await cem.client.call('acceptInvite', { code })
    await bot.connect()
    const memberOf = async (id: string) => {
      const given = [{ name: 'user', value: id }]
      const event = await receivedEvent(world, runCommand(world, 'point', { options: given }))
      return resolvedOf(event)?.members?.[id]
    }
    const deny = (bits: bigint) =>
      owner.client.json('PUT', `/api/channels/${channelId}/overwrites/${cem.id}`, {
        type: 'member',
        allow: '0',
        deny: formatPermissions(bits),
      })
    assert.equal((await memberOf(owner.id))?.permissions, formatPermissions(allPermissions))
    await deny(Permission.EMBED_LINKS)
    const rest = formatPermissions(defaultEveryone & ~Permission.EMBED_LINKS)
    assert.equal((await memberOf(cem.id))?.permissions, rest)
    const timedOutUntil = new Date(service.clock.now() + 60_000).toISOString()
    await owner.client.json('PATCH', `/api/servers/${serverId}/members/${cem.id}`, { timedOutUntil })
    const timedOut = await memberOf(cem.id)
    const view = formatPermissions(Permission.VIEW_CHANNEL)
    assert.deepEqual([timedOut?.timedOutUntil, timedOut?.permissions], [timedOutUntil, view])
    await deny(Permission.VIEW_CHANNEL)
    assert.equal((await memberOf(cem.id))?.permissions, '0')
  },
)

eachService(
  'an interactions endpoint receives `resolved` as the gateway does (bots/resolved)',
  async (t, service) => {
    const world = await createEntities(service)
    const endpoint = await setEndpoint(t, world)
    endpoint.respond = (_, response) => response.writeHead(202).end()
    const reply = await runCommand(world, 'point', { options: valuesOf(world) })
    assert.equal(reply.status, 202, reply.text)
    await waitUntil(() => endpoint.received.length > 0)
    const event: InteractionCreate = JSON.parse(endpoint.received[0] ?? '')
    assert.deepEqual(resolvedOf(event), await expectedEntities(world))
  },
  { env: { ALLOW_PRIVATE_TARGETS: '127.0.0.0/8' } },
)

eachService('autocomplete has `resolved` for the other options (bots/resolved)', async (_t, service) => {
  const world = await createEntities(service)
  const { bot, ann, channelId, commands } = world
  await bot.connect()
  const body = { channelId, commandId: commands.point, focused: 'why', options: valuesOf(world) }
  const reply = ann.client.json('POST', '/api/interactions/autocomplete', body)
  const event = await bot.event(0)
  assert.deepEqual(resolvedOf(event), await expectedEntities(world))
  await bot.callback(event, { type: 'autocomplete', data: { choices: [] } })
  assert.equal((await reply).status, 200)
})

eachService('a trial returns the event with `resolved` (bots/resolved)', async (_t, service) => {
  const world = await createEntities(service)
  const { bot, owner, role, channelId, commands } = world
  const given = [{ name: 'role', value: role.id }]
  const body = { channelId, commandId: commands.point, options: given, answer: { content: 'Hello' } }
  const reply = await owner.client.json('POST', `/api/applications/${bot.applicationId}/try`, body)
  assert.equal(reply.status, 200, reply.text)
  const { roles } = await expectedEntities(world)
  assert.deepEqual(reply.body.event.data.resolved, { roles })
})

test('a bot on another node receives `resolved`, also if its session closes (bots/resolved)', async t => {
  const [a, b] = (await startNodes(t)) ?? []
  if (!a || !b) return
  const world = await createEntities(a)
  const first = await identify(b, world.bot)
  assert.equal((await runCommand(world, 'point', { options: valuesOf(world) })).status, 202)
  const expected = await expectedEntities(world)
  assert.deepEqual(resolvedOf(await nextInteraction(first)), expected)
  const second = await identify(b, world.bot)
  first.socket.terminate()
  assert.deepEqual(resolvedOf(await nextInteraction(second)), expected)
})
