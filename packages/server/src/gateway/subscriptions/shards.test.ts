import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isInShard, isShard } from '@gatehouse/protocol/shards'
import { addBot } from '@gatehouse/testkit/applications'
import { createServer, register, type TestUser } from '@gatehouse/testkit/community'
import { eachService, startNodes, type TestService } from '@gatehouse/testkit/service'
import {
  connectSocket,
  createBot,
  type GatewayClient,
  identify,
  resumeSession,
  sendMessage,
  sessionHeaders,
  type TestBot,
} from '../gateway-testing.ts'

async function request(person: TestUser, method: string, path: string, body?: unknown) {
  const reply = await person.client.json(method, path, body)
  assert.ok(reply.status < 300, reply.text)
  return reply.body
}

interface TestServer {
  id: string
  channelId: string
}

/** Adds the bot to a new server of each of two shards. */
async function addServers(ada: TestUser, bot: TestBot, clock: TestService['clock']) {
  const servers: (TestServer | undefined)[] = [undefined, undefined]
  while (servers.includes(undefined)) {
    const { server, general } = await createServer(ada)
    // The shard follows from the time of the id.
    clock.advance(1)
    servers[isInShard([0, 2], server.id) ? 0 : 1] ??= { id: server.id, channelId: general.id }
  }
  const [even, odd] = servers
  assert.ok(even && odd)
  for (const { id } of [even, odd]) await addBot(ada.client, bot.applicationId, id)
  return { even, odd }
}

/** A bot with a command on a server of shard 0 and on one of shard 1, of 2. */
async function setUp(service: TestService) {
  const ada = await register(service, 'ada')
  const bot = await createBot(service, ada)
  const { even, odd } = await addServers(ada, bot, service.clock)
  const headers = { authorization: `Bot ${bot.token}` }
  const commands = [{ name: 'ping', description: 'Ping' }]
  const put = await service.client().json('PUT', '/api/applications/@me/commands', commands, headers)
  const commandId: string = put.body[0].id
  const run = (channelId: string) =>
    request(ada, 'POST', '/api/interactions', { type: 'command', channelId, commandId, options: [] })
  return { ada, bot, even, odd, run, headers }
}

async function nextInteraction(client: GatewayClient): Promise<string | null> {
  const { t, d } = await client.nextDispatch()
  assert.equal(t, 'INTERACTION_CREATE')
  return d.serverId
}

test('a server belongs to the shard (serverId >> 22) mod count (gateway/shards)', () => {
  const id = ((123_456_789n << 22n) | 4_194_303n).toString()
  for (const count of [1, 2, 3, 10, 1024]) {
    const shards = Array.from({ length: count }, (_, shard) => shard).filter(shard =>
      isInShard([shard, count], id),
    )
    assert.deepEqual(shards, [123_456_789 % count])
  }
  assert.deepEqual(
    [isInShard([0, 2], null), isInShard([1, 2], null), isInShard([0, 1], null)],
    [true, false, true],
  )
  for (const valid of [
    [0, 1],
    [1, 2],
    [1023, 1024],
  ])
    assert.ok(isShard(valid))
  for (const invalid of [
    [0, 0],
    [1, 1],
    [-1, 2],
    [0.5, 2],
    [0, 1025],
    [0],
    [0, 1, 2],
    ['0', '1'],
    '0,1',
    null,
    {},
  ]) {
    assert.ok(!isShard(invalid), JSON.stringify(invalid))
  }
})

eachService('identify closes with 4010 for an invalid shard (gateway/shards)', async (_t, service) => {
  const ada = await register(service, 'ada')
  const bot = await createBot(service, ada)
  const closeOf = async (d: object, headers = {}) => {
    const client = await connectSocket(service, headers)
    client.send({ op: 2, d })
    const { code, reason } = await client.closed
    return [code, reason]
  }
  for (const shard of [[2, 2], [0, 1025], '0', null]) {
    assert.deepEqual(await closeOf({ token: bot.token, shard }), [
      4010,
      'shard must be [id, count] with 0 <= id < count <= 1024',
    ])
  }
  const user = sessionHeaders(service, ada)
  assert.deepEqual(await closeOf({ shard: [0, 1] }, user), [4010, 'shards are for bots'])
})

eachService(
  'a shard receives READY and the events of its own servers, also in a resume (gateway/shards)',
  async (_t, service) => {
    const { ada, bot, even, odd } = await setUp(service)
    const intents = ['servers', 'messages', 'directMessages'] as const
    const [zero, one] = [
      await identify(service, { ...bot, intents, shard: [0, 2] }),
      await identify(service, { ...bot, intents, shard: [1, 2] }),
    ]
    assert.deepEqual([zero.ready.d.shard, zero.ready.d.servers.map(({ id }) => id)], [[0, 2], [even.id]])
    assert.deepEqual([one.ready.d.shard, one.ready.d.servers.map(({ id }) => id)], [[1, 2], [odd.id]])
    for (const { channelId } of [even, odd]) await sendMessage(ada, channelId, 'hello')
    assert.equal((await zero.nextDispatch()).d.serverId, even.id)
    assert.equal((await one.nextDispatch()).d.serverId, odd.id)
    const direct = await request(ada, 'POST', '/api/users/@me/channels', { recipientId: bot.userId })
    await sendMessage(ada, direct.id, 'to the bot')
    assert.equal((await zero.nextDispatch()).t, 'CHANNEL_CREATE')
    assert.equal((await zero.nextDispatch()).d.serverId, null)
    one.socket.close()
    await one.closed
    for (const { id } of [even, odd]) await request(ada, 'PATCH', `/api/servers/${id}`, { name: 'New' })
    const resumed = await resumeSession(service, { token: bot.token, sessionId: one.sessionId, seq: 2 })
    const [missed, end] = [await resumed.nextDispatch(), await resumed.nextDispatch()]
    assert.deepEqual([missed.t, missed.d.id, end.t], ['SERVER_UPDATE', odd.id, 'RESUMED'])
    // SERVER_ADD and SERVER_REMOVE too.
    for (const { id } of [even, odd]) {
      await request(ada, 'DELETE', `/api/servers/${id}/members/${bot.userId}`)
    }
    assert.equal((await zero.nextDispatch()).t, 'SERVER_UPDATE')
    for (const [client, id] of [
      [zero, even.id],
      [resumed, odd.id],
    ] as const) {
      const { t, d } = await client.nextDispatch()
      assert.deepEqual([t, d.id], ['SERVER_REMOVE', id])
    }
  },
)

eachService(
  'a shard without intents receives SERVER_ADD of its own servers only, and subscribes to none (gateway/shards)',
  async (t, service) => {
    const ada = await register(service, 'ada')
    const bot = await createBot(service, ada)
    const subscribe = t.mock.method(service.bus, 'subscribe')
    const [zero, one] = [
      await identify(service, { ...bot, shard: [0, 2] }),
      await identify(service, { ...bot, shard: [1, 2] }),
    ]
    const { even, odd } = await addServers(ada, bot, service.clock)
    assert.equal((await zero.nextDispatch()).d.id, even.id)
    assert.equal((await one.nextDispatch()).d.id, odd.id)
    assert.equal(subscribe.mock.callCount(), 2)
  },
)

eachService(
  'an interaction goes to a session whose shard has the server, also with two counts (gateway/shards)',
  async (_t, service) => {
    const { bot, even, odd, run } = await setUp(service)
    const zero = await identify(service, { ...bot, shard: [0, 2] })
    assert.equal((await run(odd.channelId)).state, 'pending')
    const one = await identify(service, { ...bot, shard: [1, 2] })
    assert.equal(await nextInteraction(one), odd.id, 'it waited for a session of its shard')
    for (let round = 0; round < 3; round++) {
      for (const { channelId } of [even, odd]) assert.equal((await run(channelId)).state, 'pending')
      assert.equal(await nextInteraction(zero), even.id)
      assert.equal(await nextInteraction(one), odd.id)
    }
    // During a change of the count, both have the server, in turn.
    const whole = await identify(service, { ...bot, shard: [0, 1] })
    for (let round = 0; round < 2; round++) await run(odd.channelId)
    assert.deepEqual([await nextInteraction(one), await nextInteraction(whole)], [odd.id, odd.id])
  },
)

test('an interaction reaches the session of its shard on another node (gateway/shards)', async t => {
  const [a, b] = (await startNodes(t)) ?? []
  if (!a || !b) return
  const { bot, even, odd, run } = await setUp(a)
  const zero = await identify(a, { ...bot, shard: [0, 2] })
  const one = await identify(b, { ...bot, shard: [1, 2] })
  for (let round = 0; round < 4; round++) {
    for (const { channelId } of [even, odd]) assert.equal((await run(channelId)).state, 'pending')
    assert.equal(await nextInteraction(zero), even.id)
    assert.equal(await nextInteraction(one), odd.id)
  }
})

eachService('GET /api/gateway/bot 200 (gateway/shards)', async (_t, service) => {
  const { ada, bot, headers } = await setUp(service)
  const client = service.client()
  const path = '/api/gateway/bot'
  const advice = { url: `${service.url.replace('http', 'ws')}/api/gateway/ws`, maxConnections: 25 }
  const { status, body } = await client.get(path, headers)
  assert.deepEqual([status, body], [200, { ...advice, shards: 1 }])
  await service.db.transaction(async tx => {
    for (let n = 0; n < 999; n++) {
      const id = String(1_000_000_000_000_000_000n + BigInt(n))
      await tx.run`INSERT INTO servers (id, name, owner_id, created_at) VALUES (${id}, ${'Server'}, ${ada.id}, 0)`
      await tx.run`INSERT INTO members (server_id, user_id, joined_at) VALUES (${id}, ${bot.userId}, 0)`
    }
  })
  assert.deepEqual((await client.get(path, headers)).body, { ...advice, shards: 2 })
})
