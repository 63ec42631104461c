import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect, createServer, type Socket } from 'node:net'
import { type TestContext, test } from 'node:test'
import { NoResponders } from '../bus/bus.ts'
import { testNatsUrl } from '../bus/testing.ts'
import { subjects } from '../platform/events.ts'
import { found, type Person, register } from '../platform/testing.ts'
import { startNodes, type TestService } from '../testing.ts'
import { headersOf, identified, makeBot, online, resuming, say } from './testing.ts'

/** The same person, as a client of the other node. */
function at(service: TestService, person: Person): Person {
  const client = service.client()
  for (const [name, value] of person.client.cookies) client.cookies.set(name, value)
  return { id: person.id, client }
}

test('a message that is posted on one node reaches the sockets of the other', async t => {
  const [a, b] = (await startNodes(t)) ?? []
  if (!a || !b) return
  const ada = await register(a, 'ada')
  const ben = await register(b, 'ben')
  const { server, general } = await found(ada, at(a, ben))
  const there = await online(b, ben)
  assert.equal(there.ready.d.servers[0]?.id, server.id)
  await say(ada, general.id, 'over there')
  assert.equal((await there.take()).d.content, 'over there')
})

test('what one node hides, the other hides', async t => {
  const [a, b] = (await startNodes(t)) ?? []
  if (!a || !b) return
  const ada = await register(a, 'ada')
  const ben = await register(b, 'ben')
  const { general } = await found(ada, at(a, ben))
  const there = await online(b, ben)
  const overwrite = `/api/channels/${general.id}/overwrites/${ben.id}`
  const hidden = { type: 'member', allow: '0', deny: String(1 << 10) }
  assert.equal((await ada.client.json('PUT', overwrite, hidden)).status, 204)
  await say(ada, general.id, 'secret')
  assert.equal((await there.take()).t, 'CHANNEL_DELETE')
  assert.equal((await ada.client.json('DELETE', overwrite)).status, 204)
  assert.equal((await there.take()).t, 'CHANNEL_CREATE')
  await say(ada, general.id, 'for all')
  assert.equal((await there.take()).d.content, 'for all')
})

test('signing out on one node closes on the other', async t => {
  const [a, b] = (await startNodes(t)) ?? []
  if (!a || !b) return
  const ada = await register(a, 'ada')
  const there = await online(b, at(b, ada))
  assert.equal((await ada.client.json('POST', '/api/auth/logout')).status, 204)
  assert.equal((await there.closed).code, 4004)
})

test('a bot is reached from either node, and a resume elsewhere ends the session that was left', async t => {
  const [a, b] = (await startNodes(t)) ?? []
  if (!a || !b) return
  const bot = await makeBot(a)
  const event = { t: 'INTERACTION_CREATE', d: { id: '1' } }
  const ask = (from: TestService) => from.bus.request(subjects.app(bot.applicationId), event, 2000)
  await assert.rejects(ask(a), NoResponders)
  const here = await identified(a, bot)
  assert.deepEqual(await ask(b), { delivered: true, sessionId: here.sessionId })
  assert.equal((await here.take()).t, 'INTERACTION_CREATE')

  const moved = await resuming(b, { token: bot.token, sessionId: here.sessionId, seq: 2 })
  assert.deepEqual(await moved.take(), { op: 9, d: false })
  assert.equal((await here.closed).code, 4000)
  moved.send({ op: 2, d: { token: bot.token } })
  const ready = await moved.take()
  assert.equal(ready.t, 'READY')
  assert.deepEqual(await ask(a), { delivered: true, sessionId: ready.d.sessionId })
})

test('a node that stops sends its sockets to the other', async t => {
  const [a, b] = (await startNodes(t)) ?? []
  if (!a || !b) return
  const ada = await register(a, 'ada')
  const { general } = await found(ada)
  const there = await online(b, at(b, ada))
  await b.restart()
  assert.deepEqual(await there.take(), { op: 7 })
  assert.equal((await there.closed).code, 1012)
  const here = await resuming(a, { sessionId: there.sessionId, seq: 1 }, headersOf(a, ada))
  assert.deepEqual(await here.take(), { op: 9, d: false })
  here.send({ op: 2, d: {} })
  assert.equal((await here.take()).t, 'READY')
  await say(ada, general.id, 'back again')
  assert.equal((await here.take()).d.content, 'back again')
})

/** A way to NATS that can be cut. */
async function relay(t: TestContext) {
  const { hostname, port } = new URL(testNatsUrl)
  const open = new Set<Socket>()
  const server = createServer(near => {
    const far = connect(Number(port), hostname)
    for (const [socket, other] of [
      [near, far],
      [far, near],
    ] as const) {
      open.add(socket)
      socket.on('error', () => {})
      socket.on('close', () => other.destroy())
      socket.pipe(other)
    }
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  assert.ok(address !== null && typeof address === 'object')
  const cut = () => {
    for (const socket of open) socket.destroy()
    open.clear()
  }
  t.after(() => {
    server.close()
    cut()
  })
  return { url: `nats://127.0.0.1:${address.port}`, cut }
}

test('a node that was cut off has its sockets start anew: what it did not hear may be an end', async t => {
  const way = await relay(t)
  const [a, b] = (await startNodes(t, way.url)) ?? []
  if (!a || !b) return
  const ada = await register(a, 'ada')
  const signedOut = await register(a, 'ben')
  const [hers, his] = [await online(b, at(b, ada)), await online(b, at(b, signedOut))]
  const headers = headersOf(b, signedOut)
  way.cut()
  assert.equal((await signedOut.client.json('POST', '/api/auth/logout')).status, 204)
  for (const client of [hers, his]) {
    assert.deepEqual(await client.take(), { op: 7 })
    assert.equal((await client.closed).code, 1012)
  }
  const back = await resuming(b, { sessionId: hers.sessionId, seq: 1 }, headersOf(b, ada))
  assert.deepEqual(await back.take(), { op: 9, d: false })
  const gone = await resuming(b, { sessionId: his.sessionId, seq: 1 }, headers)
  assert.equal((await gone.closed).code, 4004)
})
