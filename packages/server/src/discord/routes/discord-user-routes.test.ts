import assert from 'node:assert/strict'
import { addBot } from '@gatehouse/testkit/applications'
import { createServer, register } from '@gatehouse/testkit/community'
import { eachDiscordBot } from '../discord-testing.ts'

eachDiscordBot('a bot reads itself and users on common servers, and no others', async setup => {
  const { service, bot, ann, send, call } = setup
  const self = await call('GET', '/users/@me')
  assert.deepEqual([self.id, self.username, self.global_name], [bot.botId, 'helper', 'Helper'])
  assert.deepEqual(await call('PATCH', '/users/@me', {}), await call('GET', '/users/@me'))
  assert.equal((await call('GET', `/users/${ann.id}`)).username, 'ann')
  const stranger = await register(service, 'stranger')
  for (const id of [stranger.id, '1000000000000000001']) {
    const reply = await send('GET', `/users/${id}`)
    assert.deepEqual([reply.status, reply.body], [404, { code: 10013, message: 'Unknown User' }])
  }
})

eachDiscordBot(
  'a bot lists its servers in pages, and leaves them',
  async ({ owner, bot, server, call, send }) => {
    const second = await createServer(owner)
    await addBot(owner.client, bot.applicationId, second.server.id)
    const idsOf = async (query: string) =>
      (await call('GET', `/users/@me/guilds${query}`)).map(({ id }: { id: string }) => id)
    const [first, last] = [server.id, second.server.id]
    assert.deepEqual(await idsOf(''), [first, last])
    assert.deepEqual(await idsOf('?limit=1'), [first])
    assert.deepEqual(await idsOf(`?limit=1&after=${first}`), [last])
    assert.deepEqual(await idsOf(`?after=0&limit=200`), [first, last])
    assert.deepEqual(await idsOf(`?before=${last}&limit=200`), [first])
    assert.equal((await send('GET', '/users/@me/guilds?limit=201')).body.code, 50035)
    const [guild] = await call('GET', '/users/@me/guilds')
    assert.deepEqual([guild.name, guild.owner, guild.icon], ['Server', false, null])

    assert.equal((await send('DELETE', `/users/@me/guilds/${last}`)).status, 204)
    assert.deepEqual(await idsOf(''), [first])
    assert.equal((await send('DELETE', `/users/@me/guilds/${last}`)).body.code, 10004)
  },
)

eachDiscordBot('a bot opens a direct message with an id that is a number (discord/ids)', async setup => {
  const { service, ann, call, send, sendText } = setup
  const reply = await sendText('POST', '/users/@me/channels', `{"recipient_id":${ann.id}}`)
  const { id, type, recipients } = reply.body
  assert.deepEqual([type, recipients[0].id], [1, ann.id])
  assert.equal((await call('GET', `/channels/${id}`)).recipients[0].username, 'ann')
  await call('POST', `/channels/${id}/messages`, { content: 'hello' })
  const stranger = await register(service, 'stranger')
  const refused = await send('POST', '/users/@me/channels', { recipient_id: stranger.id })
  assert.equal(refused.body.code, 10013)
  assert.equal(
    (await send('POST', '/users/@me/channels', {})).body.errors.recipient_id._errors[0].code,
    'BASE_TYPE_REQUIRED',
  )
})

eachDiscordBot(
  'the application has its owner, the key of signed requests and the flags of its intents (discord/application)',
  async ({ owner, bot, call }) => {
    const { applicationId: id } = bot
    const body = { privilegedIntents: ['members', 'messageContent'], public: true } as const
    const { publicKey } = await owner.client.call('updateApplication', {
      id,
      body: { ...body, privilegedIntents: [...body.privilegedIntents] },
    })
    const application = await call('GET', '/oauth2/applications/@me')
    assert.deepEqual(await call('GET', '/applications/@me'), application)
    assert.deepEqual(
      [application.id, application.verify_key, application.flags, application.bot_public],
      [id, publicKey, (1 << 15) | (1 << 19), true],
    )
    assert.deepEqual([application.owner.id, application.bot.id], [owner.id, bot.botId])
    assert.equal(application.approximate_guild_count, 1)
  },
)

eachDiscordBot(
  'the gateway has the address of this API and the rate of identifies (discord/gateway-url)',
  async ({ service, call }) => {
    const url = `${service.url.replace('http', 'ws')}/api/v10/gateway/ws`
    assert.deepEqual((await service.client().get('/api/v10/gateway')).body, { url })
    assert.deepEqual(await call('GET', '/gateway/bot'), {
      url,
      shards: 1,
      session_start_limit: { total: 60, remaining: 60, reset_after: 0, max_concurrency: 1 },
    })
  },
  { env: { RATE_LIMITS: 'on' } },
)
