import assert from 'node:assert/strict'
import { test } from 'node:test'
import { resumeEvents } from '@gatehouse/protocol/limits'
import { addBot } from '@gatehouse/testkit/applications'
import { createServer, register, type TestUser } from '@gatehouse/testkit/community'
import { eachService, startService, type TestService } from '@gatehouse/testkit/service'
import { waitUntil } from '@gatehouse/testkit/wait-until'
import { subjects } from '../../events/gateway-events.ts'
import {
  connectSocket,
  connectUser,
  cookieHeader,
  createBot,
  identify,
  resumeSession,
  sessionHeaders,
} from '../gateway-testing.ts'

eachService('a user identifies with the session cookie and receives READY', async (_t, service) => {
  const ada = await register(service, 'ada')
  const { server } = await createServer(ada)
  const { ready, sessionId } = await connectUser(service, ada)
  assert.equal(ready.s, 1)
  assert.equal(typeof sessionId, 'string')
  assert.deepEqual(Object.keys(ready.d).sort(), ['readStates', 'resumeUrl', 'servers', 'sessionId', 'user'])
  assert.equal(ready.d.resumeUrl, `${service.url.replace('http', 'ws')}/api/gateway/ws`)
  assert.equal(ready.d.user.id, ada.id)
  assert.equal(ready.d.user.email, 'ada@example.org')
  assert.deepEqual(ready.d.servers, [{ id: server.id, name: 'Server', roles: [] }])
})

eachService(
  'a bot identifies with its token and receives READY, with the WebSocket of Node.js',
  async (t, service) => {
    const { token, userId, applicationId } = await createBot(service)
    const socket = new WebSocket(`${service.url.replace('http', 'ws')}/api/gateway/ws`)
    t.after(() => socket.close())
    const ready = await new Promise<{ t: string; s: number; d: Record<string, { id: string }> }>(resolve => {
      socket.onmessage = ({ data }) => {
        const frame = JSON.parse(String(data))
        if (frame.op === 10) socket.send(JSON.stringify({ op: 2, d: { token } }))
        else resolve(frame)
      }
    })
    assert.equal(ready.t, 'READY')
    assert.equal(ready.s, 1)
    assert.equal(ready.d.user?.id, userId)
    assert.deepEqual(ready.d.application, { id: applicationId })
    assert.deepEqual(ready.d.servers, [])
  },
)

test('invalid credentials close with 4004', async t => {
  const service = await startService(t)
  const ada = await register(service, 'ada')
  const { token } = await createBot(service)
  const { cookie = '' } = sessionHeaders(service, ada)
  const forged = `${token.slice(0, -1)}${token.endsWith('a') ? 'b' : 'a'}`
  const cases: [string, object, { token?: unknown }][] = [
    ['a token with a wrong checksum', {}, { token: forged }],
    ['a token that is not a string', {}, { token: 7 }],
    ['an empty token', {}, { token: '' }],
    ['no credentials', {}, {}],
    ['a cookie without an Origin', { cookie }, {}],
    ['a cookie from another site', { cookie, origin: 'http://evil.example' }, {}],
    ['a cookie from an opaque origin', { cookie, origin: 'null' }, {}],
    ['an invalid cookie', { cookie: 'gatehouse_session=gst_x', origin: service.url }, {}],
    ['an invalid token with a valid cookie', sessionHeaders(service, ada), { token: forged }],
  ]
  for (const [name, headers, d] of cases) {
    const client = await connectSocket(service, headers)
    client.send({ op: 2, d })
    assert.equal((await client.closed).code, 4004, name)
    const resumed = await connectSocket(service, headers)
    resumed.send({ op: 6, d: { ...d, sessionId: 'x', seq: 1 } })
    assert.equal((await resumed.closed).code, 4004, `${name}, resume`)
  }
})

eachService(
  'logout closes the connections of that sign-in session with 4004, and no others',
  async (_t, service) => {
    const ada = await register(service, 'ada')
    const otherBrowser = { ...ada, client: service.client() }
    await otherBrowser.client.json('POST', '/api/auth/login', { login: 'ada', password: ada.password })
    const [one, two] = [await connectUser(service, ada), await connectUser(service, ada)]
    const other = await connectUser(service, otherBrowser)
    const headers = sessionHeaders(service, ada)
    assert.equal((await ada.client.json('POST', '/api/auth/logout')).status, 204)
    assert.equal((await one.closed).code, 4004)
    assert.equal((await two.closed).code, 4004)
    other.send({ op: 1, d: 1 })
    assert.equal((await other.nextFrame()).op, 11)
    const resumed = await resumeSession(service, { sessionId: one.sessionId, seq: 1 }, headers)
    assert.equal((await resumed.closed).code, 4004)
  },
)

eachService(
  'sign-in/session-secret: after a new sign-in, connections continue and the old cookie cannot identify or resume',
  async (_t, service) => {
    const ada = await register(service, 'ada')
    const before = sessionHeaders(service, ada)
    const client = await connectUser(service, ada)
    const login = { login: 'ada', password: ada.password }
    assert.equal((await ada.client.json('POST', '/api/auth/login', login)).status, 200)
    client.send({ op: 1, d: 1 })
    assert.equal((await client.nextFrame()).op, 11)
    const identified = await connectSocket(service, before)
    identified.send({ op: 2, d: {} })
    assert.equal((await identified.closed).code, 4004)
    const session = { sessionId: client.sessionId, seq: 1 }
    assert.equal((await (await resumeSession(service, session, before)).closed).code, 4004)
    const resumed = await resumeSession(service, session, sessionHeaders(service, ada))
    assert.equal((await resumed.nextDispatch()).t, 'RESUMED')
  },
)

/** Sets the time of expiry in the database, because a test of 30 days would need 30 days of heartbeats. */
async function setExpiry(service: TestService, { id }: TestUser, ms: number): Promise<void> {
  await service.db.run`UPDATE sessions SET expires_at = ${service.clock.now() + ms} WHERE user_id = ${id}`
}

eachService(
  'the expiry of a sign-in session closes its connections with 4004, and no others (sign-in/session-lifetime)',
  async (_t, service) => {
    const [ada, ben] = [await register(service, 'ada'), await register(service, 'ben')]
    await setExpiry(service, ada, 60_000)
    const [one, two, other] = [
      await connectUser(service, ada),
      await connectUser(service, ada),
      await connectUser(service, ben),
    ]
    const headers = sessionHeaders(service, ada)
    service.clock.advance(59_999)
    for (const client of [one, two, other]) {
      client.send({ op: 1, d: 1 })
      assert.equal((await client.nextFrame()).op, 11)
    }
    service.clock.advance(1)
    for (const client of [one, two]) {
      assert.deepEqual(await client.closed, { code: 4004, reason: 'session expired' })
    }
    other.send({ op: 1, d: 1 })
    assert.equal((await other.nextFrame()).op, 11)
    const resumed = await resumeSession(service, { sessionId: one.sessionId, seq: 1 }, headers)
    assert.equal((await resumed.closed).code, 4004)
  },
)

eachService(
  'a sign-in session that was used in the meantime closes its connections at its new time of expiry',
  async (_t, service) => {
    const ada = await register(service, 'ada')
    await setExpiry(service, ada, 60_000)
    const client = await connectUser(service, ada)
    await setExpiry(service, ada, 80_000)
    service.clock.advance(79_999)
    client.send({ op: 1, d: 1 })
    assert.equal((await client.nextFrame()).op, 11)
    service.clock.advance(1)
    assert.equal((await client.closed).code, 4004)
  },
)

eachService(
  'sign-in/session-lifetime: 90 days after the sign-in, the connections of a session in use close with 4004',
  async (_t, service) => {
    const ada = await register(service, 'ada')
    const { db, clock } = service
    const signedInAt = clock.now() - 90 * 24 * 60 * 60_000 + 60_000
    // The next use extends the session, but not beyond the 90 days.
    await db.run`UPDATE sessions SET auth_time = ${signedInAt}, last_used_at = ${signedInAt}`
    const client = await connectUser(service, ada)
    clock.advance(59_999)
    client.send({ op: 1, d: 1 })
    assert.equal((await client.nextFrame()).op, 11)
    clock.advance(1)
    assert.deepEqual(await client.closed, { code: 4004, reason: 'session expired' })
  },
)

eachService(
  'limits/sessions: the connections of a session that a new session ends close with 4004',
  async (_t, service) => {
    const ada = await register(service, 'ada')
    const client = await connectUser(service, ada)
    const login = { login: 'ada', password: ada.password }
    for (let n = 0; n < 50; n++) {
      service.clock.advance(3000)
      if (n % 10 === 0) {
        client.send({ op: 1, d: 1 })
        assert.equal((await client.nextFrame()).op, 11)
      }
      assert.equal((await service.client().json('POST', '/api/auth/login', login)).status, 200)
    }
    assert.deepEqual(await client.closed, { code: 4004, reason: 'signed_out' })
  },
)

eachService(
  'resetting the bot token closes the connections of the old token with 4004 (bots/bot-token)',
  async (_t, service) => {
    const { owner, applicationId, token } = await createBot(service)
    const bot = await identify(service, { token })
    const reset = await owner.client.json('POST', `/api/applications/${applicationId}/bot/token`)
    assert.equal((await bot.closed).code, 4004)
    const resumed = await resumeSession(service, {
      token: reset.body.token,
      sessionId: bot.sessionId,
      seq: 1,
    })
    assert.deepEqual(await resumed.nextFrame(), { op: 9, d: false })
  },
)

eachService(
  'deleting an application closes its connections with 4004 (bots/bot-removed)',
  async (_t, service) => {
    const { owner, applicationId, token } = await createBot(service)
    const bot = await identify(service, { token })
    assert.equal((await owner.client.json('DELETE', `/api/applications/${applicationId}`)).status, 204)
    assert.equal((await bot.closed).code, 4004)
  },
)

test('the session cookie is found among other cookies', async t => {
  const service = await startService(t)
  const ada = await register(service, 'ada')
  const cookie = `theme=dark; session=gst_other; gatehouse_sessions=1; ${cookieHeader(ada)}; a=b=c`
  const { ready } = await identify(service, { headers: { cookie, origin: service.url } })
  assert.equal(ready.d.user.id, ada.id)
})

test('the metrics count the connected sessions of users and bots', async t => {
  const service = await startService(t)
  const ada = await register(service, 'ada')
  const { token } = await createBot(service)
  const user = await connectUser(service, ada)
  const bot = await identify(service, { token })
  const readMetric = async () =>
    (await service.client().get('/metrics')).text.match(/^gatehouse_gateway_sessions.*$/gm)
  assert.deepEqual((await readMetric())?.sort(), [
    'gatehouse_gateway_sessions{kind="bot"} 1',
    'gatehouse_gateway_sessions{kind="person"} 1',
  ])
  const again = await resumeSession(
    service,
    { sessionId: user.sessionId, seq: 1 },
    sessionHeaders(service, ada),
  )
  await again.nextDispatch()
  again.send({ op: 2 })
  bot.send({ op: 99 })
  await Promise.all([again.closed, bot.closed])
  assert.deepEqual((await readMetric())?.sort(), [
    'gatehouse_gateway_sessions{kind="bot"} 0',
    'gatehouse_gateway_sessions{kind="person"} 0',
  ])
})

test('a session that ends while its client identifies closes with 4004', async t => {
  const service = await startService(t)
  const ada = await register(service, 'ada')
  const headers = sessionHeaders(service, ada)
  const subscribe = service.bus.subscribe.bind(service.bus)
  // After the first check of the cookie, and before the second.
  t.mock.method(service.bus, 'subscribe', async (...args: Parameters<typeof subscribe>) => {
    const subscription = await subscribe(...args)
    if (args[0].startsWith('control.')) await service.db.run`DELETE FROM sessions WHERE user_id = ${ada.id}`
    return subscription
  })
  const socket = await connectSocket(service, headers)
  socket.send({ op: 2, d: {} })
  assert.deepEqual(await socket.closed, { code: 4004, reason: 'credential revoked' })
})

test('a bot with too many events before READY is closed with 4000 (gateway/session-start)', async t => {
  const service = await startService(t)
  const { owner, token, applicationId } = await createBot(service)
  const channels = new Map<string, string>()
  for (const { server, general } of [await createServer(owner), await createServer(owner)]) {
    await addBot(owner.client, applicationId, server.id)
    channels.set(subjects.server(server.id), general.id)
  }
  const subscribe = service.bus.subscribe.bind(service.bus)
  const ended = Promise.withResolvers<void>()
  let joinedChannel: string | undefined
  t.mock.method(service.bus, 'subscribe', async (...args: Parameters<typeof subscribe>) => {
    const channelId = channels.get(args[0])
    if (channelId !== undefined && joinedChannel !== undefined) {
      // While the bot joins the second server, the first one has more messages than a session stores.
      for (let n = 0; n <= resumeEvents; n++) {
        const d = { id: `${n}`, channelId: joinedChannel, author: { id: owner.id }, mentions: { users: [] } }
        service.bus.publish(subjects.channel(joinedChannel), { t: 'MESSAGE_CREATE', id: `${n}`, d })
      }
      await ended.promise
    }
    joinedChannel ??= channelId
    const subscription = await subscribe(...args)
    if (args[0] !== subjects.control(applicationId)) return subscription
    const close = () => {
      subscription.close()
      ended.resolve()
    }
    return { ...subscription, close }
  })
  const socket = await connectSocket(service)
  socket.send({ op: 2, d: { token, intents: ['messages'] } })
  assert.deepEqual(await socket.closed, { code: 4000, reason: 'too many unsent events' })
})

test('the sessions of a user start one after the other (gateway/session-start)', async t => {
  const service = await startService(t)
  const [ada, bob] = [await register(service, 'ada'), await register(service, 'bob')]
  const again: TestUser = { ...ada, client: service.client() }
  await again.client.json('POST', '/api/auth/login', { login: ada.username, password: ada.password })
  const listed = await ada.client.json('GET', '/api/users/@me/sessions')
  const subjectsOfAda = listed.body.map(({ id }: { id: string }) => subjects.control(id))
  // The first step of a start subscribes to the end of the session.
  const subscribe = service.bus.subscribe.bind(service.bus)
  const held: (() => void)[] = []
  service.bus.subscribe = async (...args) => {
    if (subjectsOfAda.includes(args[0])) await new Promise<void>(resolve => held.push(resolve))
    return subscribe(...args)
  }
  const clients = [
    await connectSocket(service, sessionHeaders(service, ada)),
    await connectSocket(service, sessionHeaders(service, again)),
  ]
  for (const client of clients) client.send({ op: 2, d: {} })
  // The identify of another user does not wait, although it arrives later.
  await connectUser(service, bob)
  assert.equal(held.length, 1)
  for (const [i, client] of clients.entries()) {
    held[i]?.()
    assert.equal((await client.nextFrame()).t, 'READY')
    await waitUntil(() => held.length === 2)
  }
})
