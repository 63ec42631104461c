import assert from 'node:assert/strict'
import { formatPermissions, Permission } from '@gatehouse/protocol/permissions'
import { createServer, register, type TestUser } from '@gatehouse/testkit/community'
import { sendWhileLocked } from '@gatehouse/testkit/locks'
import { eachService, type TestResponse, type TestService } from '@gatehouse/testkit/service'
import { subjects, subscribeToEvents } from '../../events/gateway-events.ts'
import type { Transaction } from '../../storage/database.ts'

const missing = { code: 'missing_permission', message: 'Missing permission: BAN_MEMBERS.' }
const aboveMessage = 'The highest role of the member is not lower than your highest role.'

/** The owner, a moderator with BAN_MEMBERS, a member, and a user who is not a member. */
async function setUp(service: TestService) {
  const [owner, moderator, member, stranger] = [
    await register(service, 'owner'),
    await register(service, 'moderator'),
    await register(service, 'member'),
    await register(service, 'stranger'),
  ]
  const { server, general } = await createServer(owner, moderator, member)
  const { id: roleId } = await owner.client.request<{ id: string }>(
    'POST',
    `/api/servers/${server.id}/roles`,
    {
      name: 'Moderators',
      permissions: formatPermissions(Permission.BAN_MEMBERS),
      position: 5,
    },
  )
  const path = `/api/servers/${server.id}`
  await owner.client.request('PUT', `${path}/members/${moderator.id}/roles/${roleId}`)
  return {
    service,
    owner,
    moderator,
    member,
    stranger,
    path,
    serverId: server.id,
    channelId: general.id,
    roleId,
  }
}

function ban(by: TestUser, path: string, userId: string, body: object = {}): Promise<TestResponse> {
  return by.client.json('PUT', `${path}/bans/${userId}`, body)
}

async function invite(by: TestUser, path: string): Promise<string> {
  return (await by.client.request<{ code: string }>('POST', `${path}/invites`, {})).code
}

function viewOf({ id, username }: TestUser) {
  return { id, username, displayName: username, avatar: `/images/users/${id}/default`, bot: false }
}

eachService('a ban of 0.3.0 has no moderator and no date (community/bans)', async (_t, service) => {
  const { moderator, stranger, path, serverId } = await setUp(service)
  await service.db.run`INSERT INTO bans (server_id, user_id) VALUES (${serverId}, ${stranger.id})`
  const { body } = await moderator.client.get(`${path}/bans`)
  assert.deepEqual(body, [{ user: viewOf(stranger), reason: null, moderator: null, createdAt: null }])
})

eachService(
  'PUT /api/servers/:id/bans/:userId: removes the member at once, who can neither see the ' +
    'server nor join it again (community/bans)',
  async (_t, service) => {
    const { owner, moderator, member, path, channelId } = await setUp(service)
    const code = await invite(owner, path)
    const reply = await ban(moderator, path, member.id, { reason: ' Spam\u202e ' })
    assert.equal(reply.status, 204, reply.text)
    assert.equal(reply.text, '')
    assert.equal((await member.client.get(path)).status, 404)
    assert.equal((await member.client.get(`/api/channels/${channelId}/messages`)).status, 404)
    assert.deepEqual((await member.client.get('/api/users/@me/servers')).body, [])
    const joined = await member.client.json('POST', `/api/invites/${code}`)
    assert.equal(joined.status, 403)
    assert.deepEqual(joined.body, { code: 'banned', message: 'You are banned from this server.' })
    const { uses } = (await owner.client.get(`${path}/invites`)).body.find(
      (one: { code: string }) => one.code === code,
    )
    assert.equal(uses, 0, 'the invite is not used up')
    const found = await moderator.client.get(`${path}/bans/${member.id}`)
    assert.equal(found.status, 200)
    const createdAt = new Date(service.clock.now()).toISOString()
    const expected = { user: viewOf(member), reason: 'Spam', moderator: viewOf(moderator), createdAt }
    assert.deepEqual(found.body, expected)
    assert.deepEqual((await owner.client.get(`${path}/bans`)).body, [expected])
    // Another ban replaces the reason. The moderator and the date stay.
    service.clock.advance(60_000)
    await ban(owner, path, member.id, { reason: 'Much spam' })
    const replaced = await moderator.client.get(`${path}/bans/${member.id}`)
    assert.deepEqual(replaced.body, { ...expected, reason: 'Much spam' })
  },
)

eachService(
  'a ban of a user who is not a member, twice, and its end (community/bans)',
  async (_t, service) => {
    const { owner, moderator, stranger, path } = await setUp(service)
    const one = `${path}/bans/${stranger.id}`
    assert.equal((await moderator.client.get(one)).status, 404)
    assert.equal((await moderator.client.json('DELETE', one)).status, 404)
    assert.equal((await ban(moderator, path, stranger.id, { reason: 'first' })).status, 204)
    assert.equal((await ban(moderator, path, stranger.id, { reason: 'second' })).status, 204)
    assert.equal((await moderator.client.get(one)).body.reason, 'second')
    assert.equal((await ban(moderator, path, stranger.id, { reason: '' })).status, 204)
    assert.equal((await moderator.client.get(one)).body.reason, null)
    const code = await invite(owner, path)
    assert.equal((await stranger.client.json('POST', `/api/invites/${code}`)).status, 403)
    assert.equal((await moderator.client.json('DELETE', one)).status, 204)
    assert.equal((await moderator.client.get(one)).status, 404)
    assert.equal((await stranger.client.json('POST', `/api/invites/${code}`)).status, 200)
  },
)

eachService(
  'bans need BAN_MEMBERS and a higher role; nobody bans the owner or themselves (community/bans)',
  async (_t, service) => {
    const { owner, moderator, member, stranger, path, roleId } = await setUp(service)
    for (const [method, suffix] of [
      ['GET', ''],
      ['GET', `/${owner.id}`],
      ['PUT', `/${owner.id}`],
      ['DELETE', `/${owner.id}`],
    ] as const) {
      const body = method === 'PUT' ? {} : undefined
      const refused = await member.client.json(method, `${path}/bans${suffix}`, body)
      assert.equal(refused.status, 403, refused.text)
      assert.deepEqual(refused.body, missing)
      assert.equal((await stranger.client.json(method, `${path}/bans${suffix}`, body)).status, 404)
    }
    await owner.client.request('PUT', `${path}/members/${member.id}/roles/${roleId}`)
    for (const above of [owner, member]) {
      const refused = await ban(moderator, path, above.id)
      assert.equal(refused.status, 403)
      assert.equal(refused.body.message, aboveMessage)
    }
    for (const self of [owner, moderator]) {
      const refused = await ban(self, path, self.id)
      assert.equal(refused.status, 409)
      assert.deepEqual(refused.body, { code: 'conflict', message: 'You cannot ban yourself.' })
    }
    assert.equal((await ban(moderator, path, '1234567890123456789')).status, 404, 'no such user')
    assert.equal((await member.client.get(path)).status, 200)
  },
)

eachService(
  'a reason that is too long, or more than 7 days, is 400 (community/bans)',
  async (_t, service) => {
    const { moderator, member, path } = await setUp(service)
    for (const [body, field] of [
      [{ reason: 'a'.repeat(513) }, 'reason'],
      [{ deleteMessageSeconds: 604_801 }, 'deleteMessageSeconds'],
      [{ deleteMessageSeconds: -1 }, 'deleteMessageSeconds'],
      [{ days: 1 }, 'days'],
    ] as const) {
      const reply = await ban(moderator, path, member.id, body)
      assert.equal(reply.status, 400, reply.text)
      assert.equal(reply.body.errors[0].path, field)
    }
    assert.equal((await ban(moderator, path, member.id, { reason: 'a'.repeat(512) })).status, 204)
  },
)

eachService(
  'deleteMessageSeconds deletes the messages of the user since then, and no others (community/bans)',
  async (_t, service) => {
    const { owner, moderator, member, path, channelId } = await setUp(service)
    const { id: secondId } = await owner.client.request<{ id: string }>('POST', `${path}/channels`, {
      name: 'second',
    })
    const direct = await member.client.request<{ id: string }>('POST', '/api/users/@me/channels', {
      recipientId: owner.id,
    })
    const post = (by: TestUser, id: string, content: string) =>
      by.client.request('POST', `/api/channels/${id}/messages`, { content })
    await post(member, channelId, 'old')
    service.clock.advance(60_000)
    await post(member, channelId, 'new')
    await post(owner, channelId, 'of another')
    await post(member, secondId, 'in another channel')
    await post(member, direct.id, 'direct')
    // More than one slice.
    for (let i = 0; i < 205; i++) await post(i % 2 ? owner : member, secondId, `number ${i}`)
    service.clock.advance(10_000)
    assert.equal((await ban(moderator, path, member.id, { deleteMessageSeconds: 30 })).status, 204)
    const contents = async (id: string) =>
      (await owner.client.get(`/api/channels/${id}/messages?limit=100`)).body.map(
        (message: { content: string }) => message.content,
      )
    assert.deepEqual(await contents(channelId), ['of another', 'old'])
    assert.deepEqual(await contents(direct.id), ['direct'])
    const rest: string[] = await contents(secondId)
    assert.equal(rest.length, 100)
    assert.ok(rest.every(content => Number(content.slice(7)) % 2 === 1))
    // A repeat deletes older messages too.
    assert.equal((await ban(moderator, path, member.id, { deleteMessageSeconds: 604_800 })).status, 204)
    assert.deepEqual(await contents(channelId), ['of another'])
  },
)

eachService('GET /api/servers/:id/bans: by user id, in pages (community/bans)', async (_t, service) => {
  const { moderator, member, stranger, path, serverId } = await setUp(service)
  const third = await register(service, 'third')
  const bans = `/api/servers/${serverId}/bans`
  for (const user of [third, stranger, member]) await ban(moderator, path, user.id, { reason: user.username })
  const list = async (query = '') => {
    const reply = await moderator.client.get(bans + query)
    assert.equal(reply.status, 200)
    return reply.body.map((one: { reason: string }) => one.reason)
  }
  assert.deepEqual(await list(), ['member', 'stranger', 'third'])
  assert.deepEqual(await list('?limit=2'), ['member', 'stranger'])
  assert.deepEqual(await list(`?after=${member.id}&limit=1`), ['stranger'])
  assert.deepEqual(await list(`?before=${third.id}&limit=1`), ['stranger'])
  assert.equal((await moderator.client.get(`${bans}?limit=0`)).status, 400)
})

eachService(
  'a ban and the use of an invite at the same time never leave a banned member (community/bans)',
  async (_t, service) => {
    const { owner, moderator, stranger, path } = await setUp(service)
    const code = await invite(owner, path)
    for (let i = 0; i < 5; i++) {
      await Promise.all([
        ban(moderator, path, stranger.id),
        stranger.client.json('POST', `/api/invites/${code}`),
      ])
      assert.equal((await stranger.client.get(path)).status, 404)
      assert.equal((await moderator.client.json('DELETE', `${path}/bans/${stranger.id}`)).status, 204)
    }
  },
)

eachService(
  'a message that is sent while its author is banned is deleted or rejected (community/bans)',
  async (_t, service) => {
    const { owner, moderator, member, path, channelId } = await setUp(service)
    const messages = `/api/channels/${channelId}/messages`
    const code = await invite(owner, path)
    const events: { t: string; id: string }[] = []
    await subscribeToEvents(service.bus, subjects.channel(channelId), ({ t, d }) =>
      events.push({ t, id: (d as { id: string }).id }),
    )
    const idsOf = (name: string) => events.filter(({ t }) => t === name).map(({ id }) => id)
    // The message waits after the permissions were checked: before it is stored, or until it is committed.
    const beforeInsert = (tx: Transaction) => tx.run`LOCK TABLE messages IN SHARE MODE`
    const beforeCommit = (tx: Transaction) =>
      tx.get`SELECT 1 AS one FROM channels WHERE id = ${channelId} FOR UPDATE`
    for (const lock of [beforeInsert, beforeCommit]) {
      for (const content of ['hello', `hello <@${owner.id}>`]) {
        const [sent, banned] = await sendWhileLocked(
          service,
          lock,
          () => member.client.json('POST', messages, { content }),
          () => ban(moderator, path, member.id, { deleteMessageSeconds: 60 }),
        )
        assert.ok(sent.status === 201 || sent.status === 404, sent.text)
        assert.equal(banned.status, 204, banned.text)
        assert.deepEqual((await owner.client.get(messages)).body, [], `${lock.name}, ${content}`)
        assert.deepEqual(idsOf('MESSAGE_DELETE'), idsOf('MESSAGE_CREATE'))
        assert.equal((await moderator.client.json('DELETE', `${path}/bans/${member.id}`)).status, 204)
        assert.equal((await member.client.json('POST', `/api/invites/${code}`)).status, 200)
      }
    }
  },
)

eachService(
  'limits/event-loop: a ban deletes the messages of the user without a statement that deletes many mentions',
  async (_t, service) => {
    const { db } = service
    const { moderator, member, path, channelId } = await setUp(service)
    const messages = `/api/channels/${channelId}/messages`
    for (let i = 0; i < 6; i++) await member.client.request('POST', messages, { content: 'many mentions' })
    await db.run`
      WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 200)
      INSERT INTO mentions (message_id, channel_id, target_id)
      SELECT m.id, m.channel_id, CAST(n.i AS TEXT) FROM messages m CROSS JOIN n`
    const deleted: number[] = []
    const run = db.run.bind(db)
    db.run = async (...statement) => {
      const rows = await run(...statement)
      deleted.push(rows)
      return rows
    }
    assert.equal((await ban(moderator, path, member.id, { deleteMessageSeconds: 60 })).status, 204)
    assert.deepEqual(
      deleted.filter(rows => rows > 0),
      [500, 500, 200],
    )
    assert.deepEqual((await moderator.client.get(messages)).body, [])
  },
)
