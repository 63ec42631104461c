import assert from 'node:assert/strict'
import type { Channel } from '@gatehouse/protocol/channels'
import { AppError } from '../../kit/app-error.ts'
import { eachEngine } from '../../storage/testing.ts'
import { eachService } from '../../testing.ts'
import { createCommunity, found, payloads, register } from '../testing.ts'
import { directMessageMembers } from './direct-messages.ts'

const unknown = '1234567890123456789'
const code = (expected: string) => (error: unknown) => error instanceof AppError && error.code === expected

eachService('GET · POST /api/users/@me/channels: 200, 201, 400, 401, 404', async (_t, service) => {
  const [ann, bob, eve] = [
    await register(service, 'ann'),
    await register(service, 'bob'),
    await register(service, 'eve'),
  ]
  await found(ann, bob)
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
  assert.equal((await service.client().get(path)).status, 401)
  assert.equal((await service.client().json('POST', path, { recipientId: bob.id })).status, 401)
  {
    const hidden = await ann.client.json('POST', path, { recipientId: eve.id })
    const missing = await ann.client.json('POST', path, { recipientId: unknown })
    assert.equal(hidden.status, 404)
    assert.equal(hidden.text, missing.text)
  }
})

eachEngine('a pair that opens its direct message 40 times at once has one', async (_t, db) => {
  const community = createCommunity(db)
  const [ann, bob] = [await community.person('ann'), await community.person('bob')]
  await community.server(ann, bob)
  const opened = await Promise.all(
    Array.from({ length: 40 }, (_, turn) =>
      turn % 2 === 0
        ? community.directMessages.openFor(ann, bob)
        : community.directMessages.openFor(bob, ann),
    ),
  )
  assert.equal(new Set(opened.map(({ channel }) => channel.id)).size, 1)
  assert.equal(opened.filter(({ created }) => created).length, 1)
  const { n } = (await db.get<{ n: number }>`SELECT COUNT(*) AS n FROM channels WHERE type = 'dm'`) ?? {
    n: 0,
  }
  assert.equal(n, 1)
  const id = opened[0]?.channel.id ?? ''
  assert.deepEqual((await directMessageMembers(db, id)).toSorted(), [ann, bob].toSorted())
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

eachEngine('a bot speaks with people who share a server, and with no other bot', async (_t, db) => {
  const community = createCommunity(db)
  const [ann, eve] = [await community.person('ann'), await community.person('eve')]
  const [bot, other] = [await community.bot('robot'), await community.bot('other')]
  const { server } = await community.server(ann)
  for (const userId of [bot, other]) {
    const joining = { serverId: server.id, userId, permissions: 0n, roleName: 'Robot' }
    await db.transaction(tx => community.members.addBot(tx, joining))
  }
  const { directMessages } = community
  assert.equal((await directMessages.openFor(bot, ann)).created, true)
  assert.equal((await directMessages.openFor(ann, bot)).created, false)
  await assert.rejects(directMessages.openFor(bot, eve), code('not_found'))
  await assert.rejects(directMessages.openFor(bot, other), code('validation_failed'))
})

eachEngine('a direct message outlives the server that the two shared', async (_t, db) => {
  const community = createCommunity(db)
  const [ann, bob] = [await community.person('ann'), await community.person('bob')]
  const { server } = await community.server(ann, bob)
  const { channel } = await community.directMessages.openFor(ann, bob)
  await community.members.dismiss(bob, server.id, bob)
  const again = await community.directMessages.openFor(ann, bob)
  assert.deepEqual(again, { channel, created: false })
  await community.conversation.say({ kind: 'session', userId: bob }, channel.id, { content: 'still here' })
})

eachEngine('direct messages are listed oldest first, in pages both ways', async (_t, db) => {
  const community = createCommunity(db)
  const ann = await community.person('ann')
  const others = await Promise.all(Array.from({ length: 7 }, (_, n) => community.person(`p${n}`)))
  await community.server(ann, ...others)
  for (const other of others) await community.directMessages.openFor(ann, other)
  const page = async (query: { before?: string; after?: string; limit?: number }) =>
    community.directMessages.listDirectMessages(ann, query)
  const people = (channels: Channel[]) => channels.map(channel => channel.recipient?.id)
  const all = await page({})
  assert.deepEqual(people(all), others)
  assert.deepEqual(people(await page({ limit: 3 })), others.slice(4))
  assert.deepEqual(people(await page({ limit: 3, before: all[4]?.id ?? '' })), others.slice(1, 4))
  assert.deepEqual(people(await page({ limit: 3, after: all[1]?.id ?? '' })), others.slice(2, 5))
})
