import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { InteractionCreate } from '@gatehouse/protocol/interactions'
import { eachService, startNodes, type TestService } from '@gatehouse/testkit/service'
import { subjects } from '../events/gateway-events.ts'
import {
  connectUser,
  type Frame,
  type GatewayClient,
  identify,
  resumeSession,
  sessionHeaders,
} from '../gateway/gateway-testing.ts'
import {
  botOnNode,
  createWorld,
  history,
  pressButton,
  runCommand,
  type World,
} from './interactions-testing.ts'

const pong = { type: 'message', data: { content: 'pong' } }

function parseInteraction({ t, d }: Frame): InteractionCreate {
  assert.equal(t, 'INTERACTION_CREATE')
  const payload: unknown = d
  return payload as InteractionCreate
}

async function nextInteraction(client: GatewayClient): Promise<InteractionCreate> {
  for (;;) {
    const frame = await client.nextDispatch()
    if (frame.t !== 'SERVER_ADD' && frame.t !== 'RESUMED') return parseInteraction(frame)
  }
}

/** The payload of the next event with this name. */
async function nextPayload(client: GatewayClient, name: string): Promise<unknown> {
  for (;;) {
    const { t, d } = await client.nextDispatch()
    if (t === name) return d
  }
}

eachService(
  'sends the command to the bot and the response to the user over the gateway',
  async (_t, service) => {
    const world = await createWorld(service)
    const session = await identify(service, world.bot)
    const ann = await connectUser(service, world.ann)
    const reply = await runCommand(world, 'ping', { nonce: 'n' })
    assert.deepEqual([reply.status, reply.body.state], [202, 'pending'])
    const event = await nextInteraction(session)
    const answer = await world.bot.callback(event, pong)
    assert.equal(answer.status, 200, answer.text)
    // In any order, because one is sent to the channel and the other to the user.
    const events = [await ann.nextDispatch(), await ann.nextDispatch()]
    assert.deepEqual(events.find(({ t }) => t === 'MESSAGE_CREATE')?.d, answer.body.message)
    const update = { id: event.id, state: 'answered', nonce: 'n' }
    assert.deepEqual(events.find(({ t }) => t === 'INTERACTION_UPDATE')?.d, update)
    const ephemeral = await world.bot.followup(event, { content: 'only you', ephemeral: true })
    assert.deepEqual(await nextPayload(ann, 'MESSAGE_CREATE'), ephemeral.body)
  },
)

eachService(
  'sends the interaction to the other session if the first one closes (bots/interaction-delivery)',
  async (_t, service) => {
    const world = await createWorld(service)
    const sessions = [await identify(service, world.bot), await identify(service, world.bot)] as const
    await runCommand(world, 'ping')
    const first = await Promise.race(
      sessions.map(async session => ({ session, event: await nextInteraction(session) })),
    )
    first.session.socket.terminate()
    const second = sessions.find(session => session.sessionId !== first.session.sessionId)
    assert.ok(second)
    assert.deepEqual(await nextInteraction(second), first.event)
    assert.equal((await world.bot.callback(first.event, pong)).status, 200)
  },
)

eachService(
  'a session that resumes receives the pending command and one from its gap, each once (bots/interaction-delivery)',
  async (_t, service) => {
    const world = await createWorld(service)
    const session = await identify(service, world.bot)
    await runCommand(world, 'ping')
    const event = await nextInteraction(session)
    const disconnected = await watchDisconnects(service, world)
    session.socket.terminate()
    await disconnected()
    const inGap = await runCommand(world, 'ping')
    assert.equal(inGap.body.state, 'pending')
    const resumed = await resumeSession(service, {
      token: world.bot.token,
      sessionId: session.sessionId,
      seq: 1,
    })
    assert.deepEqual(await nextInteraction(resumed), event)
    const second = await nextInteraction(resumed)
    assert.equal(second.id, inGap.body.id)
    for (const one of [event, second]) assert.equal((await world.bot.callback(one, pong)).status, 200)
    const third = await runCommand(world, 'ping')
    assert.equal((await nextInteraction(resumed)).id, third.body.id)
  },
)

eachService(
  'a bot that connects before the deadline receives the command, once (bots/interaction-delivery)',
  async (_t, service) => {
    const world = await createWorld(service)
    const first = await runCommand(world, 'ping')
    service.clock.advance(2900)
    const session = await identify(service, world.bot)
    const event = await nextInteraction(session)
    assert.equal(event.id, first.body.id)
    assert.equal((await world.bot.callback(event, pong)).status, 200)
  },
)

eachService(
  'a bot that is removed from a server receives SERVER_REMOVE, stays connected and cannot ' +
    'respond there (bots/bot-removed)',
  async (_t, service) => {
    const world = await createWorld(service)
    const session = await identify(service, world.bot)
    await runCommand(world, 'ping')
    const event = await nextInteraction(session)
    const path = `/api/servers/${world.serverId}/members/${world.bot.botId}`
    assert.equal((await world.owner.client.json('DELETE', path)).status, 204)
    assert.deepEqual(await nextPayload(session, 'SERVER_REMOVE'), { id: world.serverId })
    assert.equal((await world.bot.callback(event, pong)).status, 404)
    session.send({ op: 1, d: 2 })
    assert.equal((await session.nextFrame()).op, 11)
  },
)

test('a bot on one node responds to interactions of another node, including ephemeral buttons', async t => {
  const [a, b] = (await startNodes(t)) ?? []
  if (!a || !b) return
  const world = await createWorld(a)
  const bot = botOnNode(b, world.bot)
  const session = await identify(b, bot)
  const ann = await connectUser(b, { ...world.ann, client: clientOnNode(b, world.ann.client.cookies) })
  await runCommand(world, 'ping')
  const event = await nextInteraction(session)
  const components = [
    { type: 'row', components: [{ type: 'button', style: 'primary', label: 'Go', customId: 'go' }] },
  ]
  const data = { content: 'Only you', ephemeral: true, components }
  const created = await bot.callback(event, { type: 'message', data })
  assert.equal(created.status, 200, created.text)
  assert.deepEqual(await nextPayload(ann, 'MESSAGE_CREATE'), created.body.message)
  // The timer of the other node finds the interaction answered and publishes nothing.
  a.clock.advance(3000)
  const pressed = await pressButton(world, created.body.message.id, 'go')
  assert.equal(pressed.status, 202, pressed.text)
  const second = await nextInteraction(session)
  const updated = await bot.callback(second, { type: 'update', data: { content: 'Pressed' } })
  assert.equal(updated.status, 200, updated.text)
  assert.deepEqual(await nextPayload(ann, 'MESSAGE_UPDATE'), updated.body.message)
  const states = ann.takeFrames().flatMap(({ t, d }) => (t === 'INTERACTION_UPDATE' ? [d] : []))
  assert.ok(!JSON.stringify(states).includes('timed_out'))
  assert.deepEqual((await history(world)).body, [])
})

test('exactly one of 100 concurrent callbacks on two nodes succeeds', async t => {
  const [a, b] = (await startNodes(t)) ?? []
  if (!a || !b) return
  const world = await createWorld(a)
  const session = await identify(b, world.bot)
  await runCommand(world, 'ping')
  const event = await nextInteraction(session)
  const bots = [world.bot, botOnNode(b, world.bot)]
  const replies = await Promise.all(Array.from({ length: 100 }, (_, n) => bots[n % 2]?.callback(event, pong)))
  assert.equal(replies.filter(reply => reply?.status === 200).length, 1)
  assert.equal(replies.filter(reply => reply?.status === 409).length, 99)
  assert.equal((await history(world)).body.length, 1)
})

test('sends the interaction to a session on the other node (bots/interaction-delivery)', async t => {
  const [a, b] = (await startNodes(t)) ?? []
  if (!a || !b) return
  const world = await createWorld(a)
  const sessions = [await identify(a, world.bot), await identify(b, world.bot)] as const
  const created = await runCommand(world, 'ping')
  const first = await Promise.race(
    sessions.map(async (session, index) => ({ index, event: await nextInteraction(session) })),
  )
  assert.equal(first.event.id, created.body.id)
  sessions[first.index]?.socket.terminate()
  const other = sessions[1 - first.index]
  assert.ok(other)
  assert.deepEqual(await nextInteraction(other), first.event)
  assert.equal((await world.bot.callback(first.event, pong)).status, 200)
  assert.equal((await history(world)).body.length, 1)
})

test('a command waits on its node for a session of the bot on another node (bots/interaction-delivery)', async t => {
  const [a, b] = (await startNodes(t)) ?? []
  if (!a || !b) return
  const world = await createWorld(a)
  const onOther = { ...world, ann: { ...world.ann, client: clientOnNode(b, world.ann.client.cookies) } }
  for (const node of [a, b]) {
    const waiting = [await runCommand(world, 'ping'), await runCommand(onOther, 'ping')]
    const session = await identify(node, world.bot)
    const events = [await nextInteraction(session), await nextInteraction(session)]
    assert.deepEqual(new Set(events.map(({ id }) => id)), new Set(waiting.map(({ body }) => body.id)))
    for (const event of events) assert.equal((await world.bot.callback(event, pong)).status, 200)
    const next = await runCommand(world, 'ping')
    const last = await nextInteraction(session)
    assert.equal(last.id, next.body.id, 'the session received each once')
    assert.equal((await world.bot.callback(last, pong)).status, 200)
    const watches = [await watchDisconnects(a, world), await watchDisconnects(b, world)]
    session.socket.terminate()
    await Promise.all(watches.map(disconnected => disconnected()))
  }
})

/** Returns a function that waits until a session of the bot has lost its connection. */
async function watchDisconnects(service: TestService, { bot }: World): Promise<() => Promise<void>> {
  const { promise, resolve } = Promise.withResolvers<void>()
  await service.bus.subscribe(subjects.gatewaySessionDisconnected(bot.applicationId), () => resolve())
  return () => promise
}

/** A client with the same cookies on another node. */
function clientOnNode(service: TestService, cookies: ReadonlyMap<string, string>) {
  const client = service.client()
  for (const [name, value] of cookies) client.cookies.set(name, value)
  assert.ok(sessionHeaders(service, { client }).cookie)
  return client
}
