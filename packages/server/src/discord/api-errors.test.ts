import assert from 'node:assert/strict'
import { eachDiscordBot } from './discord-testing.ts'

eachDiscordBot('a request without a valid bot token is 401 as in Discord (discord/errors)', async setup => {
  const { owner, bot, service, send } = setup
  const client = service.client()
  for (const authorization of ['', 'Bot x', `Bearer ${bot.token}`, bot.token]) {
    const headers = authorization === '' ? {} : { authorization }
    const reply = await client.get('/api/v10/users/@me', headers)
    assert.deepEqual([reply.status, reply.body.code], [401, 0])
    const isMisplaced = authorization.includes(bot.token)
    const hint = '. The Authorization header has a bot token, which belongs after "Bot".'
    assert.equal(reply.body.message, `401: Unauthorized${isMisplaced ? hint : ''}`)
  }
  // The session of a person is no credential of this API.
  assert.equal((await owner.client.get('/api/v10/users/@me')).status, 401)
  assert.equal((await send('GET', '/users/@me')).headers.get('access-control-allow-origin'), null)
})

eachDiscordBot('version 9 is version 10, and no other version exists (discord/api-versions)', async setup => {
  const { service, bot, send } = setup
  const headers = { authorization: `Bot ${bot.token}` }
  const client = service.client()
  const { body } = await send('GET', '/users/@me')
  assert.deepEqual((await client.get('/api/v9/users/@me', headers)).body, body)
  for (const version of ['v8', 'v1', 'v11']) {
    assert.equal((await client.get(`/api/${version}/users/@me`, headers)).status, 404)
  }
})

eachDiscordBot('an unknown path is 404 with the code 0, for browsers too (discord/errors)', async setup => {
  const { service, server, general, bot, sendText } = setup
  const headers = { authorization: `Bot ${bot.token}`, accept: 'text/html' }
  const get = (path: string) => service.client().get(`/api/v10${path}`, headers)
  for (const path of [
    '',
    '/',
    '/x',
    '/users',
    `/channels/${general.id}/x`,
    `/guilds/${server.id}/x/y`,
    '/webhooks',
  ]) {
    const reply = await get(path)
    assert.deepEqual([reply.status, reply.body], [404, { code: 0, message: '404: Not Found' }], path)
    assert.equal(reply.headers.get('content-type'), 'application/json')
  }
  assert.deepEqual((await get('/%zz')).body, { code: 0, message: 'The URL is malformed.' })
  const method = await sendText('PUT', '/users/@me', '{}')
  assert.deepEqual([method.status, method.body], [405, { code: 0, message: '405: Method Not Allowed' }])
  const text = await sendText('PATCH', `/channels/${general.id}`, 'x', 'text/plain')
  assert.deepEqual([text.status, text.body.code], [400, 50109])
})

eachDiscordBot(
  'what is no id in a path is 400 and names it as in Discord (discord/path-ids)',
  async setup => {
    const { bot, general, server, send } = setup
    const commands = `/applications/${bot.applicationId}/guilds/%00/commands`
    for (const [method, path, field, value] of [
      ['GET', '/channels/abc', 'channel_id', 'abc'],
      ['DELETE', `/channels/${general.id}/messages/1;2`, 'message_id', '1;2'],
      ['GET', `/channels/${general.id}/messages/-1`, 'message_id', '-1'],
      ['GET', '/users/%00', 'user_id', '\u0000'],
      ['GET', '/users/@me%00', 'user_id', '@me\u0000'],
      ['PATCH', '/webhooks/%2540me', 'webhook_id', '%40me'],
      ['PUT', `/guilds/${server.id}/members/${bot.botId}/roles/x`, 'role_id', 'x'],
      ['GET', commands, 'guild_id', '\u0000'],
      ['POST', commands, 'guild_id', '\u0000'],
    ] as const) {
      const reply = await send(method, path, method === 'POST' ? { name: 'a', description: 'b' } : undefined)
      const message = `Value ${JSON.stringify(value)} is not snowflake.`
      const errors = { [field]: { _errors: [{ code: 'NUMBER_TYPE_COERCE', message }] } }
      const expected = { code: 50035, message: 'Invalid Form Body', errors }
      assert.deepEqual([reply.status, reply.body], [400, expected], path)
    }
    // A number that is no id here is unknown.
    assert.equal((await send('GET', '/channels/1')).body.code, 10003)
    const ofGuild = `/applications/${bot.applicationId}/guilds/1/commands`
    assert.deepEqual((await send('GET', ofGuild)).body, { code: 50001, message: 'Missing Access' })
    assert.equal((await send('GET', '/users/@me')).body.id, bot.botId)
  },
)

eachDiscordBot('what does not exist here has an error that says so (discord/unsupported)', async setup => {
  const { server, general, send } = setup
  const { id } = general
  const message = '1000000000000000001'
  for (const [method, path, what] of [
    ['PUT', `/channels/${id}/messages/${message}/reactions/x/@me`, 'Reactions are'],
    ['PUT', `/channels/${id}/pins/${message}`, 'Pinned messages are'],
    ['PUT', `/channels/${id}/messages/pins/${message}`, 'Pinned messages are'],
    ['POST', `/channels/${id}/threads`, 'Threads are'],
    ['POST', `/channels/${id}/messages/${message}/threads`, 'Threads are'],
    ['PATCH', `/guilds/${server.id}/voice-states/@me`, 'Voice is'],
    ['PATCH', `/guilds/${server.id}/members/@me/nick`, 'Nicknames are'],
    ['POST', `/guilds/${server.id}/emojis`, 'Emojis are'],
    ['POST', `/guilds/${server.id}/stickers`, 'Stickers are'],
    ['POST', `/guilds/${server.id}/scheduled-events`, 'Scheduled events are'],
    ['POST', '/guilds', 'Creating guilds is'],
    ['GET', `/guilds/${server.id}/roles/member-counts`, 'This part of guilds is'],
  ] as const) {
    const reply = await send(method, path)
    const expected = { code: 0, message: `${what} not supported by this service.` }
    assert.deepEqual([reply.status, reply.body], [404, expected], path)
  }
})

eachDiscordBot('a cap has the number of its error in Discord (discord/errors)', async setup => {
  const { server, service, send } = setup
  await service.db.run`
    INSERT INTO roles (id, server_id, name, permissions, color, position)
    WITH RECURSIVE n(i) AS (SELECT 1000 UNION ALL SELECT i + 1 FROM n WHERE i < 1247)
    SELECT CAST(i + 2000000000000000000 AS TEXT), CAST(${server.id} AS TEXT), 'r', '0', 0, 1 FROM n`
  const reply = await send('POST', `/guilds/${server.id}/roles`, { name: 'one more' })
  const message = 'Maximum number of guild roles reached (250)'
  assert.deepEqual([reply.status, reply.body], [400, { code: 30005, message }])
})

eachDiscordBot('no token of a bot is in the log', async ({ service, bot, general, send }) => {
  await send('POST', `/channels/${general.id}/messages`, { content: '' })
  await service.client().get('/api/v10/x', { authorization: `Bot ${bot.token}` })
  assert.equal(
    service.log.some(line => line.includes(bot.token)),
    false,
  )
})

eachDiscordBot('a role above the bot is refused with the reason (discord/errors)', async setup => {
  const { owner, ann, server, send } = setup
  const params = { id: server.id }
  const role = await owner.client.call('createRole', { ...params, body: { name: 'High', permissions: '0' } })
  await owner.client.call('updateRole', { ...params, roleId: role.id, body: { position: 10 } })
  for (const [method, path, body] of [
    ['PATCH', `/roles/${role.id}`, { name: 'Low' }],
    ['DELETE', `/roles/${role.id}`, undefined],
    ['PUT', `/members/${ann.id}/roles/${role.id}`, undefined],
  ] as const) {
    const reply = await send(method, `/guilds/${server.id}${path}`, body)
    const message = 'Missing Permissions. The role is higher than your highest role.'
    assert.deepEqual([reply.status, reply.body], [403, { code: 50013, message }])
  }
})
