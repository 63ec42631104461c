import assert from 'node:assert/strict'
import { readdir, readFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { subjects } from '../../platform/events.ts'
import { eachService, type TestService } from '../../testing.ts'
import {
  answered,
  assertRefused,
  buttons,
  eventOf,
  history,
  listen,
  makeWorld,
  press,
  use,
} from '../testing.ts'

const secret = 'only-ann-may-read-this'
const whisper = {
  type: 'message',
  data: { content: secret, ephemeral: true, components: buttons('go', 'stop') },
}

/** All that the service has written: every file of it, and every row of every table. */
async function written(service: TestService): Promise<string> {
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

eachService('an ephemeral message is for one person and in no store (D30, check 82)', async (_t, service) => {
  const world = await makeWorld(service)
  const { bot, ann, owner, channelId, serverId } = world
  await bot.connect()
  const [toAnn, toOwner, toChannel, toServer] = [
    await listen(service, subjects.user(ann.id)),
    await listen(service, subjects.user(owner.id)),
    await listen(service, subjects.channel(channelId)),
    await listen(service, subjects.server(serverId)),
  ]
  const { event, reply } = await answered(world, use(world, 'ping'), whisper)
  const { message } = reply.body
  assert.deepEqual([message.ephemeral, message.content, message.state], [true, secret, 'sent'])
  assert.deepEqual(message.interaction.id, event.id)
  assert.deepEqual(toAnn.of('MESSAGE_CREATE'), [message])

  const edited = await bot.response('PATCH', event, 'original', { content: `${secret} still` })
  assert.deepEqual([edited.status, edited.body.ephemeral], [200, true])
  assert.deepEqual(toAnn.of('MESSAGE_UPDATE'), [edited.body])
  const more = await bot.followup(event, { content: `${secret} more`, flags: 64 })
  assert.equal(more.body.ephemeral, true)

  assert.deepEqual((await history(world)).body, [])
  for (const { client } of [ann, owner]) {
    assertRefused(await client.get(`/api/channels/${channelId}/messages/${message.id}`), 404, 'not_found')
    const path = `/api/channels/${channelId}/messages/${message.id}`
    assertRefused(await client.json('DELETE', path), 404, 'not_found')
  }
  // Pressed, so that the log has something to say of it too.
  await answered(world, press(world, message.id, 'go'), {
    type: 'update',
    data: { content: `${secret} pressed` },
  })
  const publicly = await bot.json('POST', `/api/channels/${channelId}/messages`, { content: 'for-everybody' })
  assert.equal(publicly.status, 201)

  for (const heard of [toOwner, toChannel, toServer]) {
    assert.ok(
      !JSON.stringify([...heard.of('MESSAGE_CREATE'), ...heard.of('MESSAGE_UPDATE')]).includes(secret),
    )
  }
  const everything = await written(service)
  assert.ok(everything.includes('for-everybody'), 'the search finds what is written')
  assert.ok(!everything.includes(secret))
  assert.ok(!service.log.join('').includes(secret))

  assert.equal((await bot.response('DELETE', event, 'original')).status, 204)
  assert.deepEqual(toAnn.of('MESSAGE_DELETE'), [{ id: message.id, channelId, serverId }])
  assertRefused(await bot.response('GET', event, 'original'), 404, 'not_found')
})

eachService('D30: a button on an ephemeral message works for its person alone', async (_t, service) => {
  const world = await makeWorld(service)
  const { bot, owner, ann, channelId } = world
  await bot.connect()
  const toAnn = await listen(service, subjects.user(ann.id))
  const { reply } = await answered(world, use(world, 'ping'), whisper)
  const { id, components } = reply.body.message
  const body = { type: 'component', channelId, messageId: id, customId: 'go' }
  assertRefused(await owner.client.json('POST', '/api/interactions', body), 404, 'not_found')
  assertRefused(await press(world, id, 'unknown'), 404, 'not_found')
  const event = await eventOf(world, press(world, id, 'go'))
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
  assert.deepEqual(toAnn.of('MESSAGE_UPDATE'), [message])
  assert.deepEqual((await bot.response('GET', event, 'original')).body, message)
})

eachService(
  '404: an ephemeral message that was deleted meanwhile cannot be updated (check 75)',
  async (_t, service) => {
    const world = await makeWorld(service)
    const { bot } = world
    await bot.connect()
    const { event, reply } = await answered(world, use(world, 'ping'), whisper)
    const pressed = await eventOf(world, press(world, reply.body.message.id, 'go'))
    assert.equal((await bot.response('DELETE', event, 'original')).status, 204)
    assertRefused(await bot.callback(pressed, { type: 'update', data: { content: 'x' } }), 404, 'not_found')
    assert.equal((await bot.callback(pressed, whisper)).status, 200)
  },
)

eachService(
  'an ephemeral message ends with the token of its interaction, and with a restart (D30, check 82)',
  async (_t, service) => {
    const world = await makeWorld(service)
    const { bot } = world
    await bot.connect()
    const first = await answered(world, use(world, 'ping'), whisper)
    service.clock.advance(15 * 60_000 - 1)
    await eventOf(world, press(world, first.reply.body.message.id, 'go'))
    service.clock.advance(1)
    assertRefused(await press(world, first.reply.body.message.id, 'go'), 404, 'not_found')

    const second = await answered(world, use(world, 'ping'), whisper)
    await service.restart()
    assertRefused(await bot.response('GET', second.event, 'original'), 404, 'not_found')
    assert.equal((await bot.followup(second.event, { content: 'still here' })).status, 200)
  },
)

eachService(
  'edits of an ephemeral message at once are all made, one after the other',
  async (_t, service) => {
    const world = await makeWorld(service)
    const { bot, ann } = world
    await bot.connect()
    const toAnn = await listen(service, subjects.user(ann.id))
    const { event } = await answered(world, use(world, 'ping'), whisper)
    const replies = await Promise.all(
      Array.from({ length: 10 }, (_, n) =>
        bot.response('PATCH', event, 'original', { content: `edit ${n}` }),
      ),
    )
    assert.deepEqual(new Set(replies.map(({ status }) => status)), new Set([200]))
    assert.equal(toAnn.of('MESSAGE_UPDATE').length, 10)
  },
)
