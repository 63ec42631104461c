import assert from 'node:assert/strict'
import { test } from 'node:test'
import { subjects } from '../platform/events.ts'
import { found, register } from '../platform/testing.ts'
import { eachService, startService, type TestService } from '../testing.ts'
import { greeted, headersOf, identified, type Joined, makeBot, online, resuming, say } from './testing.ts'

/** A person in a server, whose socket was cut off without a word. */
async function cutOff(service: TestService) {
  const ada = await register(service, 'ada')
  const { general } = await found(ada)
  const client = await online(service, ada)
  await lose(service, client)
  return { ada, general, client, headers: headersOf(service, ada) }
}

/** Resolves when the service knows that the socket is gone. */
async function lose(service: TestService, client: Joined): Promise<void> {
  const open = async () =>
    Number((await service.client().get('/metrics')).text.match(/sessions\{.*?\} (\d+)/)?.[1])
  const before = await open()
  client.socket.terminate()
  while ((await open()) >= before) await new Promise(resolve => setImmediate(resolve))
}

eachService('what was missed comes in order, then RESUMED, then what is new', async (_t, service) => {
  const { ada, general, client, headers } = await cutOff(service)
  for (const content of ['one', 'two', 'three']) await say(ada, general.id, content)
  const back = await resuming(service, { sessionId: client.sessionId, seq: 1 }, headers)
  for (const [s, content] of [
    [2, 'one'],
    [3, 'two'],
    [4, 'three'],
  ] as const) {
    const frame = await back.take()
    assert.deepEqual([frame.t, frame.s, frame.d.content], ['MESSAGE_CREATE', s, content])
  }
  assert.deepEqual(await back.take(), { op: 0, t: 'RESUMED', s: 5, d: {} })
  await say(ada, general.id, 'four')
  const frame = await back.take()
  assert.deepEqual([frame.s, frame.d.content], [6, 'four'])
})

test('only what comes after seq is sent again', async t => {
  const service = await startService(t)
  const { ada, general, client, headers } = await cutOff(service)
  for (const content of ['one', 'two', 'three']) await say(ada, general.id, content)
  const back = await resuming(service, { sessionId: client.sessionId, seq: 3 }, headers)
  const frame = await back.take()
  assert.deepEqual([frame.s, frame.d.content], [4, 'three'])
  assert.equal((await back.take()).t, 'RESUMED')
})

test('a session that is still connected is taken over, its old socket closed with 4000 (D62)', async t => {
  const service = await startService(t)
  const ada = await register(service, 'ada')
  const { general } = await found(ada)
  const old = await online(service, ada)
  await say(ada, general.id, 'one')
  assert.equal((await old.take()).d.content, 'one')
  const back = await resuming(service, { sessionId: old.sessionId, seq: 1 }, headersOf(service, ada))
  assert.equal((await old.closed).code, 4000)
  assert.equal((await back.take()).d.content, 'one')
  assert.equal((await back.take()).t, 'RESUMED')
  await say(ada, general.id, 'two')
  assert.equal((await back.take()).d.content, 'two')
})

test('a session is kept for two minutes after its socket was lost, and no longer; then op 9, and the socket stays (D62)', async t => {
  const service = await startService(t)
  const { ada, client, headers } = await cutOff(service)
  service.clock.advance(119_999)
  const back = await resuming(service, { sessionId: client.sessionId, seq: 1 }, headers)
  assert.equal((await back.take()).t, 'RESUMED')
  await lose(service, { ...client, ...back })
  service.clock.advance(120_000)
  const late = await resuming(service, { sessionId: client.sessionId, seq: 2 }, headers)
  assert.deepEqual(await late.take(), { op: 9, d: false })
  // D62: the socket stays open to identify.
  late.send({ op: 2, d: {} })
  const ready = await late.take()
  assert.equal(ready.t, 'READY')
  assert.equal(ready.d.user.id, ada.id)
  assert.notEqual(ready.d.sessionId, client.sessionId)
})

test('1,024 events are kept, one more is lost', async t => {
  const service = await startService(t)
  const { ada, client, headers } = await cutOff(service)
  const publish = async (count: number) => {
    for (let n = 0; n < count; n++) {
      service.bus.publish(subjects.user(ada.id), { t: 'INTERACTION_UPDATE', d: { id: String(n) } })
    }
    // The bus delivers in the turn after this one.
    await Promise.resolve()
  }
  await publish(1024)
  const back = await resuming(service, { sessionId: client.sessionId, seq: 1 }, headers)
  for (let n = 0; n < 1024; n++) assert.equal((await back.take()).d.id, String(n))
  assert.deepEqual(await back.take(), { op: 0, t: 'RESUMED', s: 1026, d: {} })
  await lose(service, { ...client, ...back })
  await publish(1025)
  const late = await resuming(service, { sessionId: client.sessionId, seq: 1026 }, headers)
  assert.deepEqual(await late.take(), { op: 9, d: false })
})

test('a seq that was not reached, or is none: 4007', async t => {
  const service = await startService(t)
  const { client, headers } = await cutOff(service)
  for (const seq of [2, -1, 1.5, '1', null]) {
    const back = await greeted(service, headers)
    back.send({ op: 6, d: { sessionId: client.sessionId, seq } })
    assert.equal((await back.closed).code, 4007, String(seq))
  }
  const back = await resuming(service, { sessionId: client.sessionId, seq: 1 }, headers)
  assert.equal((await back.take()).t, 'RESUMED')
})

eachService('nobody resumes the session of another', async (_t, service) => {
  const { client, headers } = await cutOff(service)
  const eve = await register(service, 'eve')
  const { token } = await makeBot(service, eve)
  const session = { sessionId: client.sessionId, seq: 1 }
  const byCookie = await resuming(service, session, headersOf(service, eve))
  assert.deepEqual(await byCookie.take(), { op: 9, d: false })
  const byToken = await resuming(service, { ...session, token })
  assert.deepEqual(await byToken.take(), { op: 9, d: false })
  const back = await resuming(service, session, headers)
  assert.equal((await back.take()).t, 'RESUMED')
})

test('a session that never was: op 9, and 10 s to identify (D62)', async t => {
  const service = await startService(t)
  const { token } = await makeBot(service)
  const client = await resuming(service, { sessionId: 'never', seq: 0, token })
  assert.deepEqual(await client.take(), { op: 9, d: false })
  service.clock.advance(10_000)
  assert.equal((await client.closed).code, 4009)
})

test('what a reader does not take is not kept in memory for it: closed, and resumed', async t => {
  const service = await startService(t)
  const { token, applicationId } = await makeBot(service)
  const bot = await identified(service, { token })
  bot.socket.pause()
  const big = 'x'.repeat(256 * 1024)
  let delivered = 0
  for (; delivered < 1000; delivered++) {
    const given = service.bus.request(
      subjects.app(applicationId),
      { t: 'INTERACTION_CREATE', d: { big } },
      1000,
    )
    if (
      !(await given.then(
        () => true,
        () => false,
      ))
    )
      break
  }
  assert.ok(delivered > 10 && delivered < 1000, `${delivered} were delivered`)
  bot.socket.resume()
  let last = 1
  for (;;) {
    const frame = await bot.take().catch(() => undefined)
    if (frame === undefined) break
    last = frame.s ?? last
  }
  const back = await resuming(service, { sessionId: bot.sessionId, seq: last, token })
  for (let s = last + 1; s <= delivered + 1; s++) assert.equal((await back.take()).s, s)
  assert.equal((await back.take()).t, 'RESUMED')
})
