import assert from 'node:assert/strict'
import { Permission } from '@gatehouse/protocol/permissions'
import { assertLimitReached, assertOneLeft, oldIds } from '@gatehouse/testkit/caps'
import { createCommunity, createServer, register } from '@gatehouse/testkit/community'
import { eachEngine } from '@gatehouse/testkit/databases'
import { eachService } from '@gatehouse/testkit/service'
import { AppError } from '../../errors/app-error.ts'
import { isMember } from '../members/index.ts'

const code = (expected: string) => (error: unknown) => error instanceof AppError && error.code === expected
const minute = 60_000

eachService('POST /api/servers/:id/invites: 201, 400, 404', async (_t, service) => {
  const [ann, bob, eve] = [
    await register(service, 'ann'),
    await register(service, 'bob'),
    await register(service, 'eve'),
  ]
  const { server } = await createServer(ann, bob)
  const path = `/api/servers/${server.id}/invites`
  const until = (ms: number) => new Date(service.clock.now() + ms).toISOString()
  {
    const reply = await bob.client.json('POST', path, {})
    assert.equal(reply.status, 201)
    assert.match(reply.body.code, /^[A-Za-z0-9_-]{12}$/)
    assert.deepEqual(reply.body, { code: reply.body.code, expiresAt: until(7 * 24 * 60 * minute) })
    const short = await bob.client.json('POST', path, { maxUses: 1, expiresIn: 60 })
    assert.equal(short.body.expiresAt, until(minute))
    assert.notEqual(short.body.code, reply.body.code)
  }
  for (const body of [
    { maxUses: 0 },
    { maxUses: 1.5 },
    { expiresIn: 59 },
    { expiresIn: '60' },
    { uses: 1 },
  ]) {
    assert.equal((await ann.client.json('POST', path, body)).status, 400, JSON.stringify(body))
  }
  assert.equal((await eve.client.json('POST', path, {})).status, 404)
})

eachService('GET /api/servers/:id/invites: 200, 400, 404', async (_t, service) => {
  const [ann, bob, eve] = [
    await register(service, 'ann'),
    await register(service, 'bob'),
    await register(service, 'eve'),
  ]
  const { server, general } = await createServer(ann, bob)
  const path = `/api/servers/${server.id}/invites`
  const [first] = (await ann.client.get(path)).body
  assert.deepEqual([first.uses, first.maxUses, first.creator.id], [1, null, ann.id])
  const at = (ms: number) => new Date(service.clock.now() + ms).toISOString()
  service.clock.advance(1)
  const invite = await bob.client.json('POST', path, { maxUses: 1, expiresIn: 60 })
  const { body: list } = await ann.client.get(path)
  assert.deepEqual(list, [
    first,
    {
      code: invite.body.code,
      creator: {
        id: bob.id,
        username: 'bob',
        displayName: 'bob',
        avatar: `/images/users/${bob.id}/default`,
        bot: false,
      },
      uses: 0,
      maxUses: 1,
      createdAt: at(0),
      expiresAt: at(minute),
      // It was created for none: the first that everyone may view.
      channelId: general.id,
    },
  ])
  assert.deepEqual((await ann.client.get(`${path}?limit=1`)).body, [list[1]])
  assert.equal((await ann.client.get(`${path}?limit=101`)).status, 400)
  assert.equal((await eve.client.get(path)).status, 404)

  // Without invites that have expired or have no use left.
  await eve.client.json('POST', `/api/invites/${invite.body.code}`)
  assert.deepEqual((await ann.client.get(path)).body, [first])
  service.clock.advance(8 * 24 * 60 * minute)
  assert.deepEqual((await ann.client.get(path)).body, [])
})

eachService('POST /api/invites/:code: 200, 404, 409', async (_t, service) => {
  const [ann, bob, cem, dan] = [
    await register(service, 'ann'),
    await register(service, 'bob'),
    await register(service, 'cem'),
    await register(service, 'dan'),
  ]
  const { server } = await createServer(ann)
  const invites = `/api/servers/${server.id}/invites`
  const path = `/api/invites/${(await ann.client.json('POST', invites, { maxUses: 2 })).body.code}`
  {
    const reply = await bob.client.json('POST', path)
    assert.equal(reply.status, 200)
    assert.deepEqual(reply.body, server)
    assert.equal((await bob.client.get(`/api/servers/${server.id}`)).status, 200)
  }
  {
    const reply = await bob.client.json('POST', path)
    assert.equal(reply.status, 409)
    assert.equal(reply.body.code, 'conflict')
  }
  // The 409 above did not count as a use.
  assert.equal((await cem.client.json('POST', path)).status, 200)
  assert.equal((await dan.client.json('POST', path)).status, 404)
  assert.equal((await dan.client.json('POST', '/api/invites/nonsense')).status, 404)
  assert.equal((await dan.client.json('POST', '/api/invites/a%20b')).status, 404)
  {
    const short = await ann.client.json('POST', invites, { expiresIn: 60 })
    service.clock.advance(minute)
    assert.equal((await dan.client.json('POST', `/api/invites/${short.body.code}`)).status, 404)
  }
})

eachService('GET /api/invites/:code: 200, 404, with and without a session', async (_t, service) => {
  const [ann, bob, cem] = [
    await register(service, 'ann'),
    await register(service, 'bob'),
    await register(service, 'cem'),
  ]
  const { server } = await createServer(ann)
  const invite = await ann.client.json('POST', `/api/servers/${server.id}/invites`, {
    maxUses: 1,
    expiresIn: 60,
  })
  const path = `/api/invites/${invite.body.code}`
  await service.db.run`
    INSERT INTO users (id, username, display_name, bot, created_at)
    VALUES ('1000000000000000001', 'dice', 'Dice', 1, 0)`
  await service.db.run`
    INSERT INTO members (server_id, user_id, nick, joined_at, read_to)
    VALUES (${server.id}, '1000000000000000001', NULL, 0, '0')`
  const visitor = service.client()
  for (const client of [visitor, bob.client, ann.client]) {
    const reply = await client.get(path)
    assert.equal(reply.status, 200)
    // Bots do not count as members.
    assert.deepEqual(reply.body, {
      code: invite.body.code,
      server: { id: server.id, name: server.name, icon: null },
      memberCount: 1,
      expiresAt: invite.body.expiresAt,
      mayRegister: true,
    })
  }
  assert.equal((await visitor.json('POST', path)).status, 401)
  assert.equal(
    (await bob.client.get(`/api/servers/${server.id}`)).status,
    404,
    'a preview does not join the server',
  )
  assert.equal((await bob.client.json('POST', path)).status, 200)
  assert.equal((await cem.client.get(path)).status, 404, 'no use is left')
  assert.equal((await visitor.get(path)).status, 404)
  assert.deepEqual((await visitor.get(path)).body, (await visitor.get('/api/invites/nonsense')).body)
  assert.equal((await cem.client.get('/api/invites/nonsense')).status, 404)
  assert.equal((await cem.client.get('/api/invites/a%20b')).status, 404)
  const short = await ann.client.json('POST', `/api/servers/${server.id}/invites`, { expiresIn: 60 })
  service.clock.advance(minute)
  assert.equal((await cem.client.get(`/api/invites/${short.body.code}`)).status, 404)
})

eachService(
  'GET /api/invites/:code says that nobody can register with REGISTRATION=closed (community/invite-preview)',
  async (_t, service) => {
    const ann = await register(service, 'ann')
    const { server } = await createServer(ann)
    const { code } = (await ann.client.json('POST', `/api/servers/${server.id}/invites`, {})).body
    Object.assign(service.config, { registration: 'closed' })
    await service.restart()
    const { status, body } = await service.client().get(`/api/invites/${code}`)
    assert.deepEqual([status, body.mayRegister], [200, false])
  },
)

eachService('DELETE /api/invites/:code: 204, 404', async (_t, service) => {
  const [ann, bob, cem, eve] = [
    await register(service, 'ann'),
    await register(service, 'bob'),
    await register(service, 'cem'),
    await register(service, 'eve'),
  ]
  const { server } = await createServer(ann, bob, cem)
  const invites = `/api/servers/${server.id}/invites`
  const createInvite = async () => `/api/invites/${(await bob.client.json('POST', invites, {})).body.code}`
  const path = await createInvite()
  assert.equal((await eve.client.json('DELETE', path)).status, 404)
  assert.equal((await eve.client.get(path)).status, 200)
  // The creator can revoke it.
  assert.equal((await bob.client.json('DELETE', path)).status, 204)
  assert.equal((await eve.client.json('POST', path)).status, 404)
  assert.equal((await bob.client.json('DELETE', path)).status, 404)
  const second = await createInvite()
  const role = await ann.client.json('POST', `/api/servers/${server.id}/roles`, {
    name: 'Managers',
    permissions: Permission.MANAGE_SERVER.toString(),
  })
  await ann.client.json('PUT', `/api/servers/${server.id}/members/${cem.id}/roles/${role.body.id}`)
  assert.equal((await cem.client.json('DELETE', second)).status, 204)
  // A creator who has left the server cannot.
  const third = await createInvite()
  await bob.client.json('DELETE', `/api/servers/${server.id}/members/@me`)
  assert.equal((await bob.client.json('DELETE', third)).status, 404)
  assert.equal((await ann.client.json('DELETE', third)).status, 204)
  assert.equal((await ann.client.json('DELETE', '/api/invites/nothing')).status, 404)
})

eachService(
  'GET · POST /api/invites/:code 429: after too many unknown codes from an IP address',
  async (_t, service) => {
    const [ann, bob] = [await register(service, 'ann'), await register(service, 'bob')]
    const { server } = await createServer(ann)
    const invite = await ann.client.json('POST', `/api/servers/${server.id}/invites`, {})
    const path = `/api/invites/${invite.body.code}`
    const visitor = service.client()
    for (let n = 0; n < 30; n++) {
      assert.equal((await visitor.get(path)).status, 200, 'usable codes do not count')
      assert.equal((await visitor.get(`/api/invites/guess-${n}`)).status, 404)
      assert.equal((await bob.client.json('POST', `/api/invites/guess-${n}`)).status, 404)
    }
    for (const reply of [await visitor.get(path), await bob.client.json('POST', path)]) {
      assert.equal(reply.status, 429)
      assert.equal(reply.body.code, 'rate_limited')
      assert.equal(reply.headers.get('retry-after'), '600')
    }
    service.clock.advance(10 * minute)
    assert.equal((await visitor.get(path)).status, 200)
  },
)

eachService(
  'does not limit unknown invite codes with RATE_LIMITS=off',
  async (_t, service) => {
    for (let n = 0; n < 61; n++) {
      assert.equal((await service.client().get(`/api/invites/guess-${n}`)).status, 404)
    }
  },
  { env: { RATE_LIMITS: 'off' } },
)

eachService(
  'registers a user with an invite and adds them to the server',
  async (_t, service) => {
    const clock = service.clock.now()
    const id = (n: number) => `100000000000000000${n}`
    await service.db.run`
      INSERT INTO users (id, username, display_name, created_at) VALUES (${id(1)}, 'ann', 'Ann', ${clock})`
    await service.db.run`
      INSERT INTO servers (id, name, owner_id, created_at) VALUES (${id(2)}, 'Server', ${id(1)}, ${clock})`
    await service.db.run`
      INSERT INTO invites (code, server_id, creator_id, max_uses, uses, created_at, expires_at)
      VALUES ('abcdefghijkl', ${id(2)}, ${id(1)}, 1, 0, ${clock}, ${clock + minute})`
    const register = (username: string, invite: string) =>
      service.client().json('POST', '/api/auth/register', {
        username,
        email: `${username}@example.org`,
        password: 'correct horse',
        invite,
      })
    assert.equal((await register('bob', 'nonsense')).status, 400)
    const bob = await register('bob', 'abcdefghijkl')
    assert.equal(bob.status, 201, bob.text)
    assert.equal(await isMember(service.db, id(2), bob.body.id), true)
    assert.equal((await register('cem', 'abcdefghijkl')).status, 400)
  },
  { env: { REGISTRATION: 'invite' } },
)

eachEngine('exactly 10 of 200 concurrent requests join with an invite for 10 uses', async (_t, db) => {
  const community = createCommunity(db)
  const ann = await community.createUser('ann')
  const { server } = await community.createServer(ann)
  const userIds = await Promise.all(Array.from({ length: 200 }, (_, n) => community.createUser(`p${n}`)))
  const invite = await community.invites.createInvite({ userId: ann }, server.id, { maxUses: 10 })
  const outcomes = await Promise.allSettled(
    userIds.map(userId => community.invites.acceptInvite(userId, invite.code)),
  )
  assert.equal(outcomes.filter(outcome => outcome.status === 'fulfilled').length, 10)
  for (const outcome of outcomes) {
    if (outcome.status === 'rejected') assert.ok(code('not_found')(outcome.reason), String(outcome.reason))
  }
  const count = await db.get<{ n: number }>`SELECT COUNT(*) AS n FROM members WHERE server_id = ${server.id}`
  assert.equal(count?.n, 11)
})

eachEngine('20 concurrent requests of one user join once and count one use', async (_t, db) => {
  const community = createCommunity(db)
  const [ann, bob] = [await community.createUser('ann'), await community.createUser('bob')]
  const { server } = await community.createServer(ann)
  const invite = await community.invites.createInvite({ userId: ann }, server.id, { maxUses: 5 })
  const outcomes = await Promise.allSettled(
    Array.from({ length: 20 }, () => community.invites.acceptInvite(bob, invite.code)),
  )
  assert.equal(outcomes.filter(outcome => outcome.status === 'fulfilled').length, 1)
  for (const outcome of outcomes) {
    if (outcome.status === 'rejected') assert.ok(code('conflict')(outcome.reason), String(outcome.reason))
  }
  const row = await db.get<{ uses: number }>`SELECT uses FROM invites WHERE code = ${invite.code}`
  assert.equal(row?.uses, 1)
})

eachEngine('the sweep deletes only expired invites', async (_t, db) => {
  const community = createCommunity(db)
  const ann = await community.createUser('ann')
  const { server } = await community.createServer(ann)
  for (let n = 0; n < 3; n++)
    await community.invites.createInvite({ userId: ann }, server.id, { expiresIn: 60 })
  const valid = await community.invites.createInvite({ userId: ann }, server.id, { expiresIn: 120 })
  community.clock.advance(minute)
  await community.invites.sweep()
  assert.deepEqual(await db.all`SELECT code FROM invites`, [{ code: valid.code }])
})

eachService(
  'POST /api/servers/:id/invites: 409, a server has at most 200 valid invites (limits/cap-exact, limits/cap-counting)',
  async (_t, service) => {
    const [ann, bob] = [await register(service, 'ann'), await register(service, 'bob')]
    const { server } = await createServer(ann)
    const now = service.clock.now()
    const insert = (code: string, expiresAt: number, maxUses: number | null, uses: number) => service.db.run`
      INSERT INTO invites (code, server_id, creator_id, max_uses, uses, created_at, expires_at)
      VALUES (${code}, ${server.id}, ${ann.id}, ${maxUses}, ${uses}, ${now}, ${expiresAt})`
    // With the invite of `createServer`, 199 are valid.
    for (const id of oldIds(197)) await insert(`valid-${id}`, now + minute, null, 7)
    await insert('single-use', now + minute, 1, 0)
    await insert('expired', now, null, 0)
    await insert('used-up', now + minute, 2, 2)
    const path = `/api/servers/${server.id}/invites`
    const create = () => ann.client.json('POST', path, {})
    const expected = { limit: 'invites', message: 'A server has at most 200 valid invites.' }
    await assertOneLeft(service, 'invites', create, expected)
    assert.equal((await bob.client.json('POST', '/api/invites/single-use')).status, 200)
    const created = await create()
    assert.equal(created.status, 201)
    assertLimitReached(await create(), expected)
    assert.equal((await ann.client.json('DELETE', `/api/invites/${created.body.code}`)).status, 204)
    assert.equal((await create()).status, 201)
    assertLimitReached(await create(), expected)
    service.clock.advance(minute)
    assert.equal((await create()).status, 201)
  },
)

eachService(
  'POST /api/invites/:code: 409, a user is a member of at most 200 servers, a bot of more ' +
    '(limits/cap-exact, limits/cap-counting)',
  async (_t, service) => {
    const [ann, bob] = [await register(service, 'ann'), await register(service, 'bob')]
    const serverIds = oldIds(206)
    const now = service.clock.now()
    await service.db.transaction(async tx => {
      for (const [n, id] of serverIds.entries()) {
        await tx.run`INSERT INTO servers (id, name, owner_id, created_at) VALUES (${id}, 'Old', ${ann.id}, ${now})`
        if (n >= 6) {
          await tx.run`INSERT INTO members (server_id, user_id, joined_at) VALUES (${id}, ${bob.id}, ${now})`
        }
        await tx.run`
          INSERT INTO invites (code, server_id, creator_id, max_uses, uses, created_at, expires_at)
          VALUES (${`code-${n}`}, ${id}, ${ann.id}, 1, 0, ${now}, ${now + minute})`
      }
    })
    const expected = { limit: 'servers', message: 'A user is a member of at most 200 servers.' }
    assert.equal(
      (await bob.client.json('DELETE', `/api/servers/${serverIds[205]}/members/${bob.id}`)).status,
      204,
    )
    await assertOneLeft(service, 'members', n => bob.client.json('POST', `/api/invites/code-${n}`), expected)
    assert.equal((await bob.client.get('/api/users/@me/servers')).body.length, 200)
    // A refused request does not use up the invite.
    const uses = await service.db.all`SELECT code FROM invites WHERE uses > 0`
    assert.equal(uses.length, 1)
    const member = await bob.client.json('POST', '/api/invites/code-7')
    assert.deepEqual([member.status, member.body.code], [409, 'conflict'])
    assertLimitReached(await bob.client.json('POST', '/api/servers', { name: 'New' }), expected)

    const community = createCommunity(service.db)
    const bot = await community.createBot('robot')
    for (const id of serverIds) {
      await service.db.transaction(tx =>
        community.members.addMember(
          tx,
          { id, name: 'Old', icon: null, ownerId: ann.id, invitesPaused: 0, verificationLevel: 'none' },
          bot,
        ),
      )
    }
    const joined = await service.db.all`SELECT server_id FROM members WHERE user_id = ${bot}`
    assert.equal(joined.length, 206)
  },
)

eachService(
  'nobody joins a server whose invites are paused, and no invite is lost (community/invites-paused)',
  async (_t, service) => {
    const [ann, bob, eve] = [
      await register(service, 'ann'),
      await register(service, 'bob'),
      await register(service, 'eve'),
    ]
    const { server } = await createServer(ann, bob)
    const path = `/api/servers/${server.id}`
    const { code: invite } = await ann.client.request<{ code: string }>('POST', `${path}/invites`, {
      maxUses: 1,
    })
    const pause = (user: typeof ann, invitesPaused: unknown) =>
      user.client.json('PATCH', path, { invitesPaused })
    assert.equal((await pause(bob, true)).status, 403)
    assert.equal((await pause(ann, 'yes')).status, 400)
    const paused = await pause(ann, true)
    assert.deepEqual([paused.status, paused.body], [200, { ...server, invitesPaused: true }])

    const newUser = { username: 'new', email: 'new@example.org', password: 'correct horse', invite }
    const registerNew = () => service.client().json('POST', '/api/auth/register', newUser)
    for (const reply of [
      await eve.client.json('POST', `/api/invites/${invite}`),
      await service.client().get(`/api/invites/${invite}`),
      await registerNew(),
    ]) {
      assert.deepEqual([reply.status, reply.body.code], [403, 'invites_paused'])
    }
    const names = async () =>
      (await ann.client.get(`${path}/members`)).body.map(
        (member: { user: { username: string } }) => member.user.username,
      )
    assert.deepEqual(await names(), ['ann', 'bob'])

    assert.equal((await pause(ann, false)).status, 200)
    assert.equal((await registerNew()).status, 201)
    assert.deepEqual(await names(), ['ann', 'bob', 'new'])
    const entries = await service.db.all<{ changes: string }>`
      SELECT changes FROM audit_log WHERE server_id = ${server.id} AND action = 'SERVER_UPDATE' ORDER BY id`
    assert.deepEqual(
      entries.map(({ changes }) => JSON.parse(changes)),
      [
        [{ key: 'invitesPaused', before: 'false', after: 'true' }],
        [{ key: 'invitesPaused', before: 'true', after: 'false' }],
      ],
    )
  },
)

eachService(
  'an invite remembers its channel; without it, it has the first text channel that everyone may view ' +
    '(community/invite-channel)',
  async (_t, service) => {
    const [ann, bob] = [await register(service, 'ann'), await register(service, 'bob')]
    const { server, general } = await createServer(ann, bob)
    const { general: foreign } = await createServer(ann)
    const id = server.id
    const category = await ann.client.call('createChannel', { id, body: { name: 'c', type: 'category' } })
    const news = await ann.client.call('createChannel', { id, body: { name: 'news' } })
    const channelOf = async (code: string) =>
      (await ann.client.call('listInvites', { id })).find(invite => invite.code === code)?.channelId
    const { code } = await ann.client.call('createInvite', { id, body: { channelId: news.id } })
    const native = await ann.client.call('createInvite', { id, body: {} })
    assert.deepEqual([await channelOf(code), await channelOf(native.code)], [news.id, general.id])
    const ofNews = await ann.client.call('listInvites', { id, query: { channelId: news.id } })
    assert.deepEqual(
      ofNews.map(invite => invite.code),
      [code],
    )
    for (const channelId of [category.id, foreign.id, '1000000000000000001']) {
      const { status, body } = await ann.client.json('POST', `/api/servers/${id}/invites`, { channelId })
      assert.deepEqual([status, body.errors?.[0].path], [400, 'channelId'])
    }

    // Everyone may no longer view the first channel, and then none at all.
    const deny = String(Permission.VIEW_CHANNEL)
    const hide = (channelId: string) =>
      ann.client.request('PUT', `/api/channels/${channelId}/overwrites/${id}`, {
        type: 'role',
        allow: '0',
        deny,
      })
    await hide(general.id)
    assert.equal(await channelOf(native.code), news.id)
    const secret = await bob.client.json('POST', `/api/servers/${id}/invites`, { channelId: general.id })
    assert.equal(secret.status, 400)
    await hide(news.id)
    assert.deepEqual([await channelOf(code), await channelOf(native.code)], [news.id, null])
    await ann.client.request('DELETE', `/api/channels/${news.id}`)
    assert.equal(await channelOf(code), null)
  },
)
