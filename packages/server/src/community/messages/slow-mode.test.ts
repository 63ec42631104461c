import assert from 'node:assert/strict'
import { formatPermissions, Permission } from '@gatehouse/protocol/permissions'
import { addBot } from '@gatehouse/testkit/applications'
import { createServer, register, type TestUser } from '@gatehouse/testkit/community'
import { createBot } from '@gatehouse/testkit/interactions'
import { eachService, type TestResponse, type TestService } from '@gatehouse/testkit/service'
import { sweepTurns } from './slow-mode.ts'

async function setUp(service: TestService, slowMode: number) {
  const [owner, member] = [await register(service, 'owner'), await register(service, 'member')]
  const { server, general } = await createServer(owner, member)
  const channel = `/api/channels/${general.id}`
  const updated = await owner.client.json('PATCH', channel, { slowMode })
  assert.deepEqual([updated.status, updated.body], [200, { ...general, slowMode }])
  const send = (user: TestUser, nonce?: string) =>
    user.client.json('POST', `${channel}/messages`, { content: 'Hello', nonce })
  return { owner, member, server, general, channel, send }
}

function assertSlow(reply: TestResponse, retryAfter: number): void {
  assert.equal(reply.status, 429, reply.text)
  assert.deepEqual(reply.body, {
    ...{ code: 'slow_mode', message: `Slow mode: you can send the next message in ${retryAfter} s.` },
    retryAfter,
  })
  assert.equal(reply.headers.get('retry-after'), String(retryAfter))
}

eachService(
  'a member waits between two messages, until the time is over (community/slow-mode)',
  async (_t, service) => {
    const { owner, member, server, channel, send } = await setUp(service, 30)
    const first = await send(member)
    assert.equal(first.status, 201)
    service.clock.advance(12_500)
    assertSlow(await send(member), 18)
    const edit = { content: 'Edited' }
    assert.equal(
      (await member.client.json('PATCH', `${channel}/messages/${first.body.id}`, edit)).status,
      200,
    )
    const other = await owner.client.request<{ id: string }>('POST', `/api/servers/${server.id}/channels`, {
      name: 'other',
    })
    const elsewhere = await member.client.json('POST', `/api/channels/${other.id}/messages`, {
      content: 'Hi',
    })
    assert.equal(elsewhere.status, 201, 'each channel counts for itself')
    service.clock.advance(17_499)
    assertSlow(await send(member), 1)
    service.clock.advance(1)
    assert.equal((await send(member)).status, 201)
    assertSlow(await send(member), 30)
    assert.equal((await owner.client.json('PATCH', channel, { slowMode: 0 })).status, 200)
    assert.equal((await send(member)).status, 201)
  },
)

eachService(
  'of parallel messages of one member only one is stored, and a repeated nonce is no second message ' +
    '(community/slow-mode)',
  async (_t, service) => {
    const { member, channel, send } = await setUp(service, 60)
    const nonces = ['a', 'b', 'c', 'd']
    const replies = await Promise.all(nonces.map(nonce => send(member, nonce)))
    const statuses = replies.map(({ status }) => status)
    assert.deepEqual(statuses.toSorted(), [201, 429, 429, 429])
    const stored = replies.find(({ status }) => status === 201)?.body
    const nonce = nonces[statuses.indexOf(201)]
    assert.equal((await member.client.get(`${channel}/messages`)).body.length, 1)
    const repeated = await send(member, nonce)
    assert.deepEqual([repeated.status, repeated.body.id], [201, stored.id])

    service.clock.advance(59_000)
    assert.equal((await send(member, nonce)).body.id, stored.id)
    service.clock.advance(1000)
    const both = await Promise.all([send(member, 'e'), send(member, 'e')])
    assert.deepEqual([both[0].status, both[0].body.id], [201, both[1].body.id])
  },
)

eachService(
  'moderators, who manage messages or channels, bots and webhooks are excepted; the value has bounds ' +
    '(community/slow-mode)',
  async (_t, service) => {
    const { owner, member, server, channel, send } = await setUp(service, 21_600)
    const path = `/api/servers/${server.id}`
    const bot = await createBot(service, owner, 'helper_bot')
    await addBot(owner.client, bot.applicationId, server.id)
    const { token, id } = (await owner.client.json('POST', `${channel}/webhooks`, { name: 'Hook' })).body
    for (let count = 0; count < 2; count++) {
      assert.equal((await send(owner)).status, 201)
      assert.equal((await bot.json('POST', `${channel}/messages`, { content: 'Hello' })).status, 201)
      const posted = await service.client().json('POST', `/api/webhooks/${id}/${token}`, { content: 'Hello' })
      assert.equal(posted.status, 204)
    }
    assert.equal((await send(member)).status, 201)
    assertSlow(await send(member), 21_600)
    for (const permission of [Permission.MANAGE_MESSAGES, Permission.MANAGE_CHANNELS]) {
      const role = await owner.client.request<{ id: string }>('POST', `${path}/roles`, {
        ...{ name: 'Moderator', permissions: formatPermissions(permission) },
      })
      await owner.client.request('PUT', `${path}/members/${member.id}/roles/${role.id}`)
      assert.equal((await send(member)).status, 201)
      await owner.client.request('DELETE', `${path}/roles/${role.id}`)
    }
    for (const slowMode of [-1, 21_601, 1.5, '5']) {
      assert.equal((await owner.client.json('PATCH', channel, { slowMode })).status, 400)
    }
    assert.equal((await member.client.json('PATCH', channel, { slowMode: 0 })).status, 403)
    const [entry] = (await owner.client.get(`${path}/audit-log?action=CHANNEL_UPDATE`)).body
    assert.deepEqual(entry.changes, [{ key: 'slowMode', before: '0', after: '21600' }])
  },
)

eachService('the sweep deletes turns that no slow mode needs (community/slow-mode)', async (_t, service) => {
  const { member, send } = await setUp(service, 5)
  await send(member)
  const count = async () => (await service.db.all`SELECT user_id FROM slow_mode_turns`).length
  service.clock.advance(6 * 3_600_000)
  await sweepTurns(service.db, service.clock.now())
  assert.equal(await count(), 1)
  service.clock.advance(1)
  await sweepTurns(service.db, service.clock.now())
  assert.equal(await count(), 0)
})
