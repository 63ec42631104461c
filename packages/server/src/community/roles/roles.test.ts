import assert from 'node:assert/strict'
import { defaultEveryone, formatPermissions, Permission } from '@gatehouse/protocol/permissions'
import { assertOneLeft, oldIds } from '@gatehouse/testkit/caps'
import { createCommunity, createServer, payloads, register } from '@gatehouse/testkit/community'
import { eachEngine } from '@gatehouse/testkit/databases'
import { eachService } from '@gatehouse/testkit/service'
import { AppError } from '../../errors/app-error.ts'
import { findRole, findRoleIds } from './index.ts'

const unknown = '1234567890123456789'
const code = (expected: string) => (error: unknown) => error instanceof AppError && error.code === expected
const manageRoles = formatPermissions(Permission.MANAGE_ROLES)
const kick = formatPermissions(Permission.KICK_MEMBERS)

eachService('GET · POST /api/servers/:id/roles: 200, 201, 400, 404', async (_t, service) => {
  const [ann, bob, eve] = [
    await register(service, 'ann'),
    await register(service, 'bob'),
    await register(service, 'eve'),
  ]
  const { server } = await createServer(ann, bob)
  const path = `/api/servers/${server.id}/roles`
  {
    const reply = await ann.client.json('POST', path, { name: 'Crew', permissions: kick, color: 255 })
    assert.equal(reply.status, 201)
    const role = {
      serverId: server.id,
      name: 'Crew',
      permissions: kick,
      color: 255,
      position: 1,
      managed: false,
    }
    assert.deepEqual(reply.body, { id: reply.body.id, ...role })
    const high = await ann.client.json('POST', path, { name: 'High', permissions: '0', position: 4 })
    assert.equal(high.body.position, 4)
    assert.equal(high.body.color, 0)
    const everyone = {
      id: server.id,
      serverId: server.id,
      name: '@everyone',
      permissions: formatPermissions(defaultEveryone),
      color: 0,
      position: 0,
      managed: false,
    }
    assert.deepEqual((await bob.client.get(path)).body, [everyone, reply.body, high.body])
  }
  for (const body of [
    {},
    { name: 'x' },
    { name: '', permissions: '0' },
    { name: 'x', permissions: '256' },
    { name: 'x', permissions: '18446744073709551616' },
    { name: 'x', permissions: 'all' },
    { name: 'x', permissions: 2 },
    { name: 'x', permissions: '0', color: 16_777_216 },
    { name: 'x', permissions: '0', position: 0 },
    { name: 'x', permissions: '0', managed: true },
  ]) {
    const reply = await ann.client.json('POST', path, body)
    assert.equal(reply.status, 400, JSON.stringify(body))
    assert.equal(reply.body.code, 'validation_failed')
  }
  assert.equal((await eve.client.get(path)).status, 404)
  assert.equal((await eve.client.json('POST', path, { name: 'x', permissions: '0' })).status, 404)
})

eachService('PATCH · DELETE /api/servers/:id/roles/:roleId: 200, 204, 400, 404, 409', async (_t, service) => {
  const [ann, bob, eve] = [
    await register(service, 'ann'),
    await register(service, 'bob'),
    await register(service, 'eve'),
  ]
  const { server } = await createServer(ann, bob)
  const roles = `/api/servers/${server.id}/roles`
  const role = (await ann.client.json('POST', roles, { name: 'Crew', permissions: '0' })).body
  const path = `${roles}/${role.id}`
  const everyone = `${roles}/${server.id}`
  {
    const reply = await ann.client.json('PATCH', path, {
      name: 'Staff',
      permissions: kick,
      color: 1,
      position: 2,
    })
    assert.equal(reply.status, 200)
    assert.deepEqual(reply.body, { ...role, name: 'Staff', permissions: kick, color: 1, position: 2 })
    const other = await ann.client.json('PATCH', path, { color: 0 })
    assert.deepEqual(other.body, { ...reply.body, color: 0 })
  }
  {
    const reply = await ann.client.json('PATCH', everyone, {
      name: '@everyone',
      permissions: '0',
      position: 0,
    })
    assert.equal(reply.status, 200)
    assert.equal(reply.body.permissions, '0')
    assert.deepEqual((await bob.client.get(`/api/servers/${server.id}/channels`)).body, [])
  }
  assert.equal((await ann.client.json('PATCH', everyone, { name: 'All' })).body.errors[0].path, 'name')
  assert.equal((await ann.client.json('PATCH', everyone, { position: 3 })).body.errors[0].path, 'position')
  assert.equal((await ann.client.json('PATCH', path, { position: 0 })).status, 400)
  assert.equal(
    (await ann.client.json('PATCH', path, { permissions: '256' })).body.errors[0].path,
    'permissions',
  )
  assert.equal((await eve.client.json('PATCH', path, { name: 'x' })).status, 404)
  assert.equal((await eve.client.json('DELETE', path)).status, 404)
  {
    const other = await createServer(eve)
    assert.equal((await ann.client.json('PATCH', `${roles}/${other.server.id}`, { name: 'x' })).status, 404)
    assert.equal((await ann.client.json('DELETE', `${roles}/${unknown}`)).status, 404)
  }
  {
    const reply = await ann.client.json('DELETE', everyone)
    assert.equal(reply.status, 409)
    assert.equal(reply.body.code, 'conflict')
  }
  assert.equal((await ann.client.json('DELETE', path)).status, 204)
  assert.equal((await ann.client.json('DELETE', path)).status, 404)
})

eachEngine(
  'rejects a change of a role with permissions that the caller does not have (community/permission-hierarchy)',
  async (_t, db) => {
    const community = createCommunity(db)
    const { roles, members } = community
    const [ann, bob] = [await community.createUser('ann'), await community.createUser('bob')]
    const { server } = await community.createServer(ann, bob)
    const own = await roles.createRole({ userId: ann }, server.id, {
      name: 'Own',
      permissions: manageRoles,
      position: 5,
    })
    await members.addRole({ userId: ann }, server.id, bob, own.id)
    const strong = await roles.createRole({ userId: ann }, server.id, { name: 'Strong', permissions: kick })
    const isMissingPermission = code('missing_permission')
    await assert.rejects(
      roles.createRole({ userId: bob }, server.id, { name: 'x', permissions: kick }),
      isMissingPermission,
    )
    await assert.rejects(
      roles.updateRole({ userId: bob }, server.id, own.id, { permissions: kick }),
      isMissingPermission,
    )
    await assert.rejects(
      roles.updateRole({ userId: bob }, server.id, strong.id, { permissions: '0' }),
      isMissingPermission,
    )
    await assert.rejects(roles.deleteRole({ userId: bob }, server.id, strong.id), isMissingPermission)
    await assert.rejects(members.addRole({ userId: bob }, server.id, bob, strong.id), isMissingPermission)
    await members.addRole({ userId: ann }, server.id, ann, strong.id)
    await assert.rejects(members.removeRole({ userId: bob }, server.id, ann, strong.id), isMissingPermission)
    const administrator = formatPermissions(Permission.ADMINISTRATOR)
    await assert.rejects(
      roles.updateRole({ userId: bob }, server.id, server.id, { permissions: administrator }),
      isMissingPermission,
    )
    // Permissions that the change keeps need no check.
    assert.equal(
      (await roles.updateRole({ userId: bob }, server.id, strong.id, { name: 'Strength' })).permissions,
      kick,
    )
    const mine = await roles.createRole({ userId: bob }, server.id, {
      name: 'Mine',
      permissions: manageRoles,
    })
    await members.addRole({ userId: bob }, server.id, ann, mine.id)
    await roles.deleteRole({ userId: bob }, server.id, mine.id)
  },
)

eachEngine(
  'rejects a change of a role above the highest role of the caller, and a move above it ' +
    '(community/permission-hierarchy)',
  async (_t, db) => {
    const community = createCommunity(db)
    const { roles, members } = community
    const [ann, bob] = [await community.createUser('ann'), await community.createUser('bob')]
    const { server } = await community.createServer(ann, bob)
    const own = await roles.createRole({ userId: ann }, server.id, {
      name: 'Own',
      permissions: manageRoles,
      position: 5,
    })
    await members.addRole({ userId: ann }, server.id, bob, own.id)
    const above = await roles.createRole({ userId: ann }, server.id, {
      name: 'Above',
      permissions: '0',
      position: 6,
    })
    const below = await roles.createRole({ userId: ann }, server.id, {
      name: 'Below',
      permissions: '0',
      position: 5,
    })
    const isMissingPermission = code('missing_permission')
    await assert.rejects(
      roles.updateRole({ userId: bob }, server.id, above.id, { name: 'x' }),
      isMissingPermission,
    )
    await assert.rejects(roles.deleteRole({ userId: bob }, server.id, above.id), isMissingPermission)
    await assert.rejects(members.addRole({ userId: bob }, server.id, bob, above.id), isMissingPermission)
    await assert.rejects(
      roles.updateRole({ userId: bob }, server.id, below.id, { position: 6 }),
      isMissingPermission,
    )
    await assert.rejects(
      roles.updateRole({ userId: bob }, server.id, own.id, { position: 6 }),
      isMissingPermission,
    )
    await assert.rejects(
      roles.createRole({ userId: bob }, server.id, { name: 'x', permissions: '0', position: 6 }),
      isMissingPermission,
    )
    await members.addRole({ userId: bob }, server.id, ann, below.id)
    assert.equal((await roles.updateRole({ userId: bob }, server.id, below.id, { position: 2 })).position, 2)
  },
)

eachEngine(
  'another position of one role is rejected only if the order from the highest role of the caller up changes ' +
    '(community/role-places)',
  async (_t, db) => {
    const community = createCommunity(db)
    const { roles, members } = community
    const [ann, bob] = [await community.createUser('ann'), await community.createUser('bob')]
    const { server } = await community.createServer(ann, bob)
    const create = (name: string, position: number) =>
      roles.createRole({ userId: ann }, server.id, { name, permissions: manageRoles, position })
    const [below, own, above] = [await create('Below', 2), await create('Own', 5), await create('Above', 9)]
    await members.addRole({ userId: ann }, server.id, bob, own.id)
    const move = (userId: string, { id }: { id: string }, position: number) =>
      roles.updateRole({ userId }, server.id, id, { position })
    const isMissingPermission = code('missing_permission')
    // Of two roles with one position, the older is above.
    await assert.rejects(move(bob, below, 5), isMissingPermission)
    await assert.rejects(move(bob, own, 1), isMissingPermission)
    await assert.rejects(move(bob, own, 10), isMissingPermission)
    await assert.rejects(move(bob, above, 8), isMissingPermission)
    // Nothing changes places.
    assert.equal((await move(bob, own, 8)).position, 8)
    assert.equal((await move(bob, own, 3)).position, 3)
    assert.equal((await move(bob, own, 7)).position, 7)
    assert.equal((await move(bob, below, 6)).position, 6)
    assert.equal((await move(ann, below, 20)).position, 20)
  },
)

eachService(
  'PATCH /api/servers/:id/roles/:roleId: 200, concurrent requests change only their members',
  async (_t, service) => {
    const ann = await register(service, 'ann')
    const { server } = await createServer(ann)
    const roles = `/api/servers/${server.id}/roles`
    const role = (await ann.client.json('POST', roles, { name: 'Crew', permissions: '0' })).body
    for (let i = 1; i <= 10; i++) {
      const changes = { name: `Crew ${i}`, permissions: i % 2 ? kick : '0', color: i }
      const replies = await Promise.all(
        Object.entries(changes).map(([key, value]) =>
          ann.client.json('PATCH', `${roles}/${role.id}`, { [key]: value }),
        ),
      )
      assert.deepEqual(
        replies.map(({ status }) => status),
        [200, 200, 200],
      )
      assert.deepEqual((await ann.client.get(roles)).body[1], { ...role, ...changes })
    }
  },
)

eachEngine(
  'a managed role is created and deleted with its bot, and no other member can have it ' +
    '(community/permission-hierarchy)',
  async (_t, db) => {
    const community = createCommunity(db)
    const { roles, members, published } = community
    const [ann, bot] = [await community.createUser('ann'), await community.createBot('robot')]
    const { server } = await community.createServer(ann)
    const joining = {
      serverId: server.id,
      userId: bot,
      permissions: Permission.KICK_MEMBERS,
      roleName: 'Robot',
      addedBy: ann,
    }
    const { roleId } = await db.transaction(tx => members.addBot(tx, joining))
    assert.deepEqual(
      (await roles.listRoles(ann, server.id)).find(role => role.id === roleId),
      {
        id: roleId,
        serverId: server.id,
        name: 'Robot',
        permissions: kick,
        color: 0,
        position: 1,
        managed: true,
      },
    )
    assert.equal((await findRole(db, server.id, roleId))?.botId, bot)
    await assert.rejects(roles.deleteRole({ userId: ann }, server.id, roleId), code('conflict'))
    await assert.rejects(members.addRole({ userId: ann }, server.id, ann, roleId), code('conflict'))
    await assert.rejects(members.removeRole({ userId: ann }, server.id, bot, roleId), code('conflict'))

    const again = await db.transaction(tx => members.addBot(tx, { ...joining, permissions: 0n }))
    assert.equal(again.roleId, roleId)
    assert.equal((await findRole(db, server.id, roleId))?.permissions, 0n)

    await members.removeMember({ userId: ann }, server.id, bot)
    assert.equal(await findRole(db, server.id, roleId), undefined)
    const subject = `server.${server.id}`
    assert.deepEqual(payloads(published, subject, 'ROLE_DELETE'), [{ id: roleId, serverId: server.id }])
    assert.equal(payloads(published, subject, 'ROLE_CREATE').length, 1)
    assert.equal(payloads(published, subject, 'ROLE_UPDATE').length, 1)
  },
)

eachEngine('adding a bot again does not undo a concurrent change of its managed role', async (_t, db) => {
  const community = createCommunity(db)
  const { roles, members } = community
  const [ann, bot] = [await community.createUser('ann'), await community.createBot('robot')]
  const { server } = await community.createServer(ann)
  const joining = { serverId: server.id, userId: bot, permissions: 0n, roleName: 'Robot', addedBy: ann }
  const { roleId } = await db.transaction(tx => members.addBot(tx, joining))
  for (let round = 1; round <= 5; round++) {
    const permissions = round % 2 ? Permission.KICK_MEMBERS : 0n
    const adding = db.transaction(tx => members.addBot(tx, { ...joining, permissions }))
    for (let color = 1; color <= 10; color++) {
      await roles.updateRole({ userId: ann }, server.id, roleId, { color })
      assert.equal((await findRole(db, server.id, roleId))?.color, color)
    }
    await adding
    const role = await findRole(db, server.id, roleId)
    assert.deepEqual([role?.color, role?.permissions], [10, permissions])
  }
})

eachEngine(
  'deleting a role removes it from members and channels and publishes ROLE_DELETE',
  async (_t, db) => {
    const community = createCommunity(db)
    const { roles, members, overwrites, channels, published } = community
    const [ann, bob] = [await community.createUser('ann'), await community.createUser('bob')]
    const { server, general } = await community.createServer(ann, bob)
    const role = await roles.createRole({ userId: ann }, server.id, { name: 'Crew', permissions: '0' })
    const renamed = await roles.updateRole({ userId: ann }, server.id, role.id, { name: 'Staff' })
    await members.addRole({ userId: ann }, server.id, bob, role.id)
    await overwrites.putOverwrite({ userId: ann }, general.id, role.id, {
      type: 'role',
      allow: kick,
      deny: '0',
    })
    await roles.deleteRole({ userId: ann }, server.id, role.id)
    assert.deepEqual((await members.getMember(ann, server.id, bob)).roles, [])
    assert.deepEqual((await channels.getChannel(ann, general.id)).permissionOverwrites, [])
    const subject = `server.${server.id}`
    assert.deepEqual(payloads(published, subject, 'ROLE_CREATE'), [role])
    assert.deepEqual(payloads(published, subject, 'ROLE_UPDATE'), [renamed])
    assert.deepEqual(payloads(published, subject, 'ROLE_DELETE'), [{ id: role.id, serverId: server.id }])
  },
)

eachEngine('findRoleIds returns only ids of roles of the server', async (_t, db) => {
  const community = createCommunity(db)
  const ann = await community.createUser('ann')
  const [{ server }, other] = [await community.createServer(ann), await community.createServer(ann)]
  const role = await community.roles.createRole({ userId: ann }, server.id, {
    name: 'Crew',
    permissions: '0',
  })
  const ids = [role.id, other.server.id, unknown, server.id]
  assert.deepEqual((await findRoleIds(db, server.id, ids)).toSorted(), [server.id, role.id].toSorted())
  assert.equal(await findRole(db, other.server.id, role.id), undefined)
})

eachService(
  'POST /api/servers/:id/roles: 409, a server has at most 250 roles with @everyone ' +
    '(limits/cap-exact, limits/cap-counting)',
  async (_t, service) => {
    const ann = await register(service, 'ann')
    const { server } = await createServer(ann)
    const roleIds = oldIds(248)
    await service.db.transaction(async tx => {
      for (const id of roleIds) {
        await tx.run`
          INSERT INTO roles (id, server_id, name, permissions, color, position)
          VALUES (${id}, ${server.id}, 'old', '0', 0, 1)`
      }
    })
    const path = `/api/servers/${server.id}/roles`
    const create = () => ann.client.json('POST', path, { name: 'New', permissions: '0' })
    await assertOneLeft(service, 'roles', create, {
      limit: 'roles',
      message: 'A server has at most 250 roles.',
    })
    assert.equal((await ann.client.get(path)).body.length, 250)
    assert.equal((await ann.client.json('DELETE', `${path}/${roleIds[0]}`)).status, 204)
    assert.equal((await create()).status, 201)
  },
)
