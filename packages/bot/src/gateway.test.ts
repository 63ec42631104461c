import assert from 'node:assert/strict'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { type TestContext, test } from 'node:test'
import { readTable } from '@gatehouse/testkit/markdown-tables'
import { type WebSocket as Peer, WebSocketServer } from 'ws'
import { GatehouseError, TokenError } from './errors.ts'
import { createGateway, type GatewayEvent } from './gateway.ts'
import { createTestClock } from './test-clock.ts'

/** The server side of one connection. */
interface ServerConnection {
  peer: Peer
  send(frame: object): void
  /** The next frame of the client. */
  next(): Promise<unknown>
  closed: Promise<number>
}

const ready = (url: string, sessionId = 's1') => ({
  op: 0,
  s: 1,
  t: 'READY',
  d: { sessionId, resumeUrl: url, user: {}, servers: [] },
})
const hello = { op: 10, d: { heartbeatInterval: 40_000 } }

async function start(t: TestContext, { findUrl }: { findUrl?: () => Promise<string> } = {}) {
  const server = new WebSocketServer({ host: '127.0.0.1', port: 0 })
  await once(server, 'listening')
  const address = server.address()
  assert.ok(typeof address === 'object' && address !== null)
  const url = `ws://127.0.0.1:${address.port}`
  const connections = queue<ServerConnection>()
  server.on('connection', (peer, request) => {
    const frames = queue<unknown>()
    peer.on('message', data => frames.put(JSON.parse(String(data))))
    const closed = once(peer, 'close').then(([code]) => Number(code))
    connections.put({ peer, send: frame => peer.send(JSON.stringify(frame)), next: frames.take, closed })
    paths.push(request.url ?? '')
  })
  const paths: string[] = []
  const clock = createTestClock()
  const events = queue<GatewayEvent>()
  const disconnects = queue<{ reason: string; retryMs: number }>()
  const fatal = queue<GatehouseError>()
  const gateway = createGateway({
    token: 'gbt_x',
    findUrl: findUrl ?? (async () => `${url}/found`),
    openSocket: address => new WebSocket(address),
    timers: clock.timers,
    random: () => 0.5,
    onEvent: events.put,
    onDisconnect: (reason, retryMs) => disconnects.put({ reason, retryMs }),
    onFatal: fatal.put,
  })
  t.after(() => {
    gateway.close()
    for (const peer of server.clients) peer.terminate()
    server.close()
  })
  gateway.open()

  /** The next connection, after hello, and its first frame. */
  async function acceptHello(): Promise<{ connection: ServerConnection; first: unknown }> {
    const connection = await connections.take()
    connection.send(hello)
    return { connection, first: await connection.next() }
  }

  async function acceptIdentify(): Promise<ServerConnection> {
    const { connection, first } = await acceptHello()
    assert.deepEqual(first, { op: 2, d: { token: 'gbt_x' } })
    connection.send(ready(`${url}/resume`))
    await events.take()
    return connection
  }

  return { gateway, clock, events, disconnects, fatal, connections, paths, url, acceptHello, acceptIdentify }
}

/** An asynchronous queue: `take` waits for the next item. */
function queue<T>() {
  const items: T[] = []
  const waiting: ((item: T) => void)[] = []
  return {
    put(item: T): void {
      const next = waiting.shift()
      if (next) next(item)
      else items.push(item)
    },
    take(): Promise<T> {
      const [item] = items.splice(0, 1)
      return item === undefined ? new Promise(resolve => waiting.push(resolve)) : Promise.resolve(item)
    },
    size: () => items.length,
  }
}

test('identifies after hello, and passes on events', async t => {
  const { acceptHello, events, url } = await start(t)
  const { connection, first } = await acceptHello()
  assert.deepEqual(first, { op: 2, d: { token: 'gbt_x' } })
  connection.send(ready(url))
  connection.send({ op: 0, s: 2, t: 'SERVER_ADD', d: { id: '1', name: 'x' } })
  assert.equal((await events.take()).t, 'READY')
  assert.deepEqual(await events.take(), { t: 'SERVER_ADD', d: { id: '1', name: 'x' } })
})

test('sends heartbeats with the last sequence number, the first one after a part of the interval', async t => {
  const { acceptIdentify, clock } = await start(t)
  const connection = await acceptIdentify()
  await clock.advance(20_000)
  assert.deepEqual(await connection.next(), { op: 1, d: 1 })
  connection.send({ op: 11 })
  connection.send({ op: 1 })
  assert.deepEqual(await connection.next(), { op: 1, d: 1 }, 'a heartbeat that the service requested')
  await clock.advance(40_000)
  assert.deepEqual(await connection.next(), { op: 1, d: 1 })
})

test('drops the connection without an acknowledgement, with a code that keeps the session, and resumes', async t => {
  const { acceptIdentify, acceptHello, clock, disconnects, events, paths } = await start(t)
  const connection = await acceptIdentify()
  connection.send({ op: 0, s: 2, t: 'SERVER_REMOVE', d: { id: '1' } })
  await events.take()
  await clock.advance(20_000)
  await connection.next()
  await clock.advance(40_000)
  assert.deepEqual(await disconnects.take(), { reason: 'no heartbeat ack', retryMs: 750 })
  const code = await connection.closed
  assert.ok(code >= 4000 && code <= 4999, `closed with ${code}`)
  await clock.advance(750)
  const { connection: second, first } = await acceptHello()
  assert.deepEqual(first, { op: 6, d: { token: 'gbt_x', sessionId: 's1', seq: 2 } })
  second.send({ op: 0, s: 3, t: 'RESUMED', d: {} })
  assert.equal((await events.take()).t, 'RESUMED')
  assert.deepEqual(paths, ['/found', '/found'])
})

test('resumes at the resume URL after op 7 and 1012', async t => {
  for (const restart of [
    (connection: ServerConnection) => connection.send({ op: 7 }),
    (connection: ServerConnection) => connection.peer.close(1012, 'restart'),
  ]) {
    const { acceptIdentify, acceptHello, clock, disconnects, paths } = await start(t)
    restart(await acceptIdentify())
    assert.equal((await disconnects.take()).retryMs, 1000)
    await clock.advance(1000)
    const { first } = await acceptHello()
    assert.deepEqual(first, { op: 6, d: { token: 'gbt_x', sessionId: 's1', seq: 1 } })
    assert.deepEqual(paths, ['/found', '/resume'])
  }
})

test('identifies on the same connection after op 9', async t => {
  const { acceptIdentify, acceptHello, clock, disconnects } = await start(t)
  const connection = await acceptIdentify()
  connection.peer.close(1012)
  await disconnects.take()
  await clock.advance(1000)
  const { connection: second } = await acceptHello()
  second.send({ op: 9, d: false })
  second.send({ op: 1 })
  await second.next()
  await clock.advance(500)
  assert.deepEqual(await second.next(), { op: 2, d: { token: 'gbt_x' } })
})

test('reports a fatal error on 4004, and does not reconnect', async t => {
  const { connections, fatal, disconnects, clock } = await start(t)
  const connection = await connections.take()
  connection.send(hello)
  await connection.next()
  connection.peer.close(4004)
  const error = await fatal.take()
  assert.ok(error instanceof TokenError)
  assert.match(error.message, /4004.*developer console/)
  await clock.advance(600_000)
  assert.deepEqual([connections.size(), disconnects.size()], [0, 0])
})

test('starts a new session after 4007 and protocol errors', async t => {
  for (const code of [4007, 4002]) {
    const { acceptIdentify, acceptHello, clock, disconnects } = await start(t)
    const connection = await acceptIdentify()
    connection.peer.close(code)
    const { retryMs } = await disconnects.take()
    await clock.advance(retryMs)
    assert.deepEqual((await acceptHello()).first, { op: 2, d: { token: 'gbt_x' } }, String(code))
  }
})

test('does after each close code what docs/gateway.md says', async t => {
  const guide = readFileSync(new URL('../../../docs/gateway.md', import.meta.url), 'utf8')
  for (const [code = '', , then = ''] of readTable(guide, '## Close codes')) {
    const { acceptIdentify, acceptHello, clock, disconnects, fatal } = await start(t)
    const connection = await acceptIdentify()
    connection.peer.close(Number(code))
    if (!/resume|identify/.test(then)) {
      await fatal.take()
      assert.equal(disconnects.size(), 0, code)
      continue
    }
    const { retryMs } = await disconnects.take()
    assert.equal(retryMs >= 30_000, then.startsWith('wait'), code)
    await clock.advance(retryMs)
    const { op } = (await acceptHello()).first as { op: number }
    assert.equal(op, then.endsWith('resume') ? 6 : 2, code)
  }
})

test('waits for a minute after 4008', async t => {
  const { acceptIdentify, disconnects } = await start(t)
  const connection = await acceptIdentify()
  connection.peer.close(4008)
  assert.equal((await disconnects.take()).retryMs, 60_000)
})

test('doubles the delay of attempts up to a minute, and starts again after a success', async t => {
  const { connections, clock, disconnects, acceptIdentify } = await start(t)
  const delays: number[] = []
  for (let attempt = 0; attempt < 8; attempt++) {
    const connection = await connections.take()
    connection.peer.close(1011)
    const { retryMs } = await disconnects.take()
    delays.push(retryMs)
    await clock.advance(retryMs)
  }
  assert.deepEqual(delays, [750, 1500, 3000, 6000, 12_000, 24_000, 45_000, 45_000])
  const connection = await acceptIdentify()
  connection.peer.close(1011)
  assert.equal((await disconnects.take()).retryMs, 750)
})

test('reconnects if there is no hello within 15 seconds', async t => {
  const { connections, clock, disconnects } = await start(t)
  const connection = await connections.take()
  // The client has handled the open event of its socket when it answers a ping.
  connection.peer.ping()
  await once(connection.peer, 'pong')
  await clock.advance(15_000)
  assert.equal((await disconnects.take()).reason, 'no hello')
})

test('retries if the service cannot be reached', async t => {
  let attempts = 0
  const { connections, disconnects, clock, url } = await start(t, {
    findUrl: async () => {
      if (++attempts < 3) throw new GatehouseError('unreachable')
      return url
    },
  })
  const { reason, retryMs } = await disconnects.take()
  assert.equal(reason, 'could not connect: unreachable')
  await clock.advance(retryMs)
  await clock.advance((await disconnects.take()).retryMs)
  await connections.take()
  assert.equal(attempts, 3)
})

test('reports a fatal error if the service rejects the token before the WebSocket', async t => {
  const { fatal } = await start(t, {
    findUrl: async () => {
      throw new TokenError('rejected')
    },
  })
  assert.ok((await fatal.take()) instanceof TokenError)
})

test('ignores invalid frames', async t => {
  const { acceptIdentify, events } = await start(t)
  const connection = await acceptIdentify()
  for (const frame of ['', 'x', 'null', '[]', '{"op":"0"}', '{"op":99}', '{}']) connection.peer.send(frame)
  connection.peer.send(Buffer.from([1, 2, 3]))
  connection.send({ op: 0, s: 2, t: 'SERVER_REMOVE', d: { id: '1' } })
  assert.deepEqual(await events.take(), { t: 'SERVER_REMOVE', d: { id: '1' } })
})

test('close ends the session and cancels all timers', async t => {
  const { gateway, acceptIdentify, clock, connections, disconnects } = await start(t)
  const connection = await acceptIdentify()
  gateway.close()
  assert.equal(await connection.closed, 1000)
  await clock.advance(600_000)
  assert.deepEqual([connections.size(), disconnects.size()], [0, 0])
})
