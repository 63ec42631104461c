import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { test } from 'node:test'
import { createInflate, createZstdDecompress } from 'node:zlib'
import { advanceUntilSettled } from '@gatehouse/testkit/clock'
import { eachService, startNodes, startService } from '@gatehouse/testkit/service'
import { WebSocket } from 'ws'
import { subjects } from '../../events/gateway-events.ts'
import { openSlowSocket, sendMessage, terminate } from '../../gateway/gateway-testing.ts'
import {
  bit,
  call,
  connectDiscord,
  createDiscordWorld,
  identifyDiscord,
  nextEvent,
  resumeDiscord,
  takeEvent,
} from './discord-gateway-testing.ts'

const intents = bit.guilds | bit.messages | bit.messageContent
const ack = { t: null, s: null, op: 11, d: null }

for (const compress of ['zlib-stream', 'zstd-stream']) {
  const query = `?v=10&encoding=json&compress=${compress}`

  eachService(
    `${compress}: all frames of a connection are one stream, from HELLO (discord/gateway)`,
    async (_t, service) => {
      const { ada, bot, server, general } = await createDiscordWorld(service)
      const session = await identifyDiscord(service, { token: bot.token, intents }, { query })
      assert.equal(session.ready.d.user.id, bot.userId)
      assert.equal((await takeEvent(session, 'GUILD_CREATE')).id, server.id)
      session.send({ op: 1, d: 2 })
      assert.deepEqual(await session.nextFrame(), ack)
      await sendMessage(ada, general.id, 'Grüße 🙂')
      const { t, s, d } = await session.nextFrame()
      assert.deepEqual([t, s, d.content], ['MESSAGE_CREATE', 3, 'Grüße 🙂'])
      session.send({ op: 8, d: { guild_id: server.id, query: 'ada', limit: 1 } })
      assert.equal((await takeEvent(session, 'GUILD_MEMBERS_CHUNK')).members.length, 1)
      const restarted = service.restart()
      assert.equal((await session.nextFrame()).op, 7)
      assert.equal((await session.closed).code, 1012)
      await restarted
      const rejected = await resumeDiscord(
        service,
        { token: bot.token, session_id: session.sessionId, seq: 3 },
        { query },
      )
      assert.deepEqual(await rejected.nextFrame(), { t: null, s: null, op: 9, d: false })
      rejected.send({ op: 2, d: { token: bot.token, intents } })
      assert.equal((await nextEvent(rejected, 'READY')).user.id, bot.userId)
    },
  )

  eachService(
    `${compress}: a session is resumed on connections with and without compression (discord/gateway)`,
    async (_t, service) => {
      const { ada, bot, general } = await createDiscordWorld(service)
      const session = await identifyDiscord(service, { token: bot.token, intents }, { query })
      await takeEvent(session, 'GUILD_CREATE')
      await sendMessage(ada, general.id, 'one')
      await takeEvent(session, 'MESSAGE_CREATE')
      await terminate(service, session)
      const resume = { token: bot.token, session_id: session.sessionId }
      const plain = await resumeDiscord(service, { ...resume, seq: 2 })
      assert.equal((await takeEvent(plain, 'MESSAGE_CREATE')).content, 'one')
      await takeEvent(plain, 'RESUMED')
      const compressed = await resumeDiscord(service, { ...resume, seq: 2 }, { query })
      assert.equal((await takeEvent(compressed, 'MESSAGE_CREATE')).content, 'one')
      assert.equal((await plain.closed).code, 4000)
      await sendMessage(ada, general.id, 'two')
      assert.equal((await nextEvent(compressed, 'MESSAGE_CREATE')).content, 'two')
    },
  )

  test(`${compress}: a session continues on another node (discord/gateway)`, async t => {
    const [a, b] = (await startNodes(t)) ?? []
    if (!a || !b) return
    const { ada, bot, general } = await createDiscordWorld(a)
    const onB = await identifyDiscord(b, { token: bot.token, intents }, { query })
    await takeEvent(onB, 'GUILD_CREATE')
    await sendMessage(ada, general.id, 'one')
    assert.equal((await takeEvent(onB, 'MESSAGE_CREATE')).content, 'one')
    const onA = await connectDiscord(a, { query })
    onA.send({ op: 6, d: { token: bot.token, session_id: onB.sessionId, seq: 2 } })
    await advanceUntilSettled(
      a.clock,
      onA.nextFrame().then(({ d }) => assert.equal(d.content, 'one')),
      1,
    )
    await takeEvent(onA, 'RESUMED')
  })
}

test('sessions of both compressions and of none get the same events (discord/gateway)', async t => {
  const service = await startService(t)
  const { ada, bot, general } = await createDiscordWorld(service)
  const sessions = []
  for (const compress of ['zlib-stream', 'zstd-stream', 'none']) {
    const query = `?v=10&encoding=json&compress=${compress}`
    const session = await identifyDiscord(service, { token: bot.token, intents }, { query })
    await takeEvent(session, 'GUILD_CREATE')
    sessions.push(session)
  }
  const { id } = await call(ada, 'POST', `/api/channels/${general.id}/messages`, { content: 'hello' })
  const [first, ...others] = await Promise.all(sessions.map(session => session.nextFrame()))
  assert.equal(first?.d.id, id)
  for (const frame of others) assert.deepEqual(frame, first)
})

test('the decompressors of Node.js read each frame when it arrives (discord/gateway)', async t => {
  const service = await startService(t)
  for (const [compress, stream] of [
    ['zlib-stream', createInflate()],
    ['zstd-stream', createZstdDecompress()],
  ] as const) {
    const socket = new WebSocket(
      `${service.url.replace('http', 'ws')}/api/v10/gateway/ws?compress=${compress}`,
    )
    t.after(() => socket.close())
    socket.on('message', data => stream.write(data))
    const nextFrame = () =>
      new Promise(resolve => stream.once('data', text => resolve(JSON.parse(text.toString()))))
    const hello = await nextFrame()
    assert.deepEqual(hello, { t: null, s: null, op: 10, d: { heartbeat_interval: 41_250 } })
    for (let n = 0; n < 3; n++) {
      socket.send('{"op":1,"d":null}')
      assert.deepEqual(await nextFrame(), ack)
    }
  }
})

test('the limit of queued bytes counts those before compression (discord/gateway, gateway/queued-bytes)', async t => {
  const service = await startService(t, { env: { RATE_LIMITS: 'off' } })
  const { ada, bot, general } = await createDiscordWorld(service)
  const message = await sendMessage(ada, general.id, 'hello')
  const identify = { token: bot.token, intents: bit.messages | bit.messageContent }
  const path = '/api/v10/gateway/ws?compress=zlib-stream'
  await openSlowSocket(t, service, { path, identify })
  const reading = await identifyDiscord(service, identify)
  const readMetric = async (name: string) => {
    const { text } = await service.client().get('/metrics')
    return Number(text.match(new RegExp(`^${name}\\S* (\\d+)`, 'm'))?.[1])
  }
  // The content has half as many bytes after compression.
  const contentBytes = 14 * 1024
  let queued = 0
  let events = 0
  while ((await readMetric('gatehouse_gateway_sessions')) === 2) {
    for (let n = 0; n < (queued > 0 ? 1 : 20); n++) {
      const content = randomBytes(contentBytes / 2).toString('hex')
      service.bus.publish(subjects.channel(general.id), { t: 'MESSAGE_CREATE', d: { ...message, content } })
      await takeEvent(reading, 'MESSAGE_CREATE')
    }
    queued = Math.max(queued, await readMetric('gatehouse_gateway_queued_bytes'))
    if (queued > 0) events++
  }
  const mebibyte = 1024 * 1024
  // With the bytes after compression, it would be twice as many.
  assert.ok(events < (1.2 * mebibyte) / contentBytes, `${events} events were queued`)
  assert.ok(queued > mebibyte / 2 && queued < 1.2 * mebibyte, `${queued} bytes were queued`)
})
