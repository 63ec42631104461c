import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { formatPermissions, Permission, type PermissionName } from '@gatehouse/protocol/permissions'
import { addBot, createBotApplication } from '@gatehouse/testkit/applications'
import { createServer, register, type TestUser } from '@gatehouse/testkit/community'
import { png } from '@gatehouse/testkit/images'
import { eachService, type TestResponse, type TestService } from '@gatehouse/testkit/service'
import type { Route } from '../../http/route.ts'

/** Routes of users: `bot` says whether bots may use them too. Sign-in and other public routes are not among them. */
function routesOfUsers(service: TestService, { bot }: { bot: boolean }): Route[] {
  return service.routes.filter(
    ({ caller }) => caller.session && !caller.anonymous && (caller.bot ?? false) === bot,
  )
}

const nameOf = ({ method, path }: Pick<Route, 'method' | 'path'>) => `${method} ${path}`

/** The endpoints in the table of the section "For people only" of docs/spec/bots.md. */
function endpointsForPeople(): string[] {
  const text = readFileSync(new URL('../../../../../docs/spec/bots.md', import.meta.url), 'utf8')
  const section = /\n## For people only\n([\s\S]*?)\n## /.exec(text)?.[1] ?? ''
  return section.split('\n').flatMap(line => {
    const paths = /^\| (`.+`) \|/.exec(line)?.[1]
    return [...(paths ?? '').matchAll(/`([A-Z, ]+) ([^`]+)`/g)].flatMap(([, methods = '', path]) =>
      methods.split(', ').map(method => `${method} ${path}`),
    )
  })
}

eachService(
  'a bot may use all endpoints of users but those in docs/spec/bots.md, which are 403 with the reason (bots/people-only)',
  async (_t, service) => {
    const owner = await register(service, 'owner')
    const { token } = await createBotApplication(owner.client)
    const client = service.client()
    const forPeople = routesOfUsers(service, { bot: false })
    assert.deepEqual(forPeople.map(nameOf).toSorted(), endpointsForPeople().toSorted())
    for (const { method, path } of forPeople) {
      const url = path.replaceAll(/:\w+/g, owner.id)
      const reply = await client.json(method, url, undefined, { authorization: `Bot ${token}` })
      assert.equal(reply.status, 403, `${method} ${path}: ${reply.text}`)
      const message = 'A bot token is not accepted. Send a session cookie (sign in).'
      assert.deepEqual(reply.body, { code: 'credential_not_accepted', message })
    }
  },
)

/** A person, or a bot with its token, who has the role `staff`. */
interface Caller {
  kind: 'person' | 'bot'
  id: string
  send(method: string, path: string, body?: unknown): Promise<TestResponse>
}

interface World {
  service: TestService
  owner: TestUser
  serverId: string
  staffId: string
  /** A member without roles. */
  memberId: string
  other: TestUser
  callers: Caller[]
}

/** The role `staff` has the position 5 and no permissions; @everyone has only VIEW_CHANNEL. */
async function createWorld(service: TestService): Promise<World> {
  const [owner, person, member, other] = [
    await register(service, 'owner'),
    await register(service, 'person'),
    await register(service, 'member'),
    await register(service, 'other'),
  ]
  const { server } = await createServer(owner, person, member)
  const roles = `/api/servers/${server.id}/roles`
  const permissions = formatPermissions(Permission.VIEW_CHANNEL)
  await owner.client.request('PATCH', `${roles}/${server.id}`, { permissions })
  const staff = await owner.client.request<{ id: string }>('POST', roles, {
    name: 'staff',
    permissions: '0',
    position: 5,
  })
  const bot = await createBotApplication(owner.client)
  await addBot(owner.client, bot.applicationId, server.id, 0n)
  for (const id of [person.id, bot.botId])
    await owner.client.request('PUT', `/api/servers/${server.id}/members/${id}/roles/${staff.id}`)
  const anyone = service.client()
  return {
    ...{ service, owner, serverId: server.id, staffId: staff.id, memberId: member.id, other },
    callers: [
      {
        kind: 'person',
        id: person.id,
        send: (method, path, body) => sendAs(person.client, method, path, body),
      },
      {
        kind: 'bot',
        id: bot.botId,
        send: (method, path, body) =>
          sendAs(anyone, method, path, body, { authorization: `Bot ${bot.token}` }),
      },
    ],
  }
}

function sendAs(
  client: TestUser['client'],
  method: string,
  path: string,
  body: unknown,
  headers: Readonly<Record<string, string>> = {},
): Promise<TestResponse> {
  if (!(body instanceof Uint8Array)) return client.json(method, path, body, headers)
  return client.send(path, {
    method,
    body: Buffer.from(body),
    headers: { 'content-type': 'image/png', ...headers },
  })
}

async function setStaff({ owner, serverId, staffId }: World, permissions: bigint): Promise<void> {
  const path = `/api/servers/${serverId}/roles/${staffId}`
  await owner.client.request('PATCH', path, { permissions: formatPermissions(permissions) })
}

interface Step {
  /** Absent if every member may. */
  permission?: PermissionName
  /** Creates what the request is about, and returns its parameters, by default only the id of the server. */
  prepare?: (world: World, caller: Caller) => Promise<Readonly<Record<string, string>>>
  /** Or a function that returns it. */
  body?: unknown
}

function make(world: World, path: string, body: object): Promise<Record<string, string>> {
  return world.owner.client.request('POST', path, body)
}

async function channel(world: World) {
  const { id = '' } = await make(world, `/api/servers/${world.serverId}/channels`, { name: 'new' })
  return { id }
}

async function role(world: World) {
  const { id: roleId = '' } = await make(world, `/api/servers/${world.serverId}/roles`, {
    name: 'low',
    permissions: '0',
  })
  return { id: world.serverId, roleId, userId: world.memberId }
}

/** A message of the owner, or of the caller. */
async function message(world: World, author?: Caller) {
  const { id } = await channel(world)
  const path = `/api/channels/${id}/messages`
  if (author === undefined) return { id, messageId: (await make(world, path, { content: 'Hello' })).id ?? '' }
  // For everybody, so that the caller may send before they have the permission of the step.
  const allow = formatPermissions(Permission.SEND_MESSAGES)
  await world.owner.client.request('PUT', `/api/channels/${id}/overwrites/${world.serverId}`, {
    ...{ type: 'role', allow, deny: '0' },
  })
  const sent = await author.send('POST', path, { content: 'Hello' })
  assert.equal(sent.status, 201, sent.text)
  return { id, messageId: sent.body.id }
}

async function webhook(world: World) {
  const { id: channelId } = await channel(world)
  const { id = '' } = await make(world, `/api/channels/${channelId}/webhooks`, { name: 'Builds' })
  return { channelId, id }
}

async function invite(world: World) {
  const { code = '' } = await make(world, `/api/servers/${world.serverId}/invites`, {})
  return { code }
}

/** A member without roles, who may have been removed or banned before. */
async function newMember({ owner, other, serverId }: World) {
  const path = `/api/servers/${serverId}`
  await owner.client.json('DELETE', `${path}/bans/${other.id}`)
  const { code } = await owner.client.request<{ code: string }>('POST', `${path}/invites`, {})
  await other.client.json('POST', `/api/invites/${code}`)
  return { id: serverId, userId: other.id }
}

async function banned(world: World) {
  const member = await newMember(world)
  await world.owner.client.request('PUT', `/api/servers/${member.id}/bans/${member.userId}`, {})
  return member
}

async function command({ callers, serverId }: World) {
  const bot = callers.find(({ kind }) => kind === 'bot')
  const commands = [{ name: 'ping', description: 'Answers' }]
  const reply = await bot?.send('PUT', '/api/applications/@me/commands', commands)
  return { id: serverId, commandId: reply?.body[0].id }
}

const overwriteBody = { type: 'role', allow: '0', deny: '0' }

/** Every operation that users and bots may use, in an order in which each succeeds. */
const steps: Record<string, Step> = {
  getCurrentUser: {},
  listCurrentUserServers: {},
  listDirectMessages: {},
  openDirectMessage: { body: (world: World) => ({ recipientId: world.memberId }) },
  getServer: {},
  updateServer: { permission: 'MANAGE_SERVER', body: { name: 'Renamed' } },
  setServerIcon: { permission: 'MANAGE_SERVER', body: png },
  deleteServerIcon: { permission: 'MANAGE_SERVER' },
  listIntegrations: {},
  listServerCommandPermissions: { permission: 'MANAGE_SERVER' },
  replaceServerCommandPermissions: { permission: 'MANAGE_SERVER', prepare: command, body: [] },
  listChannels: {},
  createChannel: { permission: 'MANAGE_CHANNELS', body: { name: 'plans' } },
  getChannel: { prepare: channel },
  updateChannel: { permission: 'MANAGE_CHANNELS', prepare: channel, body: { topic: 'Plans' } },
  deleteChannel: { permission: 'MANAGE_CHANNELS', prepare: channel },
  putOverwrite: {
    permission: 'MANAGE_CHANNELS',
    prepare: async world => ({ ...(await channel(world)), targetId: world.serverId }),
    body: overwriteBody,
  },
  deleteOverwrite: {
    permission: 'MANAGE_CHANNELS',
    async prepare(world) {
      const { id } = await channel(world)
      const path = `/api/channels/${id}/overwrites/${world.serverId}`
      await world.owner.client.request('PUT', path, overwriteBody)
      return { id, targetId: world.serverId }
    },
  },
  listMessages: { prepare: channel },
  createMessage: { permission: 'SEND_MESSAGES', prepare: channel, body: { content: 'Hello' } },
  getMessage: { prepare: world => message(world) },
  updateMessage: { prepare: message, body: { content: 'Edited' } },
  deleteMessage: { permission: 'MANAGE_MESSAGES', prepare: world => message(world) },
  listWebhooks: { permission: 'MANAGE_WEBHOOKS', prepare: webhook },
  createWebhook: { permission: 'MANAGE_WEBHOOKS', prepare: webhook, body: { name: 'Deploys' } },
  updateWebhook: { permission: 'MANAGE_WEBHOOKS', prepare: webhook, body: { name: 'Deploys' } },
  resetWebhookToken: { permission: 'MANAGE_WEBHOOKS', prepare: webhook },
  listDeliveries: { permission: 'MANAGE_WEBHOOKS', prepare: webhook },
  deleteWebhook: { permission: 'MANAGE_WEBHOOKS', prepare: webhook },
  listRoles: {},
  createRole: { permission: 'MANAGE_ROLES', body: { name: 'helpers', permissions: '0' } },
  updateRole: { permission: 'MANAGE_ROLES', prepare: role, body: { name: 'helpers' } },
  deleteRole: { permission: 'MANAGE_ROLES', prepare: role },
  addMemberRole: { permission: 'MANAGE_ROLES', prepare: role },
  removeMemberRole: { permission: 'MANAGE_ROLES', prepare: role },
  listMembers: {},
  getMember: { prepare: async ({ serverId, memberId }) => ({ id: serverId, userId: memberId }) },
  listInvites: { permission: 'MANAGE_SERVER' },
  createInvite: { body: {} },
  revokeInvite: { permission: 'MANAGE_SERVER', prepare: invite },
  removeMember: { permission: 'KICK_MEMBERS', prepare: newMember },
  updateMember: { permission: 'MODERATE_MEMBERS', prepare: newMember, body: { timedOutUntil: null } },
  createBan: { permission: 'BAN_MEMBERS', prepare: newMember, body: {} },
  listBans: { permission: 'BAN_MEMBERS' },
  getBan: { permission: 'BAN_MEMBERS', prepare: banned },
  deleteBan: { permission: 'BAN_MEMBERS', prepare: banned },
}

async function send(world: World, caller: Caller, operationId: string, step: Step): Promise<TestResponse> {
  const found = world.service.routes.find(one => one.operationId === operationId)
  assert.ok(found, operationId)
  const parameters = (await step.prepare?.(world, caller)) ?? { id: world.serverId }
  const path = found.path.replaceAll(/:(\w+)/g, (_, name: string) => parameters[name] ?? '')
  const body = typeof step.body === 'function' ? step.body(world) : step.body
  return caller.send(found.method, path, body)
}

eachService(
  'a bot and a person with the same role may do the same, and only with its permission (bots/bot-is-member)',
  async (_t, service) => {
    const world = await createWorld(service)
    const operations = routesOfUsers(service, { bot: true }).map(route => route.operationId)
    assert.deepEqual(Object.keys(steps).toSorted(), operations.toSorted())
    for (const caller of world.callers) {
      for (const [operationId, step] of Object.entries(steps)) {
        const about = `${operationId} as ${caller.kind}`
        const { permission } = step
        if (permission !== undefined) {
          await setStaff(world, 0n)
          const refused = await send(world, caller, operationId, step)
          assert.equal(refused.status, 403, `${about}: ${refused.text}`)
          const message = `Missing permission: ${permission}.`
          assert.deepEqual(refused.body, { code: 'missing_permission', message }, about)
        }
        await setStaff(world, permission === undefined ? 0n : Permission[permission])
        const reply = await send(world, caller, operationId, step)
        assert.ok(reply.status < 300, `${about}: ${reply.status} ${reply.text}`)
      }
    }
  },
)

eachService(
  'the highest role and the permissions of a bot limit whom and what it changes (bots/bot-is-member)',
  async (_t, service) => {
    const world = await createWorld(service)
    const { serverId, staffId, owner } = world
    const { MANAGE_ROLES, KICK_MEMBERS, MANAGE_CHANNELS, BAN_MEMBERS, MODERATE_MEMBERS, VIEW_CHANNEL } =
      Permission
    await setStaff(world, MANAGE_ROLES | KICK_MEMBERS | MANAGE_CHANNELS | BAN_MEMBERS | MODERATE_MEMBERS)
    const roles = `/api/servers/${serverId}/roles`
    const above = await make(world, roles, { name: 'above', permissions: '0', position: 9 })
    const member = `/api/servers/${serverId}/members/${world.memberId}`
    const other = await newMember(world)
    await owner.client.request('PUT', `/api/servers/${serverId}/members/${other.userId}/roles/${above.id}`)
    const { id: channelId } = await channel(world)
    const administrator = formatPermissions(Permission.ADMINISTRATOR)
    const highest = 'The role is higher than your highest role.'
    const notBelow = 'The highest role of the member is not lower than your highest role.'
    const ungrantable = 'You can only change permissions that you have. You do not have: '
    const refusals: [string, string, unknown, string][] = [
      ['PATCH', `${roles}/${above.id}`, { name: 'mine' }, highest],
      ['PATCH', `${roles}/${staffId}`, { position: 8 }, highest],
      ['DELETE', `${roles}/${above.id}`, undefined, highest],
      ['PUT', `${member}/roles/${above.id}`, undefined, highest],
      ['POST', roles, { name: 'higher', permissions: '0', position: 6 }, highest],
      ['POST', roles, { name: 'admin', permissions: administrator }, `${ungrantable}ADMINISTRATOR.`],
      ['PATCH', `${roles}/${staffId}`, { permissions: administrator }, `${ungrantable}ADMINISTRATOR.`],
      [
        'PUT',
        `/api/channels/${channelId}/overwrites/${serverId}`,
        { type: 'role', allow: formatPermissions(Permission.MANAGE_WEBHOOKS), deny: '0' },
        `${ungrantable}MANAGE_WEBHOOKS.`,
      ],
      ['DELETE', `/api/servers/${serverId}/members/${other.userId}`, undefined, notBelow],
      ['PUT', `/api/servers/${serverId}/bans/${other.userId}`, {}, notBelow],
      ['PATCH', `/api/servers/${serverId}/members/${other.userId}`, { timedOutUntil: null }, notBelow],
      // The owner of the server also owns the application of the bot: the bot has none of their permissions.
      ['DELETE', `/api/servers/${serverId}/members/${owner.id}`, undefined, notBelow],
      ['PATCH', `/api/servers/${serverId}`, { name: 'Mine' }, 'Missing permission: MANAGE_SERVER.'],
    ]
    for (const caller of world.callers) {
      for (const [method, path, body, message] of refusals) {
        const reply = await caller.send(method, path, body)
        assert.equal(reply.status, 403, `${method} ${path} as ${caller.kind}: ${reply.text}`)
        assert.equal(reply.body.code, 'missing_permission')
        assert.match(
          reply.body.message,
          new RegExp(message.slice(0, 50)),
          `${method} ${path} as ${caller.kind}`,
        )
      }
      const made = await caller.send('POST', roles, {
        name: 'allowed',
        permissions: formatPermissions(VIEW_CHANNEL | KICK_MEMBERS),
      })
      assert.equal(made.status, 201, made.text)
    }
  },
)

eachService('a bot leaves a server, and then gets 404 for it (bots/bot-is-member)', async (_t, service) => {
  const world = await createWorld(service)
  const [, bot] = world.callers
  assert.ok(bot)
  const path = `/api/servers/${world.serverId}`
  assert.equal((await bot.send('DELETE', `${path}/members/@me`)).status, 204)
  assert.equal((await bot.send('GET', path)).status, 404)
  assert.equal((await bot.send('GET', `${path}/members`)).status, 404)
  assert.deepEqual((await bot.send('GET', '/api/users/@me/servers')).body, [])
  assert.deepEqual((await world.owner.client.get(`${path}/integrations`)).body, [])
})

eachService(
  'the rates of a bot are its own: those of its owner do not count (limits/rates, bots/bot-is-member)',
  async (_t, service) => {
    const world = await createWorld(service)
    await setStaff(world, Permission.MANAGE_CHANNELS)
    const [, bot] = world.callers
    assert.ok(bot)
    const path = `/api/servers/${world.serverId}/channels`
    for (let i = 0; i < 2; i++) assert.equal((await bot.send('POST', path, { name: `c${i}` })).status, 201)
    const refused = await bot.send('POST', path, { name: 'more' })
    assert.equal(refused.status, 429)
    assert.equal(refused.body.code, 'rate_limited')
    assert.equal((await world.owner.client.json('POST', path, { name: 'mine' })).status, 201)
  },
  { env: { RATE_LIMITS: 'channels=2/600' } },
)

/** What the caller gets with the request. Each check is a reason for the permission. */
type Effect = (world: World, person: Caller, bot: Caller) => Promise<unknown>

const stepEffect =
  (operationId: string): Effect =>
  async (world, person) => {
    const step = steps[operationId]
    assert.ok(step, operationId)
    return (await send(world, person, operationId, step)).status < 300
  }

/** A channel in which everybody may also do this. */
async function channelThatAllows(world: World, permissions: bigint): Promise<string> {
  const { id } = await channel(world)
  const overwrite = { type: 'role', allow: formatPermissions(permissions), deny: '0' }
  await world.owner.client.request('PUT', `/api/channels/${id}/overwrites/${world.serverId}`, overwrite)
  return id
}

const effects: Record<PermissionName, Effect> = {
  KICK_MEMBERS: stepEffect('removeMember'),
  BAN_MEMBERS: stepEffect('createBan'),
  ADMINISTRATOR: stepEffect('updateServer'),
  MANAGE_CHANNELS: stepEffect('updateChannel'),
  MANAGE_SERVER: stepEffect('updateServer'),
  async VIEW_CHANNEL(world, person) {
    const { serverId, owner } = world
    const { id } = await channel(world)
    const everyone = `/api/servers/${serverId}/roles/${serverId}`
    await owner.client.request('PATCH', everyone, { permissions: '0' })
    const { status } = await person.send('GET', `/api/channels/${id}`)
    const permissions = formatPermissions(Permission.VIEW_CHANNEL)
    await owner.client.request('PATCH', everyone, { permissions })
    return status === 200
  },
  SEND_MESSAGES: stepEffect('createMessage'),
  MANAGE_MESSAGES: stepEffect('deleteMessage'),
  // Only bots send embeds.
  async EMBED_LINKS(world, _person, bot) {
    const id = await channelThatAllows(world, Permission.SEND_MESSAGES)
    const { status } = await bot.send('POST', `/api/channels/${id}/messages`, { embeds: [{ title: 'Card' }] })
    return status === 201
  },
  async MENTION_EVERYONE(world, person) {
    const id = await channelThatAllows(world, Permission.SEND_MESSAGES)
    const { body } = await person.send('POST', `/api/channels/${id}/messages`, { content: '@everyone' })
    return body.mentions.everyone
  },
  MANAGE_ROLES: stepEffect('createRole'),
  MANAGE_WEBHOOKS: stepEffect('createWebhook'),
  async USE_COMMANDS(world, person, bot) {
    await bot.send('PUT', '/api/applications/@me/commands', [{ name: 'go', description: 'Goes' }])
    const id = await channelThatAllows(world, Permission.SEND_MESSAGES)
    return (await person.send('GET', `/api/channels/${id}/commands`)).body.length === 1
  },
  MODERATE_MEMBERS: stepEffect('updateMember'),
}

eachService(
  'each permission lets a member do what nobody can without it (community/permission-effects)',
  async (_t, service) => {
    const world = await createWorld(service)
    const [person, bot] = world.callers
    assert.ok(person && bot)
    assert.deepEqual(Object.keys(effects).toSorted(), Object.keys(Permission).toSorted())
    for (const [name, bit] of Object.entries(Permission)) {
      const effect = effects[name as PermissionName]
      await setStaff(world, 0n)
      assert.equal(await effect(world, person, bot), false, `without ${name}`)
      await setStaff(world, bit)
      assert.equal(await effect(world, person, bot), true, `with ${name}`)
    }
  },
)
