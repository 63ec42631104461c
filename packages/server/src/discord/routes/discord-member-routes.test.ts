import assert from 'node:assert/strict'
import { advanceUntilSettled } from '@gatehouse/testkit/clock'
import { eachDiscordBot } from '../discord-testing.ts'

eachDiscordBot('a bot lists, searches and reads members', async ({ server, bot, ann, owner, call, send }) => {
  const path = `/guilds/${server.id}/members`
  const idsOf = async (query: string) =>
    (await call('GET', `${path}${query}`)).map(({ user }: { user: { id: string } }) => user.id)
  const all = [owner.id, ann.id, bot.botId]
  // As in Discord's API, the default is one.
  assert.deepEqual(await idsOf(''), [owner.id])
  assert.deepEqual(await idsOf('?limit=1000&after=0'), all)
  assert.deepEqual(await idsOf(`?limit=1&after=${owner.id}`), [ann.id])
  assert.deepEqual(await idsOf('/search?query=AN&limit=10'), [ann.id])
  assert.deepEqual(await idsOf('/search?query=nobody'), [])
  const member = await call('GET', `${path}/${ann.id}`)
  assert.deepEqual(member, {
    user: {
      ...{ id: ann.id, username: 'ann', discriminator: '0', global_name: 'ann', avatar: null, bot: false },
      ...{ system: false, banner: null, accent_color: null, flags: 0, public_flags: 0 },
      ...{ avatar_decoration: null, avatar_decoration_data: null, collectibles: null, primary_guild: null },
    },
    ...{ nick: null, avatar: null, banner: null, roles: [], premium_since: null, pending: false, flags: 0 },
    joined_at: '2026-01-15T12:00:00.000000+00:00',
    ...{ communication_disabled_until: null, deaf: false, mute: false },
    ...{ avatar_decoration_data: null, collectibles: null },
  })
  assert.equal((await send('GET', `${path}/1000000000000000001`)).body.code, 10007)
  assert.equal((await send('GET', `/guilds/1000000000000000001/members/${ann.id}`)).body.code, 10004)
  for (const query of ['?limit=0', '?limit=1001', '/search?limit=5']) {
    assert.equal((await send('GET', `${path}${query}`)).body.code, 50035, query)
  }
})

eachDiscordBot('a list of members is read in pages of 100 (discord/pages)', async setup => {
  const { server, service, call } = setup
  const ids = Array.from({ length: 150 }, (_, i) => String(2n * 10n ** 18n + BigInt(i)))
  for (const id of ids) {
    await service.db.run`
      INSERT INTO users (id, username, display_name, bot, created_at) VALUES (${id}, ${`u${id}`}, 'U', 0, 0)`
    await service.db.run`
      INSERT INTO members (server_id, user_id, joined_at, read_to) VALUES (${server.id}, ${id}, 0, '0')`
  }
  const members = await call('GET', `/guilds/${server.id}/members?limit=1000`)
  assert.deepEqual(
    members.slice(3).map(({ user }: { user: { id: string } }) => user.id),
    ids,
  )
  assert.equal((await call('GET', `/guilds/${server.id}/members?limit=120`)).length, 120)
  const found = await call('GET', `/guilds/${server.id}/members/search?query=u2&limit=140`)
  assert.equal(found.length, 140)
})

eachDiscordBot('a bot changes roles and the time-out of a member', async setup => {
  const { service, server, ann, owner, call, send } = setup
  const path = `/guilds/${server.id}/members/${ann.id}`
  const create = (name: string) => call('POST', `/guilds/${server.id}/roles`, { name })
  const [first, second] = [await create('first'), await create('second')]
  assert.equal((await send('PUT', `${path}/roles/${first.id}`)).status, 204)
  const replaced = await call('PATCH', path, { roles: [second.id, server.id] })
  assert.deepEqual(replaced.roles, [second.id])
  assert.equal((await send('DELETE', `${path}/roles/${second.id}`)).status, 204)
  assert.deepEqual((await call('GET', path)).roles, [])
  const noId = await send('PATCH', path, { roles: [first.id, { toString: 1 }] })
  assert.deepEqual([noId.status, Object.keys(noId.body.errors.roles)], [400, ['1']])
  assert.deepEqual((await call('GET', path)).roles, [])

  const until = new Date(service.clock.now() + 60_000).toISOString()
  const reason = { 'x-audit-log-reason': encodeURIComponent('zu laut') }
  const timedOut = await call('PATCH', path, { communication_disabled_until: until }, reason)
  assert.equal(timedOut.communication_disabled_until, until.replace('Z', '000+00:00'))
  const [entry] = await owner.client.call('listAuditLog', { id: server.id })
  assert.equal(entry?.reason, 'zu laut')
  const past = await send('PATCH', path, { communication_disabled_until: '2020-01-01T00:00:00Z' })
  assert.deepEqual(Object.keys(past.body.errors), ['communication_disabled_until'])
  assert.equal(
    (await call('PATCH', path, { communication_disabled_until: null })).communication_disabled_until,
    null,
  )

  // There are no nicknames and no voice (discord/unsupported).
  for (const body of [{ nick: 'x' }, { mute: true }]) {
    const reply = await send('PATCH', path, body)
    assert.deepEqual([reply.status, Object.keys(reply.body.errors)], [400, Object.keys(body)])
  }
  assert.equal((await send('PATCH', `/guilds/${server.id}/members/@me`, { nick: 'x' })).body.code, 50035)
  assert.equal(
    (await call('PATCH', `/guilds/${server.id}/members/@me`, { nick: null })).user.username,
    'helper',
  )

  const missing = '1000000000000000001'
  assert.equal((await send('PUT', `${path}/roles/${missing}`)).body.code, 10011)
  assert.equal(
    (await send('PUT', `/guilds/${server.id}/members/${missing}/roles/${first.id}`)).body.code,
    10007,
  )
  assert.equal((await send('DELETE', path)).status, 204)
  assert.equal((await send('DELETE', path)).body.code, 10007)
})

eachDiscordBot('a bot bans with the reason of the header, reads bans and ends them', async setup => {
  const { server, ann, owner, call, send } = setup
  const path = `/guilds/${server.id}/bans`
  const reason = { 'x-audit-log-reason': encodeURIComponent('böse') }
  assert.equal((await send('PUT', `${path}/${ann.id}`, { delete_message_seconds: 60 }, reason)).status, 204)
  const ban = await call('GET', `${path}/${ann.id}`)
  assert.deepEqual([ban.user.id, ban.reason], [ann.id, 'böse'])
  assert.deepEqual(await call('GET', path), [ban])
  assert.deepEqual(await call('GET', `${path}?limit=1000&after=0`), [ban])
  assert.deepEqual(await call('GET', `${path}?before=9000000000000000000`), [ban])
  assert.deepEqual(await call('GET', `${path}?before=${ann.id}`), [])
  assert.equal((await send('DELETE', `${path}/${ann.id}`)).status, 204)
  for (const method of ['GET', 'DELETE']) {
    assert.equal((await send(method, `${path}/${ann.id}`)).body.code, 10026)
  }
  assert.equal((await send('PUT', `${path}/1000000000000000001`)).body.code, 10013)
  assert.equal((await send('PUT', `${path}/${owner.id}`)).body.code, 50013)
  const tooLong = await send('PUT', `${path}/${ann.id}`, { delete_message_seconds: 10 ** 9 })
  assert.deepEqual(Object.keys(tooLong.body.errors), ['delete_message_seconds'])
})

eachDiscordBot(
  'a search counts the members that it reads, and waits (discord/pages)',
  async ({ service, server, send }) => {
    await service.db.run`
      INSERT INTO users (id, username, display_name, bot, created_at)
      WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 2500)
      SELECT CAST(i + 2000000000000000000 AS TEXT), 'user' || i, 'U', 0, 0 FROM n`
    await service.db.run`
      INSERT INTO members (server_id, user_id, joined_at, read_to)
      SELECT CAST(${server.id} AS TEXT), id, 0, '0' FROM users WHERE display_name = 'U'`
    const startedAt = service.clock.now()
    const search = send('GET', `/guilds/${server.id}/members/search?query=nobody`)
    const { status, body } = await advanceUntilSettled(service.clock, search, 500)
    assert.deepEqual([status, body], [200, []])
    // A burst of 20, then one in 100 s. Two pages count as 22; the rate owes at most a minute.
    assert.ok(service.clock.now() - startedAt >= 150_000)
  },
  { env: { RATE_LIMITS: 'requests=10/1000' } },
)
