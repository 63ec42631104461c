import assert from 'node:assert/strict'
import { verifyEmail } from '@gatehouse/testkit/accounts'
import { addBot } from '@gatehouse/testkit/applications'
import { createServer, register, type TestUser } from '@gatehouse/testkit/community'
import { createBot, createWorld, runCommand } from '@gatehouse/testkit/interactions'
import { eachService, type TestResponse } from '@gatehouse/testkit/service'

const send = (user: TestUser, channelId: string) =>
  user.client.json('POST', `/api/channels/${channelId}/messages`, { content: 'Hello' })

function assertRefused(reply: TestResponse, code: string, more: object = {}): void {
  assert.equal(reply.status, 403, reply.text)
  assert.partialDeepStrictEqual(reply.body, { code, ...more })
}

eachService(
  'with `member`, a new member writes after 10 minutes and with a verified address (community/verification-level)',
  async (_t, service) => {
    const [owner, member] = [await register(service, 'owner'), await register(service, 'member')]
    const { server, general } = await createServer(owner, member)
    const path = `/api/servers/${server.id}`
    assert.equal(server.verificationLevel, 'none')
    const own = await member.client.request<{ id: string }>('POST', `/api/channels/${general.id}/messages`, {
      content: 'First',
    })
    const edit = () =>
      member.client.json('PATCH', `/api/channels/${general.id}/messages/${own.id}`, { content: 'Edited' })
    const set = (user: TestUser, verificationLevel: string) =>
      user.client.json('PATCH', path, { verificationLevel })
    assertRefused(await set(member, 'none'), 'missing_permission')
    assert.equal((await set(owner, 'phone')).status, 400)
    assert.deepEqual((await set(owner, 'member')).body, { ...server, verificationLevel: 'member' })

    assertRefused(await send(member, general.id), 'email_not_verified')
    await verifyEmail(service, member.client)
    service.clock.advance(60_000)
    const refused = await send(member, general.id)
    assertRefused(refused, 'member_too_new', {
      retryAfter: 540,
      message: 'You can write on this server in 540 s.',
    })
    assert.equal(refused.headers.get('retry-after'), '540')
    assertRefused(await edit(), 'member_too_new')
    service.clock.advance(540_000 - 1)
    assertRefused(await send(member, general.id), 'member_too_new', { retryAfter: 1 })
    service.clock.advance(1)
    assert.equal((await send(member, general.id)).status, 201)
    assert.equal((await edit()).status, 200)
    const entries = await service.db.all<{ changes: string }>`
      SELECT changes FROM audit_log WHERE server_id = ${server.id} AND action = 'SERVER_UPDATE'`
    assert.deepEqual(
      entries.map(({ changes }) => JSON.parse(changes)),
      [[{ key: 'verificationLevel', before: '"none"', after: '"member"' }]],
    )
  },
)

eachService(
  'with `email` the time as a member does not matter; the owner, members with a role and bots are excepted ' +
    '(community/verification-level)',
  async (_t, service) => {
    const [owner, member] = [await register(service, 'owner'), await register(service, 'member')]
    const { server, general } = await createServer(owner, member)
    const bot = await createBot(service, owner, 'helper_bot')
    await addBot(owner.client, bot.applicationId, server.id)
    const path = `/api/servers/${server.id}`
    await owner.client.request('PATCH', path, { verificationLevel: 'email' })
    assert.equal((await send(owner, general.id)).status, 201)
    const posted = await bot.json('POST', `/api/channels/${general.id}/messages`, { content: 'Hello' })
    assert.equal(posted.status, 201)

    assertRefused(await send(member, general.id), 'email_not_verified')
    const role = await owner.client.request<{ id: string }>('POST', `${path}/roles`, {
      ...{ name: 'Known', permissions: '0' },
    })
    const memberRole = `${path}/members/${member.id}/roles/${role.id}`
    await owner.client.request('PUT', memberRole)
    assert.equal((await send(member, general.id)).status, 201)
    await owner.client.request('DELETE', memberRole)
    assertRefused(await send(member, general.id), 'email_not_verified')
    await verifyEmail(service, member.client)
    assert.equal((await send(member, general.id)).status, 201)

    const direct = await member.client.request<{ id: string }>('POST', '/api/users/@me/channels', {
      recipientId: owner.id,
    })
    await owner.client.request('PATCH', path, { verificationLevel: 'member' })
    assert.equal((await send(member, direct.id)).status, 201, 'direct messages are not concerned')
  },
)

eachService(
  'commands and buttons are refused as messages are, and the bot receives no event (community/verification-level)',
  async (_t, service) => {
    const world = await createWorld(service)
    const { owner, ann, bot, serverId, channelId } = world
    await bot.connect()
    const message = await bot.json('POST', `/api/channels/${channelId}/messages`, {
      content: 'Press',
      components: [
        { type: 'row', components: [{ type: 'button', style: 'primary', label: 'Go', customId: 'go' }] },
      ],
    })
    const press = () =>
      ann.client.json('POST', '/api/interactions', {
        ...{ type: 'component', channelId, messageId: message.body.id, customId: 'go' },
      })
    const complete = () =>
      ann.client.json('POST', '/api/interactions/autocomplete', {
        ...{ channelId, commandId: world.commands.roll, options: [], focused: 'sides' },
      })
    await owner.client.request('PATCH', `/api/servers/${serverId}`, { verificationLevel: 'member' })
    for (const request of [() => runCommand(world, 'ping'), press, complete]) {
      assertRefused(await request(), 'email_not_verified')
    }
    await verifyEmail(service, ann.client)
    for (const request of [() => runCommand(world, 'ping'), press, complete]) {
      assertRefused(await request(), 'member_too_new', { retryAfter: 600 })
    }
    assert.deepEqual(bot.received, [])
    service.clock.advance(600_000)
    assert.equal((await runCommand(world, 'ping')).status, 202)
    assert.equal((await press()).status, 202)
  },
)
