import assert from 'node:assert/strict'
import {
  allPermissions,
  defaultEveryone,
  formatPermissions,
  Permission,
} from '@gatehouse/protocol/permissions'
import type { Member } from '@gatehouse/protocol/servers'
import { AppError } from '../../kit/app-error.ts'
import { eachEngine } from '../../storage/testing.ts'
import { eachService } from '../../testing.ts'
import { createCommunity, found, payloads, register } from '../testing.ts'
import { findMemberIds, isMember, serversOf, sharesServer } from './index.ts'

const unknown = '1234567890123456789'
const code = (expected: string) => (error: unknown) => error instanceof AppError && error.code === expected
const kick = formatPermissions(Permission.KICK_MEMBERS)

eachService('GET /api/servers/:id/members and …/:userId: 200, 400, 401, 404', async (_t, service) => {
  const [ann, bob, eve] = [
    await register(service, 'ann'),
    await register(service, 'bob'),
    await register(service, 'eve'),
  ]
  const { server } = await found(ann, bob)
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
    })
    assert.deepEqual((await bob.client.get(`${path}/@me`)).body, member.body)
  }
  for (const query of ['limit=0', 'limit=101', 'limit=x', 'after=x']) {
    assert.equal((await ann.client.get(`${path}?${query}`)).status, 400, query)
  }
  assert.equal((await service.client().get(path)).status, 401)
  assert.equal((await service.client().get(`${path}/${bob.id}`)).status, 401)
  assert.equal((await eve.client.get(path)).status, 404)
  assert.equal((await eve.client.get(`${path}/${bob.id}`)).status, 404)
  assert.equal((await ann.client.get(`${path}/${eve.id}`)).status, 404)
})

eachService('DELETE /api/servers/:id/members/:userId: 204, 401, 403, 404, 409', async (_t, service) => {
  const [ann, bob, cem, eve] = [
    await register(service, 'ann'),
    await register(service, 'bob'),
    await register(service, 'cem'),
    await register(service, 'eve'),
  ]
  const { server } = await found(ann, bob, cem)
  const path = (userId: string) => `/api/servers/${server.id}/members/${userId}`
  assert.equal((await service.client().json('DELETE', path(bob.id))).status, 401)
  {
    const reply = await bob.client.json('DELETE', path(cem.id))
    assert.equal(reply.status, 403)
    assert.match(reply.body.message, /KICK_MEMBERS/)
  }
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
  'PUT · DELETE /api/servers/:id/members/:userId/roles/:roleId: 204, 401, 403, 404, 409',
  async (_t, service) => {
    const [ann, bob, eve] = [
      await register(service, 'ann'),
      await register(service, 'bob'),
      await register(service, 'eve'),
    ]
    const { server } = await found(ann, bob)
    const roles = `/api/servers/${server.id}/roles`
    const role = (await ann.client.json('POST', roles, { name: 'Crew', permissions: kick })).body
    const path = (userId: string, roleId: string) =>
      `/api/servers/${server.id}/members/${userId}/roles/${roleId}`
    const rolesOf = async () =>
      (await ann.client.get(`/api/servers/${server.id}/members/${bob.id}`)).body.roles
    for (const _ of ['given', 'given already']) {
      const reply = await ann.client.json('PUT', path(bob.id, role.id))
      assert.equal(reply.status, 204)
      assert.deepEqual(await rolesOf(), [role.id])
    }
    const anonymous = service.client()
    assert.equal((await anonymous.json('PUT', path(bob.id, role.id))).status, 401)
    assert.equal((await anonymous.json('DELETE', path(bob.id, role.id))).status, 401)
    assert.equal((await bob.client.json('PUT', path(bob.id, role.id))).status, 403)
    assert.equal((await bob.client.json('DELETE', path(bob.id, role.id))).status, 403)
    for (const method of ['PUT', 'DELETE']) {
      assert.equal((await eve.client.json(method, path(bob.id, role.id))).status, 404)
      assert.equal((await ann.client.json(method, path(eve.id, role.id))).status, 404)
      assert.equal((await ann.client.json(method, path(bob.id, unknown))).status, 404)
      const everyone = await ann.client.json(method, path(bob.id, server.id))
      assert.equal(everyone.status, 409)
      assert.equal(everyone.body.code, 'conflict')
    }
    for (const _ of ['taken', 'taken already']) {
      assert.equal((await ann.client.json('DELETE', path(bob.id, role.id))).status, 204)
      assert.deepEqual(await rolesOf(), [])
    }
  },
)

eachService('GET /api/users/@me/servers: 200, 401', async (_t, service) => {
  const [ann, bob] = [await register(service, 'ann'), await register(service, 'bob')]
  const { server } = await found(ann, bob)
  const card = { id: server.id, name: 'Server', icon: null }
  const own = await ann.client.get('/api/users/@me/servers')
  assert.equal(own.status, 200)
  assert.deepEqual(own.body, [{ ...card, owner: true, permissions: formatPermissions(allPermissions) }])
  const other = await bob.client.get('/api/users/@me/servers')
  assert.deepEqual(other.body, [{ ...card, owner: false, permissions: formatPermissions(defaultEveryone) }])
  assert.equal((await service.client().get('/api/users/@me/servers')).status, 401)
})

eachEngine('one’s servers come with what @everyone and all roles give there', async (_t, db) => {
  const community = createCommunity(db)
  const [ann, bob] = [await community.person('ann'), await community.person('bob')]
  const [one, two, three] = [
    await community.server(ann, bob),
    await community.server(bob),
    await community.server(ann, bob),
  ]
  const administrator = formatPermissions(Permission.ADMINISTRATOR)
  for (const [{ server }, permissions] of [
    [one, kick],
    [three, administrator],
  ] as const) {
    const role = await community.roles.createRole(ann, server.id, { name: 'Crew', permissions })
    await community.members.giveRole(ann, server.id, bob, role.id)
  }
  assert.deepEqual(
    (await serversOf(db, bob)).map(({ id, owner, permissions }) => [id, owner, BigInt(permissions)]),
    [
      [one.server.id, false, defaultEveryone | Permission.KICK_MEMBERS],
      [two.server.id, true, allPermissions],
      [three.server.id, false, allPermissions],
    ],
  )
  assert.deepEqual(await serversOf(db, await community.person('eve')), [])
})

eachEngine('only who stands below can be removed (D64)', async (_t, db) => {
  const community = createCommunity(db)
  const { roles, members } = community
  const ann = await community.person('ann')
  const [bob, cem, dan] = [
    await community.person('bob'),
    await community.person('cem'),
    await community.person('dan'),
  ]
  const { server } = await community.server(ann, bob, cem, dan)
  const role = await roles.createRole(ann, server.id, { name: 'Keeper', permissions: kick })
  await members.giveRole(ann, server.id, bob, role.id)
  await members.giveRole(ann, server.id, cem, role.id)
  await assert.rejects(members.dismiss(bob, server.id, cem), code('missing_permission'))
  await assert.rejects(members.dismiss(bob, server.id, ann), code('missing_permission'))
  await members.dismiss(bob, server.id, dan)
  assert.equal(await isMember(db, server.id, dan), false)
  assert.equal(await isMember(db, server.id, cem), true)
})

eachEngine('D61: what happens to a member is said to the server, and to themselves', async (_t, db) => {
  const community = createCommunity(db)
  const { members, published } = community
  const [ann, bob] = [await community.person('ann'), await community.person('bob')]
  const { server } = await community.server(ann, bob)
  const subject = `server.${server.id}`
  const joined = await members.getMember(ann, server.id, bob)
  assert.deepEqual(payloads(published, subject, 'MEMBER_ADD').at(-1), { serverId: server.id, ...joined })

  const role = await community.roles.createRole(ann, server.id, { name: 'Crew', permissions: '0' })
  for (const _ of ['given', 'given already']) await members.giveRole(ann, server.id, bob, role.id)
  for (const _ of ['taken', 'taken already']) await members.takeRole(ann, server.id, bob, role.id)
  assert.deepEqual(payloads(published, subject, 'MEMBER_UPDATE'), [
    { serverId: server.id, ...joined, roles: [role.id] },
    { serverId: server.id, ...joined },
  ])

  await members.dismiss(ann, server.id, bob)
  assert.deepEqual(payloads(published, subject, 'MEMBER_REMOVE'), [
    { serverId: server.id, user: joined.user },
  ])
  assert.deepEqual(payloads(published, `user.${bob}`, 'SERVER_REMOVE'), [{ id: server.id }])
  assert.deepEqual(community.removed, [{ serverId: server.id, userId: bob }])
})

eachEngine('a change that is rolled back is said to nobody', async (_t, db) => {
  const community = createCommunity(db)
  const [ann, bob] = [await community.person('ann'), await community.person('bob')]
  const { server } = await community.server(ann)
  const before = community.published.length
  const failing = db.transaction(async tx => {
    await community.members.addMember(tx, server, bob)
    throw new Error('no')
  })
  await assert.rejects(failing, /no/)
  assert.equal(community.published.length, before)
  assert.equal(await isMember(db, server.id, bob), false)
})

eachEngine('a bot joins with its role, hears of it, and is removed like a member', async (_t, db) => {
  const community = createCommunity(db)
  const { members, published } = community
  const [ann, bot] = [await community.person('ann'), await community.bot('robot')]
  const { server } = await community.server(ann)
  const joining = { serverId: server.id, userId: bot, permissions: 0n, roleName: 'Robot' }
  const { roleId } = await db.transaction(tx => members.addBot(tx, joining))
  assert.deepEqual((await members.getMember(ann, server.id, bot)).roles, [roleId])
  assert.deepEqual(payloads(published, `user.${bot}`, 'SERVER_ADD'), [server])
  await assert.rejects(
    db.transaction(tx => members.addBot(tx, { ...joining, serverId: unknown })),
    code('not_found'),
  )
  assert.equal(await db.transaction(tx => members.removeMember(tx, server.id, bot)), true)
  assert.equal(await db.transaction(tx => members.removeMember(tx, server.id, bot)), false)
  assert.deepEqual(payloads(published, `user.${bot}`, 'SERVER_REMOVE'), [{ id: server.id }])
})

eachEngine('members are listed by id, in pages both ways', async (_t, db) => {
  const community = createCommunity(db)
  const ann = await community.person('ann')
  const others = await Promise.all(Array.from({ length: 9 }, (_, n) => community.person(`p${n}`)))
  const { server } = await community.server(ann, ...others)
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

eachEngine('two know each other where they are members of one server', async (_t, db) => {
  const community = createCommunity(db)
  const [ann, bob, eve] = [
    await community.person('ann'),
    await community.person('bob'),
    await community.person('eve'),
  ]
  const { server } = await community.server(ann, bob)
  await community.server(eve)
  assert.equal(await sharesServer(db, ann, bob), true)
  assert.equal(await sharesServer(db, bob, ann), true)
  assert.equal(await sharesServer(db, ann, eve), false)
  assert.deepEqual(await findMemberIds(db, server.id, [bob, eve, unknown]), [bob])
  assert.deepEqual(await findMemberIds(db, server.id, []), [])
})
