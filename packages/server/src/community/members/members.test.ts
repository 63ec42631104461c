import assert from 'node:assert/strict'
import { formatPermissions, Permission } from '@gatehouse/protocol/permissions'
import type { Member } from '@gatehouse/protocol/servers'
import { installBot } from '@gatehouse/testkit/applications'
import { createCommunity, createServer, payloads, register } from '@gatehouse/testkit/community'
import { eachEngine } from '@gatehouse/testkit/databases'
import { sendWhileLocked } from '@gatehouse/testkit/locks'
import { measureReads } from '@gatehouse/testkit/measure-reads'
import { eachService } from '@gatehouse/testkit/service'
import { AppError } from '../../errors/app-error.ts'
import { findMembers, haveMutualServer, isMember } from './index.ts'

const unknown = '1234567890123456789'
const code = (expected: string) => (error: unknown) => error instanceof AppError && error.code === expected
const kick = formatPermissions(Permission.KICK_MEMBERS)
const view = formatPermissions(Permission.VIEW_CHANNEL)

eachService('GET /api/servers/:id/members and …/:userId: 200, 400, 404', async (_t, service) => {
  const [ann, bob, eve] = [
    await register(service, 'ann'),
    await register(service, 'bob'),
    await register(service, 'eve'),
  ]
  const { server } = await createServer(ann, bob)
  const path = `/api/servers/${server.id}/members`
  {
    const reply = await bob.client.get(path)
    assert.equal(reply.status, 200)
    assert.deepEqual(
      reply.body.map((member: Member) => member.user.id),
      [ann.id, bob.id].toSorted(),
    )
    const member = await ann.client.get(`${path}/${bob.id}`)
    assert.equal(member.status, 200)
    const avatar = `/images/users/${bob.id}/default`
    assert.deepEqual(member.body, {
      user: { id: bob.id, username: 'bob', displayName: 'bob', avatar, bot: false },
      nick: null,
      roles: [],
      joinedAt: new Date(service.clock.now()).toISOString(),
      timedOutUntil: null,
    })
    assert.deepEqual((await bob.client.get(`${path}/@me`)).body, member.body)
  }
  for (const query of ['limit=0', 'limit=101', 'limit=x', 'after=x']) {
    assert.equal((await ann.client.get(`${path}?${query}`)).status, 400, query)
  }
  assert.equal((await eve.client.get(path)).status, 404)
  assert.equal((await eve.client.get(`${path}/${bob.id}`)).status, 404)
  assert.equal((await ann.client.get(`${path}/${eve.id}`)).status, 404)
})

eachService('GET /api/servers/:id/members?channelId: 200, 400, 404', async (_t, service) => {
  const [ann, bob, cem, dan, eve] = [
    await register(service, 'ann'),
    await register(service, 'bob'),
    await register(service, 'cem'),
    await register(service, 'dan'),
    await register(service, 'eve'),
  ]
  const { server, general } = await createServer(ann, bob, cem, dan)
  const { general: elsewhere } = await createServer(ann, eve)
  const request = async (method: string, path: string, body?: unknown) => {
    const reply = await ann.client.json(method, path, body)
    assert.ok(reply.status < 300, reply.text)
    return reply.body
  }
  const secret = await request('POST', `/api/servers/${server.id}/channels`, { name: 'secret' })
  const role = await request('POST', `/api/servers/${server.id}/roles`, { name: 'Crew', permissions: '0' })
  const overwrite = (targetId: string) => `/api/channels/${secret.id}/overwrites/${targetId}`
  const path = (channelId: string) => `/api/servers/${server.id}/members?channelId=${channelId}`
  const viewers = async (query = '') => {
    const reply = await ann.client.get(path(secret.id) + query)
    assert.equal(reply.status, 200, reply.text)
    return reply.body.map((member: Member) => member.user.id)
  }
  const byId = (...users: { id: string }[]) => users.map(({ id }) => id).toSorted()

  assert.deepEqual(await viewers(), byId(ann, bob, cem, dan))
  await request('PUT', overwrite(server.id), { type: 'role', allow: '0', deny: view })
  assert.deepEqual(await viewers(), byId(ann))
  await request('PUT', overwrite(role.id), { type: 'role', allow: view, deny: '0' })
  await request('PUT', `/api/servers/${server.id}/members/${bob.id}/roles/${role.id}`)
  await request('PUT', overwrite(cem.id), { type: 'member', allow: view, deny: '0' })
  assert.deepEqual(await viewers(), byId(ann, bob, cem))
  assert.deepEqual((await bob.client.get(path(secret.id))).body, (await ann.client.get(path(secret.id))).body)
  assert.equal((await ann.client.get(path(general.id))).body.length, 4)

  const [first = '', second = '', third = ''] = byId(ann, bob, cem)
  assert.deepEqual(await viewers('&limit=2'), [first, second])
  assert.deepEqual(await viewers(`&limit=2&after=${second}`), [third])
  assert.deepEqual(await viewers(`&limit=1&before=${third}`), [second])
  assert.deepEqual(await viewers(`&after=${first}&before=${third}`), [second])

  await request('PATCH', `/api/servers/${server.id}/roles/${role.id}`, {
    permissions: Permission.ADMINISTRATOR.toString(),
  })
  await request('DELETE', overwrite(role.id))
  assert.deepEqual(await viewers(), byId(ann, bob, cem))
  await request('DELETE', `/api/servers/${server.id}/roles/${role.id}`)
  assert.deepEqual(await viewers(), byId(ann, cem))

  for (const channelId of ['x', '']) assert.equal((await ann.client.get(path(channelId))).status, 400)
  // The response does not reveal the channel to members who cannot view it and to users who are not members.
  assert.equal((await dan.client.get(path(secret.id))).status, 404)
  assert.equal((await eve.client.get(path(secret.id))).status, 404)
  assert.equal((await ann.client.get(path(elsewhere.id))).status, 404)
  assert.equal((await ann.client.get(path(unknown))).status, 404)
})

eachEngine(
  'lists all viewers of a channel in order from 1,200 members (limits/event-loop)',
  async (_t, db) => {
    const counted = measureReads(db)
    const community = createCommunity(counted)
    const { channels, members, overwrites } = community
    const ann = await community.createUser('ann')
    const { server } = await community.createServer(ann)
    const userIds: string[] = []
    await db.transaction(async tx => {
      for (let n = 0; n < 1200; n++) {
        const id = community.ids()
        userIds.push(id)
        await tx.run`
        INSERT INTO users (id, username, display_name, bot, created_at)
        VALUES (${id}, ${`p${n}`}, ${`P${n}`}, 0, 0)`
        await tx.run`
        INSERT INTO members (server_id, user_id, nick, joined_at, read_to)
        VALUES (${server.id}, ${id}, NULL, 0, ${id})`
      }
    })
    const secret = await channels.createChannel({ userId: ann }, server.id, { name: 'secret' })
    await overwrites.putOverwrite({ userId: ann }, secret.id, server.id, {
      type: 'role',
      allow: '0',
      deny: view,
    })
    // Every hundredth member, so that each batch contains some viewers but not only viewers.
    const viewerIds = userIds.filter((_, n) => n % 100 === 99)
    for (const id of viewerIds) {
      await overwrites.putOverwrite({ userId: ann }, secret.id, id, {
        type: 'member',
        allow: view,
        deny: '0',
      })
    }
    const expected = [ann, ...viewerIds].toSorted()
    const list = async (query: { limit: number; after?: string; before?: string }) =>
      (await members.listMembers(ann, server.id, { channelId: secret.id, ...query })).map(
        ({ user }) => user.id,
      )
    const assertPages = async (limit: number, expected: readonly string[]) => {
      const forwards: string[] = []
      const backwards: string[] = []
      for (;;) {
        const after = forwards.at(-1)
        const page = await list({ limit, ...(after === undefined ? {} : { after }) })
        if (page.length === 0) break
        forwards.push(...page)
      }
      for (;;) {
        const page = await list({ limit, before: backwards[0] ?? '9'.repeat(20) })
        if (page.length === 0) break
        backwards.unshift(...page)
      }
      assert.deepEqual(forwards, expected)
      assert.deepEqual(backwards, expected)
    }
    counted.rows = 0
    assert.deepEqual(await list({ limit: 100 }), expected)
    assert.ok(counted.rows < 100, `${counted.rows} rows were read for 13 viewers`)
    await assertPages(4, expected)

    // Now all members but these.
    await overwrites.deleteOverwrite({ userId: ann }, secret.id, server.id)
    for (const id of viewerIds) {
      await overwrites.putOverwrite({ userId: ann }, secret.id, id, {
        type: 'member',
        allow: '0',
        deny: view,
      })
    }
    const others = [ann, ...userIds.filter(id => !viewerIds.includes(id))].toSorted()
    counted.rows = 0
    assert.deepEqual(await list({ limit: 50 }), others.slice(0, 50))
    assert.ok(counted.rows < 400, `${counted.rows} rows were read for 50 viewers`)
    await assertPages(100, others)
  },
)

eachService('DELETE /api/servers/:id/members/:userId: 204, 404, 409', async (_t, service) => {
  const [ann, bob, cem, eve] = [
    await register(service, 'ann'),
    await register(service, 'bob'),
    await register(service, 'cem'),
    await register(service, 'eve'),
  ]
  const { server } = await createServer(ann, bob, cem)
  const path = (userId: string) => `/api/servers/${server.id}/members/${userId}`
  assert.equal((await eve.client.json('DELETE', path(bob.id))).status, 404)
  assert.equal((await ann.client.json('DELETE', path(eve.id))).status, 404)
  assert.equal((await eve.client.json('DELETE', path('@me'))).status, 404)
  {
    const reply = await ann.client.json('DELETE', path('@me'))
    assert.equal(reply.status, 409)
    assert.equal(reply.body.code, 'conflict')
  }
  assert.equal((await ann.client.json('DELETE', path(bob.id))).status, 204)
  assert.equal((await bob.client.get(`/api/servers/${server.id}`)).status, 404)
  assert.equal((await cem.client.json('DELETE', path('@me'))).status, 204)
  assert.equal((await cem.client.json('DELETE', path('@me'))).status, 404)
})

eachService(
  'PUT · DELETE /api/servers/:id/members/:userId/roles/:roleId: 204, 404, 409',
  async (_t, service) => {
    const [ann, bob, eve] = [
      await register(service, 'ann'),
      await register(service, 'bob'),
      await register(service, 'eve'),
    ]
    const { server } = await createServer(ann, bob)
    const roles = `/api/servers/${server.id}/roles`
    const role = (await ann.client.json('POST', roles, { name: 'Crew', permissions: kick })).body
    const path = (userId: string, roleId: string) =>
      `/api/servers/${server.id}/members/${userId}/roles/${roleId}`
    const rolesOf = async () =>
      (await ann.client.get(`/api/servers/${server.id}/members/${bob.id}`)).body.roles
    for (const _ of ['first', 'repeated']) {
      const reply = await ann.client.json('PUT', path(bob.id, role.id))
      assert.equal(reply.status, 204)
      assert.deepEqual(await rolesOf(), [role.id])
    }
    for (const method of ['PUT', 'DELETE']) {
      assert.equal((await eve.client.json(method, path(bob.id, role.id))).status, 404)
      assert.equal((await ann.client.json(method, path(eve.id, role.id))).status, 404)
      assert.equal((await ann.client.json(method, path(bob.id, unknown))).status, 404)
      const everyone = await ann.client.json(method, path(bob.id, server.id))
      assert.equal(everyone.status, 409)
      assert.equal(everyone.body.code, 'conflict')
    }
    for (const _ of ['first', 'repeated']) {
      assert.equal((await ann.client.json('DELETE', path(bob.id, role.id))).status, 204)
      assert.deepEqual(await rolesOf(), [])
    }
  },
)

eachEngine(
  'only a member with a lower highest role can be removed (community/permission-hierarchy)',
  async (_t, db) => {
    const community = createCommunity(db)
    const { roles, members } = community
    const ann = await community.createUser('ann')
    const [bob, cem, dan] = [
      await community.createUser('bob'),
      await community.createUser('cem'),
      await community.createUser('dan'),
    ]
    const { server } = await community.createServer(ann, bob, cem, dan)
    const role = await roles.createRole({ userId: ann }, server.id, { name: 'Moderator', permissions: kick })
    await members.addRole({ userId: ann }, server.id, bob, role.id)
    await members.addRole({ userId: ann }, server.id, cem, role.id)
    await assert.rejects(members.removeMember({ userId: bob }, server.id, cem), code('missing_permission'))
    await assert.rejects(members.removeMember({ userId: bob }, server.id, ann), code('missing_permission'))
    await members.removeMember({ userId: bob }, server.id, dan)
    assert.equal(await isMember(db, server.id, dan), false)
    assert.equal(await isMember(db, server.id, cem), true)
  },
)

eachEngine(
  'publishes member events to the server and to the member (gateway/event-payloads)',
  async (_t, db) => {
    const community = createCommunity(db)
    const { members, published } = community
    const [ann, bob] = [await community.createUser('ann'), await community.createUser('bob')]
    const { server } = await community.createServer(ann, bob)
    const subject = `server.${server.id}`
    const joined = await members.getMember(ann, server.id, bob)
    assert.deepEqual(payloads(published, subject, 'MEMBER_ADD').at(-1), { serverId: server.id, ...joined })

    const role = await community.roles.createRole({ userId: ann }, server.id, {
      name: 'Crew',
      permissions: '0',
    })
    for (const _ of ['first', 'repeated']) await members.addRole({ userId: ann }, server.id, bob, role.id)
    for (const _ of ['first', 'repeated']) await members.removeRole({ userId: ann }, server.id, bob, role.id)
    assert.deepEqual(payloads(published, subject, 'MEMBER_UPDATE'), [
      { serverId: server.id, ...joined, roles: [role.id] },
      { serverId: server.id, ...joined },
    ])

    await members.removeMember({ userId: ann }, server.id, bob)
    assert.deepEqual(payloads(published, subject, 'MEMBER_REMOVE'), [
      { serverId: server.id, user: joined.user },
    ])
    assert.deepEqual(payloads(published, `user.${bob}`, 'SERVER_REMOVE'), [{ id: server.id }])
    assert.deepEqual(community.removed, [{ serverId: server.id, userId: bob }])
  },
)

eachEngine('a transaction that is rolled back publishes no event', async (_t, db) => {
  const community = createCommunity(db)
  const [ann, bob] = [await community.createUser('ann'), await community.createUser('bob')]
  const { server } = await community.createServer(ann)
  const before = community.published.length
  const failing = db.transaction(async tx => {
    await community.members.addMember(tx, { ...server, invitesPaused: 0, verificationLevel: 'none' }, bob)
    throw new Error('no')
  })
  await assert.rejects(failing, /no/)
  assert.equal(community.published.length, before)
  assert.equal(await isMember(db, server.id, bob), false)
})

eachEngine(
  'adds a bot with its managed role, publishes the event, and removes it like any member',
  async (_t, db) => {
    const community = createCommunity(db)
    const { members, published } = community
    const [ann, bot] = [await community.createUser('ann'), await community.createBot('robot')]
    const { server } = await community.createServer(ann)
    const joining = { serverId: server.id, userId: bot, permissions: 0n, roleName: 'Robot', addedBy: ann }
    const { roleId } = await db.transaction(tx => members.addBot(tx, joining))
    assert.deepEqual((await members.getMember(ann, server.id, bot)).roles, [roleId])
    assert.deepEqual(payloads(published, `user.${bot}`, 'SERVER_ADD'), [server])
    await assert.rejects(
      db.transaction(tx => members.addBot(tx, { ...joining, serverId: unknown })),
      code('not_found'),
    )
    assert.equal((await db.transaction(tx => members.deleteMember(tx, server.id, bot)))?.id, bot)
    assert.equal(await db.transaction(tx => members.deleteMember(tx, server.id, bot)), undefined)
    assert.deepEqual(payloads(published, `user.${bot}`, 'SERVER_REMOVE'), [{ id: server.id }])
  },
)

eachEngine('lists members by id, in pages before and after an id', async (_t, db) => {
  const community = createCommunity(db)
  const ann = await community.createUser('ann')
  const others = await Promise.all(Array.from({ length: 9 }, (_, n) => community.createUser(`p${n}`)))
  const { server } = await community.createServer(ann, ...others)
  const all = [ann, ...others].toSorted()
  const page = async (query: { before?: string; after?: string; limit?: number }) =>
    (await community.members.listMembers(ann, server.id, query)).map(member => member.user.id)
  assert.deepEqual(await page({}), all)
  assert.deepEqual(await page({ limit: 4 }), all.slice(0, 4))
  assert.deepEqual(await page({ limit: 4, after: all[3] ?? '' }), all.slice(4, 8))
  assert.deepEqual(await page({ limit: 4, after: all[7] ?? '' }), all.slice(8))
  assert.deepEqual(await page({ limit: 4, before: all[6] ?? '' }), all.slice(2, 6))
  assert.deepEqual(await page({ limit: 4, after: all[1] ?? '', before: all[4] ?? '' }), all.slice(2, 4))
})

eachEngine('haveMutualServer is true for members of the same server', async (_t, db) => {
  const community = createCommunity(db)
  const [ann, bob, eve] = [
    await community.createUser('ann'),
    await community.createUser('bob'),
    await community.createUser('eve'),
  ]
  const { server } = await community.createServer(ann, bob)
  await community.createServer(eve)
  assert.equal(await haveMutualServer(db, ann, bob), true)
  assert.equal(await haveMutualServer(db, bob, ann), true)
  assert.equal(await haveMutualServer(db, ann, eve), false)
  const found = await findMembers(db, community.clock.now(), server.id, [bob, eve, unknown])
  assert.deepEqual(
    found.map(({ user }) => user.id),
    [bob],
  )
})

eachService(
  'an overwrite for the role of a bot that is stored while the bot is removed is deleted with the role',
  async (_t, service) => {
    const ann = await register(service, 'ann')
    const { server, general } = await createServer(ann)
    const { botId } = await installBot(ann.client, server.id)
    const roles = (await ann.client.get(`/api/servers/${server.id}/roles`)).body
    const role = roles.find(({ managed }: { managed: boolean }) => managed)
    const channel = `/api/channels/${general.id}`
    const [put, removed] = await sendWhileLocked(
      service,
      tx => tx.get`SELECT 1 AS one FROM channels WHERE id = ${general.id} FOR UPDATE`,
      () =>
        ann.client.json('PUT', `${channel}/overwrites/${role.id}`, { type: 'role', allow: '0', deny: '0' }),
      () => ann.client.json('DELETE', `/api/servers/${server.id}/members/${botId}`),
    )
    assert.ok(put.status === 204 || put.status === 404, put.text)
    assert.equal(removed.status, 204, removed.text)
    assert.deepEqual((await ann.client.get(channel)).body.permissionOverwrites, [])
  },
)
