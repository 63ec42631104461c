import assert from 'node:assert/strict'
import { test } from 'node:test'
import { addBot } from '@gatehouse/testkit/applications'
import { createServer, register } from '@gatehouse/testkit/community'
import { eachService, startService, type TestService } from '@gatehouse/testkit/service'
import { openSocket, sendMessage, sessionHeaders } from '../../gateway/gateway-testing.ts'
import {
  bit,
  call,
  connectDiscord,
  createDiscordWorld,
  identifyDiscord,
  joinServer,
  nextEvent,
  takeEvent,
} from './discord-gateway-testing.ts'

/** The close code for a frame. */
async function closeCodeOf(service: TestService, ...frames: object[]): Promise<number> {
  const client = await connectDiscord(service)
  for (const frame of frames) client.send(frame)
  return (await client.closed).code
}

eachService(
  'READY has unavailable guilds, and GUILD_CREATE their channels, roles and the bot (discord/gateway)',
  async (_t, service) => {
    const { ada, bot, server, general } = await createDiscordWorld(service)
    const hidden = await call(ada, 'POST', `/api/servers/${server.id}/channels`, {
      name: 'hidden',
      private: { roles: [], members: [] },
    })
    const session = await identifyDiscord(service, { token: bot.token })
    const { d, s } = session.ready
    assert.equal(s, 1)
    assert.deepEqual([d.v, d.guilds, d.shard], [10, [{ id: server.id, unavailable: true }], [0, 1]])
    assert.deepEqual(d.application, { id: bot.applicationId, flags: 557_056, flags_new: '557056' })
    assert.equal(d.resume_gateway_url, `${service.url.replace('http', 'ws')}/api/v10/gateway/ws`)
    assert.deepEqual([d.user.id, d.user.bot, d.user.discriminator], [bot.userId, true, '0'])
    const guild = await takeEvent(session, 'GUILD_CREATE')
    assert.deepEqual([guild.id, guild.unavailable, guild.owner_id], [server.id, false, ada.id])
    assert.deepEqual([guild.member_count, guild.large], [2, false])
    const channelIds = guild.channels.map(({ id }: { id: string }) => id)
    assert.ok(channelIds.includes(general.id) && !channelIds.includes(hidden.id))
    assert.ok(
      guild.roles.some(({ id }: { id: string }) => id === server.id),
      '@everyone',
    )
    assert.deepEqual(
      guild.members.map(({ user }: { user: { id: string } }) => user.id),
      [bot.userId],
      'without the intent for members',
    )
    await sendMessage(ada, general.id, 'without the intent')
    await call(ada, 'PATCH', `/api/servers/${server.id}`, { name: 'Renamed' })
    const update = await session.nextFrame()
    assert.deepEqual([update.t, update.s, update.d.name], ['GUILD_UPDATE', 3, 'Renamed'])
  },
)

eachService(
  'GUILD_CREATE has all members up to large_threshold, with the intent for them (discord/gateway)',
  async (_t, service) => {
    const { ada, bot, server } = await createDiscordWorld(service)
    const readMembers = async (large_threshold?: number) => {
      const intents = bit.guilds | bit.members
      const session = await identifyDiscord(service, {
        token: bot.token,
        intents,
        ...(large_threshold === undefined ? {} : { large_threshold }),
      })
      const guild = await takeEvent(session, 'GUILD_CREATE')
      return [guild.members.length, guild.member_count, guild.large]
    }
    assert.deepEqual(await readMembers(), [2, 2, false])
    await service.db.transaction(async tx => {
      for (let n = 0; n < 49; n++) {
        const id = String(n + 1000)
        await tx.run`INSERT INTO users (id, username, display_name, bot, created_at)
          VALUES (${id}, ${`user${n}`}, ${`User ${n}`}, 0, 0)`
        await tx.run`INSERT INTO members (server_id, user_id, joined_at, read_to)
          VALUES (${server.id}, ${id}, 0, '0')`
      }
    })
    assert.deepEqual(await readMembers(1), [1, 51, true], 'the smallest is 50')
    assert.deepEqual(await readMembers(51), [51, 51, false])
    assert.equal(ada.username, 'ada')
  },
)

eachService(
  'events that happen before GUILD_CREATE is sent follow it (discord/gateway)',
  async (_t, service) => {
    const { ada, bot, general } = await createDiscordWorld(service)
    const session = await connectDiscord(service)
    session.send({ op: 2, d: { token: bot.token, intents: bit.guilds | bit.messages | bit.messageContent } })
    // When the session begins, some of them were sent already.
    for (let n = 0; n < 20; n++) await sendMessage(ada, general.id, String(n))
    const frames = [await session.nextDispatch()]
    while (frames.at(-1)?.d.content !== '19') frames.push(await session.nextDispatch())
    const [first, second, ...messages] = frames
    assert.deepEqual([first?.t, second?.t], ['READY', 'GUILD_CREATE'])
    const contents = messages.map(({ d }) => Number(d.content))
    assert.deepEqual(
      contents,
      contents.map((_, n) => 20 - contents.length + n),
    )
  },
)

eachService('close codes of identify are those of Discord (discord/close-codes)', async (_t, service) => {
  const { bot } = await createDiscordWorld(service, [])
  const identify = (d: object) => ({ op: 2, d: { token: bot.token, intents: bit.guilds, ...d } })
  assert.equal(await closeCodeOf(service, identify({ token: 'wrong' })), 4004)
  assert.equal(await closeCodeOf(service, identify({ token: undefined })), 4004)
  assert.equal(await closeCodeOf(service, identify({ intents: undefined })), 4013)
  assert.equal(await closeCodeOf(service, identify({ intents: ['servers'] })), 4013)
  for (const intents of [-1, 1.5, 1e300, true, null, '', ' 1', '-1', '0x1', '1'.repeat(21)]) {
    assert.equal(await closeCodeOf(service, identify({ intents })), 4013, String(intents))
  }
  assert.equal(await closeCodeOf(service, identify({ intents: bit.members })), 4014)
  assert.equal(await closeCodeOf(service, identify({ intents: bit.messageContent })), 4014)
  assert.equal(await closeCodeOf(service, identify({ shard: [2, 2] })), 4010)
  assert.equal(await closeCodeOf(service, identify({}), identify({})), 4005)
  assert.equal(await closeCodeOf(service, { op: 3, d: {} }), 4003)
  assert.equal(await closeCodeOf(service, { op: 8, d: {} }), 4003)
  assert.equal(await closeCodeOf(service, { op: 'x' }), 4002)
  const accepted = await identifyDiscord(service, { token: `Bot ${bot.token}`, intents: bit.presences })
  assert.equal(accepted.ready.d.user.id, bot.userId)
})

eachService(
  'presence and voice states are ignored, an unknown opcode is 4001 (discord/close-codes)',
  async (_t, service) => {
    const { bot } = await createDiscordWorld(service)
    const session = await identifyDiscord(service, { token: bot.token })
    await takeEvent(session, 'GUILD_CREATE')
    for (const op of [3, 4, 31]) session.send({ op, d: {} })
    session.send({ op: 1, d: 2 })
    assert.deepEqual(await session.nextFrame(), { t: null, s: null, op: 11, d: null })
    session.send({ op: 99, d: {} })
    assert.equal((await session.closed).code, 4001)
  },
)

test('the versions are 10 and 9, and the encoding is JSON (discord/api-versions)', async t => {
  const service = await startService(t)
  for (const query of ['?v=8&encoding=json', '?v=10&encoding=etf']) {
    const client = await connectDiscord(service, { query })
    assert.equal((await client.closed).code, 4012)
  }
  for (const path of ['/api/v9/gateway/ws?v=9&encoding=json', '/api/v10/gateway/ws/?compress=brotli']) {
    assert.equal((await openSocket(service, {}, path).nextFrame()).op, 10, path)
  }
})

eachService('the cookie of a user is no credential on this path (discord/gateway)', async (_t, service) => {
  const ada = await register(service, 'ada')
  const client = await connectDiscord(service, { headers: sessionHeaders(service, ada) })
  client.send({ op: 2, d: { intents: bit.guilds } })
  assert.equal((await client.closed).code, 4004)
})

eachService('a shard has the servers that belong to it (discord/gateway)', async (_t, service) => {
  const { ada, bot, server } = await createDiscordWorld(service)
  const { server: other } = await createServer(ada)
  await addBot(ada.client, bot.applicationId, other.id)
  const counts = [0, 1].map(async id => {
    const session = await identifyDiscord(service, { token: bot.token, shard: [id, 2] })
    assert.deepEqual(session.ready.d.shard, [id, 2])
    const ids: string[] = session.ready.d.guilds.map((guild: { id: string }) => guild.id)
    for (const _ of ids) assert.ok(ids.includes((await takeEvent(session, 'GUILD_CREATE')).id))
    return ids
  })
  const ids = (await Promise.all(counts)).flat()
  assert.deepEqual(ids.toSorted(), [server.id, other.id].toSorted())
})

eachService('the bot joins and leaves a server (discord/gateway-events)', async (_t, service) => {
  const { ada, bot } = await createDiscordWorld(service)
  const ben = await register(service, 'ben')
  const session = await identifyDiscord(service, { token: bot.token, intents: bit.guilds | bit.members })
  await takeEvent(session, 'GUILD_CREATE')
  const { server } = await createServer(ada, ben)
  await addBot(ada.client, bot.applicationId, server.id)
  const guild = await nextEvent(session, 'GUILD_CREATE')
  assert.deepEqual([guild.id, 'unavailable' in guild, guild.members.length], [server.id, false, 3])
  await call(ada, 'DELETE', `/api/servers/${server.id}/members/${bot.userId}`)
  assert.deepEqual(await nextEvent(session, 'GUILD_DELETE'), { id: server.id })
  await joinServer(ada, await register(service, 'cyd'), server.id)
  session.send({ op: 1, d: null })
  assert.equal((await session.nextFrame()).op, 11, 'no event of the server follows')
})

test('more identifies than the rate close with 1000, after which clients wait (discord/close-codes)', async t => {
  const service = await startService(t, { env: { RATE_LIMITS: 'identifies=2/60' } })
  const { bot } = await createDiscordWorld(service)
  for (let n = 0; n < 2; n++) await identifyDiscord(service, { token: bot.token })
  const client = await connectDiscord(service)
  client.send({ op: 2, d: { token: bot.token, intents: 0 } })
  const { code, reason } = await client.closed
  assert.deepEqual([code, reason], [1000, 'at most 2 identifies in 60 s, retry after 60 s'])
})

test('too many frames close with 4008, also those that ask for members (discord/close-codes)', async t => {
  const service = await startService(t)
  const { bot, server } = await createDiscordWorld(service)
  const session = await identifyDiscord(service, { token: bot.token })
  for (let n = 0; n < 120; n++) session.send({ op: 8, d: { guild_id: server.id, query: 'a', limit: 1 } })
  assert.equal((await session.closed).code, 4008)
})

test('the servers after READY wait for the rate of requests (discord/gateway)', async t => {
  const service = await startService(t, { env: { RATE_LIMITS: 'requests=20/1' } })
  const { ada, bot } = await createDiscordWorld(service)
  service.clock.advance(10_000)
  const { server: other } = await createServer(ada)
  await addBot(ada.client, bot.applicationId, other.id)
  const headers = { authorization: `Bot ${bot.token}` }
  const get = () => service.client().get('/api/users/@me', headers)
  for (let n = 0; n < 40; n++) assert.equal((await get()).status, 200)
  const session = await identifyDiscord(service, { token: bot.token })
  const first = await takeEvent(session, 'GUILD_CREATE')
  session.send({ op: 1, d: 1 })
  assert.equal((await session.nextFrame()).op, 11)
  service.clock.advance(100)
  const second = await takeEvent(session, 'GUILD_CREATE')
  assert.ok(first.id !== other.id && second.id === other.id)
})

eachService(
  'a request for members that precedes READY is not answered before it (discord/gateway)',
  async (_t, service) => {
    const { bot, server } = await createDiscordWorld(service)
    const client = await connectDiscord(service)
    client.send({ op: 2, d: { token: bot.token, intents: bit.guilds } })
    client.send({ op: 8, d: { guild_id: server.id, query: 'ada', limit: 1 } })
    const result = await Promise.race([client.nextFrame(), client.closed])
    if ('code' in result) assert.equal(result.code, 4003)
    else assert.deepEqual([result.t, result.s], ['READY', 1])
  },
)
