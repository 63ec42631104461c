import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { formatPermissions, Permission } from '@gatehouse/protocol/permissions'
import { addBot, createBotApplication } from '@gatehouse/testkit/applications'
import { createServer, register, type TestUser } from '@gatehouse/testkit/community'
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
  'a bot may use all endpoints of users but those in docs/spec/bots.md, which are 403 with ' +
    'the reason (bots/people-only)',
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
      assert.equal(reply.body.code, 'credential_not_accepted')
      assert.match(reply.body.message, /^A bot token is not accepted\. Send a session cookie \(sign in\)/)
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
        send: (method, path, body) => person.client.json(method, path, body),
      },
      {
        kind: 'bot',
        id: bot.botId,
        send: (method, path, body) => anyone.json(method, path, body, { authorization: `Bot ${bot.token}` }),
      },
    ],
  }
}

async function setStaff({ owner, serverId, staffId }: World, permissions: bigint): Promise<void> {
  const path = `/api/servers/${serverId}/roles/${staffId}`
  await owner.client.request('PATCH', path, { permissions: formatPermissions(permissions) })
}

function make(world: World, path: string, body: object): Promise<Record<string, string>> {
  return world.owner.client.request('POST', path, body)
}

async function channel(world: World) {
  const { id = '' } = await make(world, `/api/servers/${world.serverId}/channels`, { name: 'new' })
  return { id }
}

/** A member without roles, who may have been removed or banned before. */
async function newMember({ owner, other, serverId }: World) {
  const path = `/api/servers/${serverId}`
  await owner.client.json('DELETE', `${path}/bans/${other.id}`)
  const { code } = await owner.client.request<{ code: string }>('POST', `${path}/invites`, {})
  await other.client.json('POST', `/api/invites/${code}`)
  return { id: serverId, userId: other.id }
}

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
    const keepsPlace = 'Your highest role and the roles above it must keep their places'
    const notBelow = 'The highest role of the member is not lower than your highest role.'
    const ungrantable = 'You can only change permissions that you have. You do not have: '
    const refusals: [string, string, unknown, string][] = [
      ['PATCH', `${roles}/${above.id}`, { name: 'mine' }, highest],
      ['PATCH', `${roles}/${staffId}`, { position: 10 }, keepsPlace],
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

/** A channel in which everybody may also do this. */
async function channelThatAllows(world: World, permissions: bigint): Promise<string> {
  const { id } = await channel(world)
  const overwrite = { type: 'role', allow: formatPermissions(permissions), deny: '0' }
  await world.owner.client.request('PUT', `/api/channels/${id}/overwrites/${world.serverId}`, overwrite)
  return id
}

eachService(
  'EMBED_LINKS and MENTION_EVERYONE let a member do what nobody can without it (community/permission-effects)',
  async (_t, service) => {
    const world = await createWorld(service)
    const [person, bot] = world.callers
    assert.ok(person && bot)
    const id = await channelThatAllows(world, Permission.SEND_MESSAGES)
    const path = `/api/channels/${id}/messages`
    for (const isAllowed of [false, true]) {
      await setStaff(world, isAllowed ? Permission.EMBED_LINKS | Permission.MENTION_EVERYONE : 0n)
      // Only bots send embeds.
      const { status } = await bot.send('POST', path, { embeds: [{ title: 'Card' }] })
      assert.equal(status, isAllowed ? 201 : 403)
      const message: TestResponse = await person.send('POST', path, { content: '@everyone' })
      assert.equal(message.body.mentions.everyone, isAllowed)
    }
  },
)
