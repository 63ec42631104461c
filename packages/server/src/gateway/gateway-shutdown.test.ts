import assert from 'node:assert/strict'
import { connect, type Socket } from 'node:net'
import { test } from 'node:test'
import { advanceUntilSettled } from '@gatehouse/testkit/clock'
import { createServer, register } from '@gatehouse/testkit/community'
import { eachService, startNodes, startService, type TestService } from '@gatehouse/testkit/service'
import { waitUntil } from '@gatehouse/testkit/wait-until'
import {
  connectSocket,
  connectUser,
  cookieHeader,
  createBot,
  identify,
  resumeSession,
  sessionHeaders,
} from './gateway-testing.ts'

eachService('a shutdown sends opcode 7 to every connection and closes it with 1012', async (_t, service) => {
  const ada = await register(service, 'ada')
  await createServer(ada)
  const bot = await createBot(service)
  const clients = [
    await connectUser(service, ada),
    await identify(service, bot),
    await connectSocket(service),
  ]
  const headers = sessionHeaders(service, ada)
  const restarted = service.restart()
  for (const client of clients) {
    assert.deepEqual(await client.nextFrame(), { op: 7 })
    assert.equal((await client.closed).code, 1012)
  }
  await restarted
  const [user] = clients
  assert.ok(user && 'sessionId' in user)
  const resumed = await resumeSession(service, { sessionId: String(user.sessionId), seq: 1 }, headers)
  assert.deepEqual(await resumed.nextFrame(), { op: 9, d: false })
  resumed.send({ op: 2, d: {} })
  assert.equal((await resumed.nextFrame()).t, 'READY')
})

test('a client that does not reply to the close frame does not delay the shutdown', async t => {
  const service = await startService(t)
  const client = await connectSocket(service)
  client.socket.pause()
  await service.restart()
  client.socket.resume()
  assert.ok([1006, 1012].includes((await client.closed).code))
})

/** Sends a request without the last byte of its body. */
async function startRequest(service: TestService) {
  const ada = await register(service, 'ada')
  const { general } = await createServer(ada)
  const body = JSON.stringify({ content: 'in transit' })
  const head = [
    `POST /api/channels/${general.id}/messages HTTP/1.1`,
    `Host: ${new URL(service.url).host}`,
    `Cookie: ${cookieHeader(ada)}`,
    'Sec-Fetch-Site: same-origin',
    'Content-Type: application/json',
    `Content-Length: ${body.length}`,
  ]
  const socket = connect(Number(new URL(service.url).port), new URL(service.url).hostname)
  const response = readResponse(socket)
  // The response to `Expect` shows that the service has read the header section.
  socket.write(`${head.join('\r\n')}\r\nExpect: 100-continue\r\n\r\n`)
  await waitUntil(() => response.text.includes('100 Continue'))
  socket.write(body.slice(0, -1))
  return { ada, response, finish: () => socket.write(body.slice(-1)) }
}

function readResponse(socket: Socket) {
  const response = { text: '', closed: false }
  socket.on('data', chunk => {
    response.text += chunk
  })
  socket.on('error', () => {})
  socket.on('close', () => {
    response.closed = true
  })
  return response
}

function refusesConnections(service: TestService): Promise<boolean> {
  return service
    .client()
    .get('/healthz')
    .then(
      () => false,
      () => true,
    )
}

eachService(
  'a shutdown completes pending requests before it closes the gateway connections',
  async (_t, service) => {
    const { ada, response, finish } = await startRequest(service)
    const client = await connectUser(service, ada)
    const restarted = service.restart()
    await waitUntil(() => refusesConnections(service))
    assert.equal(client.socket.readyState, client.socket.OPEN)
    assert.deepEqual(client.takeFrames(), [])
    finish()
    assert.equal((await client.nextFrame()).d.content, 'in transit')
    assert.deepEqual(await client.nextFrame(), { op: 7 })
    assert.equal((await client.closed).code, 1012)
    assert.match(response.text, /HTTP\/1\.1 201 /)
    // Also a keep-alive connection is closed.
    await waitUntil(() => response.closed)
    await restarted
  },
)

test('an incomplete request delays the shutdown of the gateway by 4 s, and is aborted after 2 more', async t => {
  const service = await startService(t)
  const { ada, response } = await startRequest(service)
  const client = await connectUser(service, ada)
  const restarted = service.restart()
  await waitUntil(() => refusesConnections(service))
  service.clock.advance(3999)
  assert.equal(client.socket.readyState, client.socket.OPEN)
  service.clock.advance(1)
  assert.deepEqual(await client.nextFrame(), { op: 7 })
  assert.equal((await client.closed).code, 1012)
  assert.equal(response.closed, false)
  let stopped = false
  void restarted.then(() => {
    stopped = true
  })
  await waitUntil(() => {
    if (!stopped) service.clock.advance(2000)
    return stopped
  })
  assert.equal(response.closed, true)
})

test('a node that stops beside others is not ready, but handles requests for two more seconds', async t => {
  const [, b] = (await startNodes(t)) ?? []
  if (!b) return
  const client = b.client()
  assert.notEqual((await client.get('/healthz')).headers.get('connection'), 'close')
  const restarted = b.restart()
  assert.equal((await client.get('/readyz')).status, 503)
  b.clock.advance(1999)
  const response = await client.get('/healthz')
  assert.deepEqual([response.status, response.headers.get('connection')], [200, 'close'])
  b.clock.advance(1)
  await waitUntil(() => refusesConnections(b))
  await advanceUntilSettled(b.clock, restarted, 10)
  assert.equal((await client.get('/readyz')).status, 200)
})
