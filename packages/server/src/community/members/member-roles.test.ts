import assert from 'node:assert/strict'
import { formatPermissions, Permission } from '@gatehouse/protocol/permissions'
import { createCommunity, createServer, payloads, register } from '@gatehouse/testkit/community'
import { eachEngine } from '@gatehouse/testkit/databases'
import { eachService } from '@gatehouse/testkit/service'

eachService(
  'PATCH /api/servers/:id/members/:userId with roles: 200, 400, 403, 404, 409 (community/member-roles)',
  async (_t, service) => {
    const [owner, keeper, ann] = [
      await register(service, 'owner'),
      await register(service, 'keeper'),
      await register(service, 'ann'),
    ]
    const { server } = await createServer(owner, keeper, ann)
    const createRole = (name: string, permissions: bigint, position: number) =>
      owner.client.call('createRole', {
        ...{ id: server.id, body: { name, permissions: formatPermissions(permissions), position } },
      })
    const [low, crew, keepers, high] = [
      await createRole('Low', 0n, 1),
      await createRole('Crew', 0n, 2),
      await createRole('Keepers', Permission.MANAGE_ROLES, 5),
      await createRole('High', 0n, 9),
    ]
    await owner.client.call('addMemberRole', { id: server.id, userId: keeper.id, roleId: keepers.id })
    await owner.client.call('addMemberRole', { id: server.id, userId: ann.id, roleId: low.id })
    const path = `/api/servers/${server.id}/members/${ann.id}`
    const set = (body: object, who = keeper) => who.client.json('PATCH', path, body)
    const until = new Date(service.clock.now() + 60_000).toISOString()
    for (const [reply, expected] of [
      [await set({ roles: [] }, ann), [403, undefined]],
      [await set({ roles: [crew.id], timedOutUntil: until }), [403, undefined]],
      [await set({ roles: [crew.id, high.id] }), [403, undefined]],
      [await set({ roles: [crew.id, '1234567890123456789'] }), [400, 'roles[1]']],
      [await set({ roles: [crew.id, server.id] }), [409, undefined]],
    ] as const) {
      assert.deepEqual([reply.status, reply.body.errors?.[0]?.path], expected, reply.text)
    }
    const unchanged = await owner.client.call('getMember', { id: server.id, userId: ann.id })
    assert.deepEqual([unchanged.roles, unchanged.timedOutUntil], [[low.id], null])
    assert.deepEqual((await set({ roles: [crew.id, crew.id] })).body.roles, [crew.id])
    const missing = `/api/servers/${server.id}/members/1234567890123456789`
    assert.equal((await keeper.client.json('PATCH', missing, { roles: [] })).status, 404)
  },
)

eachEngine(
  'a change of roles and time-out publishes one MEMBER_UPDATE, and no change none (community/member-roles)',
  async (_t, db) => {
    const { createUser, createServer: create, members, roles, clock, published } = createCommunity(db)
    const [ann, bob] = [await createUser('ann'), await createUser('bob')]
    const { server } = await create(ann, bob)
    const actor = { userId: ann }
    const role = await roles.createRole(actor, server.id, { name: 'Crew', permissions: '0' })
    const timedOutUntil = new Date(clock.now() + 60_000).toISOString()
    published.length = 0
    await members.updateMember(actor, server.id, bob, { roles: [role.id], timedOutUntil })
    const [update, ...more] = payloads(published, `server.${server.id}`, 'MEMBER_UPDATE')
    assert.deepEqual([update?.roles, update?.timedOutUntil, more.length], [[role.id], timedOutUntil, 0])
    published.length = 0
    await members.updateMember(actor, server.id, bob, { roles: [role.id] })
    await members.updateMember({ userId: bob }, server.id, ann, {})
    assert.deepEqual(published, [])
  },
)
