import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createServer, register } from '@gatehouse/testkit/community'
import { eachService, startService, type TestService } from '@gatehouse/testkit/service'
import { subjects } from '../../events/gateway-events.ts'
import {
  connectSocket,
  connectUser,
  createBot,
  identify,
  resumeSession,
  sendMessage,
  sessionHeaders,
  terminate,
} from '../gateway-testing.ts'

/** Connects a user who is in a server, then closes the connection without a close frame. */
async function connectAndTerminate(service: TestService) {
  const ada = await register(service, 'ada')
  const { general } = await createServer(ada)
  const client = await connectUser(service, ada)
  await terminate(service, client)
  return { ada, general, client, headers: sessionHeaders(service, ada) }
}

eachService(
  'a resume replays missed events in order, then sends RESUMED and new events',
  async (_t, service) => {
    const { ada, general, client, headers } = await connectAndTerminate(service)
    for (const content of ['one', 'two', 'three']) await sendMessage(ada, general.id, content)
    const resumed = await resumeSession(service, { sessionId: client.sessionId, seq: 1 }, headers)
    for (const [s, content] of [
      [2, 'one'],
      [3, 'two'],
      [4, 'three'],
    ] as const) {
      const frame = await resumed.nextFrame()
      assert.deepEqual([frame.t, frame.s, frame.d.content], ['MESSAGE_CREATE', s, content])
    }
    assert.deepEqual(await resumed.nextFrame(), { op: 0, t: 'RESUMED', s: 5, d: {} })
    await sendMessage(ada, general.id, 'four')
    const frame = await resumed.nextFrame()
    assert.deepEqual([frame.s, frame.d.content], [6, 'four'])
  },
)

test('a resume replays only events after seq', async t => {
  const service = await startService(t)
  const { ada, general, client, headers } = await connectAndTerminate(service)
  for (const content of ['one', 'two', 'three']) await sendMessage(ada, general.id, content)
  const resumed = await resumeSession(service, { sessionId: client.sessionId, seq: 3 }, headers)
  const frame = await resumed.nextFrame()
  assert.deepEqual([frame.s, frame.d.content], [4, 'three'])
  assert.equal((await resumed.nextFrame()).t, 'RESUMED')
})

test('a resume of a connected session closes its old connection with 4000 (gateway/protocol-errors)', async t => {
  const service = await startService(t)
  const ada = await register(service, 'ada')
  const { general } = await createServer(ada)
  const old = await connectUser(service, ada)
  await sendMessage(ada, general.id, 'one')
  assert.equal((await old.nextFrame()).d.content, 'one')
  const resumed = await resumeSession(
    service,
    { sessionId: old.sessionId, seq: 1 },
    sessionHeaders(service, ada),
  )
  assert.equal((await old.closed).code, 4000)
  assert.equal((await resumed.nextFrame()).d.content, 'one')
  assert.equal((await resumed.nextFrame()).t, 'RESUMED')
  await sendMessage(ada, general.id, 'two')
  assert.equal((await resumed.nextFrame()).d.content, 'two')
})

test('two minutes after the connection closed, a resume gets opcode 9 (gateway/protocol-errors)', async t => {
  const service = await startService(t)
  const { ada, client, headers } = await connectAndTerminate(service)
  service.clock.advance(119_999)
  const resumed = await resumeSession(service, { sessionId: client.sessionId, seq: 1 }, headers)
  assert.equal((await resumed.nextFrame()).t, 'RESUMED')
  await terminate(service, { ...client, ...resumed })
  service.clock.advance(120_000)
  const lateResume = await resumeSession(service, { sessionId: client.sessionId, seq: 2 }, headers)
  assert.deepEqual(await lateResume.nextFrame(), { op: 9, d: false })
  lateResume.send({ op: 2, d: {} })
  const ready = await lateResume.nextFrame()
  assert.equal(ready.t, 'READY')
  assert.equal(ready.d.user.id, ada.id)
  assert.notEqual(ready.d.sessionId, client.sessionId)
})

test('1,024 missed events can be replayed, 1,025 cannot', async t => {
  const service = await startService(t)
  const { ada, client, headers } = await connectAndTerminate(service)
  const publish = async (count: number) => {
    for (let n = 0; n < count; n++) {
      service.bus.publish(subjects.user(ada.id), { t: 'INTERACTION_UPDATE', d: { id: String(n) } })
    }
    // The bus sends messages in a microtask.
    await Promise.resolve()
  }
  await publish(1024)
  const resumed = await resumeSession(service, { sessionId: client.sessionId, seq: 1 }, headers)
  for (let n = 0; n < 1024; n++) assert.equal((await resumed.nextFrame()).d.id, String(n))
  assert.deepEqual(await resumed.nextFrame(), { op: 0, t: 'RESUMED', s: 1026, d: {} })
  await terminate(service, { ...client, ...resumed })
  await publish(1025)
  const lateResume = await resumeSession(service, { sessionId: client.sessionId, seq: 1026 }, headers)
  assert.deepEqual(await lateResume.nextFrame(), { op: 9, d: false })
})

test('a seq that was not sent or is not a sequence number closes with 4007', async t => {
  const service = await startService(t)
  const { client, headers } = await connectAndTerminate(service)
  for (const seq of [2, -1, 1.5, '1', null]) {
    const resumed = await connectSocket(service, headers)
    resumed.send({ op: 6, d: { sessionId: client.sessionId, seq } })
    assert.equal((await resumed.closed).code, 4007, String(seq))
  }
  const resumed = await resumeSession(service, { sessionId: client.sessionId, seq: 1 }, headers)
  assert.equal((await resumed.nextFrame()).t, 'RESUMED')
})

eachService('a session of another user cannot be resumed', async (_t, service) => {
  const { client, headers } = await connectAndTerminate(service)
  const eve = await register(service, 'eve')
  const { token } = await createBot(service, eve)
  const session = { sessionId: client.sessionId, seq: 1 }
  const byCookie = await resumeSession(service, session, sessionHeaders(service, eve))
  assert.deepEqual(await byCookie.nextFrame(), { op: 9, d: false })
  const byToken = await resumeSession(service, { ...session, token })
  assert.deepEqual(await byToken.nextFrame(), { op: 9, d: false })
  const resumed = await resumeSession(service, session, headers)
  assert.equal((await resumed.nextFrame()).t, 'RESUMED')
})

test('a resume of an unknown session gets opcode 9 and 10 s to identify (gateway/protocol-errors)', async t => {
  const service = await startService(t)
  const { token } = await createBot(service)
  const client = await resumeSession(service, { sessionId: 'unknown', seq: 0, token })
  assert.deepEqual(await client.nextFrame(), { op: 9, d: false })
  service.clock.advance(10_000)
  assert.equal((await client.closed).code, 4009)
})

test('a connection that was closed because it did not read can be resumed (gateway/queued-bytes)', async t => {
  const service = await startService(t)
  const { token, applicationId } = await createBot(service)
  const bot = await identify(service, { token })
  bot.socket.pause()
  const big = 'x'.repeat(256 * 1024)
  let count = 0
  for (; count < 1000; count++) {
    const dispatched = service.bus.request(
      subjects.botSessions(applicationId),
      { t: 'INTERACTION_CREATE', d: { id: String(count), big } },
      1000,
    )
    if (
      !(await dispatched.then(
        () => true,
        () => false,
      ))
    )
      break
  }
  assert.ok(count > 10 && count < 1000, `${count} interactions were dispatched`)
  bot.socket.resume()
  let last = 1
  for (;;) {
    const frame = await bot.nextFrame().catch(() => undefined)
    if (frame === undefined) break
    last = frame.s ?? last
  }
  const resumed = await resumeSession(service, { sessionId: bot.sessionId, seq: last, token })
  for (let s = last + 1; s <= count + 1; s++) assert.equal((await resumed.nextFrame()).s, s)
  assert.equal((await resumed.nextFrame()).t, 'RESUMED')
})
