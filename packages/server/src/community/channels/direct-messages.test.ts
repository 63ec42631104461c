import assert from 'node:assert/strict'
import type { Channel } from '@gatehouse/protocol/channels'
import { createCommunity, createServer, payloads, register } from '@gatehouse/testkit/community'
import { eachEngine } from '@gatehouse/testkit/databases'
import { eachService } from '@gatehouse/testkit/service'
import { AppError } from '../../errors/app-error.ts'
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
    [ann],
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
