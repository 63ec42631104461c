import assert from 'node:assert/strict'
import {
  allPermissions,
  defaultEveryone,
  formatPermissions,
  Permission,
} from '@gatehouse/protocol/permissions'
import { assertOneLeft, oldIds } from '@gatehouse/testkit/caps'
import { createCommunity, createServer, payloads, register } from '@gatehouse/testkit/community'
import { eachEngine } from '@gatehouse/testkit/databases'
import { eachService } from '@gatehouse/testkit/service'
import { listUserServers } from './index.ts'

const unknown = '1234567890123456789'
const kick = formatPermissions(Permission.KICK_MEMBERS)

eachService('POST /api/servers: 201, 400', async (_t, service) => {
  const ann = await register(service, 'ann')
  {
    const reply = await ann.client.json('POST', '/api/servers', { name: '  Book club ' })
    assert.equal(reply.status, 201)
    const { id } = reply.body
    const settings = { invitesPaused: false, verificationLevel: 'none' }
    assert.deepEqual(reply.body, { id, name: 'Book club', icon: null, ownerId: ann.id, ...settings })
    const channels = await ann.client.get(`/api/servers/${id}/channels`)
    assert.deepEqual(
      channels.body.map((channel: { name: string; type: string; serverId: string }) => [
        channel.name,
        channel.type,
        channel.serverId,
      ]),
      [['general', 'text', id]],
    )
    const roles = await ann.client.get(`/api/servers/${id}/roles`)
    assert.equal(roles.body.length, 1)
    assert.equal(roles.body[0].id, id)
    assert.equal(roles.body[0].name, '@everyone')
    const members = await ann.client.get(`/api/servers/${id}/members`)
    assert.deepEqual(
      members.body.map((member: { user: { id: string } }) => member.user.id),
      [ann.id],
    )
  }
  for (const body of [
    {},
    { name: ' ' },
    { name: 'x'.repeat(101) },
    { name: 'x', other: 1 },
    { name: 'a\u0000' },
  ]) {
    const reply = await ann.client.json('POST', '/api/servers', body)
    assert.equal(reply.status, 400, JSON.stringify(body))
    assert.equal(reply.body.code, 'validation_failed')
  }
})

eachService(
  'POST /api/servers: 403 email_not_verified with REQUIRE_VERIFIED_EMAIL=on',
  async (_t, service) => {
    const ann = await register(service, 'ann')
    const reply = await ann.client.json('POST', '/api/servers', { name: 'x' })
    assert.equal(reply.status, 403)
    assert.equal(reply.body.code, 'email_not_verified')
  },
  { env: { REQUIRE_VERIFIED_EMAIL: 'on' } },
)

eachService('GET /api/servers/:id: 200, 404', async (_t, service) => {
  const [ann, bob, eve] = [
    await register(service, 'ann'),
    await register(service, 'bob'),
    await register(service, 'eve'),
  ]
  const { server } = await createServer(ann, bob)
  {
    const reply = await bob.client.get(`/api/servers/${server.id}`)
    assert.equal(reply.status, 200)
    assert.deepEqual(reply.body, server)
  }
  {
    const hidden = await eve.client.get(`/api/servers/${server.id}`)
    const missing = await eve.client.get(`/api/servers/${unknown}`)
    assert.equal(hidden.status, 404)
    assert.equal(hidden.text, missing.text)
    assert.equal((await eve.client.get('/api/servers/nonsense')).status, 404)
  }
})

eachService('PATCH /api/servers/:id: 200, 400, 404', async (_t, service) => {
  const [ann, bob, eve] = [
    await register(service, 'ann'),
    await register(service, 'bob'),
    await register(service, 'eve'),
  ]
  const { server } = await createServer(ann, bob)
  const path = `/api/servers/${server.id}`
  {
    const reply = await ann.client.json('PATCH', path, { name: 'Renamed' })
    assert.equal(reply.status, 200)
    assert.deepEqual(reply.body, { ...server, name: 'Renamed' })
    assert.equal((await bob.client.get(path)).body.name, 'Renamed')
    assert.equal((await ann.client.json('PATCH', path, {})).body.name, 'Renamed')
  }
  assert.equal((await ann.client.json('PATCH', path, { name: '' })).status, 400)
  assert.equal((await ann.client.json('PATCH', path, { ownerId: bob.id })).status, 400)
  assert.equal((await eve.client.json('PATCH', path, { name: 'x' })).status, 404)
})

eachService('DELETE /api/servers/:id: 204, 404', async (_t, service) => {
  const [ann, bob, eve] = [
    await register(service, 'ann'),
    await register(service, 'bob'),
    await register(service, 'eve'),
  ]
  const { server, general } = await createServer(ann, bob)
  const path = `/api/servers/${server.id}`
  assert.equal((await eve.client.json('DELETE', path)).status, 404)
  {
    await bob.client.json('POST', `/api/channels/${general.id}/messages`, { content: 'hello' })
    const reply = await ann.client.json('DELETE', path)
    assert.equal(reply.status, 204)
    assert.equal(reply.text, '')
    assert.equal((await ann.client.get(path)).status, 404)
    assert.equal((await bob.client.get(`/api/channels/${general.id}`)).status, 404)
    assert.equal((await bob.client.get(`/api/channels/${general.id}/messages`)).status, 404)
    assert.deepEqual((await bob.client.get('/api/users/@me/servers')).body, [])
  }
  assert.equal((await ann.client.json('DELETE', path)).status, 404)
})

eachService('GET /api/users/@me/servers: 200', async (_t, service) => {
  const [ann, bob] = [await register(service, 'ann'), await register(service, 'bob')]
  const { server } = await createServer(ann, bob)
  const summary = { id: server.id, name: 'Server', icon: null }
  const own = await ann.client.get('/api/users/@me/servers')
  assert.equal(own.status, 200)
  assert.deepEqual(own.body, [{ ...summary, owner: true, permissions: formatPermissions(allPermissions) }])
  const other = await bob.client.get('/api/users/@me/servers')
  assert.deepEqual(other.body, [
    { ...summary, owner: false, permissions: formatPermissions(defaultEveryone) },
  ])
})

eachEngine('lists the servers of a user with the permissions of @everyone and all roles', async (_t, db) => {
  const community = createCommunity(db)
  const [ann, bob] = [await community.createUser('ann'), await community.createUser('bob')]
  const [one, two, three] = [
    await community.createServer(ann, bob),
    await community.createServer(bob),
    await community.createServer(ann, bob),
  ]
  const administrator = formatPermissions(Permission.ADMINISTRATOR)
  for (const [{ server }, permissions] of [
    [one, kick],
    [three, administrator],
  ] as const) {
    const role = await community.roles.createRole({ userId: ann }, server.id, { name: 'Crew', permissions })
    await community.members.addRole({ userId: ann }, server.id, bob, role.id)
  }
  assert.deepEqual(
    (await listUserServers(db, bob)).servers.map(({ id, owner, permissions }) => [
      id,
      owner,
      BigInt(permissions),
    ]),
    [
      [one.server.id, false, defaultEveryone | Permission.KICK_MEMBERS],
      [two.server.id, true, allPermissions],
      [three.server.id, false, allPermissions],
    ],
  )
  assert.deepEqual((await listUserServers(db, await community.createUser('eve'))).servers, [])
})

eachEngine('publishes server events to the server and its members', async (_t, db) => {
  const community = createCommunity(db)
  const { published } = community
  const [ann, bob, bot] = [
    await community.createUser('ann'),
    await community.createUser('bob'),
    await community.createBot('robot'),
  ]
  const { server } = await community.createServer(ann, bob)
  assert.deepEqual(payloads(published, `user.${ann}`, 'SERVER_ADD'), [server])
  assert.deepEqual(payloads(published, `user.${bob}`, 'SERVER_ADD'), [server])
  await db.transaction(tx =>
    community.members.addBot(tx, {
      serverId: server.id,
      userId: bot,
      permissions: 0n,
      roleName: 'Robot',
      addedBy: ann,
    }),
  )

  const renamed = await community.servers.updateServer({ userId: ann }, server.id, { name: 'Renamed' })
  assert.deepEqual(payloads(published, `server.${server.id}`, 'SERVER_UPDATE'), [renamed])

  await community.servers.deleteServer({ userId: ann }, server.id)
  for (const userId of [ann, bob, bot]) {
    assert.deepEqual(payloads(published, `user.${userId}`, 'SERVER_REMOVE'), [{ id: server.id }])
  }
  await community.sweepDeletions()
  assert.deepEqual(community.removed, [{ serverId: server.id, userId: bot }])
})

eachEngine('the sweep deletes all rows of a deleted server', async (_t, db) => {
  const community = createCommunity(db)
  const [ann, bob] = [await community.createUser('ann'), await community.createUser('bob')]
  const { server, general } = await community.createServer(ann, bob)
  const role = await community.roles.createRole({ userId: ann }, server.id, {
    name: 'Crew',
    permissions: '0',
  })
  await community.members.addRole({ userId: ann }, server.id, bob, role.id)
  await community.overwrites.putOverwrite({ userId: ann }, general.id, role.id, {
    type: 'role',
    allow: '0',
    deny: '0',
  })
  await community.invites.createInvite({ userId: bob }, server.id, {})
  await community.messages.createMessage({ kind: 'session', userId: bob }, general.id, {
    content: 'hello',
  })
  await community.servers.deleteServer({ userId: ann }, server.id)
  await community.sweepDeletions()
  const rows = await db.get`
    SELECT (SELECT COUNT(*) FROM servers) + (SELECT COUNT(*) FROM roles) + (SELECT COUNT(*) FROM members) +
      (SELECT COUNT(*) FROM member_roles) + (SELECT COUNT(*) FROM channels) + (SELECT COUNT(*) FROM overwrites) +
      (SELECT COUNT(*) FROM invites) + (SELECT COUNT(*) FROM messages) AS n`
  assert.deepEqual(rows, { n: 0 })
})

eachService(
  'POST /api/servers: 409, a user owns at most 50 servers (limits/cap-exact)',
  async (_t, service) => {
    const ann = await register(service, 'ann')
    await service.db.transaction(async tx => {
      for (const id of oldIds(49)) {
        await tx.run`INSERT INTO servers (id, name, owner_id, created_at) VALUES (${id}, 'Old', ${ann.id}, 0)`
      }
    })
    const create = () => ann.client.json('POST', '/api/servers', { name: 'New' })
    await assertOneLeft(service, 'servers', create, {
      limit: 'ownedServers',
      message: 'A user owns at most 50 servers.',
    })
    const owned = await service.db.all`SELECT id FROM servers WHERE owner_id = ${ann.id}`
    assert.equal(owned.length, 50)
    // A deleted server no longer counts.
    const [own] = (await ann.client.get('/api/users/@me/servers')).body
    assert.equal((await ann.client.json('DELETE', `/api/servers/${own.id}`)).status, 204)
    assert.equal((await create()).status, 201)
  },
)
