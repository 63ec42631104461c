import assert from 'node:assert/strict'
import { test } from 'node:test'
import { register } from '../platform/testing.ts'
import { startService } from '../testing.ts'
import { greeted, identified, makeBot, online, open } from './testing.ts'

test('the socket says hello with the interval of heartbeats', async t => {
  const client = open(await startService(t))
  assert.deepEqual(await client.take(), { op: 10, d: { heartbeatInterval: 41_250 } })
})

test('the address of the socket is told to anyone', async t => {
  const service = await startService(t)
  const reply = await service.client().get('/api/gateway')
  assert.equal(reply.status, 200)
  assert.deepEqual(reply.body, { url: `${service.url.replace('http', 'ws')}/api/gateway/ws` })
})

test('an upgrade elsewhere is 404, and one to another protocol a common request', async t => {
  const service = await startService(t)
  const { WebSocket } = await import('ws')
  const socket = new WebSocket(`${service.url.replace('http', 'ws')}/api/gateway`)
  const status = await new Promise(resolve => {
    socket.on('unexpected-response', (_request, response) => resolve(response.statusCode))
    socket.on('error', () => {})
  })
  assert.equal(status, 404)
  const { request } = await import('node:http')
  const answered = await new Promise(resolve => {
    request(`${service.url}/api/gateway`, { headers: { connection: 'Upgrade', upgrade: 'h2c' } }, response =>
      resolve(response.resume().statusCode),
    ).end()
  })
  assert.equal(answered, 200)
})

test('a heartbeat is acknowledged, before identify too', async t => {
  const client = await greeted(await startService(t))
  client.send({ op: 1, d: null })
  assert.deepEqual(await client.take(), { op: 11 })
})

/** A heartbeat of that many bytes. */
function padded(bytes: number): string {
  const frame = { op: 1, d: null, x: '' }
  return JSON.stringify({ ...frame, x: 'x'.repeat(bytes - JSON.stringify(frame).length) })
}

test('a heartbeat says the last number, or none yet; anything else as one: 4007, as of a resume', async t => {
  const service = await startService(t)
  for (const d of ['x', '1', -1, 1.5, true, {}, [1]]) {
    const early = await greeted(service)
    early.send({ op: 1, d })
    assert.equal((await early.closed).code, 4007, `${JSON.stringify(d)} before identify`)
  }
  const ada = await register(service, 'ada')
  const wrong = await online(service, ada)
  wrong.send({ op: 1, d: 'x' })
  assert.equal((await wrong.closed).code, 4007)
  const right = await online(service, ada)
  // Of the session before, where a resume came to nothing, it may be any.
  for (const frame of [{ op: 1 }, { op: 1, d: null }, { op: 1, d: 0 }, { op: 1, d: 1 }, { op: 1, d: 900 }]) {
    right.send(frame)
    assert.deepEqual(await right.take(), { op: 11 }, JSON.stringify(frame))
  }
})

const bad: [string, string | Buffer][] = [
  ['no JSON', 'hello'],
  ['an op that is no number', '{"op":"2","d":{}}'],
  ['no op', '{}'],
  ['JSON that is no object', '[1]'],
  ['4,097 bytes', padded(4097)],
  ['a megabyte', 'x'.repeat(1024 * 1024)],
  ['a binary frame', Buffer.from('{"op":1,"d":null}')],
  ['identify with a d that is no object', '{"op":2,"d":"gbt_"}'],
  ['resume with a d that is no object', '{"op":6,"d":[]}'],
]

for (const [name, data] of bad) {
  test(`${name}: 4002 (D62)`, async t => {
    const client = await greeted(await startService(t))
    client.sendRaw(data)
    assert.equal((await client.closed).code, 4002)
  })
}

test('4,096 bytes are read', async t => {
  const client = await greeted(await startService(t))
  client.sendRaw(padded(4096))
  assert.equal((await client.take()).op, 11)
})

for (const op of [0, 3, 7, 11, 99]) {
  test(`op ${op} before identify: 4003, after it: 4001 (D62)`, async t => {
    const service = await startService(t)
    const early = await greeted(service)
    early.send({ op, d: {} })
    assert.equal((await early.closed).code, 4003)
    const client = await online(service, await register(service, 'ada'))
    client.send({ op, d: {} })
    assert.equal((await client.closed).code, 4001)
  })
}

test('a second identify, or a resume after it: 4005', async t => {
  const service = await startService(t)
  const ada = await register(service, 'ada')
  const again = await online(service, ada)
  again.send({ op: 2, d: {} })
  assert.equal((await again.closed).code, 4005)
  const resumed = await online(service, ada)
  resumed.send({ op: 6, d: { sessionId: resumed.sessionId, seq: 1 } })
  assert.equal((await resumed.closed).code, 4005)
})

test('a second identify while the first is being looked at: 4005', async t => {
  const service = await startService(t)
  const { token } = await makeBot(service)
  const client = await greeted(service)
  client.send({ op: 2, d: { token } })
  client.send({ op: 2, d: { token } })
  assert.equal((await client.closed).code, 4005)
})

test('D62: no identify in 10 s: 4009, heartbeats or not', async t => {
  const service = await startService(t)
  const client = await greeted(service)
  service.clock.advance(9_999)
  client.send({ op: 1, d: null })
  assert.equal((await client.take()).op, 11)
  service.clock.advance(1)
  assert.equal((await client.closed).code, 4009)
})

test('two missed heartbeats: 4009; one is forgiven', async t => {
  const service = await startService(t)
  const client = await online(service, await register(service, 'ada'))
  service.clock.advance(41_250)
  client.send({ op: 1, d: 1 })
  assert.equal((await client.take()).op, 11)
  service.clock.advance(82_000)
  client.send({ op: 1, d: 1 })
  assert.equal((await client.take()).op, 11)
  service.clock.advance(84_000)
  assert.equal((await client.closed).code, 4009)
})

test('121 frames in 60 s: 4008; 120 are answered, and RATE_LIMITS=off lifts nothing (D55)', async t => {
  const service = await startService(t, { env: { RATE_LIMITS: 'off' } })
  const { token } = await makeBot(service)
  const client = await identified(service, { token })
  for (let sent = 1; sent < 120; sent++) client.send({ op: 1, d: 1 })
  for (let acknowledged = 1; acknowledged < 120; acknowledged++) assert.equal((await client.take()).op, 11)
  service.clock.advance(60_000)
  for (let sent = 0; sent < 120; sent++) client.send({ op: 1, d: 1 })
  for (let acknowledged = 0; acknowledged < 120; acknowledged++) assert.equal((await client.take()).op, 11)
  service.clock.advance(59_999)
  client.send({ op: 1, d: 1 })
  assert.equal((await client.closed).code, 4008)
})

test('pings count as frames', async t => {
  const client = await greeted(await startService(t))
  const { once } = await import('node:events')
  for (let sent = 0; sent < 120; sent++) {
    client.socket.ping()
    await once(client.socket, 'pong')
  }
  client.socket.ping()
  assert.equal((await client.closed).code, 4008)
})
