import assert from 'node:assert/strict'
import { Permission } from '@gatehouse/protocol/permissions'
import { createServer, register, type TestUser } from '@gatehouse/testkit/community'
import { eachService, type TestService } from '@gatehouse/testkit/service'
import { connectUser, createBot, identify, sendMessage } from '../gateway-testing.ts'

async function community(service: TestService) {
  const [ann, bob] = [await register(service, 'ann'), await register(service, 'bob')]
  return { ann, bob, ...(await createServer(ann, bob)) }
}

function markRead(person: TestUser, channelId: string, messageId: string) {
  return person.client.json('PUT', `/api/channels/${channelId}/read`, { messageId })
}

/** The read states in READY of a new session. */
async function readStates(service: TestService, person: TestUser) {
  return (await connectUser(service, person)).ready.d.readStates
}

eachService(
  'READY contains the read state of each channel, which is stored across restarts',
  async (_t, service) => {
    const { ann, bob, server, general } = await community(service)
    const quiet = (await ann.client.json('POST', `/api/servers/${server.id}/channels`, { name: 'quiet' }))
      .body
    const first = await sendMessage(ann, general.id, `<@${bob.id}>, are you there?`)
    const second = await sendMessage(ann, general.id, '@everyone come')
    const last = await sendMessage(ann, general.id, 'hm')
    const [before, empty] = await readStates(service, bob)
    assert.ok(before)
    assert.deepEqual([before.lastMessageId, before.mentionCount], [last.id, 2])
    assert.ok(before.lastReadId < first.id)
    assert.deepEqual([empty?.channelId, empty?.lastMessageId, empty?.mentionCount], [quiet.id, null, 0])

    assert.equal((await markRead(bob, general.id, first.id)).status, 204)
    const [after] = await readStates(service, bob)
    assert.deepEqual(after, {
      channelId: general.id,
      serverId: server.id,
      lastMessageId: last.id,
      lastReadId: first.id,
      mentionCount: 1,
      muted: false,
    })
    await markRead(bob, general.id, second.id)
    await service.restart()
    const [later] = await readStates(service, bob)
    assert.deepEqual([later?.lastReadId, later?.mentionCount], [second.id, 0])
  },
)

eachService(
  'CHANNEL_READ reaches each session of the user, and an older message id is ignored',
  async (_t, service) => {
    const { ann, bob, general } = await community(service)
    const first = await sendMessage(ann, general.id, 'one')
    const second = await sendMessage(ann, general.id, 'two')
    const [bobClient, bobOtherClient, annClient] = [
      await connectUser(service, bob),
      await connectUser(service, bob),
      await connectUser(service, ann),
    ]
    assert.equal((await markRead(bob, general.id, second.id)).status, 204)
    for (const client of [bobClient, bobOtherClient]) {
      const { t, d } = await client.nextDispatch()
      assert.deepEqual([t, d], ['CHANNEL_READ', { channelId: general.id, messageId: second.id }])
    }
    assert.equal((await markRead(bob, general.id, first.id)).status, 204)
    await sendMessage(ann, general.id, 'three')
    for (const client of [bobClient, bobOtherClient, annClient])
      assert.equal((await client.nextDispatch()).t, 'MESSAGE_CREATE')
    assert.equal((await readStates(service, bob))[0]?.lastReadId, second.id)
  },
)

eachService('messages from before the user joined are read', async (_t, service) => {
  const ann = await register(service, 'ann')
  const { server, general } = await createServer(ann)
  const old = await sendMessage(ann, general.id, '@everyone welcome')
  const bob = await register(service, 'bob')
  const invite = await ann.client.json('POST', `/api/servers/${server.id}/invites`, {})
  await bob.client.json('POST', `/api/invites/${invite.body.code}`)
  const [state] = await readStates(service, bob)
  assert.ok(state && state.lastReadId > old.id)
  assert.equal(state.mentionCount, 0)
  await markRead(bob, general.id, old.id)
  assert.equal((await readStates(service, bob))[0]?.lastReadId, state.lastReadId)
})

eachService(
  'a role mention counts for members with the role, and READY contains their roles',
  async (_t, service) => {
    const { ann, bob, server, general } = await community(service)
    const cem = await register(service, 'cem')
    const invite = await ann.client.json('POST', `/api/servers/${server.id}/invites`, {})
    await cem.client.json('POST', `/api/invites/${invite.body.code}`)
    const body = { name: 'Pilots', permissions: '0' }
    const role = (await ann.client.json('POST', `/api/servers/${server.id}/roles`, body)).body
    await ann.client.json('PUT', `/api/servers/${server.id}/members/${bob.id}/roles/${role.id}`)
    await sendMessage(ann, general.id, `<@&${role.id}> and <@${bob.id}>, both of you`)
    const { ready } = await connectUser(service, bob)
    assert.deepEqual(ready.d.servers, [{ id: server.id, name: server.name, roles: [role.id] }])
    assert.equal(ready.d.readStates[0]?.mentionCount, 1)
    assert.equal((await readStates(service, cem))[0]?.mentionCount, 0)
  },
)

eachService(
  'deleting a message or editing out a mention decreases the mention count',
  async (_t, service) => {
    const { ann, bob, general } = await community(service)
    const edited = await sendMessage(ann, general.id, `<@${bob.id}> one`)
    const deleted = await sendMessage(ann, general.id, `<@${bob.id}> two`)
    await sendMessage(ann, general.id, `<@${bob.id}> three`)
    const path = `/api/channels/${general.id}/messages`
    assert.equal((await ann.client.json('PATCH', `${path}/${edited.id}`, { content: 'one' })).status, 200)
    assert.equal((await ann.client.json('DELETE', `${path}/${deleted.id}`)).status, 204)
    assert.equal((await readStates(service, bob))[0]?.mentionCount, 1)
  },
)

eachService(
  'in a direct message every message of the other user counts as a mention, up to 100',
  async (_t, service) => {
    const { ann, bob } = await community(service)
    const direct = await ann.client.json('POST', '/api/users/@me/channels', { recipientId: bob.id })
    const { id } = direct.body
    await sendMessage(bob, id, 'hello')
    await sendMessage(ann, id, 'hello')
    const directMessageState = async (person: TestUser) =>
      (await readStates(service, person)).find(({ channelId }) => channelId === id)
    assert.deepEqual(
      [(await directMessageState(ann))?.mentionCount, (await directMessageState(bob))?.mentionCount],
      [1, 1],
    )
    assert.equal((await directMessageState(bob))?.serverId, null)
    await Promise.all(Array.from({ length: 110 }, (_, n) => sendMessage(ann, id, `again ${n}`)))
    assert.equal((await directMessageState(bob))?.mentionCount, 100)
  },
)

eachService('READY does not contain channels that the user may not view', async (_t, service) => {
  const { ann, bob, server, general } = await community(service)
  const secret = (await ann.client.json('POST', `/api/servers/${server.id}/channels`, { name: 'secret' }))
    .body
  await ann.client.json('PUT', `/api/channels/${secret.id}/overwrites/${server.id}`, {
    type: 'role',
    allow: '0',
    deny: Permission.VIEW_CHANNEL.toString(),
  })
  const ids = (await readStates(service, bob)).map(({ channelId }) => channelId)
  assert.deepEqual(ids, [general.id])
  assert.equal((await readStates(service, ann)).length, 2)
})

eachService('READY of a bot contains no read states and no roles (bots/bot-may)', async (_t, service) => {
  const bot = await createBot(service)
  const { ready } = await identify(service, { token: bot.token })
  assert.deepEqual(Object.keys(ready.d).sort(), ['application', 'resumeUrl', 'servers', 'sessionId', 'user'])
})

eachService(
  'READY contains the read states of the 5,000 channels with the newest messages',
  async (_t, service) => {
    const { ann, bob, server } = await community(service)
    await service.db.run`
      WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 5000)
      INSERT INTO channels (id, server_id, type, name, position, created_at)
      SELECT CAST(1000000000000000000 + i AS TEXT), CAST(${server.id} AS TEXT), 'text', 'old', i, 0 FROM n`
    const last = await ann.client.json('POST', `/api/channels/1000000000000005000/messages`, {
      content: 'hi',
    })
    assert.equal(last.status, 201, last.text)
    const states = await readStates(service, bob)
    assert.equal(states.length, 5000)
    const state = states.find(({ channelId }) => channelId === '1000000000000005000')
    assert.equal(state?.lastMessageId, last.body.id)
  },
)

eachService('READY counts the mentions of a user with many roles', async (_t, service) => {
  const { ann, bob, server, general } = await community(service)
  const path = `/api/servers/${server.id}`
  const quiet = (await ann.client.json('POST', `${path}/channels`, { name: 'quiet' })).body
  const addRole = async (name: string) => {
    const { body: role } = await ann.client.json('POST', `${path}/roles`, { name, permissions: '0' })
    await ann.client.json('PUT', `${path}/members/${bob.id}/roles/${role.id}`)
    return String(role.id)
  }
  const roleIds = await Promise.all(Array.from({ length: 25 }, (_, n) => addRole(`Role ${n}`)))
  for (const id of [roleIds[0], roleIds[24]]) await sendMessage(ann, general.id, `<@&${id}>`)
  await sendMessage(ann, quiet.id, 'no mention')
  const counts = new Map(
    (await readStates(service, bob)).map(state => [state.channelId, state.mentionCount] as const),
  )
  assert.deepEqual([counts.get(general.id), counts.get(quiet.id)], [2, 0])
})
