import assert from 'node:assert/strict'
import { createServer, register, type TestUser } from '@gatehouse/testkit/community'
import { eachService, type TestClient } from '@gatehouse/testkit/service'
import {
  assertError,
  buttons,
  createWorld,
  pressButton,
  receivedEvent,
  type World,
} from '../../interactions/interactions-testing.ts'

const refused = { code: 'cannot_message_user', message: 'You cannot send messages to this user.' }

async function openDirectMessage(client: TestClient, recipientId: string): Promise<string> {
  const { id } = await client.call('openDirectMessage', { body: { recipientId } })
  return `/api/channels/${id}/messages`
}

function leave({ client }: TestUser, serverId: string) {
  return client.call('removeMember', { id: serverId, userId: '@me' })
}

function setFirstContact({ client }: TestUser, directMessages: 'members' | 'nobody') {
  return client.call('updateCurrentUser', { body: { directMessages } })
}

function block({ client }: TestUser, userId: string) {
  return client.call('createBlock', { userId })
}

eachService(
  'a message needs a common server until the recipient writes (community/direct-message-acceptance)',
  async (_t, service) => {
    const [ann, bob] = [await register(service, 'ann'), await register(service, 'bob')]
    const { server } = await createServer(ann, bob)
    const path = await openDirectMessage(ann.client, bob.id)
    const sent = await bob.client.request<{ id: string }>('POST', path, { content: 'Hello' })
    await leave(bob, server.id)
    for (const [method, url] of [
      ['POST', path],
      ['PATCH', `${path}/${sent.id}`],
    ] as const) {
      const reply = await bob.client.json(method, url, { content: 'Hello again' })
      assert.deepEqual([reply.status, reply.body], [403, refused])
    }
    assert.equal((await bob.client.get(path)).body.length, 1)
    await ann.client.request('POST', path, { content: 'Hello, Bob' })
    await bob.client.request('POST', path, { content: 'So it is you' })
    await bob.client.request('PATCH', `${path}/${sent.id}`, { content: 'Hello!' })
    assert.equal((await bob.client.json('DELETE', `${path}/${sent.id}`)).status, 204)
  },
)

eachService(
  'a user who accepts first messages of nobody gets answers only (community/direct-message-acceptance)',
  async (_t, service) => {
    const [ann, bob, eve] = [
      await register(service, 'ann'),
      await register(service, 'bob'),
      await register(service, 'eve'),
    ]
    await createServer(ann, bob, eve)
    const known = await openDirectMessage(ann.client, bob.id)
    await ann.client.request('POST', known, { content: 'Hello, Bob' })
    assert.equal((await ann.client.call('getCurrentUser')).directMessages, 'members')
    assert.equal((await setFirstContact(ann, 'nobody')).directMessages, 'nobody')
    await bob.client.request('POST', known, { content: 'Hello, Ann' })
    const unknown = await openDirectMessage(eve.client, ann.id)
    const reply = await eve.client.json('POST', unknown, { content: 'Hello, Ann' })
    assert.deepEqual([reply.status, reply.body], [403, refused])
    const invalid = await ann.client.json('PATCH', '/api/users/@me', { directMessages: 'friends' })
    assertError(invalid, 400, 'validation_failed')
    await setFirstContact(ann, 'members')
    await eve.client.request('POST', unknown, { content: 'Hello, Ann' })
  },
)

eachService(
  'a blocked user can neither send nor edit, and reads and deletes (community/blocks)',
  async (_t, service) => {
    const [ann, bob] = [await register(service, 'ann'), await register(service, 'bob')]
    await createServer(ann, bob)
    const path = await openDirectMessage(ann.client, bob.id)
    await ann.client.request('POST', path, { content: 'Hello, Bob' })
    const sent = await bob.client.request<{ id: string }>('POST', path, { content: 'Hello' })
    await block(ann, bob.id)
    const send = await bob.client.json('POST', path, { content: 'Why?' })
    const edit = await bob.client.json('PATCH', `${path}/${sent.id}`, { content: 'Why?' })
    assert.deepEqual([send.status, send.body, edit.status, edit.body], [403, refused, 403, refused])
    assert.equal((await bob.client.get(path)).body.length, 2)
    assert.equal(await openDirectMessage(bob.client, ann.id), path)
    assert.equal((await bob.client.json('DELETE', `${path}/${sent.id}`)).status, 204)
    await ann.client.call('deleteBlock', { userId: bob.id })
    await bob.client.request('POST', path, { content: 'Thank you' })
  },
)

/** A direct message of the bot to Ann with a button, which she has pressed. */
async function pressedButton(world: World) {
  const { bot, ann } = world
  const { id } = await bot
    .json('POST', '/api/users/@me/channels', { recipientId: ann.id })
    .then(({ body }) => body)
  const path = `/api/channels/${id}/messages`
  const sent = await bot.json('POST', path, { content: 'Sure?', components: buttons('yes') })
  const press = () => receivedEvent(world, pressButton({ ...world, channelId: id }, sent.body.id, 'yes'))
  return { path, sent: sent.body, press }
}

eachService(
  'a blocked bot can neither respond, follow up nor edit in the conversation (community/blocks)',
  async (_t, service) => {
    const world = await createWorld(service)
    const { bot, ann } = world
    await bot.connect()
    const { path, sent, press } = await pressedButton(world)
    const answered = await press()
    assert.equal((await bot.callback(answered, { type: 'message', data: { content: 'Done' } })).status, 200)
    const { body: followup } = await bot.followup(answered, { content: 'More' })
    const hidden = await press()
    const ephemeral = { type: 'message', data: { content: 'Only you', ephemeral: true } }
    assert.equal((await bot.callback(hidden, ephemeral)).status, 200)
    const pending = await press()
    const before = (await ann.client.get(path)).body
    await block(ann, bot.botId)
    const replies = [
      await bot.json('POST', path, { content: 'Late' }),
      await bot.json('PATCH', `${path}/${sent.id}`, { content: 'Late' }),
      await bot.callback(pending, { type: 'message', data: { content: 'Late' } }),
      await bot.callback(pending, ephemeral),
      await bot.callback(pending, { type: 'defer' }),
      await bot.callback(pending, { type: 'update', data: { content: 'Late' } }),
      await bot.followup(answered, { content: 'Late' }),
      await bot.followup(answered, { content: 'Late', ephemeral: true }),
      await bot.response('PATCH', answered, 'original', { content: 'Late' }),
      await bot.response('PATCH', answered, `followup/${followup.id}`, { content: 'Late' }),
      await bot.response('PATCH', hidden, 'original', { content: 'Late' }),
    ]
    for (const reply of replies) assert.deepEqual([reply.status, reply.body], [403, refused])
    assert.deepEqual((await ann.client.get(path)).body, before)
    await ann.client.call('deleteBlock', { userId: bot.botId })
    assert.equal((await bot.callback(pending, { type: 'message', data: { content: 'Done' } })).status, 200)
  },
)

eachService('a blocked bot goes on in the channels of a server (community/blocks)', async (_t, service) => {
  const { bot, ann, channelId } = await createWorld(service)
  await block(ann, bot.botId)
  const reply = await bot.json('POST', `/api/channels/${channelId}/messages`, { content: `<@${ann.id}>` })
  assert.deepEqual([reply.status, reply.body.mentions.users], [201, [ann.id]])
})
