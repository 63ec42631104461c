import assert from 'node:assert/strict'
import { test } from 'node:test'
import { found, type Person, register } from '../platform/testing.ts'
import { eachService, startService, type TestService } from '../testing.ts'
import { cookieOf, greeted, headersOf, identified, makeBot, online, resuming } from './testing.ts'

eachService('a person identifies by cookie and gets READY', async (_t, service) => {
  const ada = await register(service, 'ada')
  const { server } = await found(ada)
  const { ready, sessionId } = await online(service, ada)
  assert.equal(ready.s, 1)
  assert.equal(typeof sessionId, 'string')
  assert.deepEqual(Object.keys(ready.d).sort(), ['readStates', 'resumeUrl', 'servers', 'sessionId', 'user'])
  assert.equal(ready.d.resumeUrl, `${service.url.replace('http', 'ws')}/api/gateway/ws`)
  assert.equal(ready.d.user.id, ada.id)
  assert.equal(ready.d.user.email, 'ada@example.org')
  assert.deepEqual(ready.d.servers, [{ id: server.id, name: 'Server', roles: [] }])
})

eachService('a bot identifies by token and gets READY, by the client of the runtime', async (t, service) => {
  const { token, userId, applicationId } = await makeBot(service)
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
})

test('what is no credential: 4004', async t => {
  const service = await startService(t)
  const ada = await register(service, 'ada')
  const { token } = await makeBot(service)
  const { cookie = '' } = headersOf(service, ada)
  const forged = `${token.slice(0, -1)}${token.endsWith('a') ? 'b' : 'a'}`
  const tries: [string, object, { token?: unknown }][] = [
    ['a token with another check sum', {}, { token: forged }],
    ['a token that is no string', {}, { token: 7 }],
    ['an empty token', {}, { token: '' }],
    ['nothing at all', {}, {}],
    ['a cookie without an Origin', { cookie }, {}],
    ['a cookie from another site', { cookie, origin: 'http://evil.example' }, {}],
    ['a cookie from an opaque origin', { cookie, origin: 'null' }, {}],
    ['a cookie that is none', { cookie: 'session=gst_x', origin: service.url }, {}],
    ['a bad token beside a good cookie', headersOf(service, ada), { token: forged }],
  ]
  for (const [name, headers, d] of tries) {
    const client = await greeted(service, headers)
    client.send({ op: 2, d })
    assert.equal((await client.closed).code, 4004, name)
    const resumed = await greeted(service, headers)
    resumed.send({ op: 6, d: { ...d, sessionId: 'x', seq: 1 } })
    assert.equal((await resumed.closed).code, 4004, `${name}, resuming`)
  }
})

eachService(
  'signing out closes the connections of that session with 4004, and no other',
  async (_t, service) => {
    const ada = await register(service, 'ada')
    const elsewhere = { id: ada.id, client: service.client() }
    await elsewhere.client.json('POST', '/api/auth/login', { login: 'ada', password: 'correct horse' })
    const [one, two] = [await online(service, ada), await online(service, ada)]
    const other = await online(service, elsewhere)
    const headers = headersOf(service, ada)
    assert.equal((await ada.client.json('POST', '/api/auth/logout')).status, 204)
    assert.equal((await one.closed).code, 4004)
    assert.equal((await two.closed).code, 4004)
    other.send({ op: 1, d: 1 })
    assert.equal((await other.take()).op, 11)
    const back = await resuming(service, { sessionId: one.sessionId, seq: 1 }, headers)
    assert.equal((await back.closed).code, 4004)
  },
)

/** What 30 days without a use come to (D76), without 30 days of heartbeats. */
async function letExpire(service: TestService, { id }: Person, ms: number): Promise<void> {
  await service.db.run`UPDATE sessions SET expires_at = ${service.clock.now() + ms} WHERE user_id = ${id}`
}

eachService(
  'a browser session that expires closes its connections with 4004 in that moment, and no other',
  async (_t, service) => {
    const [ada, ben] = [await register(service, 'ada'), await register(service, 'ben')]
    await letExpire(service, ada, 60_000)
    const [one, two, other] = [
      await online(service, ada),
      await online(service, ada),
      await online(service, ben),
    ]
    const headers = headersOf(service, ada)
    service.clock.advance(59_999)
    for (const client of [one, two, other]) {
      client.send({ op: 1, d: 1 })
      assert.equal((await client.take()).op, 11)
    }
    service.clock.advance(1)
    for (const client of [one, two]) {
      assert.deepEqual(await client.closed, { code: 4004, reason: 'the session expired' })
    }
    other.send({ op: 1, d: 1 })
    assert.equal((await other.take()).op, 11)
    const back = await resuming(service, { sessionId: one.sessionId, seq: 1 }, headers)
    assert.equal((await back.closed).code, 4004)
  },
)

eachService(
  'a browser session that was used meanwhile stays, for as long as it has by then',
  async (_t, service) => {
    const ada = await register(service, 'ada')
    await letExpire(service, ada, 60_000)
    const client = await online(service, ada)
    await letExpire(service, ada, 80_000)
    service.clock.advance(79_999)
    client.send({ op: 1, d: 1 })
    assert.equal((await client.take()).op, 11)
    service.clock.advance(1)
    assert.equal((await client.closed).code, 4004)
  },
)

eachService('D25: a new bot token closes what the old one opened with 4004', async (_t, service) => {
  const { owner, applicationId, token } = await makeBot(service)
  const bot = await identified(service, { token })
  const reset = await owner.client.json('POST', `/api/applications/${applicationId}/bot/token`)
  assert.equal((await bot.closed).code, 4004)
  const resumed = await resuming(service, { token: reset.body.token, sessionId: bot.sessionId, seq: 1 })
  assert.deepEqual(await resumed.take(), { op: 9, d: false })
})

eachService('a deleted application closes its connections with 4004 (D53)', async (_t, service) => {
  const { owner, applicationId, token } = await makeBot(service)
  const bot = await identified(service, { token })
  assert.equal((await owner.client.json('DELETE', `/api/applications/${applicationId}`)).status, 204)
  assert.equal((await bot.closed).code, 4004)
})

test('the cookie is found among others', async t => {
  const service = await startService(t)
  const ada = await register(service, 'ada')
  const cookie = `theme=dark; sessions=1; ${cookieOf(ada)}; a=b=c`
  const { ready } = await identified(service, { headers: { cookie, origin: service.url } })
  assert.equal(ready.d.user.id, ada.id)
})

test('the metrics count the connections of people and bots', async t => {
  const service = await startService(t)
  const ada = await register(service, 'ada')
  const { token } = await makeBot(service)
  const person = await online(service, ada)
  const bot = await identified(service, { token })
  const counted = async () =>
    (await service.client().get('/metrics')).text.match(/^gatehouse_gateway_sessions.*$/gm)
  assert.deepEqual((await counted())?.sort(), [
    'gatehouse_gateway_sessions{kind="bot"} 1',
    'gatehouse_gateway_sessions{kind="person"} 1',
  ])
  const again = await resuming(service, { sessionId: person.sessionId, seq: 1 }, headersOf(service, ada))
  await again.event()
  again.send({ op: 2 })
  bot.send({ op: 99 })
  await Promise.all([again.closed, bot.closed])
  assert.deepEqual((await counted())?.sort(), [
    'gatehouse_gateway_sessions{kind="bot"} 0',
    'gatehouse_gateway_sessions{kind="person"} 0',
  ])
})
