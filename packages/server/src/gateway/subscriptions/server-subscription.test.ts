import assert from 'node:assert/strict'
import { Permission } from '@gatehouse/protocol/permissions'
import { createServer, register, type TestUser } from '@gatehouse/testkit/community'
import { eachService, type TestService } from '@gatehouse/testkit/service'
import { subjects } from '../../events/gateway-events.ts'
import { connectUser, sendMessage, takeEventNames } from '../gateway-testing.ts'

const view = Permission.VIEW_CHANNEL.toString()
const noEmbeds = Permission.EMBED_LINKS.toString()

/** A server with two members, connected to the gateway, and a second channel that both may view. */
async function createConnectedServer(service: TestService) {
  const ada = await register(service, 'ada')
  const ben = await register(service, 'ben')
  const { server, general } = await createServer(ada, ben)
  const second = await ada.client.json('POST', `/api/servers/${server.id}/channels`, { name: 'second' })
  const [adaClient, benClient] = [await connectUser(service, ada), await connectUser(service, ben)]
  return { ada, ben, server, general, second: second.body, adaClient, benClient }
}

async function request(person: TestUser, method: string, path: string, body?: unknown) {
  const reply = await person.client.json(method, path, body)
  assert.ok(reply.status < 300, reply.text)
  return reply.body
}

const overwritePath = (channelId: string, targetId: string) =>
  `/api/channels/${channelId}/overwrites/${targetId}`

eachService(
  'created, edited and deleted messages reach all members who may view the channel (gateway/event-payloads)',
  async (_t, service) => {
    const { ada, general, server, adaClient, benClient } = await createConnectedServer(service)
    const message = await sendMessage(ada, general.id, 'hello')
    const path = `/api/channels/${general.id}/messages/${message.id}`
    await request(ada, 'PATCH', path, { content: 'hello again' })
    await request(ada, 'DELETE', path)
    for (const client of [adaClient, benClient]) {
      const [created, updated, deleted] = [
        await client.nextFrame(),
        await client.nextFrame(),
        await client.nextFrame(),
      ]
      assert.deepEqual([created.t, created.d], ['MESSAGE_CREATE', message])
      assert.deepEqual([updated.t, updated.d.content], ['MESSAGE_UPDATE', 'hello again'])
      assert.deepEqual(
        [deleted.t, deleted.d],
        ['MESSAGE_DELETE', { id: message.id, channelId: general.id, serverId: server.id }],
      )
      assert.deepEqual([created.s, updated.s, deleted.s], [2, 3, 4])
    }
  },
)

eachService(
  'an overwrite that hides a channel sends CHANNEL_DELETE to the affected members',
  async (_t, service) => {
    const { ada, ben, server, general, second, adaClient, benClient } = await createConnectedServer(service)
    await request(ada, 'PUT', overwritePath(second.id, ben.id), { type: 'member', allow: '0', deny: view })
    await sendMessage(ada, second.id, 'secret')
    await request(ada, 'PATCH', `/api/channels/${second.id}`, { name: 'hidden' })
    await sendMessage(ada, general.id, 'marker')
    const deleted = await benClient.nextFrame()
    assert.deepEqual([deleted.t, deleted.d], ['CHANNEL_DELETE', { id: second.id, serverId: server.id }])
    assert.equal((await benClient.nextFrame()).d.content, 'marker')
    assert.deepEqual(await takeEventNames(adaClient, 4), [
      'CHANNEL_UPDATE',
      'MESSAGE_CREATE',
      'CHANNEL_UPDATE',
      'MESSAGE_CREATE',
    ])
  },
)

eachService(
  'an overwrite that reveals a channel sends CHANNEL_CREATE, and no later message is lost',
  async (_t, service) => {
    const { ada, ben, server, second, benClient } = await createConnectedServer(service)
    await request(ada, 'PUT', overwritePath(second.id, server.id), { type: 'role', allow: '0', deny: view })
    assert.equal((await benClient.nextFrame()).t, 'CHANNEL_DELETE')
    for (let round = 0; round < 20; round++) {
      await request(ada, 'PUT', overwritePath(second.id, ben.id), { type: 'member', allow: view, deny: '0' })
      await sendMessage(ada, second.id, `message ${round}`)
      await request(ada, 'DELETE', overwritePath(second.id, ben.id))
      const created = await benClient.nextFrame()
      assert.deepEqual([created.t, created.d.id, created.d.name], ['CHANNEL_CREATE', second.id, 'second'])
      assert.deepEqual(created.d.permissionOverwrites.length, 2)
      assert.equal((await benClient.nextFrame()).d.content, `message ${round}`)
      assert.equal((await benClient.nextFrame()).t, 'CHANNEL_DELETE')
    }
  },
)

eachService(
  'an overwrite that does not change who may view the channel sends CHANNEL_UPDATE',
  async (_t, service) => {
    const { ada, ben, second, benClient } = await createConnectedServer(service)
    await request(ada, 'PUT', overwritePath(second.id, ben.id), {
      type: 'member',
      allow: '0',
      deny: noEmbeds,
    })
    const updated = await benClient.nextFrame()
    assert.deepEqual([updated.t, updated.d.id], ['CHANNEL_UPDATE', second.id])
  },
)

eachService('adding, removing and deleting a role changes the visible channels', async (_t, service) => {
  const { ada, ben, server, general, second, benClient } = await createConnectedServer(service)
  const roles = `/api/servers/${server.id}/roles`
  const role = await request(ada, 'POST', roles, { name: 'Insiders', permissions: '0' })
  await request(ada, 'PUT', overwritePath(second.id, server.id), { type: 'role', allow: '0', deny: view })
  assert.deepEqual(await takeEventNames(benClient, 2), ['ROLE_CREATE', 'CHANNEL_DELETE'])

  await request(ada, 'PUT', overwritePath(second.id, role.id), { type: 'role', allow: view, deny: '0' })
  const memberRole = `/api/servers/${server.id}/members/${ben.id}/roles/${role.id}`
  await request(ada, 'PUT', memberRole)
  const added = [await benClient.nextFrame(), await benClient.nextFrame()]
  assert.deepEqual(added.map(frame => frame.t).sort(), ['CHANNEL_CREATE', 'MEMBER_UPDATE'])
  assert.equal(added.find(frame => frame.t === 'CHANNEL_CREATE')?.d.id, second.id)
  await sendMessage(ada, second.id, 'for role members')
  assert.equal((await benClient.nextFrame()).d.content, 'for role members')

  await request(ada, 'DELETE', memberRole)
  await sendMessage(ada, second.id, 'hidden')
  assert.deepEqual((await takeEventNames(benClient, 2)).sort(), ['CHANNEL_DELETE', 'MEMBER_UPDATE'])

  await request(ada, 'PUT', memberRole)
  assert.deepEqual((await takeEventNames(benClient, 2)).sort(), ['CHANNEL_CREATE', 'MEMBER_UPDATE'])
  await request(ada, 'DELETE', `${roles}/${role.id}`)
  await sendMessage(ada, second.id, 'hidden')
  assert.deepEqual((await takeEventNames(benClient, 2)).sort(), ['CHANNEL_DELETE', 'ROLE_DELETE'])
  await sendMessage(ada, general.id, 'marker')
  assert.equal((await benClient.nextFrame()).d.content, 'marker')
})

eachService(
  'removing VIEW_CHANNEL from @everyone hides all channels, adding it reveals them',
  async (_t, service) => {
    const { ada, server, general, second, adaClient, benClient } = await createConnectedServer(service)
    const everyone = `/api/servers/${server.id}/roles/${server.id}`
    await request(ada, 'PATCH', everyone, { permissions: Permission.SEND_MESSAGES.toString() })
    await sendMessage(ada, general.id, 'hidden')
    const first = [await benClient.nextFrame(), await benClient.nextFrame(), await benClient.nextFrame()]
    assert.deepEqual(first.map(frame => frame.t).sort(), ['CHANNEL_DELETE', 'CHANNEL_DELETE', 'ROLE_UPDATE'])
    assert.deepEqual(await takeEventNames(adaClient, 2), ['ROLE_UPDATE', 'MESSAGE_CREATE'])
    await request(ada, 'PATCH', everyone, {
      permissions: (Permission.VIEW_CHANNEL | Permission.SEND_MESSAGES).toString(),
    })
    await sendMessage(ada, second.id, 'visible')
    const next = [await benClient.nextFrame(), await benClient.nextFrame(), await benClient.nextFrame()]
    assert.deepEqual(next.map(frame => frame.t).sort(), ['CHANNEL_CREATE', 'CHANNEL_CREATE', 'ROLE_UPDATE'])
    assert.equal((await benClient.nextFrame()).d.content, 'visible')
  },
)

eachService(
  'members receive CHANNEL_CREATE, the messages and CHANNEL_DELETE of a new channel (gateway/event-payloads)',
  async (_t, service) => {
    const { ada, server, benClient } = await createConnectedServer(service)
    const channel = await request(ada, 'POST', `/api/servers/${server.id}/channels`, { name: 'third' })
    await sendMessage(ada, channel.id, 'first')
    await request(ada, 'DELETE', `/api/channels/${channel.id}`)
    const [created, message, deleted] = [
      await benClient.nextFrame(),
      await benClient.nextFrame(),
      await benClient.nextFrame(),
    ]
    assert.deepEqual([created.t, created.d], ['CHANNEL_CREATE', channel])
    assert.equal(message.d.content, 'first')
    assert.deepEqual([deleted.t, deleted.d], ['CHANNEL_DELETE', { id: channel.id, serverId: server.id }])
  },
)

eachService(
  'a new member receives SERVER_ADD before other events, and none after SERVER_REMOVE (gateway/event-payloads)',
  async (_t, service) => {
    const { ada, server, general, benClient } = await createConnectedServer(service)
    const eve = await register(service, 'eve')
    const eveClient = await connectUser(service, eve)
    await sendMessage(ada, general.id, 'before joining')
    const invite = await request(ada, 'POST', `/api/servers/${server.id}/invites`, {})
    await request(eve, 'POST', `/api/invites/${invite.code}`)
    await sendMessage(ada, general.id, 'after joining')
    const added = await eveClient.nextFrame()
    assert.deepEqual([added.t, added.d], ['SERVER_ADD', server])
    assert.equal((await eveClient.nextFrame()).d.content, 'after joining')
    await request(eve, 'DELETE', `/api/servers/${server.id}/members/@me`)
    await sendMessage(ada, general.id, 'after leaving')
    const removed = await eveClient.nextFrame()
    assert.deepEqual([removed.t, removed.d], ['SERVER_REMOVE', { id: server.id }])
    await request(eve, 'POST', `/api/invites/${invite.code}`)
    await sendMessage(ada, general.id, 'after joining again')
    assert.equal((await eveClient.nextFrame()).t, 'SERVER_ADD')
    assert.equal((await eveClient.nextFrame()).d.content, 'after joining again')

    const events = [
      'MESSAGE_CREATE',
      'MEMBER_ADD',
      'MESSAGE_CREATE',
      'MEMBER_REMOVE',
      'MESSAGE_CREATE',
      'MEMBER_ADD',
      'MESSAGE_CREATE',
    ]
    assert.deepEqual(await takeEventNames(benClient, events.length), events)
  },
)

eachService('a removed member receives no more events of the server', async (_t, service) => {
  const { ada, ben, server, general, benClient } = await createConnectedServer(service)
  const ownServer = await createServer(ben)
  assert.equal((await benClient.nextFrame()).t, 'SERVER_ADD')
  await request(ada, 'DELETE', `/api/servers/${server.id}/members/${ben.id}`)
  await sendMessage(ada, general.id, 'after removal')
  await sendMessage(ben, ownServer.general.id, 'marker')
  const removed = await benClient.nextFrame()
  assert.deepEqual([removed.t, removed.d], ['SERVER_REMOVE', { id: server.id }])
  assert.equal((await benClient.nextFrame()).d.content, 'marker')
})

eachService(
  'members receive SERVER_UPDATE for a changed and SERVER_REMOVE for a deleted server',
  async (_t, service) => {
    const { ada, server, adaClient, benClient } = await createConnectedServer(service)
    await request(ada, 'PATCH', `/api/servers/${server.id}`, { name: 'Renamed' })
    await request(ada, 'DELETE', `/api/servers/${server.id}`)
    for (const client of [adaClient, benClient]) {
      assert.equal((await client.nextFrame()).d.name, 'Renamed')
      const removed = await client.nextFrame()
      assert.deepEqual([removed.t, removed.d], ['SERVER_REMOVE', { id: server.id }])
    }
  },
)

eachService('a direct message reaches only its two users, from its creation on', async (_t, service) => {
  const { ada, ben, general, adaClient, benClient } = await createConnectedServer(service)
  const eve = await register(service, 'eve')
  const eveClient = await connectUser(service, eve)
  const channel = await request(ada, 'POST', '/api/users/@me/channels', { recipientId: ben.id })
  await sendMessage(ada, channel.id, 'private')
  for (const [client, other] of [
    [adaClient, ben],
    [benClient, ada],
  ] as const) {
    const opened = await client.nextFrame()
    assert.deepEqual([opened.t, opened.d.id, opened.d.recipient.id], ['CHANNEL_CREATE', channel.id, other.id])
    const message = await client.nextFrame()
    assert.deepEqual([message.d.content, message.d.serverId], ['private', null])
  }
  const newClient = await connectUser(service, ben)
  await sendMessage(ada, channel.id, 'private again')
  assert.equal((await newClient.nextFrame()).d.content, 'private again')
  await sendMessage(ada, general.id, 'marker')
  assert.equal((await benClient.nextFrame()).d.content, 'private again')
  assert.equal((await benClient.nextFrame()).d.content, 'marker')
  assert.deepEqual(eveClient.takeFrames(), [])
})

eachService(
  'concurrent permission changes and messages never send events of a hidden channel',
  async (_t, service) => {
    const { ada, ben, second, benClient } = await createConnectedServer(service)
    // Concurrent requests. CHANNEL_CREATE and CHANNEL_DELETE must alternate, with messages only while the channel is
    // visible.
    const work: Promise<unknown>[] = []
    for (let round = 0; round < 25; round++) {
      const deny = round % 2 === 0 ? view : '0'
      work.push(request(ada, 'PUT', overwritePath(second.id, ben.id), { type: 'member', allow: '0', deny }))
      work.push(sendMessage(ada, second.id, `message ${round}`))
      if (round % 5 === 0) await Promise.all(work.splice(0))
    }
    await Promise.all(work)
    await request(ada, 'PUT', overwritePath(second.id, ben.id), { type: 'member', allow: '0', deny: view })
    await sendMessage(ada, second.id, 'hidden')
    await request(ada, 'DELETE', overwritePath(second.id, ben.id))
    await sendMessage(ada, second.id, 'last')
    let visible = true
    for (;;) {
      const { t, d } = await benClient.nextFrame()
      if (t === 'CHANNEL_CREATE') {
        assert.equal(visible, false)
        visible = true
      } else if (t === 'CHANNEL_DELETE') {
        assert.equal(visible, true)
        visible = false
      } else {
        assert.equal(visible, true, `${t} of a hidden channel`)
        assert.notEqual(d.content, 'hidden')
        if (d.content === 'last') break
      }
    }
  },
)

/** Publishes an event and a message without any delay between them, which is the closest possible race. */
function publishWithMessage(
  service: TestService,
  serverId: string,
  t: string,
  d: object,
  channelId: string,
  content: string,
) {
  service.bus.publish(subjects.server(serverId), { t, d })
  service.bus.publish(subjects.channel(channelId), { t: 'MESSAGE_CREATE', d: { channelId, content } })
}

eachService('the first message of a new channel is not lost', async (_t, service) => {
  const { server, benClient } = await createConnectedServer(service)
  const id = '9000000000000000001'
  await service.db.run`
    INSERT INTO channels (id, server_id, type, name, topic, position, created_at)
    VALUES (${id}, ${server.id}, 'text', 'new', NULL, 9, 1)`
  service.bus.publish(subjects.server(server.id), {
    t: 'CHANNEL_CREATE',
    d: { id, serverId: server.id, name: 'new' },
  })
  // A user can send a message only after CHANNEL_CREATE, so in a later microtask at the earliest.
  await Promise.resolve()
  service.bus.publish(subjects.channel(id), { t: 'MESSAGE_CREATE', d: { channelId: id, content: 'first' } })
  assert.deepEqual(
    [await benClient.nextFrame(), await benClient.nextFrame()].map(({ t }) => t),
    ['CHANNEL_CREATE', 'MESSAGE_CREATE'],
  )
})

eachService(
  'the first message of a revealed channel is not lost if no subscriber could view it before',
  async (_t, service) => {
    const ada = await register(service, 'ada')
    const ben = await register(service, 'ben')
    const { server } = await createServer(ada, ben)
    const second = await request(ada, 'POST', `/api/servers/${server.id}/channels`, { name: 'second' })
    await request(ada, 'PUT', overwritePath(second.id, server.id), { type: 'role', allow: '0', deny: view })
    const benClient = await connectUser(service, ben)
    await service.db.run`DELETE FROM overwrites WHERE channel_id = ${second.id}`
    publishWithMessage(service, server.id, 'CHANNEL_UPDATE', second, second.id, 'first')
    assert.deepEqual(
      [await benClient.nextFrame(), await benClient.nextFrame()].map(({ t }) => t),
      ['CHANNEL_CREATE', 'MESSAGE_CREATE'],
    )
  },
)

eachService('several permission changes at once send only the resulting changes', async (_t, service) => {
  const { ada, ben, server, general, second, benClient } = await createConnectedServer(service)
  await service.db.run`
    INSERT INTO overwrites (channel_id, target_id, type, allow, deny)
    VALUES (${second.id}, ${ben.id}, 'member', '0', ${view}), (${general.id}, ${ben.id}, 'member', '0', ${view})`
  for (const channel of [general, second, general]) {
    publishWithMessage(service, server.id, 'CHANNEL_UPDATE', channel, channel.id, 'secret')
  }
  const deleted = [await benClient.nextFrame(), await benClient.nextFrame()]
  await request(ada, 'DELETE', overwritePath(general.id, ben.id))
  await sendMessage(ada, general.id, 'marker')
  assert.deepEqual(
    deleted.map(({ t, d }) => [t, d.id]).sort(),
    [
      ['CHANNEL_DELETE', general.id],
      ['CHANNEL_DELETE', second.id],
    ].sort(),
  )
  assert.deepEqual((await benClient.nextFrame()).t, 'CHANNEL_CREATE')
  assert.equal((await benClient.nextFrame()).d.content, 'marker')
})

eachService('events wait while the database cannot be read', async (_t, service) => {
  const { server, general, second, benClient } = await createConnectedServer(service)
  await service.db.run`ALTER TABLE overwrites RENAME TO overwrites_renamed`
  publishWithMessage(service, server.id, 'CHANNEL_UPDATE', second, general.id, 'queued')
  const hasFailed = () => service.log.some(line => line.includes('the gateway failed'))
  while (!hasFailed()) await new Promise(resolve => setImmediate(resolve))
  benClient.send({ op: 1, d: 1 })
  assert.equal((await benClient.nextFrame()).op, 11)
  await service.db.run`ALTER TABLE overwrites_renamed RENAME TO overwrites`
  service.clock.advance(1000)
  assert.equal((await benClient.nextFrame()).t, 'CHANNEL_UPDATE')
  assert.equal((await benClient.nextFrame()).d.content, 'queued')
})
