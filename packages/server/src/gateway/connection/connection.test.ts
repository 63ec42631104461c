import assert from 'node:assert/strict'
import { test } from 'node:test'
import { register } from '@gatehouse/testkit/community'
import { startService } from '@gatehouse/testkit/service'
import { connectSocket, connectUser, createBot, identify, openSocket } from '../gateway-testing.ts'

test('the first frame is HELLO with the heartbeat interval', async t => {
  const client = openSocket(await startService(t))
  assert.deepEqual(await client.nextFrame(), { op: 10, d: { heartbeatInterval: 41_250 } })
})

test('GET /api/gateway returns the URL without authentication', async t => {
  const service = await startService(t)
  const reply = await service.client().get('/api/gateway')
  assert.equal(reply.status, 200)
  assert.deepEqual(reply.body, { url: `${service.url.replace('http', 'ws')}/api/gateway/ws` })
})

test('an upgrade on another path returns 404, and one to another protocol is a normal request', async t => {
  const service = await startService(t)
  const { WebSocket } = await import('ws')
  const socket = new WebSocket(`${service.url.replace('http', 'ws')}/api/gateway`)
  const status = await new Promise(resolve => {
    socket.on('unexpected-response', (_request, response) => resolve(response.statusCode))
    socket.on('error', () => {})
  })
  assert.equal(status, 404)
  const { request } = await import('node:http')
  const otherProtocolStatus = await new Promise(resolve => {
    request(`${service.url}/api/gateway`, { headers: { connection: 'Upgrade', upgrade: 'h2c' } }, response =>
      resolve(response.resume().statusCode),
    ).end()
  })
  assert.equal(otherProtocolStatus, 200)
})

test('a heartbeat is acknowledged, also before identify', async t => {
  const client = await connectSocket(await startService(t))
  client.send({ op: 1, d: null })
  assert.deepEqual(await client.nextFrame(), { op: 11 })
})

/** Returns a heartbeat frame of the given size. */
function heartbeatOfSize(bytes: number): string {
  const frame = { op: 1, d: null, x: '' }
  return JSON.stringify({ ...frame, x: 'x'.repeat(bytes - JSON.stringify(frame).length) })
}

test('a heartbeat whose d is not a sequence number or null closes with 4007', async t => {
  const service = await startService(t)
  for (const d of ['x', '1', -1, 1.5, true, {}, [1]]) {
    const early = await connectSocket(service)
    early.send({ op: 1, d })
    assert.equal((await early.closed).code, 4007, `${JSON.stringify(d)} before identify`)
  }
  const ada = await register(service, 'ada')
  const invalid = await connectUser(service, ada)
  invalid.send({ op: 1, d: 'x' })
  assert.equal((await invalid.closed).code, 4007)
  const valid = await connectUser(service, ada)
  // After a rejected resume, the number may belong to the previous session, so any is valid.
  for (const frame of [{ op: 1 }, { op: 1, d: null }, { op: 1, d: 0 }, { op: 1, d: 1 }, { op: 1, d: 900 }]) {
    valid.send(frame)
    assert.deepEqual(await valid.nextFrame(), { op: 11 }, JSON.stringify(frame))
  }
})

const invalidFrames: [string, string | Buffer][] = [
  ['text that is not JSON', 'hello'],
  ['a non-numeric op', '{"op":"2","d":{}}'],
  ['a missing op', '{}'],
  ['JSON that is not an object', '[1]'],
  ['a frame of 4,097 bytes', heartbeatOfSize(4097)],
  ['a frame of 1 MiB', 'x'.repeat(1024 * 1024)],
  ['a binary frame', Buffer.from('{"op":1,"d":null}')],
  ['identify whose d is not an object', '{"op":2,"d":"gbt_"}'],
  ['resume whose d is not an object', '{"op":6,"d":[]}'],
]

test('invalid frames close with 4002 (gateway/protocol-errors)', async t => {
  const service = await startService(t)
  for (const [name, data] of invalidFrames) {
    const client = await connectSocket(service)
    client.sendRaw(data)
    assert.equal((await client.closed).code, 4002, name)
  }
})

test('a frame of 4,096 bytes is accepted', async t => {
  const client = await connectSocket(await startService(t))
  client.sendRaw(heartbeatOfSize(4096))
  assert.equal((await client.nextFrame()).op, 11)
})

test('an unknown opcode closes with 4003 before identify and 4001 after it (gateway/protocol-errors)', async t => {
  const service = await startService(t)
  const ada = await register(service, 'ada')
  for (const op of [0, 3, 7, 11, 99]) {
    const early = await connectSocket(service)
    early.send({ op, d: {} })
    assert.equal((await early.closed).code, 4003, `opcode ${op}`)
    const client = await connectUser(service, ada)
    client.send({ op, d: {} })
    assert.equal((await client.closed).code, 4001, `opcode ${op}`)
  }
})

test('identify or resume after identify closes with 4005', async t => {
  const service = await startService(t)
  const ada = await register(service, 'ada')
  const again = await connectUser(service, ada)
  again.send({ op: 2, d: {} })
  assert.equal((await again.closed).code, 4005)
  const resumed = await connectUser(service, ada)
  resumed.send({ op: 6, d: { sessionId: resumed.sessionId, seq: 1 } })
  assert.equal((await resumed.closed).code, 4005)
})

test('identify while another identify is processed closes with 4005', async t => {
  const service = await startService(t)
  const { token } = await createBot(service)
  const client = await connectSocket(service)
  client.send({ op: 2, d: { token } })
  client.send({ op: 2, d: { token } })
  assert.equal((await client.closed).code, 4005)
})

test('no identify within 10 s closes with 4009, also with heartbeats (gateway/protocol-errors)', async t => {
  const service = await startService(t)
  const client = await connectSocket(service)
  service.clock.advance(9_999)
  client.send({ op: 1, d: null })
  assert.equal((await client.nextFrame()).op, 11)
  service.clock.advance(1)
  assert.equal((await client.closed).code, 4009)
})

test('two missed heartbeats close with 4009, one does not', async t => {
  const service = await startService(t)
  const client = await connectUser(service, await register(service, 'ada'))
  service.clock.advance(41_250)
  client.send({ op: 1, d: 1 })
  assert.equal((await client.nextFrame()).op, 11)
  service.clock.advance(82_000)
  client.send({ op: 1, d: 1 })
  assert.equal((await client.nextFrame()).op, 11)
  service.clock.advance(84_000)
  assert.equal((await client.closed).code, 4009)
})

test('the 121st frame in 60 s closes with 4008, also with RATE_LIMITS=off (gateway/frame-limit)', async t => {
  const service = await startService(t, { env: { RATE_LIMITS: 'off' } })
  const { token } = await createBot(service)
  const client = await identify(service, { token })
  for (let sent = 1; sent < 120; sent++) client.send({ op: 1, d: 1 })
  for (let acknowledged = 1; acknowledged < 120; acknowledged++)
    assert.equal((await client.nextFrame()).op, 11)
  service.clock.advance(60_000)
  for (let sent = 0; sent < 120; sent++) client.send({ op: 1, d: 1 })
  for (let acknowledged = 0; acknowledged < 120; acknowledged++)
    assert.equal((await client.nextFrame()).op, 11)
  service.clock.advance(59_999)
  client.send({ op: 1, d: 1 })
  assert.equal((await client.closed).code, 4008)
})

test('pings count towards the frame limit', async t => {
  const client = await connectSocket(await startService(t))
  const { once } = await import('node:events')
  for (let sent = 0; sent < 120; sent++) {
    client.socket.ping()
    await once(client.socket, 'pong')
  }
  client.socket.ping()
  assert.equal((await client.closed).code, 4008)
})
