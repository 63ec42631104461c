import assert from 'node:assert/strict'
import { Permission } from '@gatehouse/protocol/permissions'
import { found, type Person, register } from '../platform/testing.ts'
import { eachService, type TestService } from '../testing.ts'
import { identified, makeBot, online, say } from './testing.ts'

async function community(service: TestService) {
  const [ann, bob] = [await register(service, 'ann'), await register(service, 'bob')]
  return { ann, bob, ...(await found(ann, bob)) }
}

function mark(person: Person, channelId: string, messageId: string) {
  return person.client.json('PUT', `/api/channels/${channelId}/read`, { messageId })
}

/** As a window that is opened now is told. */
async function readStates(service: TestService, person: Person) {
  return (await online(service, person)).ready.d.readStates
}

eachService(
  'READY says of each channel what is unread, and a mark outlives the window',
  async (_t, service) => {
    const { ann, bob, server, general } = await community(service)
    const quiet = (await ann.client.json('POST', `/api/servers/${server.id}/channels`, { name: 'quiet' }))
      .body
    const first = await say(ann, general.id, `<@${bob.id}>, are you there?`)
    const second = await say(ann, general.id, '@everyone come')
    const last = await say(ann, general.id, 'hm')
    const [before, empty] = await readStates(service, bob)
    assert.ok(before)
    assert.deepEqual([before.lastMessageId, before.mentionCount], [last.id, 2])
    assert.ok(before.lastReadId < first.id)
    assert.deepEqual([empty?.channelId, empty?.lastMessageId, empty?.mentionCount], [quiet.id, null, 0])

    assert.equal((await mark(bob, general.id, first.id)).status, 204)
    const [after] = await readStates(service, bob)
    assert.deepEqual(after, {
      channelId: general.id,
      serverId: server.id,
      lastMessageId: last.id,
      lastReadId: first.id,
      mentionCount: 1,
    })
    await mark(bob, general.id, second.id)
    await service.restart()
    const [later] = await readStates(service, bob)
    assert.deepEqual([later?.lastReadId, later?.mentionCount], [second.id, 0])
  },
)

eachService(
  'CHANNEL_READ goes to each session of the person, and a mark never goes back',
  async (_t, service) => {
    const { ann, bob, general } = await community(service)
    const first = await say(ann, general.id, 'one')
    const second = await say(ann, general.id, 'two')
    const [one, other, hers] = [
      await online(service, bob),
      await online(service, bob),
      await online(service, ann),
    ]
    assert.equal((await mark(bob, general.id, second.id)).status, 204)
    for (const window of [one, other]) {
      const { t, d } = await window.event()
      assert.deepEqual([t, d], ['CHANNEL_READ', { channelId: general.id, messageId: second.id }])
    }
    assert.equal((await mark(bob, general.id, first.id)).status, 204)
    await say(ann, general.id, 'three')
    for (const window of [one, other, hers]) assert.equal((await window.event()).t, 'MESSAGE_CREATE')
    assert.equal((await readStates(service, bob))[0]?.lastReadId, second.id)
  },
)

eachService('what was said before one joined is no news', async (_t, service) => {
  const ann = await register(service, 'ann')
  const { server, general } = await found(ann)
  const old = await say(ann, general.id, '@everyone welcome')
  const bob = await register(service, 'bob')
  const invite = await ann.client.json('POST', `/api/servers/${server.id}/invites`, {})
  await bob.client.json('POST', `/api/invites/${invite.body.code}`)
  const [state] = await readStates(service, bob)
  assert.ok(state && state.lastReadId > old.id)
  assert.equal(state.mentionCount, 0)
  await mark(bob, general.id, old.id)
  assert.equal((await readStates(service, bob))[0]?.lastReadId, state.lastReadId)
})

eachService(
  'a mention of a role counts for those who have it; READY says which they are',
  async (_t, service) => {
    const { ann, bob, server, general } = await community(service)
    const cem = await register(service, 'cem')
    const invite = await ann.client.json('POST', `/api/servers/${server.id}/invites`, {})
    await cem.client.json('POST', `/api/invites/${invite.body.code}`)
    const body = { name: 'Pilots', permissions: '0' }
    const role = (await ann.client.json('POST', `/api/servers/${server.id}/roles`, body)).body
    await ann.client.json('PUT', `/api/servers/${server.id}/members/${bob.id}/roles/${role.id}`)
    await say(ann, general.id, `<@&${role.id}> and <@${bob.id}>, both of you`)
    const { ready } = await online(service, bob)
    assert.deepEqual(ready.d.servers, [{ id: server.id, name: server.name, roles: [role.id] }])
    assert.equal(ready.d.readStates[0]?.mentionCount, 1)
    assert.equal((await readStates(service, cem))[0]?.mentionCount, 0)
  },
)

eachService('a mention goes with its message, and with an edit that takes it out', async (_t, service) => {
  const { ann, bob, general } = await community(service)
  const edited = await say(ann, general.id, `<@${bob.id}> one`)
  const deleted = await say(ann, general.id, `<@${bob.id}> two`)
  await say(ann, general.id, `<@${bob.id}> three`)
  const path = `/api/channels/${general.id}/messages`
  assert.equal((await ann.client.json('PATCH', `${path}/${edited.id}`, { content: 'one' })).status, 200)
  assert.equal((await ann.client.json('DELETE', `${path}/${deleted.id}`)).status, 204)
  assert.equal((await readStates(service, bob))[0]?.mentionCount, 1)
})

eachService('in a direct message all of the other’s count, up to a hundred', async (_t, service) => {
  const { ann, bob } = await community(service)
  const direct = await ann.client.json('POST', '/api/users/@me/channels', { recipientId: bob.id })
  const { id } = direct.body
  await say(bob, id, 'hello')
  await say(ann, id, 'hello')
  const of = async (person: Person) =>
    (await readStates(service, person)).find(({ channelId }) => channelId === id)
  assert.deepEqual([(await of(ann))?.mentionCount, (await of(bob))?.mentionCount], [1, 1])
  assert.equal((await of(bob))?.serverId, null)
  await Promise.all(Array.from({ length: 110 }, (_, n) => say(ann, id, `again ${n}`)))
  assert.equal((await of(bob))?.mentionCount, 100)
})

eachService('what one may not view is not in READY', async (_t, service) => {
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

eachService('D32: a bot is told neither read states nor roles', async (_t, service) => {
  const bot = await makeBot(service)
  const { ready } = await identified(service, { token: bot.token })
  assert.deepEqual(Object.keys(ready.d).sort(), ['application', 'resumeUrl', 'servers', 'sessionId', 'user'])
})
