import assert from 'node:assert/strict'
import { Permission } from '@gatehouse/protocol/permissions'
import { subjects } from '../platform/events.ts'
import { found, type Person, register } from '../platform/testing.ts'
import { eachService, type TestService } from '../testing.ts'
import { names, online, say } from './testing.ts'

const view = Permission.VIEW_CHANNEL.toString()
const noEmbeds = Permission.EMBED_LINKS.toString()

/** Ada's server with a member, Ben, both there over the gateway; and a second channel that both see. */
async function community(service: TestService) {
  const ada = await register(service, 'ada')
  const ben = await register(service, 'ben')
  const { server, general } = await found(ada, ben)
  const second = await ada.client.json('POST', `/api/servers/${server.id}/channels`, { name: 'second' })
  const [hers, his] = [await online(service, ada), await online(service, ben)]
  return { ada, ben, server, general, second: second.body, hers, his }
}

async function done(person: Person, method: string, path: string, body?: unknown) {
  const reply = await person.client.json(method, path, body)
  assert.ok(reply.status < 300, reply.text)
  return reply.body
}

const hide = (channelId: string, targetId: string) => `/api/channels/${channelId}/overwrites/${targetId}`

eachService(
  'messages reach whoever may see the channel: made, changed, deleted (D61)',
  async (_t, service) => {
    const { ada, general, server, hers, his } = await community(service)
    const message = await say(ada, general.id, 'hello')
    const path = `/api/channels/${general.id}/messages/${message.id}`
    await done(ada, 'PATCH', path, { content: 'hello again' })
    await done(ada, 'DELETE', path)
    for (const client of [hers, his]) {
      const [made, changed, deleted] = [await client.take(), await client.take(), await client.take()]
      assert.deepEqual([made.t, made.d], ['MESSAGE_CREATE', message])
      assert.deepEqual([changed.t, changed.d.content], ['MESSAGE_UPDATE', 'hello again'])
      assert.deepEqual(
        [deleted.t, deleted.d],
        ['MESSAGE_DELETE', { id: message.id, channelId: general.id, serverId: server.id }],
      )
      assert.deepEqual([made.s, changed.s, deleted.s], [2, 3, 4])
    }
  },
)

eachService(
  'an overwrite that hides a channel is its deletion for those it is hidden from',
  async (_t, service) => {
    const { ada, ben, server, general, second, hers, his } = await community(service)
    await done(ada, 'PUT', hide(second.id, ben.id), { type: 'member', allow: '0', deny: view })
    await say(ada, second.id, 'secret')
    await done(ada, 'PATCH', `/api/channels/${second.id}`, { name: 'hidden' })
    await say(ada, general.id, 'fence')
    const deleted = await his.take()
    assert.deepEqual([deleted.t, deleted.d], ['CHANNEL_DELETE', { id: second.id, serverId: server.id }])
    assert.equal((await his.take()).d.content, 'fence')
    assert.deepEqual(await names(hers, 4), [
      'CHANNEL_UPDATE',
      'MESSAGE_CREATE',
      'CHANNEL_UPDATE',
      'MESSAGE_CREATE',
    ])
  },
)

eachService(
  'one that reveals a channel is its creation, and nothing said from then on is lost',
  async (_t, service) => {
    const { ada, ben, server, second, his } = await community(service)
    await done(ada, 'PUT', hide(second.id, server.id), { type: 'role', allow: '0', deny: view })
    assert.equal((await his.take()).t, 'CHANNEL_DELETE')
    for (let round = 0; round < 20; round++) {
      await done(ada, 'PUT', hide(second.id, ben.id), { type: 'member', allow: view, deny: '0' })
      await say(ada, second.id, `said ${round}`)
      await done(ada, 'DELETE', hide(second.id, ben.id))
      const created = await his.take()
      assert.deepEqual([created.t, created.d.id, created.d.name], ['CHANNEL_CREATE', second.id, 'second'])
      assert.deepEqual(created.d.permissionOverwrites.length, 2)
      assert.equal((await his.take()).d.content, `said ${round}`)
      assert.equal((await his.take()).t, 'CHANNEL_DELETE')
    }
  },
)

eachService('what changes nothing of the view is an update', async (_t, service) => {
  const { ada, ben, second, his } = await community(service)
  await done(ada, 'PUT', hide(second.id, ben.id), { type: 'member', allow: '0', deny: noEmbeds })
  const updated = await his.take()
  assert.deepEqual([updated.t, updated.d.id], ['CHANNEL_UPDATE', second.id])
})

eachService('a role that is given, changed, taken and deleted changes what is seen', async (_t, service) => {
  const { ada, ben, server, general, second, his } = await community(service)
  const roles = `/api/servers/${server.id}/roles`
  const role = await done(ada, 'POST', roles, { name: 'insider', permissions: '0' })
  await done(ada, 'PUT', hide(second.id, server.id), { type: 'role', allow: '0', deny: view })
  assert.deepEqual(await names(his, 2), ['ROLE_CREATE', 'CHANNEL_DELETE'])

  await done(ada, 'PUT', hide(second.id, role.id), { type: 'role', allow: view, deny: '0' })
  const held = `/api/servers/${server.id}/members/${ben.id}/roles/${role.id}`
  await done(ada, 'PUT', held)
  const given = [await his.take(), await his.take()]
  assert.deepEqual(given.map(frame => frame.t).sort(), ['CHANNEL_CREATE', 'MEMBER_UPDATE'])
  assert.equal(given.find(frame => frame.t === 'CHANNEL_CREATE')?.d.id, second.id)
  await say(ada, second.id, 'for insiders')
  assert.equal((await his.take()).d.content, 'for insiders')

  await done(ada, 'DELETE', held)
  await say(ada, second.id, 'without you')
  assert.deepEqual((await names(his, 2)).sort(), ['CHANNEL_DELETE', 'MEMBER_UPDATE'])

  await done(ada, 'PUT', held)
  assert.deepEqual((await names(his, 2)).sort(), ['CHANNEL_CREATE', 'MEMBER_UPDATE'])
  await done(ada, 'DELETE', `${roles}/${role.id}`)
  await say(ada, second.id, 'without you')
  assert.deepEqual((await names(his, 2)).sort(), ['CHANNEL_DELETE', 'ROLE_DELETE'])
  await say(ada, general.id, 'fence')
  assert.equal((await his.take()).d.content, 'fence')
})

eachService(
  '@everyone without VIEW_CHANNEL hides all channels, with it reveals them',
  async (_t, service) => {
    const { ada, server, general, second, hers, his } = await community(service)
    const everyone = `/api/servers/${server.id}/roles/${server.id}`
    await done(ada, 'PATCH', everyone, { permissions: Permission.SEND_MESSAGES.toString() })
    await say(ada, general.id, 'alone')
    const seen = [await his.take(), await his.take(), await his.take()]
    assert.deepEqual(seen.map(frame => frame.t).sort(), ['CHANNEL_DELETE', 'CHANNEL_DELETE', 'ROLE_UPDATE'])
    assert.deepEqual(await names(hers, 2), ['ROLE_UPDATE', 'MESSAGE_CREATE'])
    await done(ada, 'PATCH', everyone, {
      permissions: (Permission.VIEW_CHANNEL | Permission.SEND_MESSAGES).toString(),
    })
    await say(ada, second.id, 'together')
    const again = [await his.take(), await his.take(), await his.take()]
    assert.deepEqual(again.map(frame => frame.t).sort(), ['CHANNEL_CREATE', 'CHANNEL_CREATE', 'ROLE_UPDATE'])
    assert.equal((await his.take()).d.content, 'together')
  },
)

eachService(
  'a channel that is made and deleted is told, with what is said in it (D61)',
  async (_t, service) => {
    const { ada, server, his } = await community(service)
    const channel = await done(ada, 'POST', `/api/servers/${server.id}/channels`, { name: 'third' })
    await say(ada, channel.id, 'first')
    await done(ada, 'DELETE', `/api/channels/${channel.id}`)
    const [created, said, deleted] = [await his.take(), await his.take(), await his.take()]
    assert.deepEqual([created.t, created.d], ['CHANNEL_CREATE', channel])
    assert.equal(said.d.content, 'first')
    assert.deepEqual([deleted.t, deleted.d], ['CHANNEL_DELETE', { id: channel.id, serverId: server.id }])
  },
)

eachService(
  'joining a server is told first, then what happens there; leaving ends it (D61)',
  async (_t, service) => {
    const { ada, server, general, his } = await community(service)
    const eve = await register(service, 'eve')
    const hers = await online(service, eve)
    await say(ada, general.id, 'before')
    const invite = await done(ada, 'POST', `/api/servers/${server.id}/invites`, {})
    await done(eve, 'POST', `/api/invites/${invite.code}`)
    await say(ada, general.id, 'welcome')
    const added = await hers.take()
    assert.deepEqual([added.t, added.d], ['SERVER_ADD', server])
    assert.equal((await hers.take()).d.content, 'welcome')
    await done(eve, 'DELETE', `/api/servers/${server.id}/members/@me`)
    await say(ada, general.id, 'behind your back')
    const removed = await hers.take()
    assert.deepEqual([removed.t, removed.d], ['SERVER_REMOVE', { id: server.id }])
    await done(eve, 'POST', `/api/invites/${invite.code}`)
    await say(ada, general.id, 'again')
    assert.equal((await hers.take()).t, 'SERVER_ADD')
    assert.equal((await hers.take()).d.content, 'again')

    const seen = [
      'MESSAGE_CREATE',
      'MEMBER_ADD',
      'MESSAGE_CREATE',
      'MEMBER_REMOVE',
      'MESSAGE_CREATE',
      'MEMBER_ADD',
      'MESSAGE_CREATE',
    ]
    assert.deepEqual(await names(his, seen.length), seen)
  },
)

eachService('who is put out of a server hears nothing of it any more', async (_t, service) => {
  const { ada, ben, server, general, his } = await community(service)
  const alone = await found(ben)
  assert.equal((await his.take()).t, 'SERVER_ADD')
  await done(ada, 'DELETE', `/api/servers/${server.id}/members/${ben.id}`)
  await say(ada, general.id, 'he is gone')
  await say(ben, alone.general.id, 'fence')
  const removed = await his.take()
  assert.deepEqual([removed.t, removed.d], ['SERVER_REMOVE', { id: server.id }])
  assert.equal((await his.take()).d.content, 'fence')
})

eachService('a changed server is told to its members, a deleted one taken from them', async (_t, service) => {
  const { ada, server, hers, his } = await community(service)
  await done(ada, 'PATCH', `/api/servers/${server.id}`, { name: 'Renamed' })
  await done(ada, 'DELETE', `/api/servers/${server.id}`)
  for (const client of [hers, his]) {
    assert.equal((await client.take()).d.name, 'Renamed')
    const removed = await client.take()
    assert.deepEqual([removed.t, removed.d], ['SERVER_REMOVE', { id: server.id }])
  }
})

eachService('a direct message reaches the two of it, from its opening on', async (_t, service) => {
  const { ada, ben, general, hers, his } = await community(service)
  const eve = await register(service, 'eve')
  const others = await online(service, eve)
  const channel = await done(ada, 'POST', '/api/users/@me/channels', { recipientId: ben.id })
  await say(ada, channel.id, 'between us')
  for (const [client, other] of [
    [hers, ben],
    [his, ada],
  ] as const) {
    const opened = await client.take()
    assert.deepEqual([opened.t, opened.d.id, opened.d.recipient.id], ['CHANNEL_CREATE', channel.id, other.id])
    const said = await client.take()
    assert.deepEqual([said.d.content, said.d.serverId], ['between us', null])
  }
  const later = await online(service, ben)
  await say(ada, channel.id, 'still between us')
  assert.equal((await later.take()).d.content, 'still between us')
  await say(ada, general.id, 'fence')
  assert.equal((await his.take()).d.content, 'still between us')
  assert.equal((await his.take()).d.content, 'fence')
  assert.deepEqual(others.rest(), [])
})

eachService(
  'while roles and overwrites change, nobody receives what is hidden, in whatever order',
  async (_t, service) => {
    const { ada, ben, second, his } = await community(service)
    // Overlapping requests: what Ben receives must be a walk between seeing and not seeing.
    const work: Promise<unknown>[] = []
    for (let round = 0; round < 25; round++) {
      const deny = round % 2 === 0 ? view : '0'
      work.push(done(ada, 'PUT', hide(second.id, ben.id), { type: 'member', allow: '0', deny }))
      work.push(say(ada, second.id, `said ${round}`))
      if (round % 5 === 0) await Promise.all(work.splice(0))
    }
    await Promise.all(work)
    await done(ada, 'PUT', hide(second.id, ben.id), { type: 'member', allow: '0', deny: view })
    await say(ada, second.id, 'hidden for good')
    await done(ada, 'DELETE', hide(second.id, ben.id))
    await say(ada, second.id, 'the end')
    let seen = true
    for (;;) {
      const { t, d } = await his.take()
      if (t === 'CHANNEL_CREATE') {
        assert.equal(seen, false)
        seen = true
      } else if (t === 'CHANNEL_DELETE') {
        assert.equal(seen, true)
        seen = false
      } else {
        assert.equal(seen, true, `${t} of a hidden channel`)
        assert.notEqual(d.content, 'hidden for good')
        if (d.content === 'the end') break
      }
    }
  },
)

/** What a colleague's transaction would do, and its events all at once: the socket must keep up with the closest race. */
function publish(
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

eachService('the first message of a new channel is not lost, however soon it comes', async (_t, service) => {
  const { server, his } = await community(service)
  const id = '9000000000000000001'
  await service.db.run`
    INSERT INTO channels (id, server_id, type, name, topic, position, created_at)
    VALUES (${id}, ${server.id}, 'text', 'new', NULL, 9, 1)`
  service.bus.publish(subjects.server(server.id), {
    t: 'CHANNEL_CREATE',
    d: { id, serverId: server.id, name: 'new' },
  })
  // Nobody can speak in it before they know of it: in the turn after.
  await Promise.resolve()
  service.bus.publish(subjects.channel(id), { t: 'MESSAGE_CREATE', d: { channelId: id, content: 'first' } })
  assert.deepEqual(
    [await his.take(), await his.take()].map(({ t }) => t),
    ['CHANNEL_CREATE', 'MESSAGE_CREATE'],
  )
})

eachService('nor that of a revealed one, which nobody here could see before', async (_t, service) => {
  const ada = await register(service, 'ada')
  const ben = await register(service, 'ben')
  const { server } = await found(ada, ben)
  const second = await done(ada, 'POST', `/api/servers/${server.id}/channels`, { name: 'second' })
  await done(ada, 'PUT', hide(second.id, server.id), { type: 'role', allow: '0', deny: view })
  const his = await online(service, ben)
  await service.db.run`DELETE FROM overwrites WHERE channel_id = ${second.id}`
  publish(service, server.id, 'CHANNEL_UPDATE', second, second.id, 'first')
  assert.deepEqual(
    [await his.take(), await his.take()].map(({ t }) => t),
    ['CHANNEL_CREATE', 'MESSAGE_CREATE'],
  )
})

eachService('several changes at once are told as what they come to', async (_t, service) => {
  const { ada, ben, server, general, second, his } = await community(service)
  await service.db.run`
    INSERT INTO overwrites (channel_id, target_id, type, allow, deny)
    VALUES (${second.id}, ${ben.id}, 'member', '0', ${view}), (${general.id}, ${ben.id}, 'member', '0', ${view})`
  for (const channel of [general, second, general]) {
    publish(service, server.id, 'CHANNEL_UPDATE', channel, channel.id, 'secret')
  }
  const first = [await his.take(), await his.take()]
  await done(ada, 'DELETE', hide(general.id, ben.id))
  await say(ada, general.id, 'fence')
  assert.deepEqual(
    first.map(({ t, d }) => [t, d.id]).sort(),
    [
      ['CHANNEL_DELETE', general.id],
      ['CHANNEL_DELETE', second.id],
    ].sort(),
  )
  assert.deepEqual((await his.take()).t, 'CHANNEL_CREATE')
  assert.equal((await his.take()).d.content, 'fence')
})

eachService('while the database cannot be asked, everything waits for it', async (_t, service) => {
  const { server, general, second, his } = await community(service)
  await service.db.run`ALTER TABLE overwrites RENAME TO elsewhere`
  publish(service, server.id, 'CHANNEL_UPDATE', second, general.id, 'waited')
  const failed = () => service.log.some(line => line.includes('the gateway reports'))
  while (!failed()) await new Promise(resolve => setImmediate(resolve))
  his.send({ op: 1, d: 1 })
  assert.equal((await his.take()).op, 11)
  await service.db.run`ALTER TABLE elsewhere RENAME TO overwrites`
  service.clock.advance(1000)
  assert.equal((await his.take()).t, 'CHANNEL_UPDATE')
  assert.equal((await his.take()).d.content, 'waited')
})
