import assert from 'node:assert/strict'
import type { InteractionCreate } from '@gatehouse/protocol/interactions'
import { formatPermissions, Permission } from '@gatehouse/protocol/permissions'
import { eachService, type TestClient, type TestResponse } from '@gatehouse/testkit/service'
import { waitUntil } from '@gatehouse/testkit/wait-until'
import { createWorld, receivedEvent, runCommand, type World } from '../interactions/interactions-testing.ts'
import { authorizePath, makeApplication, type TestApplication, tokensFor } from '../oauth/oauth-testing.ts'
import type { Database } from '../storage/database.ts'
import { createWebhook } from '../webhooks/webhooks-testing.ts'
import { listReadStates } from './read-state/index.ts'

/** More than a sweep deletes with one statement. */
const many = 250

/** A community in which every parent has `many` rows. */
interface Filled {
  world: World
  roleId: string
  invitePath: string
  webhookPath: string
  /** Of the interaction that waits for the response of the bot. */
  callback: () => Promise<TestResponse>
  interactionId: string
  messageId: string
  token: string
  application: TestApplication
}

async function fill(world: World): Promise<Filled> {
  const { service, owner, ann, serverId, channelId, bot, commands } = world
  const { db } = service
  await bot.connect()
  const event = await receivedEvent(world, runCommand(world, 'ping'))
  const created = await owner.client.json('POST', `/api/servers/${serverId}/roles`, {
    name: 'Crew',
    permissions: '2',
  })
  const roleId: string = created.body.id
  await owner.client.json('PUT', `/api/servers/${serverId}/members/${ann.id}/roles/${roleId}`)
  const invite = await owner.client.json('POST', `/api/servers/${serverId}/invites`, {})
  const webhook = await createWebhook(owner, channelId)
  const sent = await owner.client.json('POST', `/api/channels/${channelId}/messages`, { content: 'hello' })
  const application = { ...(await makeApplication(owner)), id: bot.applicationId }
  const { body } = await owner.client.json('POST', `/api/applications/${bot.applicationId}/secret`)
  application.secret = body.clientSecret
  const { access_token: token } = await tokensFor(service, ann, application, { scope: 'identify' })
  await db.run`
    WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ${many})
    INSERT INTO messages (id, channel_id, server_id, author_id, content, embeds, components, mentions, state,
      created_at)
    SELECT CAST(100000000000000000 + i AS TEXT), CAST(${channelId} AS TEXT), CAST(${serverId} AS TEXT),
      CAST(${ann.id} AS TEXT), 'old',
      '[]', '[]', '', 'sent', 0 FROM n`
  await db.run`
    WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ${many})
    INSERT INTO users (id, username, display_name, created_at)
    SELECT CAST(100000000000000000 + i AS TEXT), 'user' || CAST(i AS TEXT), 'User', 0 FROM n`
  await db.run`
    INSERT INTO members (server_id, user_id, joined_at) SELECT CAST(${serverId} AS TEXT), id, 0 FROM users
      WHERE username LIKE 'user%'`
  await db.run`
    INSERT INTO member_roles (server_id, user_id, role_id)
    SELECT m.server_id, m.user_id, CAST(${roleId} AS TEXT) FROM members m JOIN users u ON u.id = m.user_id
    WHERE u.username LIKE 'user%'`
  await db.run`
    WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ${many})
    INSERT INTO oauth_grants (id, application_id, user_id, scope, auth_time, amr, sid, code_hash, expires_at)
    SELECT CAST(100000000000000000 + i AS TEXT), CAST(${bot.applicationId} AS TEXT), CAST(${ann.id} AS TEXT),
      'identify', 0, '[]', 's', 'c',
      9000000000000 FROM n`
  await db.run`
    WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ${many})
    INSERT INTO command_overrides (server_id, command_id, position, application_id, user_id, allow)
    SELECT CAST(${serverId} AS TEXT), CAST(${commands.ping ?? ''} AS TEXT), i, CAST(${bot.applicationId} AS TEXT),
      CAST(${ann.id} AS TEXT), 1 FROM n`
  return {
    world,
    roleId,
    invitePath: `/api/invites/${invite.body.code}`,
    webhookPath: new URL(webhook.url).pathname,
    callback: () => bot.callback(event, { type: 'message', data: { content: 'late' } }),
    interactionId: event.id,
    messageId: sent.body.id,
    token,
    application,
  }
}

async function assertMissing(replies: Record<string, Promise<TestResponse>>, status = 404): Promise<void> {
  for (const [name, reply] of Object.entries(replies)) assert.equal((await reply).status, status, name)
}

async function assertNothingOfChannel(filled: Filled): Promise<void> {
  const { world, webhookPath, callback, messageId } = filled
  const path = `/api/channels/${world.channelId}`
  for (const { client } of [world.owner, world.ann]) {
    await assertMissing({
      channel: client.json('PATCH', path, { name: 'again' }),
      messages: client.get(`${path}/messages`),
      'new message': client.json('POST', `${path}/messages`, { content: 'x' }),
      'edited message': client.json('PATCH', `${path}/messages/${messageId}`, { content: 'x' }),
      'deleted message': client.json('DELETE', `${path}/messages/${messageId}`),
      commands: client.get(`${path}/commands`),
      webhooks: client.get(`${path}/webhooks`),
      interaction: runCommand(world, 'ping'),
    })
  }
  await assertMissing({
    'webhook post': world.service.client().json('POST', webhookPath, { content: 'x' }),
    webhook: world.service.client().get(webhookPath),
    callback: callback(),
  })
}

interface Parent {
  path: (filled: Filled) => string
  request?: (filled: Filled) => Promise<TestResponse>
  /** The rows that the request must not delete. */
  count: (db: Database) => Promise<{ n: number } | undefined>
  assertGone: (filled: Filled) => Promise<void>
}

const idsOf = (reply: TestResponse): string[] => reply.body.map(({ id }: { id: string }) => id)
const bearer = (client: TestClient, path: string, token: string) =>
  client.get(path, { authorization: `Bearer ${token}` })

const parents: Record<string, Parent> = {
  channel: {
    path: ({ world }) => `/api/channels/${world.channelId}`,
    count: db => db.get`SELECT COUNT(*) AS n FROM messages`,
    async assertGone(filled) {
      await assertNothingOfChannel(filled)
      const { owner, serverId, channelId } = filled.world
      const channels = await owner.client.get(`/api/servers/${serverId}/channels`)
      assert.equal(idsOf(channels).includes(channelId), false)
    },
  },
  server: {
    path: ({ world }) => `/api/servers/${world.serverId}`,
    count: db => db.get`SELECT COUNT(*) AS n FROM members`,
    async assertGone(filled) {
      const { world, invitePath } = filled
      await assertNothingOfChannel(filled)
      const path = `/api/servers/${world.serverId}`
      for (const { client, id } of [world.owner, world.ann]) {
        assert.deepEqual(idsOf(await client.get('/api/users/@me/servers')), [])
        await assertMissing({
          server: client.get(path),
          members: client.get(`${path}/members`),
          roles: client.get(`${path}/roles`),
          channels: client.get(`${path}/channels`),
          bans: client.json('PUT', `${path}/bans/${id}`, {}),
          invites: client.get(`${path}/invites`),
          invite: client.get(invitePath),
          join: client.json('POST', invitePath),
          integrations: client.get(`${path}/integrations`),
        })
      }
      const botPath = `/api/applications/@me/servers/${world.serverId}/commands`
      await assertMissing({
        commands: world.bot.json('GET', botPath),
        set: world.bot.json('PUT', botPath, []),
      })
      // They have no server together any more.
      const direct = await world.owner.client.json('POST', '/api/users/@me/channels', {
        recipientId: world.ann.id,
      })
      assert.equal(direct.status, 404)
    },
  },
  role: {
    path: ({ world, roleId }) => `/api/servers/${world.serverId}/roles/${roleId}`,
    count: db => db.get`SELECT COUNT(*) AS n FROM member_roles`,
    async assertGone({ world: { owner, ann, serverId }, roleId }) {
      const path = `/api/servers/${serverId}`
      assert.equal(idsOf(await owner.client.get(`${path}/roles`)).includes(roleId), false)
      const member = await owner.client.get(`${path}/members/${ann.id}`)
      assert.deepEqual(member.body.roles, [])
      const members: { roles: string[] }[] = (await owner.client.get(`${path}/members?limit=100`)).body
      assert.equal(
        members.some(({ roles }) => roles.includes(roleId)),
        false,
      )
      await assertMissing({
        role: owner.client.json('PATCH', `${path}/roles/${roleId}`, { name: 'x' }),
        'role of member': owner.client.json('PUT', `${path}/members/${ann.id}/roles/${roleId}`),
      })
      // The permission of the role, KICK_MEMBERS.
      assert.equal((await ann.client.json('DELETE', `${path}/members/${owner.id}`)).status, 403)
    },
  },
  application: {
    path: ({ world }) => `/api/applications/${world.bot.applicationId}`,
    count: db => db.get`SELECT COUNT(*) AS n FROM oauth_grants`,
    async assertGone({ world, token, callback, interactionId, application }) {
      const { owner, ann, service, bot, channelId, serverId } = world
      assert.equal(idsOf(await owner.client.get('/api/applications')).includes(bot.applicationId), false)
      await assertMissing({
        application: owner.client.get(`/api/applications/${bot.applicationId}`),
        interaction: runCommand(world, 'ping'),
      })
      assert.equal((await bearer(service.client(), '/api/users/@me', token)).status, 401)
      assert.equal((await bot.json('GET', '/api/users/@me')).status, 401)
      assert.ok([401, 404].includes((await callback()).status))
      assert.equal((await ann.client.get(authorizePath(application))).status, 400)
      assert.deepEqual((await ann.client.get(`/api/channels/${channelId}/commands`)).body, [])
      assert.deepEqual((await owner.client.get(`/api/servers/${serverId}/integrations`)).body, [])
      assert.deepEqual((await ann.client.get('/api/users/@me/authorizations')).body, [])
      await assertMissing({
        authorization: ann.client.json('DELETE', `/api/users/@me/authorizations/${bot.applicationId}`),
        'status of the interaction': ann.client.get(`/api/interactions/${interactionId}`),
      })
    },
  },
  'set of commands': {
    path: () => '/api/applications/@me/commands',
    request: ({ world }) => world.bot.json('PUT', '/api/applications/@me/commands', []),
    count: db => db.get`SELECT COUNT(*) AS n FROM command_overrides`,
    async assertGone({ world }) {
      const { owner, ann, bot, channelId } = world
      assert.deepEqual((await bot.json('GET', '/api/applications/@me/commands')).body, [])
      assert.deepEqual((await owner.client.get(`/api/applications/${bot.applicationId}/commands`)).body, [])
      assert.deepEqual((await ann.client.get(`/api/channels/${channelId}/commands`)).body, [])
      await assertMissing({ interaction: runCommand(world, 'ping') })
      // The name is free.
      const again = await bot.json('PUT', '/api/applications/@me/commands', [
        { name: 'ping', description: 'Again' },
      ])
      assert.notEqual(again.body[0].id, world.commands.ping)
    },
  },
}

for (const [name, { path, request, count, assertGone }] of Object.entries(parents)) {
  eachService(
    `limits/deletion: nothing of a deleted ${name} is visible at once, and the sweep deletes the rows in batches`,
    async (_t, service) => {
      const { db, clock } = service
      const filled = await fill(await createWorld(service))
      const send = request ?? (filled => filled.world.owner.client.json('DELETE', path(filled)))
      const reply = await send(filled)
      assert.ok(reply.status < 300, reply.text)
      await assertGone(filled)
      assert.ok(((await count(db))?.n ?? 0) >= many, 'the request has not deleted the rows')

      const changed: number[] = []
      const run = db.run.bind(db)
      db.run = async (...statement) => {
        const rows = await run(...statement)
        changed.push(rows)
        return rows
      }
      clock.advance(60_000)
      await waitUntil(async () => ((await count(db))?.n ?? many) < many / 10)
      assert.ok(Math.max(...changed) <= 100, `${changed}`)
    },
  )
}

async function createRole({ owner, serverId }: World, permissions: bigint): Promise<string> {
  const role = { name: 'Staff', permissions: formatPermissions(permissions) }
  return (await owner.client.request<{ id: string }>('POST', `/api/servers/${serverId}/roles`, role)).id
}

eachService(
  'limits/deletion: a bot may not respond in a channel that it could view only with a deleted role',
  async (_t, service) => {
    const world = await createWorld(service)
    const { owner, bot, serverId } = world
    const roles = `/api/servers/${serverId}/roles`
    await owner.client.request('PATCH', `${roles}/${serverId}`, { permissions: '0' })
    const roleId = await createRole(world, Permission.VIEW_CHANNEL)
    await owner.client.request('PUT', `/api/servers/${serverId}/members/${bot.botId}/roles/${roleId}`)
    await bot.connect()
    const run = () => runCommand(world, 'ping', {}, owner)
    const answer = (event: InteractionCreate) =>
      bot.callback(event, { type: 'message', data: { content: 'pong' } })
    assert.equal((await answer(await receivedEvent(world, run()))).status, 200)
    const late = await receivedEvent(world, run())
    await owner.client.request('DELETE', `${roles}/${roleId}`)
    await assertMissing({ callback: answer(late) })
  },
)

eachService('limits/deletion: mentions of a deleted role do not count', async (_t, service) => {
  const world = await createWorld(service)
  const { owner, ann, serverId, channelId } = world
  const roleId = await createRole(world, 0n)
  await owner.client.request('PUT', `/api/servers/${serverId}/members/${ann.id}/roles/${roleId}`)
  await owner.client.request('POST', `/api/channels/${channelId}/messages`, { content: `<@&${roleId}>` })
  const count = async () => (await listReadStates(service.db, ann.id, [channelId]))[0]?.mentionCount
  assert.equal(await count(), 1)
  await owner.client.request('DELETE', `/api/servers/${serverId}/roles/${roleId}`)
  assert.equal(await count(), 0)
})

eachService(
  'limits/deletion: overrides of deleted roles, channels and commands are not listed and do not count',
  async (_t, service) => {
    const world = await createWorld(service)
    const { owner, serverId, bot, commands } = world
    const { db } = service
    const roleId = await createRole(world, 0n)
    const channel = await owner.client.request<{ id: string }>('POST', `/api/servers/${serverId}/channels`, {
      name: 'hidden',
    })
    const path = (name: string) => `/api/servers/${serverId}/commands/${commands[name]}/permissions`
    const ofRole = { type: 'role', id: roleId, allow: true }
    const overrides = [ofRole, { type: 'channel', id: channel.id, allow: true }]
    await owner.client.request('PUT', path('ping'), overrides)
    // As many as the server may have.
    await db.run`
      WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 1998)
      INSERT INTO command_overrides (server_id, command_id, position, application_id, role_id, allow)
      SELECT CAST(${serverId} AS TEXT), CAST(${commands.ping ?? ''} AS TEXT), 100 + i,
        CAST(${bot.applicationId} AS TEXT),
        CAST(${roleId} AS TEXT), 1 FROM n`
    const put = () =>
      owner.client.json('PUT', path('roll'), [{ type: 'user', id: world.ann.id, allow: true }])
    assert.equal((await put()).status, 409)

    await owner.client.request('DELETE', `/api/servers/${serverId}/roles/${roleId}`)
    await owner.client.request('DELETE', `/api/channels/${channel.id}`)
    const listed: { name: string; overrides: unknown[] }[] = (
      await owner.client.get(`/api/servers/${serverId}/commands/permissions`)
    ).body
    assert.deepEqual(listed.find(({ name }) => name === 'ping')?.overrides, [])
    const again = await owner.client.json('PUT', path('ping'), [ofRole])
    assert.equal(again.body.errors?.[0].code, 'unknown_role', again.text)
    assert.equal((await put()).status, 200)
    service.clock.advance(60_000)
    await waitUntil(async () => {
      const row = await db.get<{ n: number }>`SELECT COUNT(*) AS n FROM command_overrides`
      return row?.n === 1
    })
  },
)

eachService('limits/deletion: one sweep deletes any number of parents', async (_t, service) => {
  const { db, clock } = service
  const { owner, bot, commands } = await createWorld(service)
  await db.run`
    WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ${many})
    INSERT INTO commands (id, application_id, server_id, type, name, description, localizations, options,
      position, created_at,
      updated_at, deleted_at)
    SELECT 'x' || CAST(i AS TEXT), CAST(${bot.applicationId} AS TEXT), 'deleted', 'slash',
      'x' || CAST(i AS TEXT), 'x', '{}', '[]',
      0, 0, 0, 0 FROM n`
  clock.advance(60_000)
  await waitUntil(async () => (await db.get<{ n: number }>`SELECT COUNT(*) AS n FROM commands`)?.n === 2)
  const left = await owner.client.get(`/api/applications/${bot.applicationId}/commands`)
  assert.deepEqual(idsOf(left).sort(), Object.values(commands).sort())
})
