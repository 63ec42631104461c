import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Permission } from '@gatehouse/protocol/permissions'
import { addBot } from '@gatehouse/testkit/applications'
import { advanceUntilSettled } from '@gatehouse/testkit/clock'
import { createServer } from '@gatehouse/testkit/community'
import { startNodes, type TestService } from '@gatehouse/testkit/service'
import { identify, resumeSession, sendNumbered } from '../../gateway/gateway-testing.ts'
import {
  bit,
  call,
  connectDiscord,
  createDiscordWorld,
  type DiscordClient,
  type DiscordFrame,
  identifyDiscord,
  takeEvent,
} from './discord-gateway-testing.ts'

const intents = bit.guilds | bit.messages | bit.messageContent

/** Resumes a session. Resolves to all frames up to RESUMED or opcode 9. */
async function resumeOn(node: TestService, d: { token: string; session_id: string; seq: number }) {
  const client = await connectDiscord(node)
  const frames: DiscordFrame[] = []
  async function read(): Promise<void> {
    for (;;) {
      const frame = await client.nextFrame()
      frames.push(frame)
      if (frame.t === 'RESUMED' || frame.op === 9) return
    }
  }
  client.send({ op: 6, d })
  await advanceUntilSettled(node.clock, read(), 1)
  return { client, frames }
}

async function readUntil(client: DiscordClient, content: string): Promise<DiscordFrame[]> {
  const frames: DiscordFrame[] = []
  while (frames.at(-1)?.d.content !== content) frames.push(await client.nextDispatch())
  return frames
}

test('a session continues on another node: each message once, in order (gateway/hand-over)', async t => {
  const [a, b] = (await startNodes(t)) ?? []
  if (!a || !b) return
  const { ada, bot, general } = await createDiscordWorld(a)
  const onB = await identifyDiscord(b, { token: bot.token, intents })
  await takeEvent(onB, 'GUILD_CREATE')
  const messages = sendNumbered(ada, general.id)
  const received = await readUntil(onB, '3')
  // The connection to the first node stays open, as after a failure of the network.
  const session = { token: bot.token, session_id: onB.sessionId, seq: received.at(-1)?.s ?? 0 }
  const onA = await resumeOn(a, session)
  received.push(...onA.frames)
  assert.equal(received.at(-1)?.t, 'RESUMED')
  assert.equal((await onB.closed).code, 4000)
  const count = await messages.stop()
  received.push(...(await readUntil(onA.client, String(count))))
  const contents = received.flatMap(({ t: name, d }) =>
    name === 'MESSAGE_CREATE' ? [Number(d.content)] : [],
  )
  assert.deepEqual(
    contents,
    Array.from({ length: count }, (_, n) => n + 1),
  )
  assert.deepEqual(
    received.map(({ s }) => s),
    received.map((_, n) => n + 3),
  )
  assert.ok(received.every(({ d }) => d.id === undefined || d.channel_id === general.id))
})

test('a node that stops hands its session over, with the changes of visibility (gateway/hand-over)', async t => {
  const [a, b] = (await startNodes(t)) ?? []
  if (!a || !b) return
  const { ada, bot, server, general } = await createDiscordWorld(a)
  const onB = await identifyDiscord(b, { token: bot.token, intents })
  await takeEvent(onB, 'GUILD_CREATE')
  const restarted = b.restart()
  const readReconnect = async () => assert.equal((await onB.nextFrame()).op, 7)
  await advanceUntilSettled(b.clock, readReconnect(), 10)
  const deny = Permission.VIEW_CHANNEL.toString()
  await call(ada, 'PUT', `/api/channels/${general.id}/overwrites/${bot.userId}`, {
    type: 'member',
    allow: '0',
    deny,
  })
  const news = await call(ada, 'POST', `/api/servers/${server.id}/channels`, { name: 'news' })
  const { client, frames } = await resumeOn(a, { token: bot.token, session_id: onB.sessionId, seq: 2 })
  assert.equal(frames.at(-1)?.t, 'RESUMED')
  const channels = frames.slice(0, -1).map(({ t: name, d }) => [name, d.id, d.name])
  // The hidden channel has no name.
  assert.deepEqual(channels.toSorted(), [
    ['CHANNEL_CREATE', news.id, 'news'],
    ['CHANNEL_DELETE', general.id, ''],
  ])
  await advanceUntilSettled(b.clock, restarted, 1)
  const { server: other } = await createServer(ada)
  await addBot(ada.client, bot.applicationId, other.id)
  assert.equal((await takeEvent(client, 'GUILD_CREATE')).id, other.id)
})

test('no node takes a session of the other format, or one that lacks a server of READY (discord/resume)', async t => {
  const [a, b] = (await startNodes(t)) ?? []
  if (!a || !b) return
  const { bot } = await createDiscordWorld(a)
  const { token } = bot
  const discord = await identifyDiscord(b, { token, intents })
  await takeEvent(discord, 'GUILD_CREATE')
  const native = await identify(b, { token, intents: ['messages'] })
  const onDiscord = await resumeOn(a, { token, session_id: native.sessionId, seq: 1 })
  assert.equal(onDiscord.frames.at(-1)?.op, 9)
  const onNative = await resumeSession(a, { token, sessionId: discord.sessionId, seq: 2 })
  assert.equal((await onNative.nextFrame()).op, 9)
  for (const client of [discord, native]) {
    client.send({ op: 1, d: null })
    assert.equal((await client.nextFrame()).op, 11, 'its session continues')
  }
  const early = await resumeOn(a, { token, session_id: discord.sessionId, seq: 1 })
  assert.equal(early.frames.at(-1)?.op, 9)
})
