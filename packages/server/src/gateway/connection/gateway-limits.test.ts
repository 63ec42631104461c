import assert from 'node:assert/strict'
import { request } from 'node:http'
import { type TestContext, test } from 'node:test'
import { createServer, register } from '@gatehouse/testkit/community'
import { eachService, startService, type TestService } from '@gatehouse/testkit/service'
import { waitUntil } from '@gatehouse/testkit/wait-until'
import { subjects } from '../../events/gateway-events.ts'
import {
  connectSocket,
  connectUser,
  createBot,
  type Frame,
  type GatewayClient,
  identify,
  openSlowSocket,
  openSocket,
  resumeSession,
  sessionHeaders,
} from '../gateway-testing.ts'

const maxConnections = 25
const maxUnidentified = 100
const mebibyte = 1024 * 1024

/** The value of a metric, the sum of all its labels. */
async function readMetric(service: TestService, name: string): Promise<number> {
  const { text } = await service.client().get('/metrics')
  const values = [...text.matchAll(new RegExp(`^${name}(?:\\{.*\\})? (\\S+)$`, 'gm'))]
  return values.reduce((sum, [, value]) => sum + Number(value), 0)
}

const readSessions = (service: TestService) => readMetric(service, 'gatehouse_gateway_sessions')
const readQueuedBytes = (service: TestService) => readMetric(service, 'gatehouse_gateway_queued_bytes')

function openMany<T>(count: number, open: () => Promise<T>): Promise<T[]> {
  return Promise.all(Array.from({ length: count }, open))
}

eachService(
  'the 26th connection of a user or bot is closed with 4015, also with RATE_LIMITS=off (gateway/connection-limit)',
  async (_t, service) => {
    const ada = await register(service, 'ada')
    const bot = await createBot(service, ada)
    for (const open of [() => connectUser(service, ada), () => identify(service, bot)]) {
      const clients = await openMany(maxConnections, open)
      const [first] = clients
      assert.ok(first)
      await assert.rejects(open, /closed with 4015 at most 25 connections/)
      first.socket.close()
      await first.closed
      const next = await open()
      assert.equal(next.ready.t, 'READY')
    }
  },
  { env: { RATE_LIMITS: 'off' } },
)

test('identifies that are processed at the same time do not exceed the limit (gateway/connection-limit)', async t => {
  const service = await startService(t)
  const bot = await createBot(service)
  const clients = await openMany(maxConnections + 10, () => connectSocket(service))
  for (const client of clients) client.send({ op: 2, d: { token: bot.token } })
  const results = await Promise.all(
    clients.map(client =>
      client.nextFrame().then(
        ({ t: name }) => name,
        (error: Error) => error.message,
      ),
    ),
  )
  assert.equal(results.filter(result => result === 'READY').length, maxConnections)
  assert.equal(results.filter(result => result?.startsWith('closed with 4015')).length, 10)
})

test('at the limit, only a connected session can be resumed (gateway/connection-limit)', async t => {
  const service = await startService(t)
  const ada = await register(service, 'ada')
  const headers = sessionHeaders(service, ada)
  const waiting = await connectUser(service, ada)
  const sessions = await readSessions(service)
  waiting.socket.terminate()
  await waitUntil(async () => (await readSessions(service)) < sessions)
  const [first, second] = await openMany(maxConnections, () => connectUser(service, ada))
  assert.ok(first && second)
  const moved = await resumeSession(service, { sessionId: first.sessionId, seq: 1 }, headers)
  assert.equal((await moved.nextFrame()).t, 'RESUMED')
  assert.equal((await first.closed).code, 4000)
  const refused = await resumeSession(service, { sessionId: waiting.sessionId, seq: 1 }, headers)
  assert.equal((await refused.closed).code, 4015)
  // The session still waits for its resume.
  second.socket.close()
  await second.closed
  const resumed = await resumeSession(service, { sessionId: waiting.sessionId, seq: 1 }, headers)
  assert.equal((await resumed.nextFrame()).t, 'RESUMED')
})

test('25 sessions of a user wait for a resume; one more ends the oldest (gateway/connection-limit)', async t => {
  const service = await startService(t)
  const ada = await register(service, 'ada')
  const elsewhere = service.client()
  const login = await elsewhere.json('POST', '/api/auth/login', { login: ada.email, password: ada.password })
  assert.equal(login.status, 200, login.text)
  const first = await connectUser(service, ada)
  const second = await connectUser(service, { ...ada, client: elsewhere })
  const terminate = async (client: GatewayClient) => {
    const before = await readSessions(service)
    client.socket.terminate()
    await waitUntil(async () => (await readSessions(service)) < before)
  }
  await terminate(first)
  await terminate(second)
  for (let n = 2; n <= maxConnections; n++) await terminate(await connectUser(service, ada))
  const headers = sessionHeaders(service, ada)
  const ended = await resumeSession(service, { sessionId: first.sessionId, seq: 1 }, headers)
  assert.deepEqual(await ended.nextFrame(), { op: 9, d: false })
  const headersElsewhere = sessionHeaders(service, { client: elsewhere })
  const resumed = await resumeSession(service, { sessionId: second.sessionId, seq: 1 }, headersElsewhere)
  assert.equal((await resumed.nextFrame()).t, 'RESUMED')
})

const identifiesPerMinute = 60
const resumesPerMinute = 60

eachService(
  'the 61st identify and the 61st resume of a user or bot in 60 s are closed with 4008, with ' +
    'all sessions together (gateway/identify-rate)',
  async (_t, service) => {
    const ada = await register(service, 'ada')
    const bot = await createBot(service, ada)
    const headers = sessionHeaders(service, ada)
    for (const [open, resume] of [
      [() => connectUser(service, ada), {}],
      [() => identify(service, bot), { token: bot.token }],
    ] as const) {
      const client = await open()
      const session = { ...resume, sessionId: client.sessionId, seq: 1 }
      for (let n = 2; n <= identifiesPerMinute; n++) (await open()).socket.close(1000)
      await assert.rejects(open, /closed with 4008/)
      // A rejected resume counts like one that succeeds. The connection may resume again.
      const rejected = await resumeSession(service, { ...session, sessionId: 'lost' }, headers)
      for (let n = 1; n <= resumesPerMinute / 2; n++) {
        assert.deepEqual(await rejected.nextFrame(), { op: 9, d: false })
        if (n < resumesPerMinute / 2) rejected.send({ op: 6, d: { ...session, sessionId: 'lost' } })
      }
      for (let n = 1; n <= resumesPerMinute / 2; n++) {
        const resumed = await resumeSession(service, session, headers)
        assert.equal((await resumed.nextFrame()).t, 'RESUMED')
      }
      rejected.send({ op: 6, d: { ...session, sessionId: 'lost' } })
      const reason = 'at most 60 resumes in 60 s, retry after 60 s'
      assert.deepEqual(await rejected.closed, { code: 4008, reason })
      service.clock.advance(60_000)
      const resumed = await resumeSession(service, session, headers)
      assert.equal((await resumed.nextFrame()).t, 'RESUMED')
    }
  },
  { env: { RATE_LIMITS: 'identifies=60/60,resumes=60/60' } },
)

eachService(
  'a READY of more than 5,000 channels counts once more for each further 5,000 (gateway/identify-rate)',
  async (_t, service) => {
    const ada = await register(service, 'ada')
    const { server } = await createServer(ada)
    await service.db.run`
      WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 10000)
      INSERT INTO channels (id, server_id, type, name, position, created_at)
      SELECT CAST(1000000000000000000 + i AS TEXT), CAST(${server.id} AS TEXT), 'text', 'old', i, 0 FROM n`
    await connectUser(service, ada)
    await connectUser(service, ada)
    await assert.rejects(connectUser(service, ada), /closed with 4008/)
  },
  { env: { RATE_LIMITS: 'identifies=6/60' } },
)

test('after two restarts within a minute, all 25 connections of a user identify (gateway/identify-rate)', async t => {
  const service = await startService(t, { env: { RATE_LIMITS: 'on' } })
  const bot = await createBot(service)
  for (let restart = 0; restart < 2; restart++) {
    // The sessions of the node that restarted do not exist any more.
    const clients = await openMany(maxConnections, async () => {
      const client = await resumeSession(service, { sessionId: 'lost', seq: 1, token: bot.token })
      assert.equal((await client.nextFrame()).op, 9)
      client.send({ op: 2, d: { token: bot.token } })
      assert.equal((await client.nextFrame()).t, 'READY')
      return client
    })
    for (const client of clients) client.socket.close(1000)
    await Promise.all(clients.map(client => client.closed))
  }
})

interface UpgradeResponse {
  status: number | undefined
  retryAfter: string | undefined
  code: string | undefined
}

/** Requests the upgrade. Status 101 if the service accepts it. */
function upgrade(t: TestContext, service: TestService, forwardedFor?: string): Promise<UpgradeResponse> {
  return new Promise((resolve, reject) => {
    const sent = request(`${service.url}/api/gateway/ws`, {
      headers: {
        connection: 'Upgrade',
        upgrade: 'websocket',
        'sec-websocket-version': '13',
        'sec-websocket-key': 'dGhlIHNhbXBsZSBub25jZQ==',
        ...(forwardedFor === undefined ? {} : { 'x-forwarded-for': forwardedFor }),
      },
    })
    sent.on('error', reject)
    sent.on('upgrade', (response, socket) => {
      t.after(() => socket.destroy())
      resolve({ status: response.statusCode, retryAfter: undefined, code: undefined })
    })
    sent.on('response', response => {
      let text = ''
      response.setEncoding('utf8')
      response.on('data', chunk => {
        text += chunk
      })
      response.on('end', () =>
        resolve({
          status: response.statusCode,
          retryAfter: response.headers['retry-after'],
          code: JSON.parse(text).code,
        }),
      )
    })
    sent.end()
  })
}

const refusedUpgrade = { status: 429, retryAfter: '10', code: 'rate_limited' }

test('the 101st unidentified connection from an address is refused with 429 (gateway/unidentified-limit)', async t => {
  const service = await startService(t, { env: { RATE_LIMITS: 'off' } })
  const bot = await createBot(service)
  const identified = await identify(service, bot)
  const clients = await openMany(maxUnidentified, () => connectSocket(service))
  assert.deepEqual(await upgrade(t, service), refusedUpgrade)
  const [first, second] = clients
  assert.ok(first && second)
  first.send({ op: 2, d: { token: bot.token } })
  assert.equal((await first.nextFrame()).t, 'READY')
  const next = await connectSocket(service)
  assert.deepEqual(await upgrade(t, service), refusedUpgrade)
  second.sendRaw('no JSON')
  assert.equal((await second.closed).code, 4002)
  assert.equal((await upgrade(t, service)).status, 101)
  assert.deepEqual(await upgrade(t, service), refusedUpgrade)
  service.clock.advance(10_000)
  assert.equal((await next.closed).code, 4009)
  assert.equal((await upgrade(t, service)).status, 101)
  assert.equal(identified.socket.readyState, identified.socket.OPEN)
})

test('unidentified connections are counted by client address, IPv6 by /64 (gateway/unidentified-limit)', async t => {
  const service = await startService(t, { env: { TRUST_PROXY: '127.0.0.1,::1' } })
  const accepted = await openMany(maxUnidentified, () => upgrade(t, service, '2001:db8::1'))
  assert.ok(accepted.every(({ status }) => status === 101))
  assert.deepEqual(await upgrade(t, service, '2001:db8::ffff'), refusedUpgrade)
  assert.deepEqual(await upgrade(t, service, '[2001:db8::2]:49152'), refusedUpgrade)
  assert.equal((await upgrade(t, service, 'unknown')).status, 101)
  assert.equal((await upgrade(t, service, '2001:db8:0:1::1')).status, 101)
  assert.equal((await upgrade(t, service, '192.0.2.1')).status, 101)
})

let published = 0

/** Publishes an event of the user with this number of bytes. */
async function publish(service: TestService, userId: string, bytes: number): Promise<void> {
  const d = { id: String(published++), padding: 'x'.repeat(bytes) }
  service.bus.publish(subjects.user(userId), { t: 'INTERACTION_UPDATE', d })
  // The frames are written to the network at the end of the turn.
  await new Promise(resolve => setImmediate(() => setImmediate(resolve)))
}

test('a connection that does not read is closed above 1 MiB, and its queue freed (gateway/queued-bytes)', async t => {
  const service = await startService(t, { env: { RATE_LIMITS: 'off' } })
  const ada = await register(service, 'ada')
  const { cookie = '' } = sessionHeaders(service, ada)
  await openSlowSocket(t, service, { cookie })
  const reading = await connectUser(service, ada)
  let largest = 0
  const frames: Frame[] = []
  await waitUntil(async () => {
    await publish(service, ada.id, mebibyte / 16)
    largest = Math.max(largest, await readQueuedBytes(service))
    frames.push(await reading.nextFrame())
    return (await readSessions(service)) === 1
  })
  assert.ok(largest > mebibyte / 2, `${largest} bytes were queued`)
  assert.ok(largest < 1.2 * mebibyte, `${largest} bytes were queued`)
  await waitUntil(async () => (await readQueuedBytes(service)) === 0)
  // The client that reads has received every event and remains connected.
  assert.deepEqual(
    frames.map(({ s }) => s),
    frames.map((_frame, index) => index + 2),
  )
})

test('above 8 MiB for one user, connections are closed until the queues fit (gateway/queued-bytes)', async t => {
  const service = await startService(t, { env: { RATE_LIMITS: 'off' } })
  const ada = await register(service, 'ada')
  const bob = await register(service, 'bob')
  const { cookie = '' } = sessionHeaders(service, ada)
  const count = 20
  for (let n = 0; n < count; n++) await openSlowSocket(t, service, { cookie })
  const other = await openSlowSocket(t, service, sessionHeaders(service, bob))
  let largest = 0
  await waitUntil(async () => {
    await publish(service, ada.id, mebibyte / 16)
    largest = Math.max(largest, await readQueuedBytes(service))
    return (await readSessions(service)) <= count / 2
  })
  assert.ok(largest > 7 * mebibyte, `${largest} bytes were queued`)
  assert.ok(largest <= 8 * mebibyte, `${largest} bytes were queued`)
  assert.equal(other.destroyed, false)
})

test('a replay of more than 1 MiB reaches a client that reads, before new events (gateway/queued-bytes)', async t => {
  const service = await startService(t)
  const ada = await register(service, 'ada')
  const client = await connectUser(service, ada)
  client.socket.terminate()
  await waitUntil(async () => (await readSessions(service)) === 0)
  const missed = 256
  const firstId = published
  for (let n = 0; n < missed; n++) await publish(service, ada.id, mebibyte / 16)
  const resumed = openSocket(service, sessionHeaders(service, ada))
  await resumed.nextFrame()
  resumed.send({ op: 6, d: { sessionId: client.sessionId, seq: 1 } })
  await resumed.nextFrame()
  resumed.socket.pause()
  for (let n = 0; n < 10; n++) await publish(service, ada.id, 1)
  assert.ok((await readQueuedBytes(service)) < mebibyte)
  assert.equal(await readSessions(service), 1)
  resumed.socket.resume()
  const ids: string[] = []
  for (let s = 3; s <= missed + 12; s++) {
    const frame = await resumed.nextFrame()
    assert.equal(frame.s, s)
    if (frame.t !== 'RESUMED') ids.push(frame.d.id)
  }
  assert.deepEqual(
    ids,
    Array.from({ length: missed + 9 }, (_none, index) => String(firstId + 1 + index)),
  )
})
