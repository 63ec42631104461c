import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { addBot } from '@gatehouse/testkit/applications'
import { advanceUntilSettled } from '@gatehouse/testkit/clock'
import { createServer, register, type TestUser } from '@gatehouse/testkit/community'
import { startNodes, type TestService } from '@gatehouse/testkit/service'
import { NoResponders } from '../../bus/bus.ts'
import { subjects } from '../../events/gateway-events.ts'
import {
  clientOn,
  connectSocket,
  connectUser,
  createBot,
  type Frame,
  type GatewayClient,
  type Headers,
  identify,
  sendMessage,
  sendNumbered,
  sessionHeaders,
  terminate,
} from '../gateway-testing.ts'

/** Resumes a session. Resolves to all frames up to RESUMED, opcode 9 or the close, whose code is then the last `op`. */
async function resumeOn(
  node: TestService,
  session: { sessionId: string; seq: number; token?: string },
  headers: Headers = {},
): Promise<{ client: GatewayClient; frames: Frame[] }> {
  const client = await connectSocket(node, headers)
  const frames: Frame[] = []
  async function read(): Promise<void> {
    for (;;) {
      const frame = await client.nextFrame()
      frames.push(frame)
      if (frame.t === 'RESUMED' || frame.op === 9) return
    }
  }
  client.send({ op: 6, d: session })
  const end = Promise.race([read(), client.closed.then(({ code }) => assert.fail(`closed with ${code}`))])
  await advanceUntilSettled(node.clock, end, 1)
  return { client, frames }
}

/** Ada owns a server. Ben, who is a member, has a session on the second node. */
async function setUp(t: TestContext) {
  const nodes = await startNodes(t)
  if (!nodes) return undefined
  const [a, b] = nodes
  const ada = await register(a, 'ada')
  const ben = await register(b, 'ben')
  const { server, general } = await createServer(ada, clientOn(a, ben))
  const onB = await connectUser(b, ben)
  return { a, b, ada, ben, server, general, onB, headers: headersOn(a, ben) }
}

function headersOn(node: TestService, person: TestUser): Headers {
  return sessionHeaders(node, clientOn(node, person))
}

/** Stops a node, up to the close of its connections. */
async function stopNode(node: TestService, client: GatewayClient) {
  const frames: Frame[] = []
  const restarted = node.restart()
  async function read(): Promise<void> {
    for (let frame = await client.nextFrame(); frame.op !== 7; frame = await client.nextFrame())
      frames.push(frame)
  }
  await advanceUntilSettled(node.clock, read(), 10)
  assert.equal((await client.closed).code, 1012)
  return {
    /** What the client received before. */
    frames,
    /** Resolves when the node has started again: when all clients have resumed, or after four seconds. */
    complete: () => advanceUntilSettled(node.clock, restarted, 1),
  }
}

/** Reads up to the message with the content `last`. */
async function readMessages(client: GatewayClient, last: string): Promise<Frame[]> {
  const frames: Frame[] = []
  while (frames.at(-1)?.d.content !== last) frames.push(await client.nextDispatch())
  return frames
}

/** Checks that each message is there once, in order, and that no sequence number is missing. */
function assertComplete(frames: readonly Frame[], count: number): void {
  const contents = frames.flatMap(({ t, d }) => (t === 'MESSAGE_CREATE' ? [Number(d.content)] : []))
  assert.deepEqual(
    contents,
    Array.from({ length: count }, (_, n) => n + 1),
  )
  assert.deepEqual(
    frames.map(({ s }) => s),
    frames.map((_, n) => n + 2),
  )
}

test('a session continues on another node and back: each message once, in order (gateway/hand-over)', async t => {
  const world = await setUp(t)
  if (!world) return
  const { a, b, ada, ben, general, onB, headers } = world
  const messages = sendNumbered(ada, general.id)
  const received = await readMessages(onB, '3')
  const stopped = await stopNode(b, onB)
  received.push(...stopped.frames)
  const start = b.clock.now()
  const onA = await resumeOn(a, { sessionId: onB.sessionId, seq: received.at(-1)?.s ?? 0 }, headers)
  received.push(...onA.frames)
  assert.equal(received.at(-1)?.t, 'RESUMED')
  await stopped.complete()
  assert.ok(b.clock.now() - start < 4000, 'the node did not wait longer than for its client')
  // The connection of the first node is still open, as after a failure of the network.
  const back = await resumeOn(
    b,
    { sessionId: onB.sessionId, seq: received.at(-1)?.s ?? 0 },
    headersOn(b, ben),
  )
  received.push(...back.frames)
  assert.equal(received.at(-1)?.t, 'RESUMED')
  assert.equal((await onA.client.closed).code, 4000)
  const count = await messages.stop()
  received.push(...(await readMessages(back.client, String(count))))
  assertComplete(received, count)
  await sendMessage(ada, general.id, 'last')
  assert.deepEqual((await back.client.nextFrame()).d.content, 'last')
})

test('a session that another credential resumes, or with a wrong id or seq, stays on its node', async t => {
  const world = await setUp(t)
  if (!world) return
  const { a, ada, onB, headers } = world
  const { sessionId } = onB
  const { token } = await createBot(a, ada)
  for (const [session, ownHeaders] of [
    [{ sessionId: `${sessionId}x`, seq: 1 }, headers],
    [{ sessionId, seq: 1 }, headersOn(a, ada)],
    [{ sessionId, seq: 1, token }, {}],
  ] as const) {
    const { frames } = await resumeOn(a, session, ownHeaders)
    assert.deepEqual(frames, [{ op: 9, d: false }])
  }
  const early = await connectSocket(a, headers)
  early.send({ op: 6, d: { sessionId, seq: 2 } })
  assert.equal((await early.closed).code, 4007)
  assert.equal(onB.socket.readyState, onB.socket.OPEN)
  const { frames } = await resumeOn(a, { sessionId, seq: 1 }, headers)
  assert.deepEqual(frames, [{ op: 0, t: 'RESUMED', s: 2, d: {} }])
})

test('of two connections that resume a session of another node, one continues it (gateway/hand-over)', async t => {
  const world = await setUp(t)
  if (!world) return
  const { a, onB, headers } = world
  const session = { sessionId: onB.sessionId, seq: 1 }
  const results = await Promise.all([resumeOn(a, session, headers), resumeOn(a, session, headers)])
  const last = results.map(({ frames }) => frames.at(-1)?.t ?? 'op 9')
  assert.deepEqual(last.toSorted(), ['RESUMED', 'op 9'])
})

test('a credential that was revoked cannot resume on another node, and closes the session that moved', async t => {
  const world = await setUp(t)
  if (!world) return
  const { a, ben, onB, headers } = world
  const moved = await resumeOn(a, { sessionId: onB.sessionId, seq: 1 }, headers)
  assert.equal(moved.frames.at(-1)?.t, 'RESUMED')
  assert.equal((await ben.client.json('POST', '/api/auth/logout')).status, 204)
  assert.equal((await moved.client.closed).code, 4004)
  const late = await connectSocket(a, headers)
  late.send({ op: 6, d: { sessionId: onB.sessionId, seq: 1 } })
  assert.equal((await late.closed).code, 4004)
})

test('a session that moves receives changes of visible channels, none of hidden ones (gateway/hand-over)', async t => {
  const world = await setUp(t)
  if (!world) return
  const { a, b, ada, ben, server, general, onB, headers } = world
  const create = (name: string) => ada.client.json('POST', `/api/servers/${server.id}/channels`, { name })
  const [closed, opened] = [await create('closed'), await create('opened')]
  assert.equal(opened.status, 201, opened.text)
  const path = (channelId: string) => `/api/channels/${channelId}/overwrites/${ben.id}`
  const hide = (channelId: string) =>
    ada.client.json('PUT', path(channelId), { type: 'member', allow: '0', deny: String(1 << 10) })
  assert.equal((await hide(opened.body.id)).status, 204)
  const before = [await onB.nextFrame(), await onB.nextFrame(), await onB.nextFrame()]
  assert.deepEqual(
    before.map(frame => frame.t),
    ['CHANNEL_CREATE', 'CHANNEL_CREATE', 'CHANNEL_DELETE'],
  )
  const another = await connectUser(b, ben)
  onB.socket.terminate()
  await sendMessage(ada, closed.body.id, 'visible')
  assert.equal((await hide(closed.body.id)).status, 204)
  // The node has to read the permissions for this change before the database changes below.
  for (let frame = await another.nextDispatch(); frame.t !== 'CHANNEL_DELETE'; )
    frame = await another.nextDispatch()
  await sendMessage(ada, closed.body.id, 'secret')
  // As if the events of these changes were still on their way to the node that has the session.
  await a.db.run`DELETE FROM overwrites WHERE channel_id = ${opened.body.id}`
  await a.db.run`
    INSERT INTO overwrites (channel_id, target_id, type, allow, deny)
    VALUES (${general.id}, ${ben.id}, 'member', '0', ${String(1 << 10)})`
  await sendMessage(ada, general.id, 'not for Ben')
  const { frames } = await resumeOn(a, { sessionId: onB.sessionId, seq: 4 }, headers)
  const events = frames.map(({ t, d }) => [t, d.content ?? d.id])
  assert.deepEqual(events.slice(0, 2), [
    ['MESSAGE_CREATE', 'visible'],
    ['CHANNEL_DELETE', closed.body.id],
  ])
  assert.deepEqual(events.slice(-3), [
    ['CHANNEL_CREATE', opened.body.id],
    ['CHANNEL_DELETE', general.id],
    ['RESUMED', undefined],
  ])
  assert.ok(!JSON.stringify(frames).includes('secret'))
})

/** Publishes events of the user, and waits until both nodes have received them. */
async function publishEvents(
  { a, b }: { a: TestService; b: TestService },
  userId: string,
  count: number,
): Promise<void> {
  const subject = subjects.user(userId)
  const arrived = Promise.withResolvers<void>()
  const subscription = await b.bus.subscribe(subject, message => {
    if ((message as Frame).d.id === String(count)) arrived.resolve()
  })
  for (let n = 1; n <= count; n++) {
    a.bus.publish(subject, {
      t: 'INTERACTION_UPDATE',
      id: `test${n}`,
      d: { id: String(n), reason: 'x'.repeat(500) },
    })
  }
  await arrived.promise
  subscription.close()
}

test('1,024 missed events move to another node, in several messages of the bus; 1,025 do not', async t => {
  const world = await setUp(t)
  if (!world) return
  const { a, ben, onB, headers } = world
  onB.socket.terminate()
  await publishEvents(world, ben.id, 1024)
  const { client, frames } = await resumeOn(a, { sessionId: onB.sessionId, seq: 1 }, headers)
  assert.equal(frames.length, 1025)
  assert.deepEqual(
    frames.slice(0, -1).map(({ d }) => d.id),
    Array.from({ length: 1024 }, (_, n) => String(n + 1)),
  )
  client.socket.terminate()
  const onA = await connectUser(a, clientOn(a, ben))
  onA.socket.terminate()
  await publishEvents({ a: world.b, b: a }, ben.id, 1025)
  const late = await resumeOn(world.b, { sessionId: onA.sessionId, seq: 1 }, headersOn(world.b, ben))
  assert.deepEqual(late.frames, [{ op: 9, d: false }])
})

test('a session that waits for two minutes cannot be resumed on another node either', async t => {
  const world = await setUp(t)
  if (!world) return
  const { a, b, ben, onB, headers } = world
  await terminate(b, onB)
  b.clock.advance(119_000)
  const { client, frames } = await resumeOn(a, { sessionId: onB.sessionId, seq: 1 }, headers)
  assert.equal(frames.at(-1)?.t, 'RESUMED')
  await terminate(a, client)
  b.clock.advance(120_000)
  const late = await resumeOn(b, { sessionId: onB.sessionId, seq: 2 }, headersOn(b, ben))
  assert.deepEqual(late.frames, [{ op: 9, d: false }])
})

test('interactions reach a bot while its node stops and after that, each once (bots/interaction-delivery)', async t => {
  const nodes = await startNodes(t)
  if (!nodes) return
  const [a, b] = nodes
  const bot = await createBot(a)
  const onB = await identify(b, bot)
  const delivered = async (subject: string, id: string) => {
    const event = { t: 'INTERACTION_CREATE', d: { id }, deadlineAt: a.clock.now() + 3000 }
    const reply = await a.bus.request(subject, event, 2000)
    return (reply as { sessionId?: string }).sessionId
  }
  const [connected, waiting] = [
    subjects.botSessions(bot.applicationId),
    subjects.waitingBotSessions(bot.applicationId),
  ]
  assert.equal(await delivered(connected, '1'), onB.sessionId)
  const stopped = await stopNode(b, onB)
  await assert.rejects(delivered(connected, '2'), NoResponders)
  assert.equal(await delivered(waiting, '2'), onB.sessionId)
  assert.equal(await delivered(waiting, '1'), onB.sessionId)
  const onA = await resumeOn(a, { token: bot.token, sessionId: onB.sessionId, seq: 1 })
  assert.deepEqual(
    onA.frames.map(({ t, d }) => [t, d.id]),
    [
      ['INTERACTION_CREATE', '1'],
      ['INTERACTION_CREATE', '2'],
      ['RESUMED', undefined],
    ],
  )
  await stopped.complete()
  await assert.rejects(delivered(waiting, '2'), NoResponders)
  // The dispatcher sends an interaction again because its session lost its connection.
  assert.equal(await delivered(connected, '2'), onB.sessionId)
  assert.equal(await delivered(connected, '3'), onB.sessionId)
  assert.equal((await onA.client.nextFrame()).d.id, '3')
})

test('the session of a bot keeps its intents on another node (gateway/hand-over, gateway/intents)', async t => {
  const world = await setUp(t)
  if (!world) return
  const { a, b, ada, general, server } = world
  const bot = await createBot(a, ada)
  const path = `/api/applications/${bot.applicationId}`
  await ada.client.json('PATCH', path, { privilegedIntents: ['members', 'messageContent'] })
  await addBot(ada.client, bot.applicationId, server.id)
  const messages = await identify(b, { ...bot, intents: ['messages'] })
  const members = await identify(b, { ...bot, intents: ['members', 'messageContent'] })
  const missed = await sendMessage(ada, general.id, 'missed')
  const { sessionId } = messages
  const moved = await resumeOn(a, { token: bot.token, sessionId, seq: 1 })
  assert.deepEqual(
    moved.frames.map(({ t, d }) => [t, d.id, d.content]),
    [
      ['MESSAGE_CREATE', missed.id, ''],
      ['RESUMED', undefined, undefined],
    ],
  )
  // No event of the intent `servers`.
  await ada.client.json('PATCH', `/api/channels/${general.id}`, { topic: 'news' })
  await sendMessage(ada, general.id, 'marker')
  const { t: name, d } = await moved.client.nextDispatch()
  assert.deepEqual([name, d.content], ['MESSAGE_CREATE', ''])
  // The session that would need a privileged intent ends on its node and is not found on this one.
  await ada.client.json('PATCH', path, { privilegedIntents: ['members'] })
  assert.equal((await members.closed).code, 4014)
  const ended = await resumeOn(a, { token: bot.token, sessionId: members.sessionId, seq: 1 })
  assert.equal(ended.frames.at(-1)?.op, 9)
})
