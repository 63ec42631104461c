import assert from 'node:assert/strict'
import { once } from 'node:events'
import { type AddressInfo, connect, type Socket } from 'node:net'
import { Writable } from 'node:stream'
import { type TestContext, test } from 'node:test'
import { setTimeout as wait } from 'node:timers/promises'
import { string } from '@gatehouse/protocol/wire'
import { createTestClock } from '@gatehouse/testkit/clock'
import { waitUntil } from '@gatehouse/testkit/wait-until'
import { createRateLimiter } from '../rate-limits/rate-limiter.ts'
import { createApp, mount } from './app.ts'
import { createLogger } from './log.ts'
import { QueuedBytes } from './queued-bytes.ts'
import { ok } from './route.ts'
import { testRoute } from './route-testing.ts'

const mebibyte = 1024 * 1024
const bodyBytes = 16 * mebibyte
const unlimited = { ofUser: Number.POSITIVE_INFINITY, ofProcess: Number.POSITIVE_INFINITY }

/** A service with a large response. The value of the session cookie is the id of the user. */
async function start(t: TestContext, queuedBytes: QueuedBytes, timeoutMs?: number) {
  const clock = createTestClock()
  const options = {
    baseUrl: 'http://localhost',
    trustProxy: [],
    timers: clock.timers,
    queuedBytes,
    rateLimiter: createRateLimiter({ clock: clock.now, limits: 'off' }),
    logger: createLogger('silent', new Writable({ write: (_chunk, _encoding, done) => done() })),
    authenticators: {
      session: async (secret: string) => ({ kind: 'session' as const, userId: secret, sessionId: secret }),
      bearer: async () => undefined,
      bot: async () => undefined,
    },
  }
  const app = await createApp(options)
  t.after(() => app.close())
  const text = 'x'.repeat(bodyBytes - 2)
  const large = testRoute('GET /api/large', {
    summary: 'Is large',
    tag: 'Messages',
    caller: { session: true },
    responses: { 200: string() },
    handle: async () => ok(text),
  })
  mount(app, [large], options)
  assert.equal(app.server.timeout, 60_000)
  if (timeoutMs !== undefined) app.server.timeout = timeoutMs
  await app.listen({ host: '127.0.0.1', port: 0 })
  const { port } = app.server.address() as AddressInfo

  async function open(userId: string, requests = 1): Promise<Socket> {
    const socket = connect(port, '127.0.0.1')
    t.after(() => socket.destroy())
    socket.on('error', () => {})
    const cookie = `gatehouse_session=${userId}`
    socket.write(`GET /api/large HTTP/1.1\r\nHost: localhost\r\nCookie: ${cookie}\r\n\r\n`.repeat(requests))
    await once(socket, 'readable')
    return socket
  }

  /** Connections that the service has not closed. */
  const countOpen = () =>
    new Promise<number>((resolve, reject) =>
      app.server.getConnections((error, count) => (error ? reject(error) : resolve(count))),
    )

  /** In the first second, the buffers of the network fill. */
  async function check(): Promise<void> {
    for (let i = 0; i < 5; i++) {
      clock.advance(1000)
      await wait(20)
    }
  }
  return { open, countOpen, check, advance: clock.advance }
}

/** Reads `bytes` with pauses. */
async function readSlowly(
  socket: Socket,
  bytes: number,
  onProgress: (received: number) => void,
): Promise<void> {
  let received = 0
  while (received < bytes) {
    const chunk: Buffer | null = socket.read()
    if (chunk === null) {
      assert.equal(socket.destroyed || socket.readableEnded, false, `closed after ${received} bytes`)
      await wait(1)
      continue
    }
    received += chunk.length
    onProgress(received)
    await wait(5)
  }
}

test('above 8 MiB of a user, the connections with the most bytes are closed (limits/slow-readers)', async t => {
  const queuedBytes = new QueuedBytes()
  const service = await start(t, queuedBytes)
  for (let i = 0; i < 8; i++) await service.open('ann')
  await service.open('bob')
  await service.check()
  await waitUntil(async () => (await service.countOpen()) < 4)
  // The limit is that of each user.
  assert.ok(queuedBytes.read() <= 16 * mebibyte)
})

test('pipelined responses that a user does not read count together (limits/slow-readers)', async t => {
  const queuedBytes = new QueuedBytes()
  const service = await start(t, queuedBytes)
  await service.open('ann', 4)
  await service.check()
  await waitUntil(async () => (await service.countOpen()) === 0)
  assert.equal(queuedBytes.read(), 0)
})

test('above the limit of the process, those with the most bytes are closed (limits/slow-readers)', async t => {
  const queuedBytes = new QueuedBytes({ ...unlimited, ofProcess: 8 * mebibyte })
  const service = await start(t, queuedBytes)
  for (let i = 0; i < 8; i++) await service.open(`user${i}`)
  await service.check()
  await waitUntil(async () => (await service.countOpen()) < 8)
  assert.ok(queuedBytes.read() <= 8 * mebibyte)
})

test('a response larger than 8 MiB reaches a client that reads (limits/slow-readers)', async t => {
  const service = await start(t, new QueuedBytes())
  const socket = await service.open('ann')
  let seconds = 0
  // A second for each 2 MiB.
  await readSlowly(socket, bodyBytes, received => {
    if (received / (2 * mebibyte) < ++seconds) seconds--
    else service.advance(1000)
  })
  assert.ok(seconds > 5)
  assert.equal(await service.countOpen(), 1)
})

test('a connection is closed if its response makes no progress for 60 s (limits/stalled-response)', async t => {
  const service = await start(t, new QueuedBytes(unlimited), 1000)
  await service.open('ann')
  const reading = await service.open('bob')
  await readSlowly(reading, bodyBytes, () => {})
  await waitUntil(async () => (await service.countOpen()) === 1)
  assert.equal(reading.destroyed, false)
})
