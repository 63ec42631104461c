import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createOperator } from '@gatehouse/testkit/administration'
import { addBot } from '@gatehouse/testkit/applications'
import { createServer, register } from '@gatehouse/testkit/community'
import { eachService, startService, type TestService } from '@gatehouse/testkit/service'
import {
  bit,
  createDiscordWorld,
  type DiscordClient,
  identifyDiscord,
  nextEvent,
  takeEvent,
} from './discord-gateway-testing.ts'

const firstId = 100_000_000_000_000_000n

/** Adds members with the names `user0`, `user1`, … and the ids from `firstId`. */
function insertMembers({ db }: TestService, serverId: string, count: number): Promise<void> {
  return db.transaction(async tx => {
    for (let n = 0; n < count; n++) {
      const id = String(firstId + BigInt(n))
      await tx.run`INSERT INTO users (id, username, display_name, bot, created_at)
        VALUES (${id}, ${`user${n}`}, ${`Ünique ${n}`}, 0, 0)`
      await tx.run`INSERT INTO members (server_id, user_id, joined_at, read_to)
        VALUES (${serverId}, ${id}, 0, '0')`
    }
  })
}

async function setUp(service: TestService, intents: number, count = 3) {
  const world = await createDiscordWorld(service)
  const session = await identifyDiscord(service, { token: world.bot.token, intents: bit.guilds | intents })
  await takeEvent(session, 'GUILD_CREATE')
  await insertMembers(service, world.server.id, count)
  return { ...world, session }
}

async function requestMembers(session: DiscordClient, d: object) {
  session.send({ op: 8, d })
  const chunk = await takeEvent(session, 'GUILD_MEMBERS_CHUNK')
  const names: string[] = chunk.members.map(({ user }: { user: { username: string } }) => user.username)
  return { chunk, names }
}

eachService('members by the start of their name (discord/request-members)', async (_t, service) => {
  const { server, session } = await setUp(service, 0)
  const guild_id = server.id
  const { chunk, names } = await requestMembers(session, { guild_id, query: 'USER', limit: 2, nonce: 'n' })
  assert.deepEqual(names, ['user0', 'user1'])
  assert.deepEqual([chunk.guild_id, chunk.nonce, chunk.chunk_index, chunk.chunk_count], [guild_id, 'n', 0, 1])
  assert.deepEqual((await requestMembers(session, { guild_id, query: 'üni', limit: 0 })).names.length, 3)
  assert.deepEqual((await requestMembers(session, { guild_id, query: 'nobody', limit: 0 })).names, [])
})

eachService('members by their ids, also as numbers (discord/request-members)', async (_t, service) => {
  const { bot, server, session } = await setUp(service, 0)
  // As discord.py writes them: such a number has more digits than a JavaScript number.
  const user_ids = `[${bot.userId},${firstId},5,{"toString":1},null]`
  session.sendRaw(`{"op":8,"d":{"guild_id":${server.id},"user_ids":${user_ids},"limit":100}}`)
  const chunk = await takeEvent(session, 'GUILD_MEMBERS_CHUNK')
  const ids = chunk.members.map(({ user }: { user: { id: string } }) => user.id)
  assert.deepEqual([ids.toSorted(), chunk.not_found], [[String(firstId), bot.userId], ['5']])
})

eachService(
  'all members in chunks of 1,000, only with the intent (discord/request-members)',
  async (_t, service) => {
    const { bot, server, session } = await setUp(service, bit.members, 1500)
    const whole = { guild_id: server.id, query: '', limit: 0, nonce: 'all' }
    session.send({ op: 8, d: whole })
    const chunks = [
      await takeEvent(session, 'GUILD_MEMBERS_CHUNK'),
      await takeEvent(session, 'GUILD_MEMBERS_CHUNK'),
    ]
    assert.deepEqual(
      chunks.map(chunk => [chunk.members.length, chunk.chunk_index, chunk.chunk_count, chunk.nonce]),
      [
        [1000, 0, 2, 'all'],
        [502, 1, 2, 'all'],
      ],
    )
    const without = await identifyDiscord(service, { token: bot.token })
    await takeEvent(without, 'GUILD_CREATE')
    without.send({ op: 8, d: whole })
    const { names } = await requestMembers(without, { guild_id: server.id, query: 'ada', limit: 1 })
    assert.deepEqual(names, ['ada'], 'the request for all members is ignored')
  },
)

eachService(
  'nothing about a server that the bot is not on (discord/request-members)',
  async (_t, service) => {
    const { server, session } = await setUp(service, bit.members)
    const { server: foreign } = await createServer(await register(service, 'eve'))
    for (const guild_id of [foreign.id, '1', 'x', null, {}])
      session.send({ op: 8, d: { guild_id, query: '', limit: 0 } })
    session.send({ op: 8, d: { guild_id: server.id, query: 5 } })
    session.send({ op: 8, d: { guild_id: [{ toString: null }], user_ids: [{ toString: null }] } })
    session.send({ op: 8, d: null })
    assert.deepEqual((await requestMembers(session, { guild_id: server.id, query: 'ada', limit: 1 })).names, [
      'ada',
    ])
  },
)

eachService(
  'nothing about a disabled server (discord/request-members, administration/disable-server)',
  async (_t, service) => {
    const { ada, bot, server, session } = await setUp(service, bit.members)
    const { server: other } = await createServer(ada)
    await addBot(ada.client, bot.applicationId, other.id)
    const search = async () => {
      const path = `/api/v10/guilds/${server.id}/members/search?query=ada`
      return (await service.client().get(path, { authorization: `Bot ${bot.token}` })).status
    }
    assert.equal(await search(), 200)
    const operator = await createOperator(service)
    await operator.client.request('PATCH', `/api/admin/servers/${server.id}`, { disabled: true })
    await nextEvent(session, 'GUILD_DELETE')
    assert.equal(await search(), 404)
    session.send({ op: 8, d: { guild_id: server.id, query: '', limit: 0 } })
    session.send({ op: 8, d: { guild_id: server.id, query: 'ada', limit: 1 } })
    session.send({ op: 8, d: { guild_id: server.id, user_ids: [ada.id] } })
    const { chunk } = await requestMembers(session, { guild_id: other.id, query: 'ada', limit: 1 })
    assert.equal(chunk.guild_id, other.id)
  },
)

test('requests for members count as requests of the bot, and wait (discord/request-members)', async t => {
  const service = await startService(t, { env: { RATE_LIMITS: 'requests=20/1' } })
  const { server, session } = await setUp(service, bit.members)
  service.clock.advance(10_000)
  for (let n = 0; n < 44; n++)
    session.send({ op: 8, d: { guild_id: server.id, query: 'ada', limit: 1, nonce: String(n) } })
  const nonces: string[] = []
  for (let n = 0; n < 41; n++) nonces.push((await nextEvent(session, 'GUILD_MEMBERS_CHUNK')).nonce)
  session.send({ op: 1, d: null })
  assert.equal((await session.nextFrame()).op, 11, 'a burst of twice the rate is allowed')
  service.clock.advance(1000)
  for (let n = 0; n < 3; n++) nonces.push((await nextEvent(session, 'GUILD_MEMBERS_CHUNK')).nonce)
  assert.deepEqual(
    nonces,
    Array.from({ length: 44 }, (_, n) => String(n)),
  )
})
