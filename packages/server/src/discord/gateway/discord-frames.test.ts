import assert from 'node:assert/strict'
import { deflateSync } from 'node:zlib'
import { eachService } from '@gatehouse/testkit/service'
import { openSocket } from '../../gateway/gateway-testing.ts'
import { bit, connectDiscord, createDiscordWorld, nextEvent } from './discord-gateway-testing.ts'

eachService('READY has the version that was asked for (discord/gateway)', async (_t, service) => {
  const { bot } = await createDiscordWorld(service)
  const versions = [
    ['v10/gateway/ws', 10],
    ['v10/gateway/ws?v=9&compress=unknown', 9],
    ['v9/gateway/ws/', 9],
    ['v9/gateway/ws/?v=10&encoding=json', 10],
  ] as const
  for (const [path, version] of versions) {
    const client = openSocket<{ v: number }>(service, {}, `/api/${path}`)
    assert.equal((await client.nextFrame()).op, 10)
    client.send({ op: 2, d: { token: bot.token, intents: 0 } })
    assert.equal((await client.nextFrame()).d.v, version, path)
  }
})

eachService('frames of the client may be binary (discord/gateway)', async (_t, service) => {
  const { bot } = await createDiscordWorld(service)
  const client = await connectDiscord(service)
  client.sendRaw(Buffer.from(JSON.stringify({ op: 2, d: { token: bot.token, intents: bit.guilds } })))
  await nextEvent(client, 'GUILD_CREATE')
  client.sendRaw(Buffer.from('{"op":1,"d":null}'))
  assert.deepEqual(await client.nextFrame(), { t: null, s: null, op: 11, d: null })
  const frames: [string, Buffer][] = [
    ['invalid UTF-8', Buffer.from('{"op":1,"d":null,"x":"\xff"}', 'latin1')],
    ['compressed', deflateSync('{"op":1,"d":null}')],
    ['4,097 bytes', Buffer.from('{"op":1,"d":null}'.padEnd(4097))],
    ['1 MiB', Buffer.alloc(1024 * 1024, ' ')],
    ['no JSON', Buffer.from('hello')],
    ['empty', Buffer.alloc(0)],
  ]
  for (const [name, frame] of frames) {
    const invalid = await connectDiscord(service)
    invalid.sendRaw(frame)
    assert.equal((await invalid.closed).code, 4002, name)
  }
})
