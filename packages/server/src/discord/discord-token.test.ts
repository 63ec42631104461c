import assert from 'node:assert/strict'
import { encodeBotId, toDiscordToken } from '@gatehouse/protocol/bot-token'
import { eachDiscordBot } from './discord-testing.ts'
import { connectDiscord, identifyDiscord, resumeDiscord } from './gateway/discord-gateway-testing.ts'

eachDiscordBot("a bot token is accepted in the form of Discord's API (bots/discord-token)", async setup => {
  const { service, bot } = setup
  const get = (token: string) => service.client().get('/api/v10/users/@me', { authorization: `Bot ${token}` })
  const accepted = [
    toDiscordToken(bot.botId, bot.token),
    toDiscordToken(bot.applicationId, bot.token),
    `${encodeBotId(bot.botId)}.Zz_-09.${bot.token}`,
  ]
  for (const token of accepted) {
    assert.equal((await get(token)).body.id, bot.botId, token)
    const session = await identifyDiscord(service, { token, intents: 0 })
    const resumed = await resumeDiscord(service, { token, session_id: session.sessionId, seq: 1 })
    assert.equal((await resumed.nextDispatch()).t, 'RESUMED')
  }
})

eachDiscordBot('another id or form of it is a wrong token (bots/discord-token)', async setup => {
  const { service, bot, ann } = setup
  const id = encodeBotId(bot.botId)
  const wrongSecret = `${bot.token.slice(0, -1)}${bot.token.endsWith('0') ? '1' : '0'}`
  for (const token of [
    toDiscordToken(ann.id, bot.token),
    toDiscordToken(bot.botId, wrongSecret),
    `${Buffer.from(bot.botId).toString('base64')}=.AAAAAA.${bot.token}`,
    `${bot.botId}.AAAAAA.${bot.token}`,
    `${id}.AAAAA.${bot.token}`,
    `${id}.AAAA A.${bot.token}`,
    `${id}.${bot.token}`,
    `.AAAAAA.${bot.token}`,
    `${id}.AAAAAA.${id}.AAAAAA.${bot.token}`,
  ]) {
    const authorization = `Bot ${token}`
    const reply = await service.client().get('/api/v10/users/@me', { authorization })
    assert.deepEqual([reply.status, reply.body], [401, { code: 0, message: '401: Unauthorized' }], token)
    for (const frame of [
      { op: 2, d: { token, intents: 0, properties: {} } },
      { op: 6, d: { token, session_id: 'x', seq: 1 } },
    ]) {
      const client = await connectDiscord(service)
      client.send(frame)
      assert.equal((await client.closed).code, 4004, token)
    }
  }
})
