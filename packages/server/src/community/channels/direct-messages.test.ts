import assert from 'node:assert/strict'
import type { Channel } from '@gatehouse/protocol/channels'
import { createCommunity, createServer, payloads, register } from '@gatehouse/testkit/community'
import { eachEngine } from '@gatehouse/testkit/databases'
import { eachService } from '@gatehouse/testkit/service'
import { AppError } from '../../errors/app-error.ts'
import { connectUser, takeEventNames } from '../../gateway/gateway-testing.ts'
import { listDirectMessageUserIds } from './index.ts'

const unknown = '1234567890123456789'
const code = (expected: string) => (error: unknown) => error instanceof AppError && error.code === expected

eachService('GET · POST /api/users/@me/channels: 200, 201, 400, 404', async (_t, service) => {
  const [ann, bob, eve] = [
    await register(service, 'ann'),
    await register(service, 'bob'),
    await register(service, 'eve'),
  ]
  await createServer(ann, bob)
  const path = '/api/users/@me/channels'
  {
    const reply = await ann.client.json('POST', path, { recipientId: bob.id })
    assert.equal(reply.status, 201)
    const { id } = reply.body
    const recipient = { id: bob.id, username: 'bob', displayName: 'bob', bot: false }
    assert.deepEqual(reply.body, {
      id,
      serverId: null,
      type: 'dm',
      name: null,
      topic: null,
      position: 0,
      parentId: null,
      slowMode: 0,
      permissionOverwrites: [],
      recipient: { ...recipient, avatar: `/images/users/${bob.id}/default` },
    })
    const again = await bob.client.json('POST', path, { recipientId: ann.id })
    assert.equal(again.status, 200)
    assert.equal(again.body.id, id)
    assert.equal(again.body.recipient.id, ann.id)
    assert.deepEqual((await ann.client.get(path)).body, [reply.body])
    assert.deepEqual((await bob.client.get(path)).body, [again.body])
    assert.deepEqual((await eve.client.get(path)).body, [])
    assert.deepEqual((await ann.client.get(`/api/channels/${id}`)).body, reply.body)
    assert.deepEqual((await bob.client.get(`/api/channels/${id}`)).body, again.body)
    assert.equal((await eve.client.get(`/api/channels/${id}`)).status, 404)
    assert.equal((await ann.client.json('PATCH', `/api/channels/${id}`, { name: 'x' })).status, 403)
    assert.equal((await ann.client.json('DELETE', `/api/channels/${id}`)).status, 403)
    const overwrite = { type: 'member', allow: '0', deny: '0' }
    const put = await ann.client.json('PUT', `/api/channels/${id}/overwrites/${bob.id}`, overwrite)
    assert.equal(put.status, 403)
  }
  for (const body of [{}, { recipientId: 'bob' }, { recipientId: ann.id }]) {
    assert.equal((await ann.client.json('POST', path, body)).status, 400, JSON.stringify(body))
  }
  assert.equal((await ann.client.get(`${path}?limit=0`)).status, 400)
  {
    const hidden = await ann.client.json('POST', path, { recipientId: eve.id })
    const missing = await ann.client.json('POST', path, { recipientId: unknown })
    assert.equal(hidden.status, 404)
    assert.equal(hidden.text, missing.text)
  }
})

eachEngine('40 concurrent requests of two users create one direct message', async (_t, db) => {
  const community = createCommunity(db)
  const [ann, bob] = [await community.createUser('ann'), await community.createUser('bob')]
  await community.createServer(ann, bob)
  const opened = await Promise.all(
    Array.from({ length: 40 }, (_, index) =>
      index % 2 === 0
        ? community.directMessages.openDirectMessage(ann, bob)
        : community.directMessages.openDirectMessage(bob, ann),
    ),
  )
  assert.equal(new Set(opened.map(({ channel }) => channel.id)).size, 1)
  assert.equal(opened.filter(({ created }) => created).length, 1)
  const { n } = (await db.get<{ n: number }>`SELECT COUNT(*) AS n FROM channels WHERE type = 'dm'`) ?? {
    n: 0,
  }
  assert.equal(n, 1)
  const id = opened[0]?.channel.id ?? ''
  assert.deepEqual((await listDirectMessageUserIds(db, id)).toSorted(), [ann, bob].toSorted())
  const { published } = community
  assert.deepEqual(
    payloads(published, `user.${ann}`, 'CHANNEL_CREATE').map(channel => channel.recipient?.id),
    [bob],
  )
  assert.deepEqual(
    payloads(published, `user.${bob}`, 'CHANNEL_CREATE').map(channel => channel.recipient?.id),
    [ann, ann],
  )
})

eachEngine(
  'a bot opens a direct message with a user on a common server, but not with a bot',
  async (_t, db) => {
    const community = createCommunity(db)
    const [ann, eve] = [await community.createUser('ann'), await community.createUser('eve')]
    const [bot, other] = [await community.createBot('robot'), await community.createBot('other')]
    const { server } = await community.createServer(ann)
    for (const userId of [bot, other]) {
      const joining = { serverId: server.id, userId, permissions: 0n, roleName: 'Robot', addedBy: ann }
      await db.transaction(tx => community.members.addBot(tx, joining))
    }
    const { directMessages } = community
    assert.equal((await directMessages.openDirectMessage(bot, ann)).created, true)
    assert.equal((await directMessages.openDirectMessage(ann, bot)).created, false)
    await assert.rejects(directMessages.openDirectMessage(bot, eve), code('not_found'))
    await assert.rejects(directMessages.openDirectMessage(bot, other), code('validation_failed'))
  },
)

eachEngine('a direct message remains usable for users who have written to each other', async (_t, db) => {
  const community = createCommunity(db)
  const [ann, bob] = [await community.createUser('ann'), await community.createUser('bob')]
  const { server } = await community.createServer(ann, bob)
  const { channel } = await community.directMessages.openDirectMessage(ann, bob)
  await community.messages.createMessage({ kind: 'session', userId: ann }, channel.id, { content: 'hello' })
  await community.members.removeMember({ userId: bob }, server.id, bob)
  const again = await community.directMessages.openDirectMessage(ann, bob)
  assert.deepEqual(again, { channel, created: false })
  await community.messages.createMessage({ kind: 'session', userId: bob }, channel.id, {
    content: 'still here',
  })
})

eachEngine('lists direct messages oldest first, in pages before and after an id', async (_t, db) => {
  const community = createCommunity(db)
  const ann = await community.createUser('ann')
  const others = await Promise.all(Array.from({ length: 7 }, (_, n) => community.createUser(`p${n}`)))
  await community.createServer(ann, ...others)
  for (const other of others) await community.directMessages.openDirectMessage(ann, other)
  const page = async (query: { before?: string; after?: string; limit?: number }) =>
    community.directMessages.listDirectMessages(ann, query)
  const recipientIds = (channels: Channel[]) => channels.map(channel => channel.recipient?.id)
  const all = await page({})
  assert.deepEqual(recipientIds(all), others)
  assert.deepEqual(recipientIds(await page({ limit: 3 })), others.slice(4))
  assert.deepEqual(recipientIds(await page({ limit: 3, before: all[4]?.id ?? '' })), others.slice(1, 4))
  assert.deepEqual(recipientIds(await page({ limit: 3, after: all[1]?.id ?? '' })), others.slice(2, 5))
})

eachService(
  'the recipient sees a conversation with its first message, also one that a blocked user opens ' +
    '(community/closed-conversations)',
  async (_t, service) => {
    const [ann, bob] = [await register(service, 'ann'), await register(service, 'bob')]
    await createServer(ann, bob)
    await ann.client.call('createBlock', { userId: bob.id })
    const session = await connectUser(service, ann)
    const { id } = await bob.client.call('openDirectMessage', { body: { recipientId: ann.id } })
    assert.deepEqual(await ann.client.call('listDirectMessages'), [])
    assert.equal((await bob.client.call('listDirectMessages')).length, 1)
    const later = await connectUser(service, ann)
    assert.ok(later.ready.d.readStates.every(({ channelId }) => channelId !== id))
    await ann.client.call('deleteBlock', { userId: bob.id })
    await bob.client.call('createMessage', { id, body: { content: 'Hello' } })
    for (const [client, names] of [
      [session, ['BLOCK_UPDATE', 'CHANNEL_CREATE', 'MESSAGE_CREATE']],
      [later, ['BLOCK_UPDATE', 'CHANNEL_CREATE', 'MESSAGE_CREATE']],
    ] as const) {
      assert.deepEqual(await takeEventNames(client, 3), names)
    }
    assert.deepEqual(
      (await ann.client.call('listDirectMessages')).map(channel => channel.id),
      [id],
    )
  },
)

eachService(
  'a closed conversation is hidden on all devices until the next message of either side, or until the user opens it ' +
    '(community/closed-conversations)',
  async (_t, service) => {
    const [ann, bob] = [await register(service, 'ann'), await register(service, 'bob')]
    await createServer(ann, bob)
    const { id } = await ann.client.call('openDirectMessage', { body: { recipientId: bob.id } })
    await ann.client.call('createMessage', { id, body: { content: 'Hello' } })
    const devices = [await connectUser(service, ann), await connectUser(service, ann)]
    const other = await connectUser(service, bob)
    const close = () => ann.client.call('updateDirectMessage', { id, body: { closed: true } })
    const count = async () => (await ann.client.call('listDirectMessages')).length
    const names = async (expected: string[]) => {
      for (const device of devices) assert.deepEqual(await takeEventNames(device, expected.length), expected)
    }
    await close()
    await close()
    assert.equal(await count(), 0)
    assert.equal((await ann.client.get(`/api/channels/${id}/messages`)).body.length, 1)
    await names(['CHANNEL_DELETE'])
    await bob.client.call('createMessage', { id, body: { content: 'Hello, Ann' } })
    await names(['CHANNEL_CREATE', 'MESSAGE_CREATE'])
    await close()
    await ann.client.call('createMessage', { id, body: { content: 'Goodbye' } })
    await names(['CHANNEL_DELETE', 'CHANNEL_CREATE', 'MESSAGE_CREATE'])
    await close()
    await bob.client.request('PATCH', '/api/users/@me', { displayName: 'Robert' })
    assert.equal(await count(), 0)
    const opened = await ann.client.json('POST', '/api/users/@me/channels', { recipientId: bob.id })
    assert.deepEqual([opened.status, opened.body.id, await count()], [200, id, 1])
    await ann.client.call('updateDirectMessage', { id, body: { closed: false } })
    assert.deepEqual(await takeEventNames(other, 3), ['MESSAGE_CREATE', 'MESSAGE_CREATE', 'USER_UPDATE'])
    assert.equal((await bob.client.call('listDirectMessages')).length, 1)
  },
)

eachService(
  'a muted conversation is told to the own sessions only, and stays muted while it is closed ' +
    '(community/muted-conversations)',
  async (_t, service) => {
    const [ann, bob, eve] = [
      await register(service, 'ann'),
      await register(service, 'bob'),
      await register(service, 'eve'),
    ]
    await createServer(ann, bob, eve)
    const { id } = await bob.client.call('openDirectMessage', { body: { recipientId: ann.id } })
    await bob.client.call('createMessage', { id, body: { content: 'Hello' } })
    const [device, other] = [await connectUser(service, ann), await connectUser(service, bob)]
    const update = (body: { closed?: boolean; muted?: boolean }) =>
      ann.client.call('updateDirectMessage', { id, body })
    await update({ muted: true })
    await update({ muted: true })
    const event = await device.nextDispatch()
    assert.deepEqual([event.t, event.d], ['CHANNEL_MUTE', { channelId: id, muted: true }])
    const muted = async () =>
      (await connectUser(service, ann)).ready.d.readStates.find(({ channelId }) => channelId === id)?.muted
    assert.equal(await muted(), true)
    await update({ closed: true })
    assert.equal(await muted(), undefined)
    await bob.client.call('createMessage', { id, body: { content: 'Still there?' } })
    const names = ['CHANNEL_DELETE', 'CHANNEL_CREATE', 'CHANNEL_MUTE', 'MESSAGE_CREATE']
    assert.deepEqual(await takeEventNames(device, 4), names)
    assert.equal(await muted(), true)
    await update({ muted: false })
    assert.equal(await muted(), false)
    assert.deepEqual(await takeEventNames(other, 1), ['MESSAGE_CREATE'])
    assert.deepEqual(other.takeFrames(), [])
    const path = `/api/users/@me/channels/${id}`
    assert.equal((await eve.client.json('PATCH', path, { muted: true })).status, 404)
    assert.equal((await ann.client.json('PATCH', path, { muted: 'yes' })).status, 400)
  },
)
