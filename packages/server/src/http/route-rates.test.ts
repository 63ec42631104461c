import assert from 'node:assert/strict'
import { maxConcurrentRequests, rates } from '@gatehouse/protocol/limits'
import { createServer, register, type TestUser } from '@gatehouse/testkit/community'
import { png } from '@gatehouse/testkit/images'
import { sendLateBody } from '@gatehouse/testkit/late-body'
import { eachService, type TestResponse } from '@gatehouse/testkit/service'
import { createWorld, putCommands, receivedEvent, runCommand } from '../interactions/interactions-testing.ts'
import { makeApplication, tokensFor } from '../oauth/oauth-testing.ts'

/** The test clock stands still, so the rate of all requests would reject the requests of the other tests first. */
const otherRates = { env: { RATE_LIMITS: 'requests=100000/1' } }

function assertRateLimited(reply: TestResponse, retryAfter: number): void {
  assert.deepEqual([reply.status, reply.body.code], [429, 'rate_limited'], reply.text)
  assert.equal(reply.headers.get('retry-after'), String(retryAfter))
  assert.equal(Math.ceil(reply.body.retryAfter), retryAfter)
}

eachService(
  'a user can send a burst of 100 requests and 50 a second, with all sessions together (limits/requests)',
  async (_t, service) => {
    const [ann, bob] = [await register(service, 'ann'), await register(service, 'bob')]
    const other = service.client()
    const signIn = { login: 'ann', password: ann.password }
    assert.equal((await other.json('POST', '/api/auth/login', signIn)).status, 200)
    service.clock.advance(2000)
    const requests = [() => ann.client.get('/api/users/@me'), () => other.get('/api/users/@me')]
    for (let i = 0; i < 100; i++) assert.equal((await requests[i % 2]?.())?.status, 200)
    for (const request of requests) assertRateLimited(await request(), 1)
    assert.equal((await bob.client.get('/api/users/@me')).status, 200)
    service.clock.advance(1000)
    for (let i = 0; i < 50; i++) assert.equal((await requests[i % 2]?.())?.status, 200)
    assertRateLimited(await ann.client.get('/api/users/@me'), 1)
  },
  { env: { RATE_LIMITS: 'on' } },
)

eachService(
  'an application with an access token cannot use up the rate of its user, and has the same one (limits/requests)',
  async (_t, service) => {
    const ann = await register(service, 'ann')
    const [first, second] = [await makeApplication(ann), await makeApplication(ann)]
    const tokens = [
      await tokensFor(service, ann, first, { scope: 'identify' }),
      await tokensFor(service, ann, first, { scope: 'identify' }),
    ]
    const { access_token: other } = await tokensFor(service, ann, second, { scope: 'identify' })
    service.clock.advance(2000)
    const me = (token = '') => service.client().get('/api/users/@me', { authorization: `Bearer ${token}` })
    for (let i = 0; i < 100; i++) assert.equal((await me(tokens[i % 2]?.access_token)).status, 200)
    for (const { access_token: token } of tokens) assertRateLimited(await me(token), 1)
    assert.equal((await me(other)).status, 200)
    for (let i = 0; i < 100; i++) assert.equal((await ann.client.get('/api/users/@me')).status, 200)
    assertRateLimited(await ann.client.get('/api/users/@me'), 1)
  },
  { env: { RATE_LIMITS: 'on' } },
)

eachService(
  'a list of servers counts as one more request for each 500 roles that it reads (limits/requests)',
  async (_t, service) => {
    const [ann, bob] = [await register(service, 'ann'), await register(service, 'bob')]
    const { server } = await createServer(ann, bob)
    await service.db.run`
      WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 1000)
      INSERT INTO roles (id, server_id, name, permissions, color, position)
      SELECT CAST(CAST(${server.id} AS BIGINT) + i AS TEXT), CAST(${server.id} AS TEXT), 'Role', '0', 0, i FROM n`
    await service.db.run`
      INSERT INTO member_roles (server_id, user_id, role_id)
      SELECT r.server_id, m.user_id, r.id FROM members m JOIN roles r ON r.server_id = m.server_id
      WHERE m.server_id = ${server.id} AND r.id <> ${server.id}`
    service.clock.advance(2000)
    const list = (user: TestUser) => user.client.get('/api/users/@me/servers')
    // Each takes three of 100 requests: the last one has one left, and owes two.
    for (let i = 0; i < 34; i++) assert.equal((await list(bob)).status, 200)
    assertRateLimited(await list(bob), 1)
    service.clock.advance(60)
    assert.equal((await list(bob)).status, 200)
    // An owner has all permissions without roles.
    for (let i = 0; i < 100; i++) assert.equal((await list(ann)).status, 200)
    assertRateLimited(await list(ann), 1)
  },
  { env: { RATE_LIMITS: 'on' } },
)

eachService(
  'a response counts as one more request for each 16 KiB, up to a minute (limits/response-size)',
  async (_t, service) => {
    const [ann, bob] = [await register(service, 'ann'), await register(service, 'bob')]
    const { general } = await createServer(ann, bob)
    const messages = `/api/channels/${general.id}/messages`
    service.clock.advance(2000)
    for (let i = 0; i < 25; i++) {
      const sent = await ann.client.json('POST', messages, { content: 'x'.repeat(2000) })
      assert.equal(sent.status, 201, sent.text)
    }
    service.clock.advance(2000)
    const read = (user: TestUser) => user.client.get(`${messages}?limit=50`)
    const { text } = await read(ann)
    const cost = 1 + Math.floor(text.length / (16 * 1024))
    assert.equal(cost, 4)
    for (let i = 1; i < 100 / cost; i++) assert.equal((await read(ann)).status, 200)
    assertRateLimited(await read(ann), 1)
    // The last of these requests has one token left, and its response owes three.
    service.clock.advance(20)
    assert.equal((await read(ann)).status, 200)
    service.clock.advance(60)
    assertRateLimited(await read(ann), 1)
    service.clock.advance(20)
    assert.equal((await read(ann)).status, 200)
    assert.equal((await read(bob)).status, 200)
  },
  { env: { RATE_LIMITS: 'channelMessages=1000/1,messages=1000/1' } },
)

eachService(
  'a body counts as one more request for each further 16 KiB, also if it is rejected (limits/request-size)',
  async (_t, service) => {
    const [ann, bob] = [await register(service, 'ann'), await register(service, 'bob')]
    service.clock.advance(2000)
    const kib = 1024
    const send = (user: TestUser, body: string) =>
      user.client.send('/api/servers', {
        method: 'POST',
        headers: { 'content-type': 'application/json', 'sec-fetch-site': 'same-origin' },
        body,
      })
    const read = (user: TestUser) => user.client.get('/api/users/@me')
    const status = async (reply: Promise<TestResponse>) => (await reply).status
    // Each takes four of 100 requests.
    for (let i = 0; i < 24; i++) {
      const body = (i % 2 ? '{"unknown":1}' : '{').padEnd(64 * kib - 1)
      assert.equal(await status(send(ann, body)), 400)
    }
    for (let i = 0; i < 4; i++) assert.equal(await status(send(ann, '{'.padEnd(16 * kib - 1))), 400)
    assertRateLimited(await read(ann), 1)
    // What ann owes is limited to a minute, as for responses.
    service.clock.advance(20)
    for (let i = 0; i < 2; i++) {
      assert.equal(await status(send(ann, '{'.padEnd(1024 * kib))), i === 0 ? 400 : 429)
    }
    service.clock.advance(1280)
    assertRateLimited(await read(ann), 1)
    service.clock.advance(20)
    assert.equal(await status(read(ann)), 200)
    // Images have a rate of their own.
    const image = (user: TestUser) =>
      user.client.send('/api/users/@me/avatar', {
        method: 'PUT',
        headers: { 'content-type': 'image/png', 'sec-fetch-site': 'same-origin' },
        body: Buffer.concat([png, Buffer.alloc(1000 * kib)]),
      })
    assert.equal(await status(image(bob)), 200)
    for (let i = 0; i < 99; i++) assert.equal(await status(read(bob)), 200)
    assertRateLimited(await read(bob), 1)
  },
  { env: { RATE_LIMITS: 'on' } },
)

eachService(
  'of many requests at the same time, those with large responses are rejected as if they ' +
    'arrived later (limits/concurrent-requests)',
  async (_t, service) => {
    const [ann, bob] = [await register(service, 'ann'), await register(service, 'bob')]
    const { general } = await createServer(ann, bob)
    const messages = `/api/channels/${general.id}/messages`
    for (let i = 0; i < 25; i++) {
      service.clock.advance(20)
      const sent = await ann.client.json('POST', messages, { content: 'x'.repeat(2000) })
      assert.equal(sent.status, 201, sent.text)
    }
    service.clock.advance(2000)
    const read = () => ann.client.get(`${messages}?limit=50`)
    const replies = await Promise.all(Array.from({ length: 60 }, read))
    const accepted = replies.filter(reply => reply.status === 200)
    // Each costs one request at first and three more at its end. If all are admitted before the first response, 40 are
    // left of 100, which 14 responses exceed; one after the other, 25 responses exceed all of them.
    assert.ok(accepted.length >= 14 && accepted.length < 25 + maxConcurrentRequests, `${accepted.length}`)
    for (const reply of replies) if (!accepted.includes(reply)) assert.equal(reply.body.code, 'rate_limited')
    assert.equal((await bob.client.get(`${messages}?limit=50`)).status, 200)
    service.clock.advance(2000)
    assert.equal((await read()).status, 200)
  },
  { env: { RATE_LIMITS: 'channelMessages=1000/1,messages=1000/1' } },
)

eachService(
  'of many large bodies that arrive at the same time, only those within the rate are parsed (limits/request-size)',
  async (_t, service) => {
    const ann = await register(service, 'ann')
    service.clock.advance(2000)
    let arrive = () => {}
    const arrived = new Promise<void>(resolve => {
      arrive = resolve
    })
    const post = { method: 'POST', path: '/api/servers', headers: { 'sec-fetch-site': 'same-origin' } }
    const text = 'x'.repeat(512 * 1024)
    const sent = Array.from({ length: 10 }, () => sendLateBody(ann.client, post, { text }, () => arrived))
    // All of them are admitted: the requests of this loop count after them.
    for (let i = 0; i < 20; i++) assert.equal((await service.client().get('/readyz')).status, 200)
    arrive()
    const statuses = (await Promise.all(sent)).map(reply => reply.status).toSorted()
    // 32 more requests each, of the 90 that are left.
    assert.deepEqual(statuses, [400, 400, 400, ...Array(7).fill(429)])
  },
  { env: { RATE_LIMITS: 'on' } },
)

eachService(
  'the responses of a bot to interactions do not count as requests (limits/requests)',
  async (_t, service) => {
    const world = await createWorld(service)
    const { bot } = world
    await bot.connect()
    const event = await receivedEvent(world, runCommand(world, 'ping'))
    service.clock.advance(2000)
    const read = () => bot.json('GET', '/api/applications/@me/commands')
    for (let i = 0; i < 100; i++) assert.equal((await read()).status, 200)
    assertRateLimited(await read(), 1)
    const replies = [
      await bot.callback(event, { type: 'message', data: { content: 'pong' } }),
      await bot.followup(event, { content: 'and' }),
      await bot.response('PATCH', event, 'original', { content: 'pong!' }),
      await bot.response('GET', event, 'original'),
    ]
    for (const reply of replies) assert.equal(reply.status, 200, reply.text)
    assertRateLimited(await read(), 1)
  },
  { env: { RATE_LIMITS: 'on' } },
)

eachService(
  'messages: ten in one channel in 10 s, 60 in all channels in a minute, the second not for bots (limits/messages)',
  async (_t, service) => {
    const { ann, owner, bot, serverId } = await createWorld(service)
    const channelIds: string[] = []
    for (let i = 0; i < 7; i++) {
      const created = await owner.client.json('POST', `/api/servers/${serverId}/channels`, { name: `c${i}` })
      channelIds.push(created.body.id)
    }
    const body = { content: 'hello' }
    const path = (i: number) => `/api/channels/${channelIds[i]}/messages`
    const send = (i: number) => ann.client.json('POST', path(i), body)
    for (let n = 0; n < 10; n++) assert.equal((await send(0)).status, 201)
    assertRateLimited(await send(0), 10)
    assert.equal((await ann.client.json('POST', path(1), { content: 1 })).status, 400, 'does not count')
    for (let i = 1; i < 6; i++) for (let n = 0; n < 10; n++) assert.equal((await send(i)).status, 201)
    assertRateLimited(await send(6), 60)
    service.clock.advance(10_000)
    assertRateLimited(await send(0), 50)
    for (let i = 0; i < 7; i++) {
      for (let n = 0; n < 10; n++) assert.equal((await bot.json('POST', path(i), body)).status, 201)
    }
    assertRateLimited(await bot.json('POST', path(0), body), 10)
    assert.equal((await ann.client.get(`${path(0)}?limit=100`)).body.length, 20)
  },
  otherRates,
)

eachService(
  'a request that fails validation does not count, also if a rule of the handler rejects it (limits/rates)',
  async (_t, service) => {
    const ann = await register(service, 'ann')
    const { server, general } = await createServer(ann)
    const post = (path: string, body: object) => ann.client.json('POST', path, body)
    const messages = `/api/channels/${general.id}/messages`
    const webhooks = `/api/channels/${general.id}/webhooks`
    const roles = `/api/servers/${server.id}/roles`
    const requests = [
      { rate: 'channelMessages', path: messages, invalid: { content: '  ' }, valid: { content: 'hello' } },
      { rate: 'webhooks', path: webhooks, invalid: { name: ' ' }, valid: { name: 'Alerts' } },
      {
        rate: 'roles',
        path: roles,
        invalid: { name: 'Helper', permissions: String(2n ** 60n) },
        valid: { name: 'Helper', permissions: '0' },
      },
    ] as const
    for (const { rate, path, invalid, valid } of requests) {
      for (let i = 0; i < rates[rate].count; i++) {
        const rejected = await post(path, invalid)
        assert.deepEqual([rejected.status, rejected.body.code], [400, 'validation_failed'], rejected.text)
      }
      const created = await post(path, valid)
      assert.equal(created.status, 201, created.text)
    }
    for (let i = 1; i < rates.channelMessages.count; i++) {
      assert.equal((await post(messages, { content: 'hello' })).status, 201)
    }
    assertRateLimited(await post(messages, { content: 'hello' }), rates.channelMessages.seconds)
  },
  otherRates,
)

eachService(
  'commands and buttons: 20 uses in 10 s, none of which reaches the bot later (limits/interactions)',
  async (_t, service) => {
    const world = await createWorld(service)
    await world.bot.connect()
    await putCommands(world.bot, [{ name: 'ping', description: 'Answers' }])
    const run = async () => runCommand({ ...world, commands: await currentCommands() }, 'ping')
    const currentCommands = async () => {
      const list = await world.bot.json('GET', '/api/applications/@me/commands')
      return Object.fromEntries(
        list.body.map((command: { id: string; name: string }) => [command.name, command.id]),
      )
    }
    for (let i = 0; i < 20; i++) assert.equal((await run()).status, 202)
    assertRateLimited(await run(), 10)
    assert.equal(world.bot.received.length, 20)
    service.clock.advance(10_000)
    assert.equal((await run()).status, 202)
  },
  otherRates,
)
