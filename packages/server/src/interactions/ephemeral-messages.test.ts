import assert from 'node:assert/strict'
import { readdir, readFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { test } from 'node:test'
import type { InteractionCreate } from '@gatehouse/protocol/interactions'
import { maxEphemeralBytes, rates } from '@gatehouse/protocol/limits'
import { addBot } from '@gatehouse/testkit/applications'
import { eachService, startNodes, type TestService } from '@gatehouse/testkit/service'
import { subjects } from '../events/gateway-events.ts'
import {
  assertError,
  botOnNode,
  buttons,
  createBot,
  createWorld,
  history,
  pressButton,
  putCommands,
  receivedEvent,
  recordEvents,
  respond,
  runCommand,
  type TestBot,
  type World,
} from './interactions-testing.ts'

const secret = 'only-ann-may-read-this'
const ephemeralResponse = {
  type: 'message',
  data: { content: secret, ephemeral: true, components: buttons('go', 'stop') },
}

/** The content of every file and every table of the service. */
async function readStorage(service: TestService): Promise<string> {
  const { databaseUrl, dataDir } = service.config
  if (service.db.engine === 'postgres') {
    const rows = await service.db.all<{ body: string }>`
      SELECT CAST(query_to_xml('SELECT * FROM ' || table_name, true, false, '') AS TEXT) AS body
      FROM information_schema.tables WHERE table_schema = 'public'`
    assert.ok(rows.length > 10)
    return rows.map(({ body }) => body).join('') + (await contentsOf(dataDir))
  }
  const folder = dirname(databaseUrl.slice('sqlite:'.length))
  return (await contentsOf(folder)) + (await contentsOf(dataDir))
}

async function contentsOf(folder: string): Promise<string> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true })
  const files = entries.filter(entry => entry.isFile()).map(entry => join(entry.parentPath, entry.name))
  const bodies = await Promise.all(files.map(file => readFile(file, 'latin1')))
  return bodies.join('\n')
}

eachService(
  'only one user receives an ephemeral message, and nothing of it is stored (bots/ephemeral)',
  async (_t, service) => {
    const world = await createWorld(service)
    const { bot, ann, owner, channelId, serverId } = world
    await bot.connect()
    const [annEvents, ownerEvents, channelEvents, serverEvents] = [
      await recordEvents(service, subjects.user(ann.id)),
      await recordEvents(service, subjects.user(owner.id)),
      await recordEvents(service, subjects.channel(channelId)),
      await recordEvents(service, subjects.server(serverId)),
    ]
    const { event, reply } = await respond(world, runCommand(world, 'ping'), ephemeralResponse)
    const { message } = reply.body
    assert.deepEqual([message.ephemeral, message.content, message.state], [true, secret, 'sent'])
    assert.deepEqual(message.interaction.id, event.id)
    assert.deepEqual(annEvents.of('MESSAGE_CREATE'), [message])

    const edited = await bot.response('PATCH', event, 'original', { content: `${secret} still` })
    assert.deepEqual([edited.status, edited.body.ephemeral], [200, true])
    assert.deepEqual(annEvents.of('MESSAGE_UPDATE'), [edited.body])
    const more = await bot.followup(event, { content: `${secret} more`, flags: 64 })
    assert.equal(more.body.ephemeral, true)

    assert.deepEqual((await history(world)).body, [])
    for (const { client } of [ann, owner]) {
      assertError(await client.get(`/api/channels/${channelId}/messages/${message.id}`), 404, 'not_found')
      const path = `/api/channels/${channelId}/messages/${message.id}`
      assertError(await client.json('DELETE', path), 404, 'not_found')
    }
    // A pressed button, so that the log of interactions mentions the message too.
    await respond(world, pressButton(world, message.id, 'go'), {
      type: 'update',
      data: { content: `${secret} pressed` },
    })
    const publicMessage = await bot.json('POST', `/api/channels/${channelId}/messages`, {
      content: 'for-everybody',
    })
    assert.equal(publicMessage.status, 201)

    for (const events of [ownerEvents, channelEvents, serverEvents]) {
      assert.ok(
        !JSON.stringify([...events.of('MESSAGE_CREATE'), ...events.of('MESSAGE_UPDATE')]).includes(secret),
      )
    }
    const stored = await readStorage(service)
    assert.ok(stored.includes('for-everybody'), 'the search finds stored content')
    assert.ok(!stored.includes(secret))
    assert.ok(!service.log.join('').includes(secret))

    assert.equal((await bot.response('DELETE', event, 'original')).status, 204)
    assert.deepEqual(annEvents.of('MESSAGE_DELETE'), [{ id: message.id, channelId, serverId }])
    assertError(await bot.response('GET', event, 'original'), 404, 'not_found')
  },
)

eachService(
  'only the user of an ephemeral message can press its buttons (bots/ephemeral)',
  async (_t, service) => {
    const world = await createWorld(service)
    const { bot, owner, ann, channelId } = world
    await bot.connect()
    const annEvents = await recordEvents(service, subjects.user(ann.id))
    const { reply } = await respond(world, runCommand(world, 'ping'), ephemeralResponse)
    const { id, components } = reply.body.message
    const body = { type: 'component', channelId, messageId: id, customId: 'go' }
    assertError(await owner.client.json('POST', '/api/interactions', body), 404, 'not_found')
    assertError(await pressButton(world, id, 'unknown'), 404, 'not_found')
    const event = await receivedEvent(world, pressButton(world, id, 'go'))
    assert.ok(event.type === 'component')
    assert.deepEqual(event.message, { id, content: secret, components })
    const data = { content: 'Pressed', components: [], ephemeral: true }
    const updated = await bot.callback(event, { type: 'update', data })
    assert.equal(updated.status, 200, updated.text)
    const { message } = updated.body
    assert.deepEqual(
      [message.id, message.content, message.components, message.ephemeral],
      [id, 'Pressed', [], true],
    )
    assert.deepEqual(annEvents.of('MESSAGE_UPDATE'), [message])
    assert.deepEqual((await bot.response('GET', event, 'original')).body, message)
  },
)

eachService(
  '404: update of an ephemeral message that was deleted (bots/button-message-deleted)',
  async (_t, service) => {
    const world = await createWorld(service)
    const { bot } = world
    await bot.connect()
    const { event, reply } = await respond(world, runCommand(world, 'ping'), ephemeralResponse)
    const pressed = await receivedEvent(world, pressButton(world, reply.body.message.id, 'go'))
    assert.equal((await bot.response('DELETE', event, 'original')).status, 204)
    assertError(await bot.callback(pressed, { type: 'update', data: { content: 'x' } }), 404, 'not_found')
    assert.equal((await bot.callback(pressed, ephemeralResponse)).status, 200)
  },
)

eachService(
  'an ephemeral message expires with the token of its interaction and at a restart (bots/ephemeral)',
  async (_t, service) => {
    const world = await createWorld(service)
    const { bot } = world
    await bot.connect()
    const first = await respond(world, runCommand(world, 'ping'), ephemeralResponse)
    service.clock.advance(15 * 60_000 - 1)
    await receivedEvent(world, pressButton(world, first.reply.body.message.id, 'go'))
    service.clock.advance(1)
    assertError(await pressButton(world, first.reply.body.message.id, 'go'), 404, 'not_found')

    const second = await respond(world, runCommand(world, 'ping'), ephemeralResponse)
    await service.restart()
    assertError(await bot.response('GET', second.event, 'original'), 404, 'not_found')
    assert.equal((await bot.followup(second.event, { content: 'still here' })).status, 200)
  },
)

eachService(
  'an ephemeral message has the signed URLs of its pictures (webhooks/media-proxy)',
  async (_t, service) => {
    const world = await createWorld(service)
    const { bot, ann } = world
    await bot.connect()
    const annEvents = await recordEvents(service, subjects.user(ann.id))
    const embedsOf = (name: string) => [{ thumbnail: { url: `http://ci.example/${name}.png` } }]
    const { event } = await respond(world, runCommand(world, 'ping'), {
      type: 'message',
      data: { embeds: embedsOf('first'), ephemeral: true },
    })
    await bot.response('PATCH', event, 'original', { embeds: embedsOf('second') })
    await bot.followup(event, { embeds: embedsOf('third'), ephemeral: true })
    const messages = [...annEvents.of('MESSAGE_CREATE'), ...annEvents.of('MESSAGE_UPDATE')]
    const pictures = messages.map(({ embeds }) => {
      const { url, proxy_url: path } = embeds[0]?.thumbnail ?? { url: '' }
      const query = new URLSearchParams(path?.replace('/media-proxy?', ''))
      assert.equal(query.get('poster'), messages[0]?.author.id)
      return [url, Buffer.from(query.get('url') ?? '', 'base64url').toString()]
    })
    assert.deepEqual(
      pictures,
      ['first', 'third', 'second'].map(name => Array(2).fill(`http://ci.example/${name}.png`)),
    )
  },
)

eachService('applies all concurrent edits of an ephemeral message', async (_t, service) => {
  const world = await createWorld(service)
  const { bot, ann } = world
  await bot.connect()
  const annEvents = await recordEvents(service, subjects.user(ann.id))
  const { event } = await respond(world, runCommand(world, 'ping'), ephemeralResponse)
  const replies = await Promise.all(
    Array.from({ length: 10 }, (_, n) => bot.response('PATCH', event, 'original', { content: `edit ${n}` })),
  )
  assert.deepEqual(new Set(replies.map(({ status }) => status)), new Set([200]))
  assert.equal(annEvents.of('MESSAGE_UPDATE').length, 10)
})

eachService(
  'the size of ephemeral messages of a bot has a rate, and beyond it nothing changes (limits/ephemerals)',
  async (_t, service) => {
    assert.deepEqual(rates.ephemeralKibibytes, { count: 3840, seconds: 60 })
    const world = await createWorld(service)
    const { bot, owner, serverId } = world
    await bot.connect()
    const text = 'x'.repeat(2000)
    const { event } = await respond(world, runCommand(world, 'ping'), {
      type: 'message',
      data: { content: text, ephemeral: true },
    })
    const more = { content: text, ephemeral: true }
    // Each has 3 KiB as JSON, and the burst is 12 KiB.
    for (let i = 0; i < 4; i++) assert.equal((await bot.followup(event, more)).status, 200)
    const limited = await bot.followup(event, more)
    assertError(limited, 429, 'rate_limited')
    assert.equal(
      limited.body.message,
      'Too many KiB of ephemeral messages: at most 6 per 60 seconds are accepted here.',
    )
    assert.ok(Number(limited.headers.get('retry-after')) > 20)
    assertError(await bot.response('PATCH', event, 'original', { content: 'edited' }), 429, 'rate_limited')
    assert.equal((await bot.response('GET', event, 'original')).body.content, text)
    assert.equal((await bot.followup(event, { content: text })).status, 200, 'a stored message')

    const other = await createBot(service, owner, 'coin_bot')
    await addBot(owner.client, other.applicationId, serverId)
    const commands = await putCommands(other, [{ name: 'flip', description: 'Flips a coin' }])
    await other.connect()
    const flip = { ...world, bot: other, commands }
    const flipped = await respond(flip, runCommand(flip, 'flip'), { type: 'message', data: more })
    assert.equal(flipped.reply.status, 200, 'another bot')

    const pinged = await receivedEvent(world, runCommand(world, 'ping'))
    assertError(await bot.callback(pinged, { type: 'message', data: more }), 429, 'rate_limited')
    assert.equal((await bot.callback(pinged, { type: 'message', data: { content: text } })).status, 200)
    service.clock.advance(60_000)
    assert.equal((await bot.response('PATCH', event, 'original', { content: 'edited' })).status, 200)
    assert.equal((await bot.followup(event, more)).status, 200)
  },
  { env: { RATE_LIMITS: 'ephemeralKibibytes=6/60' } },
)

/** A second bot on the server, with an ephemeral message that has a button. */
async function respondWithOtherBot(world: World): Promise<{ other: World; messageId: string }> {
  const bot = await createBot(world.service, world.owner, 'coin_bot')
  await addBot(world.owner.client, bot.applicationId, world.serverId)
  const other = { ...world, bot, commands: await putCommands(bot, [{ name: 'flip', description: 'Flips' }]) }
  await bot.connect()
  const { reply } = await respond(other, runCommand(other, 'flip'), ephemeralResponse)
  return { other, messageId: reply.body.message.id }
}

/** Sends more ephemeral messages than an application may have, and returns the id of the last one. */
async function sendTooMany(bots: readonly TestBot[], event: InteractionCreate): Promise<string> {
  const text = 'x'.repeat(2000)
  const embeds = [1, 2, 3].map(() => ({ description: text }))
  const sent: string[] = []
  for (let bytes = 0; bytes < maxEphemeralBytes; ) {
    const replies = await Promise.all(
      bots.map(bot =>
        bot.followup(event, { content: text, embeds, components: buttons('go'), ephemeral: true }),
      ),
    )
    for (const { status, text, body } of replies) {
      assert.equal(status, 200, text)
      bytes += text.length
      sent.push(body.id)
    }
  }
  return sent.at(-1) ?? ''
}

eachService(
  'a bot with too many ephemeral messages loses its own oldest ones, and no other bot does (bots/ephemeral)',
  async (_t, service) => {
    const world = await createWorld(service)
    const { bot } = world
    await bot.connect()
    const { other, messageId } = await respondWithOtherBot(world)
    const { event, reply } = await respond(world, runCommand(world, 'ping'), ephemeralResponse)
    const lastId = await sendTooMany([bot], event)
    assertError(await pressButton(world, reply.body.message.id, 'go'), 404, 'not_found')
    assert.equal((await pressButton(world, lastId, 'go')).status, 202)
    assert.equal((await pressButton(other, messageId, 'go')).status, 202)
  },
  { env: { RATE_LIMITS: 'off' } },
)

eachService(
  'an edit that makes an ephemeral message larger counts too (bots/ephemeral)',
  async (_t, service) => {
    const world = await createWorld(service)
    const { bot } = world
    await bot.connect()
    const { event, reply } = await respond(world, runCommand(world, 'ping'), ephemeralResponse)
    const text = 'x'.repeat(2000)
    const embeds = [1, 2, 3].map(() => ({ description: text }))
    for (let count = 0; count < maxEphemeralBytes / 8000; count++) {
      const { body } = await bot.followup(event, { content: 'small', ephemeral: true })
      const edited = await bot.response('PATCH', event, `followup/${body.id}`, { content: text, embeds })
      assert.equal(edited.status, 200, edited.text)
    }
    assertError(await pressButton(world, reply.body.message.id, 'go'), 404, 'not_found')
  },
  { env: { RATE_LIMITS: 'off' } },
)

test('the nodes share the number of ephemeral messages of a bot (bots/ephemeral)', async t => {
  const [a, b] = (await startNodes(t)) ?? []
  if (!a || !b) return
  const world = await createWorld(a)
  const { bot } = world
  await bot.connect()
  const { other, messageId } = await respondWithOtherBot(world)
  const { event, reply } = await respond(world, runCommand(world, 'ping'), ephemeralResponse)
  const lastId = await sendTooMany([bot, botOnNode(b, bot)], event)
  assertError(await pressButton(world, reply.body.message.id, 'go'), 404, 'not_found')
  assert.equal((await pressButton(world, lastId, 'go')).status, 202)
  assert.equal((await pressButton(other, messageId, 'go')).status, 202)
})
