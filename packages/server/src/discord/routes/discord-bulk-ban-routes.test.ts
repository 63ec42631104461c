import assert from 'node:assert/strict'
import { Permission } from '@gatehouse/protocol/permissions'
import { register } from '@gatehouse/testkit/community'
import { eachDiscordBot } from '../discord-testing.ts'

const unknownId = '1000000000000000001'

eachDiscordBot(
  'a bulk ban bans whom it can, and names the others (discord/bulk-ban)',
  async ({ service, owner, ann, bot, server, call, send }) => {
    const ben = await register(service, 'ben')
    const path = `/guilds/${server.id}/bulk-ban`
    await call('PUT', `/guilds/${server.id}/bans/${ben.id}`, {})
    const stranger = await register(service, 'stranger')
    const userIds = [ann.id, owner.id, bot.botId, ben.id, stranger.id, unknownId, ann.id]
    const reason = { 'x-audit-log-reason': 'spam' }
    const result = await call('POST', path, { user_ids: userIds, delete_message_seconds: null }, reason)
    assert.deepEqual(result, {
      banned_users: [ann.id, stranger.id].toSorted(),
      failed_users: [unknownId, owner.id, bot.botId, ben.id].toSorted(),
    })
    const bans = await call('GET', `/guilds/${server.id}/bans`)
    assert.deepEqual(
      bans.map((ban: { user: { id: string }; reason: string | null }) => [ban.user.id, ban.reason]),
      [
        [ann.id, 'spam'],
        [ben.id, null],
        [stranger.id, 'spam'],
      ].toSorted(),
    )
    const entries = await owner.client.call('listAuditLog', { id: server.id, query: { action: 'BAN_ADD' } })
    assert.deepEqual(
      entries.flatMap(({ target, reason: why }) => (why === 'spam' ? target.id : [])).toSorted(),
      [ann.id, stranger.id].toSorted(),
    )
    const again = await send('POST', path, { user_ids: [ann.id, owner.id] })
    assert.deepEqual([again.status, again.body], [400, { code: 500_000, message: 'Failed to ban users' }])
  },
)

const idsFrom = (count: number) =>
  Array.from({ length: count }, (_, i) => String(BigInt(unknownId) + BigInt(i)))

eachDiscordBot('a bulk ban has 1 to 200 ids (discord/bulk-ban)', async ({ server, ann, send, sendText }) => {
  const path = `/guilds/${server.id}/bulk-ban`
  for (const wrong of [[], idsFrom(201), undefined, 'x']) {
    const { status, body } = await send('POST', path, { user_ids: wrong })
    assert.deepEqual([status, body.code, Object.keys(body.errors)], [400, 50035, ['user_ids']])
  }
  const { body } = await send('POST', path, { user_ids: [ann.id], delete_message_seconds: 604_801 })
  assert.deepEqual(Object.keys(body.errors), ['delete_message_seconds'])
  // Ids may be numbers.
  const reply = await sendText('POST', path, `{"user_ids":[${ann.id},${idsFrom(199)}]}`)
  assert.deepEqual(
    [reply.status, reply.body.banned_users, reply.body.failed_users.length],
    [200, [ann.id], 199],
  )
})

eachDiscordBot(
  'each id of a bulk ban counts as a request (discord/bulk-ban)',
  async ({ service, bot, server, ann, send }) => {
    service.clock.advance(60_000)
    // The rate allows 20 at once: 1 and 10 further ones are counted.
    const userIds = [ann.id, ...idsFrom(10)]
    assert.equal((await send('POST', `/guilds/${server.id}/bulk-ban`, { user_ids: userIds })).status, 200)
    const statuses: number[] = []
    for (let i = 0; i < 10; i++) statuses.push((await send('GET', `/users/${bot.botId}`)).status)
    assert.deepEqual(statuses, [...Array(9).fill(200), 429])
  },
  { env: { RATE_LIMITS: 'requests=10/1' } },
)

eachDiscordBot(
  'a bulk ban needs BAN_MEMBERS and MANAGE_SERVER (discord/bulk-ban)',
  async ({ server, ann, owner, send }) => {
    const path = `/guilds/${server.id}/bulk-ban`
    const roles = await owner.client.call('listRoles', { id: server.id })
    const own = roles.find(role => role.managed)
    assert.ok(own)
    for (const permission of [Permission.BAN_MEMBERS, Permission.MANAGE_SERVER]) {
      const permissions = String(permission)
      await owner.client.call('updateRole', { id: server.id, roleId: own.id, body: { permissions } })
      const { status, body } = await send('POST', path, { user_ids: [ann.id] })
      assert.deepEqual([status, body.code], [403, 50013])
    }
    const unknown = await send('POST', '/guilds/1000000000000000001/bulk-ban', { user_ids: [ann.id] })
    assert.deepEqual([unknown.status, unknown.body.code], [404, 10004])
  },
)
