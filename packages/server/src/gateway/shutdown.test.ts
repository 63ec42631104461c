import assert from 'node:assert/strict'
import { connect, type Socket } from 'node:net'
import { test } from 'node:test'
import { found, register } from '../platform/testing.ts'
import { eachService, startService, type TestService } from '../testing.ts'
import { cookieOf, greeted, headersOf, identified, makeBot, online, resuming } from './testing.ts'

eachService(
  'when the service stops every socket is told to reconnect, and closed with 1012',
  async (_t, service) => {
    const ada = await register(service, 'ada')
    await found(ada)
    const bot = await makeBot(service)
    const clients = [await online(service, ada), await identified(service, bot), await greeted(service)]
    const headers = headersOf(service, ada)
    const restarted = service.restart()
    for (const client of clients) {
      assert.deepEqual(await client.take(), { op: 7 })
      assert.equal((await client.closed).code, 1012)
    }
    await restarted
    const [person] = clients
    assert.ok(person && 'sessionId' in person)
    const back = await resuming(service, { sessionId: String(person.sessionId), seq: 1 }, headers)
    assert.deepEqual(await back.take(), { op: 9, d: false })
    back.send({ op: 2, d: {} })
    assert.equal((await back.take()).t, 'READY')
  },
)

test('a socket that does not answer its close does not hold up the stop', async t => {
  const service = await startService(t)
  const client = await greeted(service)
  client.socket.pause()
  await service.restart()
  client.socket.resume()
  assert.ok([1006, 1012].includes((await client.closed).code))
})

/** A message on its way: all of the request but the last byte. */
async function halfSaid(service: TestService) {
  const ada = await register(service, 'ada')
  const { general } = await found(ada)
  const body = JSON.stringify({ content: 'on its way' })
  const head = [
    `POST /api/channels/${general.id}/messages HTTP/1.1`,
    `Host: ${new URL(service.url).host}`,
    `Cookie: ${cookieOf(ada)}`,
    'Sec-Fetch-Site: same-origin',
    'Content-Type: application/json',
    `Content-Length: ${body.length}`,
  ]
  const socket = connect(Number(new URL(service.url).port), new URL(service.url).hostname)
  const answer = read(socket)
  // The service says that it has the head, and waits.
  socket.write(`${head.join('\r\n')}\r\nExpect: 100-continue\r\n\r\n`)
  await until(() => answer.text.includes('100 Continue'))
  socket.write(body.slice(0, -1))
  return { ada, answer, finish: () => socket.write(body.slice(-1)) }
}

/** What comes on a connection that is kept alive, until it is closed. */
function read(socket: Socket) {
  const seen = { text: '', closed: false }
  socket.on('data', chunk => {
    seen.text += chunk
  })
  socket.on('error', () => {})
  socket.on('close', () => {
    seen.closed = true
  })
  return seen
}

async function until(ready: () => boolean | Promise<boolean>): Promise<void> {
  const end = performance.now() + 10_000
  while (!(await ready())) {
    assert.ok(performance.now() < end, 'it did not come to pass')
    await new Promise(resolve => setImmediate(resolve))
  }
}

/** It takes no more connections. */
function refuses(service: TestService): Promise<boolean> {
  return service
    .client()
    .get('/healthz')
    .then(
      () => false,
      () => true,
    )
}

eachService(
  'when the service stops what is under way is answered first, and reaches the sockets before they are told',
  async (_t, service) => {
    const { ada, answer, finish } = await halfSaid(service)
    const client = await online(service, ada)
    const restarted = service.restart()
    await until(() => refuses(service))
    assert.equal(client.socket.readyState, client.socket.OPEN)
    assert.deepEqual(client.rest(), [])
    finish()
    assert.equal((await client.take()).d.content, 'on its way')
    assert.deepEqual(await client.take(), { op: 7 })
    assert.equal((await client.closed).code, 1012)
    assert.match(answer.text, /HTTP\/1\.1 201 /)
    // Though its client would keep it alive.
    await until(() => answer.closed)
    await restarted
  },
)

test('a request that does not come whole holds up nobody: sockets are told in 4 s, it is cut off after 2 more', async t => {
  const service = await startService(t)
  const { ada, answer } = await halfSaid(service)
  const client = await online(service, ada)
  const restarted = service.restart()
  await until(() => refuses(service))
  service.clock.advance(3999)
  assert.equal(client.socket.readyState, client.socket.OPEN)
  service.clock.advance(1)
  assert.deepEqual(await client.take(), { op: 7 })
  assert.equal((await client.closed).code, 1012)
  assert.equal(answer.closed, false)
  let over = false
  void restarted.then(() => {
    over = true
  })
  await until(() => {
    if (!over) service.clock.advance(2000)
    return over
  })
  assert.equal(answer.closed, true)
})
