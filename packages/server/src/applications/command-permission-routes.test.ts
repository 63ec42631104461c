import assert from 'node:assert/strict'
import type { ServerCommand } from '@gatehouse/protocol/commands'
import { maxCommandOverrides, maxServerCommandOverrides } from '@gatehouse/protocol/limits'
import { formatPermissions, Permission } from '@gatehouse/protocol/permissions'
import { oldIds } from '@gatehouse/testkit/caps'
import { register, type TestUser } from '@gatehouse/testkit/community'
import { fieldErrorsOf } from '@gatehouse/testkit/field-errors'
import { eachService } from '@gatehouse/testkit/service'
import { subjects } from '../events/gateway-events.ts'
import {
  assertError,
  createWorld,
  putCommands,
  receivedEvent,
  recordEvents,
  runCommand,
  type World,
} from '../interactions/interactions-testing.ts'
import { authorizePath, decide } from '../oauth/oauth-testing.ts'

const { ADMINISTRATOR, BAN_MEMBERS, MANAGE_SERVER, USE_COMMANDS, VIEW_CHANNEL } = Permission
const ban = {
  name: 'ban',
  description: 'Bans a member',
  defaultMemberPermissions: formatPermissions(BAN_MEMBERS),
}
const ping = { name: 'ping', description: 'Answers' }

type Override = ServerCommand['overrides'][number]
const override = (type: Override['type'], id: string, allow: boolean): Override => ({ type, id, allow })

function listPath({ serverId }: World): string {
  return `/api/servers/${serverId}/commands/permissions`
}

function overridesPath({ serverId, commands }: World, name: string): string {
  return `/api/servers/${serverId}/commands/${commands[name]}/permissions`
}

function putOverrides(world: World, name: string, overrides: unknown, user: TestUser = world.owner) {
  return user.client.json('PUT', overridesPath(world, name), overrides)
}

async function setOverrides(world: World, name: string, overrides: Override[], user?: TestUser) {
  const reply = await putOverrides(world, name, overrides, user)
  assert.equal(reply.status, 200, reply.text)
  assert.deepEqual(reply.body.overrides, overrides)
}

async function overridesOf(world: World, name: string): Promise<Override[] | undefined> {
  const reply = await world.owner.client.get(listPath(world))
  assert.equal(reply.status, 200, reply.text)
  const commands: ServerCommand[] = reply.body
  return commands.find(command => command.name === name)?.overrides
}

/** The names of the commands that are offered to a user in the channel of the world. */
async function offered({ channelId, ann }: World, user = ann): Promise<string[]> {
  const reply = await user.client.get(`/api/channels/${channelId}/commands`)
  assert.equal(reply.status, 200, reply.text)
  return reply.body.map(({ name }: { name: string }) => name)
}

async function createRole({ owner, serverId }: World, permissions: bigint, ...users: { id: string }[]) {
  const roles = `/api/servers/${serverId}/roles`
  const body = { name: 'Role', permissions: formatPermissions(permissions) }
  const { id } = await owner.client.request<{ id: string }>('POST', roles, body)
  for (const user of users) {
    await owner.client.request('PUT', `/api/servers/${serverId}/members/${user.id}/roles/${id}`)
  }
  return id
}

/** A world whose bot has the commands `ban` and `ping`, and is connected. */
async function createBans(...args: Parameters<typeof createWorld>): Promise<World> {
  const world = await createWorld(...args)
  await world.bot.connect()
  return { ...world, commands: await putCommands(world.bot, [ban, ping]) }
}

eachService(
  'a command is offered to members with its default permissions in the channel, and others ' +
    'get 403 (bots/default-permissions)',
  async (_t, service) => {
    const world = await createBans(service)
    const { owner, ann, channelId, bot } = world
    assert.deepEqual(await offered(world), ['ping'])
    assertError(await runCommand(world, 'ban'), 403, 'missing_permission')
    await receivedEvent(world, runCommand(world, 'ban', {}, owner))
    await owner.client.request('PUT', `/api/channels/${channelId}/overwrites/${ann.id}`, {
      type: 'member',
      allow: formatPermissions(BAN_MEMBERS),
      deny: '0',
    })
    assert.deepEqual(await offered(world), ['ban', 'ping'])
    await receivedEvent(world, runCommand(world, 'ban'))
    await putCommands(bot, [{ ...ban, defaultMemberPermissions: '0' }, ping])
    assert.deepEqual(await offered(world), ['ping'])
    assert.deepEqual(await offered(world, owner), ['ban', 'ping'])
    assertError(await runCommand(world, 'ban'), 403, 'missing_permission')
    await createRole(world, ADMINISTRATOR, ann)
    await receivedEvent(world, runCommand(world, 'ban'))
    assert.equal(bot.received.length, 3)
  },
)

eachService(
  'commands of a menu follow the same rules (bots/default-permissions, bots/command-overrides)',
  async (_t, service) => {
    const world = await createBans(service)
    const { ann, owner, bot } = world
    const menu = { type: 'user', name: 'Ban', defaultMemberPermissions: ban.defaultMemberPermissions }
    world.commands = await putCommands(bot, [menu, ping])
    const use = () => runCommand(world, 'Ban', { targetId: owner.id })
    assert.deepEqual(await offered(world), ['ping'])
    assertError(await use(), 403, 'missing_permission')
    await setOverrides(world, 'Ban', [override('user', ann.id, true)])
    assert.deepEqual(await offered(world), ['Ban', 'ping'])
    await receivedEvent(world, use())
  },
)

eachService(
  'default permissions are a bit set of known permissions or null, which they are by default ' +
    '(bots/default-permissions)',
  async (_t, service) => {
    const world = await createBans(service)
    const path = '/api/applications/@me/commands'
    const [before] = (await world.bot.json('GET', path)).body
    assert.equal(before.defaultMemberPermissions, ban.defaultMemberPermissions)
    const cases: [unknown, string][] = [
      ['256', 'unknown_permission'],
      [String(1n << 62n), 'unknown_permission'],
      ['BAN_MEMBERS', 'invalid_format'],
      ['04', 'invalid_format'],
      [4, 'invalid_type'],
      [['BAN_MEMBERS'], 'invalid_type'],
    ]
    for (const [defaultMemberPermissions, code] of cases) {
      const reply = await world.bot.json('PUT', path, [ping, { ...ban, defaultMemberPermissions }])
      assert.deepEqual(fieldErrorsOf(reply), [`[1].defaultMemberPermissions ${code}`])
    }
    service.clock.advance(1000)
    const changed = await world.bot.json('PUT', path, [{ ...ban, defaultMemberPermissions: null }])
    assert.deepEqual(
      [changed.body[0].defaultMemberPermissions, changed.body[0].id],
      [null, world.commands.ban],
    )
    assert.notEqual(changed.body[0].updatedAt, before.updatedAt)
    assert.equal((await world.bot.json('PUT', path, [ping])).body[0].defaultMemberPermissions, null)
  },
)

eachService(
  'overrides of roles, members and channels decide in the list and for a command (bots/command-overrides)',
  async (_t, service) => {
    const world = await createBans(service)
    const { ann, serverId, channelId } = world
    const role = await createRole(world, 0n, ann)
    const cases: [Override[], string[]][] = [
      [[override('role', role, true)], ['ban', 'ping']],
      [[override('user', ann.id, false), override('role', role, true)], ['ping']],
      [[override('role', serverId, true)], ['ban', 'ping']],
      [[override('role', serverId, true), override('channel', serverId, false)], ['ping']],
      [
        [
          override('user', ann.id, true),
          override('channel', serverId, false),
          override('channel', channelId, true),
        ],
        ['ban', 'ping'],
      ],
      [[], ['ping']],
    ]
    for (const [overrides, names] of cases) {
      await setOverrides(world, 'ban', overrides)
      assert.deepEqual(await overridesOf(world, 'ban'), overrides)
      assert.deepEqual(await overridesOf(world, 'ping'), [])
      assert.deepEqual(await offered(world), names)
      if (names.includes('ban')) await receivedEvent(world, runCommand(world, 'ban'))
      else assertError(await runCommand(world, 'ban'), 403, 'missing_permission')
    }
    await setOverrides(world, 'ban', [override('user', ann.id, true)])
    const body = { type: 'role', allow: '0', deny: formatPermissions(USE_COMMANDS) }
    await world.owner.client.request('PUT', `/api/channels/${channelId}/overwrites/${serverId}`, body)
    assertError(await runCommand(world, 'ban'), 403, 'missing_permission')
  },
)

eachService(
  'the developer who tries a command needs its permissions on the server too (bots/command-overrides)',
  async (_t, service) => {
    const world = await createBans(service)
    const { ann, serverId, channelId, bot, owner } = world
    const elsewhere = await register(service, 'landlord')
    const server = await elsewhere.client.request<{ id: string }>('POST', '/api/servers', {
      name: 'Elsewhere',
    })
    const [channel] = (await elsewhere.client.get(`/api/servers/${server.id}/channels`)).body
    await owner.client.request('PATCH', `/api/applications/${bot.applicationId}`, { public: true })
    const page = await elsewhere.client.get(
      authorizePath({ id: bot.applicationId, redirectUri: 'https://app.example/callback' } as never, {
        scope: 'bot applications.commands',
        permissions: '0',
        server_id: server.id,
      }),
    )
    assert.equal((await decide(elsewhere.client, page, { server_id: server.id })).status, 303)
    const invites = `/api/servers/${server.id}/invites`
    const { code } = await elsewhere.client.request<{ code: string }>('POST', invites, {})
    await owner.client.request('POST', `/api/invites/${code}`)
    const trial = (inChannel: string) =>
      owner.client.json('POST', `/api/applications/${bot.applicationId}/try`, {
        commandId: world.commands.ban,
        channelId: inChannel,
        answer: { content: 'Banned' },
      })
    assert.equal((await trial(channelId)).status, 200)
    assertError(await trial(channel.id), 403, 'missing_permission')
    // Overrides are of one server.
    await setOverrides(world, 'ban', [override('user', ann.id, true), override('role', serverId, true)])
    assertError(await trial(channel.id), 403, 'missing_permission')
    const path = `/api/servers/${server.id}/commands/${world.commands.ban}/permissions`
    assert.equal((await elsewhere.client.json('PUT', path, [override('role', server.id, true)])).status, 200)
    assert.equal((await trial(channel.id)).status, 200)
  },
)

eachService(
  'a bot with MANAGE_SERVER reads and replaces permissions (bots/command-overrides, bots/bot-is-member)',
  async (_t, service) => {
    const world = await createBans(service)
    const { ann, bot, channelId } = world
    await createRole(world, MANAGE_SERVER, ann, { id: bot.botId })
    const set = [override('channel', channelId, false)]
    await setOverrides(world, 'ping', set, ann)
    const listed = await bot.json('GET', listPath(world))
    assert.equal(listed.status, 200, listed.text)
    const now = new Date(service.clock.now()).toISOString()
    const common = {
      ...{ applicationId: bot.applicationId, type: 'slash', options: [] },
      ...{ createdAt: now, updatedAt: now },
    }
    assert.deepEqual(listed.body, [
      { id: world.commands.ban, ...ban, ...common, overrides: [] },
      { id: world.commands.ping, ...ping, ...common, defaultMemberPermissions: null, overrides: set },
    ])
    assert.equal((await bot.json('PUT', overridesPath(world, 'ping'), [])).status, 200)
    assert.deepEqual(await overridesOf(world, 'ping'), [])
  },
)

eachService(
  'nobody changes overrides of a command that they may not use, or of a role or member above ' +
    'them (bots/command-overrides-hierarchy)',
  async (_t, service) => {
    const world = await createBans(service)
    const { owner, ann, serverId } = world
    const low = await createRole(world, MANAGE_SERVER, ann)
    const high = await createRole(world, 0n, owner)
    const roles = `/api/servers/${serverId}/roles`
    await owner.client.request('PATCH', `${roles}/${high}`, { position: 5 })
    const refused = async (name: string, overrides: Override[]) => {
      assertError(await putOverrides(world, name, overrides, ann), 403, 'missing_permission')
    }
    // Without BAN_MEMBERS.
    await refused('ban', [override('user', ann.id, true)])
    await refused('ban', [])
    await setOverrides(world, 'ban', [override('user', ann.id, true)])
    await setOverrides(world, 'ban', [override('user', ann.id, true), override('role', low, true)], ann)
    // The owner has taken the command away.
    await setOverrides(world, 'ping', [override('role', low, false)])
    await refused('ping', [])
    // A channel may be changed where the command is not allowed.
    await setOverrides(world, 'ping', [override('channel', serverId, false)])
    await setOverrides(world, 'ping', [], ann)
    for (const above of [override('role', high, false), override('user', owner.id, false)]) {
      await refused('ping', [above])
      await setOverrides(world, 'ping', [above])
      await refused('ping', [])
      await refused('ping', [{ ...above, allow: true }])
      await setOverrides(world, 'ping', [above, override('role', low, true)], ann)
    }
  },
)

eachService(
  'PUT permissions 400: unknown and duplicate ids, and more than 100 overrides (bots/command-overrides)',
  async (_t, service) => {
    const world = await createBans(service)
    const { owner, ann, serverId, channelId } = world
    const elsewhere = await owner.client.request<{ id: string }>('POST', '/api/servers', {
      name: 'Elsewhere',
    })
    const [foreign] = (await owner.client.get(`/api/servers/${elsewhere.id}/channels`)).body
    const outsider = await register(service, 'outsider')
    const kept = [override('user', ann.id, false), override('channel', serverId, true)]
    await setOverrides(world, 'ping', kept)
    const cases: [unknown, string[]][] = [
      [[override('role', elsewhere.id, true)], ['[0].id unknown_role']],
      [[override('user', outsider.id, true)], ['[0].id unknown_user']],
      [[override('channel', foreign.id, true)], ['[0].id unknown_channel']],
      [
        [override('role', ann.id, true), override('user', serverId, true)],
        ['[0].id unknown_role', '[1].id unknown_user'],
      ],
      [[override('user', ann.id, true), override('user', ann.id, false)], ['[1].id duplicate']],
      [[{ type: 'member', id: ann.id, allow: true }], ['[0].type invalid_choice']],
      [[{ type: 'user', id: ann.id }], ['[0].allow required']],
      [[{ type: 'user', id: 'x', allow: true }], ['[0].id invalid_format']],
      [{}, [' invalid_type']],
      [Array.from({ length: maxCommandOverrides + 1 }, () => kept[0]), [' too_many']],
    ]
    for (const [overrides, errors] of cases) {
      assert.deepEqual(fieldErrorsOf(await putOverrides(world, 'ping', overrides)), errors)
    }
    assert.deepEqual(await overridesOf(world, 'ping'), kept)
    // A channel that the caller may not view is unknown, but its override can be kept.
    const manager = await createRole(world, MANAGE_SERVER, ann)
    const secret = await owner.client.request<{ id: string }>('POST', `/api/servers/${serverId}/channels`, {
      name: 'secret',
    })
    await owner.client.request('PUT', `/api/channels/${secret.id}/overwrites/${manager}`, {
      type: 'role',
      allow: '0',
      deny: formatPermissions(VIEW_CHANNEL),
    })
    const ofSecret = override('channel', secret.id, false)
    await setOverrides(world, 'ping', [])
    assert.deepEqual(fieldErrorsOf(await putOverrides(world, 'ping', [ofSecret], ann)), [
      '[0].id unknown_channel',
    ])
    await setOverrides(world, 'ping', [ofSecret])
    await setOverrides(world, 'ping', [ofSecret, override('channel', channelId, true)], ann)
    const unknown = { ...world, commands: { ping: '1573634452968439808' } }
    assertError(await putOverrides(unknown, 'ping', []), 404, 'not_found')
  },
)

eachService(
  'the commands of a server have 100 overrides each and 2,000 together (limits/cap-exact)',
  async (_t, service) => {
    const world = await createBans(service)
    const { owner, serverId, bot } = world
    const channels = oldIds(maxCommandOverrides)
    for (const id of channels) {
      await service.db.run`
        INSERT INTO channels (id, server_id, type, name, position, created_at)
        VALUES (${id}, ${serverId}, 'text', 'old', 1, 1)`
    }
    const full = channels.map(id => override('channel', id, true))
    const count = maxServerCommandOverrides / maxCommandOverrides
    const names = Array.from({ length: count + 1 }, (_, index) => `c${index}`)
    const commands = await putCommands(
      bot,
      names.map(name => ({ ...ping, name })),
    )
    const filled = { ...world, commands }
    for (const name of names.slice(1)) await setOverrides(filled, name, full)
    const one = [override('user', owner.id, true)]
    const reply = await putOverrides(filled, 'c0', one)
    assertError(reply, 409, 'limit_reached')
    assert.equal(reply.body.limit, 'commandOverrides')
    await setOverrides(filled, 'c1', full.toReversed())
    await setOverrides(filled, 'c1', full.slice(1))
    await setOverrides(filled, 'c0', one)
  },
)

eachService(
  'a command that is registered again keeps its overrides, and one that was deleted loses ' +
    'them (bots/command-overrides-lifetime)',
  async (_t, service) => {
    const world = await createBans(service)
    const set = [override('user', world.ann.id, true)]
    await setOverrides(world, 'ban', set)
    await putCommands(world.bot, [{ ...ban, description: 'Changed' }])
    assert.deepEqual(await overridesOf(world, 'ban'), set)
    await putCommands(world.bot, [ping])
    assertError(await putOverrides(world, 'ban', set), 404, 'not_found')
    await putCommands(world.bot, [ban])
    assert.deepEqual(await overridesOf(world, 'ban'), [])
    // A server command hides the global one, which keeps its overrides.
    world.commands = await putCommands(world.bot, [ban])
    await setOverrides(world, 'ban', set)
    const own = `/api/applications/@me/servers/${world.serverId}/commands`
    assert.equal((await world.bot.json('PUT', own, [ban])).status, 200)
    assert.deepEqual(await overridesOf(world, 'ban'), [])
    assertError(await putOverrides(world, 'ban', []), 404, 'not_found')
    assert.equal((await world.bot.json('PUT', own, [])).status, 200)
    assert.deepEqual(await overridesOf(world, 'ban'), set)
  },
)

eachService(
  'roles, channels and members that are gone, and a bot that was removed, lose their ' +
    'overrides (bots/command-overrides-lifetime)',
  async (_t, service) => {
    const world = await createBans(service)
    const { owner, ann, serverId, bot } = world
    const server = `/api/servers/${serverId}`
    const role = await createRole(world, 0n, ann)
    const channel = await owner.client.request<{ id: string }>('POST', `${server}/channels`, { name: 'more' })
    const kept = override('role', serverId, false)
    await setOverrides(world, 'ban', [
      override('role', role, true),
      override('channel', channel.id, false),
      kept,
      override('user', ann.id, true),
    ])
    await owner.client.request('DELETE', `${server}/roles/${role}`)
    await owner.client.request('DELETE', `/api/channels/${channel.id}`)
    assert.deepEqual(await overridesOf(world, 'ban'), [kept, override('user', ann.id, true)])
    const { code } = await owner.client.request<{ code: string }>('POST', `${server}/invites`, {})
    await ann.client.request('DELETE', `${server}/members/${ann.id}`)
    await ann.client.request('POST', `/api/invites/${code}`)
    assert.deepEqual(await overridesOf(world, 'ban'), [kept])
    assert.deepEqual(await offered(world), ['ping'])

    await owner.client.request('DELETE', `${server}/members/${bot.botId}`)
    assert.deepEqual((await owner.client.get(listPath(world))).body, [])
    assertError(await putOverrides(world, 'ban', []), 404, 'not_found')
    assert.deepEqual(await service.db.all`SELECT * FROM command_overrides WHERE server_id = ${serverId}`, [])
  },
)

eachService(
  'a change of overrides publishes COMMANDS_UPDATE to the server (bots/command-overrides)',
  async (_t, service) => {
    const world = await createBans(service)
    const events = await recordEvents(service, subjects.server(world.serverId))
    await setOverrides(world, 'ban', [override('user', world.ann.id, true)])
    assertError(await putOverrides(world, 'ban', [], world.ann), 403, 'missing_permission')
    assert.deepEqual(events.of('COMMANDS_UPDATE'), [{ serverId: world.serverId }])
  },
)
