import assert from 'node:assert/strict'
import { eachDiscordBot } from '../discord-testing.ts'

const unknownId = '1000000000000000001'
const noThreads = { threads: [], members: [], has_more: false }

eachDiscordBot(
  'lists of what does not exist here are empty (discord/empty-lists)',
  async ({ bot, server, general, call, send }) => {
    const ofGuild = {
      '/emojis': [],
      '/stickers': [],
      '/scheduled-events': [],
      '/auto-moderation/rules': [],
      '/templates': [],
      '/regions': [],
      '/soundboard-sounds': { items: [] },
      '/threads/active': { threads: [], members: [] },
    }
    for (const [path, list] of Object.entries(ofGuild)) {
      assert.deepEqual(await call('GET', `/guilds/${server.id}${path}`), list, path)
      const { status, body } = await send('GET', `/guilds/${unknownId}${path}`)
      assert.deepEqual([status, body.code], [404, 10004], path)
    }
    const ofChannel = {
      '/pins': [],
      '/messages/pins': { items: [], has_more: false },
      '/threads/archived/public': noThreads,
      '/threads/archived/private': noThreads,
      '/users/@me/threads/archived/private': noThreads,
    }
    for (const [path, list] of Object.entries(ofChannel)) {
      assert.deepEqual(await call('GET', `/channels/${general.id}${path}`), list, path)
      const { status, body } = await send('GET', `/channels/${unknownId}${path}`)
      assert.deepEqual([status, body.code], [404, 10003], path)
    }
    assert.deepEqual(await call('GET', '/sticker-packs'), { sticker_packs: [] })
    assert.deepEqual(await call('GET', '/voice/regions'), [])
    assert.deepEqual(await call('GET', '/soundboard-default-sounds'), [])
    assert.deepEqual(await call('GET', `/applications/${bot.applicationId}/emojis`), { items: [] })
    assert.equal((await send('GET', `/applications/${unknownId}/emojis`)).body.code, 20012)
  },
)

eachDiscordBot(
  'nothing is written to the empty lists, and they have no entries (discord/unsupported)',
  async ({ bot, server, general, send }) => {
    for (const [method, path] of [
      ['POST', `/guilds/${server.id}/emojis`],
      ['GET', `/guilds/${server.id}/emojis/${unknownId}`],
      ['POST', `/guilds/${server.id}/stickers`],
      ['GET', `/sticker-packs/${unknownId}`],
      ['POST', `/guilds/${server.id}/scheduled-events`],
      ['POST', `/guilds/${server.id}/auto-moderation/rules`],
      ['POST', `/guilds/${server.id}/templates`],
      ['POST', `/guilds/${server.id}/soundboard-sounds`],
      ['DELETE', `/guilds/${server.id}/integrations/${unknownId}`],
      ['PUT', `/channels/${general.id}/pins/${unknownId}`],
      ['PUT', `/channels/${general.id}/messages/pins/${unknownId}`],
      ['POST', `/channels/${general.id}/threads`],
      ['POST', `/applications/${bot.applicationId}/emojis`],
    ] as const) {
      const { status, body } = await send(method, path)
      assert.deepEqual([status, body.code], [404, 0], `${method} ${path}`)
      assert.match(body.message, /not supported by this service\.$/)
    }
  },
)
