import assert from 'node:assert/strict'
import { test } from 'node:test'
import { maxBlocks } from '@gatehouse/protocol/limits'
import type { ReadState } from '@gatehouse/protocol/read-state'
import { createServer, register, type TestUser } from '@gatehouse/testkit/community'
import { eachService, startNodes, type TestService } from '@gatehouse/testkit/service'
import { clientOn, connectUser } from '../../gateway/gateway-testing.ts'
import { assertError } from '../../interactions/interactions-testing.ts'
import { listReadStates } from '../read-state/index.ts'

const path = '/api/users/@me/blocks'

eachService(
  'PUT · GET · DELETE /api/users/@me/blocks: 200, 204, 400, 404 (community/blocks)',
  async (_t, service) => {
    const [ann, bob, eve] = [
      await register(service, 'ann'),
      await register(service, 'bob'),
      await register(service, 'eve'),
    ]
    assert.deepEqual((await ann.client.get(path)).body, [])
    for (const { id } of [bob, eve, bob]) {
      service.clock.advance(1000)
      assert.equal((await ann.client.json('PUT', `${path}/${id}`)).status, 204)
    }
    const blocks = await ann.client.call('listBlocks')
    assert.deepEqual(
      blocks.map(({ user }) => user.username),
      ['eve', 'bob'],
    )
    assert.deepEqual((await bob.client.get(path)).body, [])
    for (const _attempt of [1, 2]) {
      assert.equal((await ann.client.json('DELETE', `${path}/${eve.id}`)).status, 204)
    }
    assert.equal((await ann.client.call('listBlocks')).length, 1)
    assertError(await ann.client.json('PUT', `${path}/${ann.id}`), 400, 'validation_failed')
    assertError(await ann.client.json('PUT', `${path}/1234567890123456789`), 404, 'not_found')
  },
)

eachService(
  'two requests at the limit exceed it by none (community/blocks)',
  async (_t, { db, ...service }) => {
    const [ann, bob, eve] = [
      await register(service, 'ann'),
      await register(service, 'bob'),
      await register(service, 'eve'),
    ]
    await db.transaction(async tx => {
      for (let n = 1; n < maxBlocks; n += 1) {
        const id = String(1_461_329_068_000_000_000n + BigInt(n))
        await tx.run`
        INSERT INTO users (id, username, display_name, bot, created_at) VALUES (${id}, ${`u${n}`}, 'User', 0, 0)`
        await tx.run`INSERT INTO blocks (user_id, blocked_id, created_at) VALUES (${ann.id}, ${id}, 0)`
      }
    })
    const replies = await Promise.all([bob, eve].map(({ id }) => ann.client.json('PUT', `${path}/${id}`)))
    assert.deepEqual(replies.map(({ status }) => status).toSorted(), [204, 409])
    const refused = replies.find(({ status }) => status === 409)
    assert.deepEqual([refused?.body.code, refused?.body.limit], ['limit_reached', 'blocks'])
    assert.equal((await ann.client.call('listBlocks')).length, maxBlocks)
  },
)

/** The unread mentions of a new session, by channel. */
async function countMentions(service: TestService, user: TestUser): Promise<Record<string, number>> {
  const { ready, socket } = await connectUser(service, user)
  socket.terminate()
  const states: ReadState[] = ready.d.readStates
  return Object.fromEntries(states.map(({ channelId, mentionCount }) => [channelId, mentionCount]))
}

eachService('messages of a blocked user are no unread mentions (community/blocks)', async (_t, service) => {
  const [ann, bob, eve] = [
    await register(service, 'ann'),
    await register(service, 'bob'),
    await register(service, 'eve'),
  ]
  const { general } = await createServer(ann, bob, eve)
  const direct = await bob.client.call('openDirectMessage', { body: { recipientId: ann.id } })
  const send = ({ client }: typeof bob, id: string, content: string) =>
    client.call('createMessage', { id, body: { content } })
  await send(bob, general.id, `<@${ann.id}>`)
  await send(eve, general.id, `<@${ann.id}>`)
  await send(bob, direct.id, 'Hello')
  const counts = () => countMentions(service, ann)
  assert.deepEqual(await counts(), { [general.id]: 2, [direct.id]: 1 })
  await ann.client.call('createBlock', { userId: bob.id })
  assert.deepEqual(await counts(), { [general.id]: 1, [direct.id]: 0 })
  const { mentions } = await send(bob, general.id, `<@${ann.id}>`)
  assert.deepEqual(mentions.users, [ann.id])
  assert.deepEqual(await counts(), { [general.id]: 1, [direct.id]: 0 })
  await ann.client.call('deleteBlock', { userId: bob.id })
  assert.deepEqual(await counts(), { [general.id]: 3, [direct.id]: 1 })
})

eachService(
  'a channel in which only a blocked user wrote is read (community/blocks)',
  async (_t, service) => {
    const [ann, bob, eve] = [
      await register(service, 'ann'),
      await register(service, 'bob'),
      await register(service, 'eve'),
    ]
    const { general } = await createServer(ann, bob, eve)
    await ann.client.call('createBlock', { userId: bob.id })
    const send = ({ client }: typeof bob) =>
      client.call('createMessage', { id: general.id, body: { content: 'Hello' } })
    const isUnread = async () => {
      const [state] = await listReadStates(service.db, ann.id, [general.id])
      return typeof state?.lastMessageId === 'string' && state.lastMessageId > state.lastReadId
    }
    await send(bob)
    assert.equal(await isUnread(), false)
    await send(eve)
    await send(bob)
    assert.equal(await isUnread(), true)
  },
)

test('a block holds on the other node at once, and tells the sessions of the user only (community/blocks)', async t => {
  const [a, b] = (await startNodes(t)) ?? []
  if (!a || !b) return
  const [ann, bob] = [await register(a, 'ann'), await register(b, 'bob')]
  await createServer(ann, clientOn(a, bob))
  const { id } = await bob.client.call('openDirectMessage', { body: { recipientId: ann.id } })
  const [annSession, bobSession] = [
    await connectUser(b, clientOn(b, ann)),
    await connectUser(a, clientOn(a, bob)),
  ]
  const blockedAt = Date.now()
  await ann.client.call('createBlock', { userId: bob.id })
  const { t: name, d } = await annSession.nextDispatch()
  assert.deepEqual([name, d], ['BLOCK_UPDATE', { userId: bob.id, blocked: true }])
  assert.ok(Date.now() - blockedAt < 1000, `after ${Date.now() - blockedAt} ms`)
  assertError(
    await bob.client.json('POST', `/api/channels/${id}/messages`, { content: 'Hello' }),
    403,
    'cannot_message_user',
  )
  await ann.client.call('createMessage', { id, body: { content: 'Goodbye' } })
  assert.equal((await bobSession.nextDispatch()).t, 'MESSAGE_CREATE')
})
