import assert from 'node:assert/strict'
import { formatPermissions, Permission } from '@gatehouse/protocol/permissions'
import { assertOneLeft, oldIds } from '@gatehouse/testkit/caps'
import { createCommunity, createServer, payloads, register } from '@gatehouse/testkit/community'
import { eachEngine } from '@gatehouse/testkit/databases'
import { eachService } from '@gatehouse/testkit/service'

const view = formatPermissions(Permission.VIEW_CHANNEL)
const manage = formatPermissions(Permission.MANAGE_CHANNELS)

eachService('GET · POST /api/servers/:id/channels: 200, 201, 400, 404', async (_t, service) => {
  const [ann, bob, eve] = [
    await register(service, 'ann'),
    await register(service, 'bob'),
    await register(service, 'eve'),
  ]
  const { server, general } = await createServer(ann, bob)
  const path = `/api/servers/${server.id}/channels`
  {
    const reply = await ann.client.json('POST', path, { name: 'news', topic: 'What is new' })
    assert.equal(reply.status, 201)
    assert.deepEqual(reply.body, {
      id: reply.body.id,
      serverId: server.id,
      type: 'text',
      name: 'news',
      topic: 'What is new',
      position: 1,
      parentId: null,
      slowMode: 0,
      permissionOverwrites: [],
    })
    assert.deepEqual((await bob.client.get(path)).body, [general, reply.body])
  }
  {
    const secret = await ann.client.json('POST', path, { name: 'secret' })
    assert.equal(secret.body.topic, null)
    const overwrite = { type: 'role', allow: '0', deny: view }
    await ann.client.json('PUT', `/api/channels/${secret.body.id}/overwrites/${server.id}`, overwrite)
    const names = (reply: { body: { name: string }[] }) => reply.body.map(channel => channel.name)
    assert.deepEqual(names(await ann.client.get(path)), ['general', 'news', 'secret'])
    assert.deepEqual(names(await bob.client.get(path)), ['general', 'news'])
    const [, , own] = (await ann.client.get(path)).body
    assert.deepEqual(own.permissionOverwrites, [{ id: server.id, ...overwrite }])
  }
  for (const body of [{}, { name: '' }, { name: 'x'.repeat(101) }, { name: 'x', topic: 'x'.repeat(1025) }]) {
    assert.equal((await ann.client.json('POST', path, body)).status, 400, JSON.stringify(body))
  }
  assert.equal((await eve.client.get(path)).status, 404)
  assert.equal((await eve.client.json('POST', path, { name: 'x' })).status, 404)
})

eachService('GET · PATCH · DELETE /api/channels/:id: 200, 204, 400, 404', async (_t, service) => {
  const [ann, bob, eve] = [
    await register(service, 'ann'),
    await register(service, 'bob'),
    await register(service, 'eve'),
  ]
  const { general } = await createServer(ann, bob)
  const path = `/api/channels/${general.id}`
  assert.deepEqual((await bob.client.get(path)).body, general)
  {
    const reply = await ann.client.json('PATCH', path, { name: 'lobby', topic: 'Hello', position: 3 })
    assert.equal(reply.status, 200)
    assert.deepEqual(reply.body, { ...general, name: 'lobby', topic: 'Hello', position: 3 })
    const other = await ann.client.json('PATCH', path, { topic: null })
    assert.deepEqual(other.body, { ...general, name: 'lobby', topic: null, position: 3 })
  }
  assert.equal((await ann.client.json('PATCH', path, { name: '' })).status, 400)
  assert.equal((await ann.client.json('PATCH', path, { position: -1 })).status, 400)
  assert.equal((await ann.client.json('PATCH', path, { type: 'dm' })).status, 400)
  assert.equal((await eve.client.get(path)).status, 404)
  assert.equal((await eve.client.json('PATCH', path, { name: 'x' })).status, 404)
  assert.equal((await eve.client.json('DELETE', path)).status, 404)
  {
    const overwrite = { type: 'member', allow: manage, deny: '0' }
    assert.equal((await ann.client.json('PUT', `${path}/overwrites/${bob.id}`, overwrite)).status, 204)
    const reply = await bob.client.json('DELETE', path)
    assert.equal(reply.status, 204)
    assert.equal((await ann.client.get(path)).status, 404)
  }
})

eachService(
  'PATCH /api/channels/:id: 200, concurrent requests change only their members',
  async (_t, service) => {
    const ann = await register(service, 'ann')
    const { general } = await createServer(ann)
    const path = `/api/channels/${general.id}`
    for (let position = 1; position <= 10; position++) {
      const changes = { name: `name-${position}`, topic: `Topic ${position}`, position }
      const replies = await Promise.all(
        Object.entries(changes).map(([key, value]) => ann.client.json('PATCH', path, { [key]: value })),
      )
      assert.deepEqual(
        replies.map(({ status }) => status),
        [200, 200, 200],
      )
      assert.deepEqual((await ann.client.get(path)).body, { ...general, ...changes })
    }
  },
)

eachEngine('publishes channel events to the server', async (_t, db) => {
  const community = createCommunity(db)
  const { published, channels, overwrites } = community
  const ann = await community.createUser('ann')
  const { server } = await community.createServer(ann)
  const subject = `server.${server.id}`
  const channel = await channels.createChannel({ userId: ann }, server.id, { name: 'news' })
  assert.deepEqual(payloads(published, subject, 'CHANNEL_CREATE'), [channel])

  await channels.updateChannel({ userId: ann }, channel.id, { name: 'olds' })
  await overwrites.putOverwrite({ userId: ann }, channel.id, server.id, {
    type: 'role',
    allow: '0',
    deny: view,
  })
  await overwrites.deleteOverwrite({ userId: ann }, channel.id, server.id)
  const hidden = { id: server.id, type: 'role', allow: '0', deny: view }
  assert.deepEqual(payloads(published, subject, 'CHANNEL_UPDATE'), [
    { ...channel, name: 'olds' },
    { ...channel, name: 'olds', permissionOverwrites: [hidden] },
    { ...channel, name: 'olds' },
  ])

  await channels.deleteChannel({ userId: ann }, channel.id)
  assert.deepEqual(payloads(published, subject, 'CHANNEL_DELETE'), [{ id: channel.id, serverId: server.id }])
})

eachService(
  'POST /api/servers/:id/channels: 409, a server has at most 500 channels (limits/cap-exact)',
  async (_t, service) => {
    const ann = await register(service, 'ann')
    const { server, general } = await createServer(ann)
    await service.db.transaction(async tx => {
      for (const id of oldIds(498)) {
        await tx.run`
          INSERT INTO channels (id, server_id, type, name, position, created_at)
          VALUES (${id}, ${server.id}, 'text', 'old', 1, 0)`
      }
    })
    const path = `/api/servers/${server.id}/channels`
    const create = () => ann.client.json('POST', path, { name: 'new' })
    await assertOneLeft(service, 'channels', create, {
      limit: 'channels',
      message: 'A server has at most 500 channels.',
    })
    assert.equal((await ann.client.get(path)).body.length, 500)
    assert.equal((await ann.client.json('DELETE', `/api/channels/${general.id}`)).status, 204)
    assert.equal((await create()).status, 201)
  },
)
