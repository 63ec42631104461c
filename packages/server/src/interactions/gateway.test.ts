import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { InteractionCreate } from '@gatehouse/protocol/interactions'
import {
  type Frame,
  type GatewayClient,
  headersOf,
  identified,
  online,
  resuming,
} from '../gateway/testing.ts'
import { eachService, startNodes, type TestService } from '../testing.ts'
import { botAt, history, makeWorld, press, until, use } from './testing.ts'

const pong = { type: 'message', data: { content: 'pong' } }

/** The interaction in a frame. A parse edge: what came over the wire. */
function interactionIn({ t, d }: Frame): InteractionCreate {
  assert.equal(t, 'INTERACTION_CREATE')
  const payload: unknown = d
  return payload as InteractionCreate
}

async function interaction(client: GatewayClient): Promise<InteractionCreate> {
  for (;;) {
    const frame = await client.event()
    if (frame.t !== 'SERVER_ADD') return interactionIn(frame)
  }
}

/** The next event of that name. */
async function next(client: GatewayClient, name: string): Promise<unknown> {
  for (;;) {
    const { t, d } = await client.event()
    if (t === name) return d
  }
}

eachService('from the person to the bot and back over the gateway', async (_t, service) => {
  const world = await makeWorld(service)
  const session = await identified(service, world.bot)
  const ann = await online(service, world.ann)
  const reply = await use(world, 'ping', { nonce: 'n' })
  assert.deepEqual([reply.status, reply.body.state], [202, 'pending'])
  const event = await interaction(session)
  const answer = await world.bot.callback(event, pong)
  assert.equal(answer.status, 200, answer.text)
  // In no order: one goes to the channel, the other to the person.
  const told = [await ann.event(), await ann.event()]
  assert.deepEqual(told.find(({ t }) => t === 'MESSAGE_CREATE')?.d, answer.body.message)
  const progress = { id: event.id, state: 'answered', nonce: 'n' }
  assert.deepEqual(told.find(({ t }) => t === 'INTERACTION_UPDATE')?.d, progress)
  const whisper = await world.bot.followup(event, { content: 'hush', ephemeral: true })
  assert.deepEqual(await next(ann, 'MESSAGE_CREATE'), whisper.body)
})

eachService('a session that closes leaves its interaction to the other (D26)', async (_t, service) => {
  const world = await makeWorld(service)
  const sessions = [await identified(service, world.bot), await identified(service, world.bot)] as const
  await use(world, 'ping')
  const first = await Promise.race(
    sessions.map(async session => ({ session, event: await interaction(session) })),
  )
  first.session.socket.terminate()
  const second = sessions.find(session => session.sessionId !== first.session.sessionId)
  assert.ok(second)
  assert.deepEqual(await interaction(second), first.event)
  assert.equal((await world.bot.callback(first.event, pong)).status, 200)
})

eachService(
  'with every session gone the next use fails, and the open one can be resumed (D54)',
  async (_t, service) => {
    const world = await makeWorld(service)
    const session = await identified(service, world.bot)
    await use(world, 'ping')
    const event = await interaction(session)
    session.socket.terminate()
    await until(async () => (await use(world, 'ping')).body.state === 'failed')
    const resumed = await resuming(service, { token: world.bot.token, sessionId: session.sessionId, seq: 1 })
    assert.deepEqual(await interaction(resumed), event)
    assert.equal((await world.bot.callback(event, pong)).status, 200)
  },
)

eachService(
  'D53: a bot that is removed from a server is told, stays connected, and answers nothing there any more',
  async (_t, service) => {
    const world = await makeWorld(service)
    const session = await identified(service, world.bot)
    await use(world, 'ping')
    const event = await interaction(session)
    const path = `/api/servers/${world.serverId}/members/${world.bot.botId}`
    assert.equal((await world.owner.client.json('DELETE', path)).status, 204)
    assert.deepEqual(await next(session, 'SERVER_REMOVE'), { id: world.serverId })
    assert.equal((await world.bot.callback(event, pong)).status, 404)
    session.send({ op: 1, d: 2 })
    assert.equal((await session.take()).op, 11)
  },
)

test('a bot on one node answers what was asked on the other, ephemeral buttons too', async t => {
  const [a, b] = (await startNodes(t)) ?? []
  if (!a || !b) return
  const world = await makeWorld(a)
  const bot = botAt(b, world.bot)
  const session = await identified(b, bot)
  const ann = await online(b, { ...world.ann, client: at(b, world.ann.client.cookies) })
  await use(world, 'ping')
  const event = await interaction(session)
  const components = [
    { type: 'row', components: [{ type: 'button', style: 'primary', label: 'Go', customId: 'go' }] },
  ]
  const data = { content: 'Only you', ephemeral: true, components }
  const shown = await bot.callback(event, { type: 'message', data })
  assert.equal(shown.status, 200, shown.text)
  assert.deepEqual(await next(ann, 'MESSAGE_CREATE'), shown.body.message)
  // By its own timer the node that asked would find it answered: nobody is told anything else.
  a.clock.advance(3000)
  const pressed = await press(world, shown.body.message.id, 'go')
  assert.equal(pressed.status, 202, pressed.text)
  const second = await interaction(session)
  const updated = await bot.callback(second, { type: 'update', data: { content: 'Pressed' } })
  assert.equal(updated.status, 200, updated.text)
  assert.deepEqual(await next(ann, 'MESSAGE_UPDATE'), updated.body.message)
  const states = ann.rest().flatMap(({ t, d }) => (t === 'INTERACTION_UPDATE' ? [d] : []))
  assert.ok(!JSON.stringify(states).includes('timed_out'))
  assert.deepEqual((await history(world)).body, [])
})

test('of 100 callbacks on two nodes one stands', async t => {
  const [a, b] = (await startNodes(t)) ?? []
  if (!a || !b) return
  const world = await makeWorld(a)
  const session = await identified(b, world.bot)
  await use(world, 'ping')
  const event = await interaction(session)
  const bots = [world.bot, botAt(b, world.bot)]
  const replies = await Promise.all(Array.from({ length: 100 }, (_, n) => bots[n % 2]?.callback(event, pong)))
  assert.equal(replies.filter(reply => reply?.status === 200).length, 1)
  assert.equal(replies.filter(reply => reply?.status === 409).length, 99)
  assert.equal((await history(world)).body.length, 1)
})

test('a session that closes on one node leaves its interaction to one on the other (D26)', async t => {
  const [a, b] = (await startNodes(t)) ?? []
  if (!a || !b) return
  const world = await makeWorld(a)
  const sessions = [await identified(a, world.bot), await identified(b, world.bot)] as const
  const asked = await use(world, 'ping')
  const taken = await Promise.race(
    sessions.map(async (session, index) => ({ index, event: await interaction(session) })),
  )
  assert.equal(taken.event.id, asked.body.id)
  sessions[taken.index]?.socket.terminate()
  const other = sessions[1 - taken.index]
  assert.ok(other)
  assert.deepEqual(await interaction(other), taken.event)
  assert.equal((await world.bot.callback(taken.event, pong)).status, 200)
  assert.equal((await history(world)).body.length, 1)
})

test('with its last session gone, on whichever node, the bot is offline on both at once (check 80)', async t => {
  const [a, b] = (await startNodes(t)) ?? []
  if (!a || !b) return
  const world = await makeWorld(a)
  assert.equal((await use(world, 'ping')).body.state, 'failed')
  const session = await identified(b, world.bot)
  await use(world, 'ping')
  const event = await interaction(session)
  assert.equal((await world.bot.callback(event, pong)).status, 200)
  session.socket.terminate()
  const elsewhere = { ...world, ann: { ...world.ann, client: at(b, world.ann.client.cookies) } }
  for (const near of [world, elsewhere]) {
    await until(async () => (await use(near, 'ping')).body.state === 'failed')
  }
})

/** A browser with the same cookies at another node. */
function at(service: TestService, cookies: ReadonlyMap<string, string>) {
  const client = service.client()
  for (const [name, value] of cookies) client.cookies.set(name, value)
  assert.ok(headersOf(service, { id: '', client }).cookie)
  return client
}
