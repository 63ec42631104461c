import assert from 'node:assert/strict'
import { toDiscordToken } from '@gatehouse/protocol/bot-token'
import { Permission } from '@gatehouse/protocol/permissions'
import { eachService, type TestResponse, type TestService } from '@gatehouse/testkit/service'
import { createWorld, receivedEvent, runCommand } from '../interactions/interactions-testing.ts'
import { assertDiscordError, discordBot, discordToken } from './discord-responses-testing.ts'
import { eachDiscordBot } from './discord-testing.ts'
import { bit, identifyDiscord, resumeDiscord, takeEvent } from './gateway/discord-gateway-testing.ts'

const ping = { name: 'ping', description: 'Answers' }

/** As 0.3.0 made it: the bot has another id than its application. */
async function separate(service: TestService, applicationId: string): Promise<string> {
  const id = String(BigInt(applicationId) + 1n)
  await service.db.transaction(async tx => {
    await tx.run`
      INSERT INTO users (id, username, display_name, email_verified, bot, created_at)
      SELECT ${id}, 'older', display_name, 0, 1, created_at FROM users WHERE id = ${applicationId}`
    await tx.run`UPDATE applications SET bot_user_id = ${id} WHERE id = ${applicationId}`
    await tx.run`
      INSERT INTO members (server_id, user_id, joined_at)
      SELECT server_id, ${id}, joined_at FROM members WHERE user_id = ${applicationId}`
    await tx.run`UPDATE member_roles SET user_id = ${id} WHERE user_id = ${applicationId}`
    await tx.run`UPDATE roles SET bot_id = ${id} WHERE bot_id = ${applicationId}`
    await tx.run`DELETE FROM members WHERE user_id = ${applicationId}`
  })
  return id
}

eachDiscordBot('a new bot has the id of its application (discord/application-ids)', async setup => {
  const { bot, call } = setup
  assert.equal(bot.botId, bot.applicationId)
  const { id } = await call('GET', '/users/@me')
  const [command] = await call('PUT', `/applications/${id}/commands`, [ping])
  assert.equal(command.application_id, bot.applicationId)
})

eachDiscordBot(
  'an older bot uses both ids in paths of its application; what is said stays (discord/application-ids)',
  async setup => {
    const { bot, server, call, send, service } = setup
    const id = await separate(service, bot.applicationId)
    assert.equal((await call('GET', '/users/@me')).id, id)
    for (const path of ['/commands', `/guilds/${server.id}/commands`]) {
      const [command] = await call('PUT', `/applications/${id}${path}`, [ping])
      assert.equal(command.application_id, bot.applicationId)
      assert.deepEqual(await call('GET', `/applications/${bot.applicationId}${path}`), [command])
      assert.deepEqual(await call('GET', `/applications/${id}${path}/${command.id}`), command)
    }
    const other = await send('PUT', `/applications/${BigInt(id) + 1n}/commands`, [ping])
    assert.deepEqual([other.status, other.body.code], [403, 20012])
  },
)

eachService(
  'an older bot responds to an interaction with both ids (discord/application-ids)',
  async (_t, service) => {
    const world = await createWorld(service)
    await world.bot.connect()
    const bot = discordBot(service)
    const event = await receivedEvent(world, runCommand(world, 'ping'))
    assert.equal((await bot.callback(event, { type: 4, data: { content: 'hi' } })).status, 204)
    const id = await separate(service, event.applicationId)
    const token = await discordToken(service, event)
    for (const each of [id, event.applicationId]) {
      const reply = await bot.send('POST', `/webhooks/${each}/${token}`, { content: 'more' })
      assert.deepEqual([reply.status, reply.body.application_id], [200, event.applicationId], reply.text)
    }
    const other = `/webhooks/${BigInt(id) + 1n}/${token}`
    assertDiscordError(await bot.send('POST', other, { content: 'more' }), 404, 10015)
  },
)

eachDiscordBot(
  'an older bot runs on: its commands, READY with both ids, and each form of its token (discord/application-ids)',
  async ({ service, bot, ann, server, general, call }) => {
    const [command] = await call('PUT', `/applications/${bot.applicationId}/commands`, [ping])
    const id = await separate(service, bot.applicationId)
    const { applicationId } = bot
    for (const token of [
      bot.token,
      toDiscordToken(id, bot.token),
      toDiscordToken(applicationId, bot.token),
    ]) {
      const client = service.client()
      const send = (method: string, path: string, body?: unknown) =>
        client.json(method, `/api/v10${path}`, body, { authorization: `Bot ${token}` })
      assert.equal((await send('GET', '/users/@me')).body.id, id)
      const session = await identifyDiscord(service, { token, intents: bit.guilds | bit.messages })
      const { user, application } = session.ready.d
      assert.deepEqual([user.id, user.username, user.bot], [id, 'older', true])
      assert.equal(application.id, applicationId)
      const guild = await takeEvent(session, 'GUILD_CREATE')
      assert.deepEqual([guild.id, guild.members[0].user.id], [server.id, id])

      const body = { type: 'command' as const, channelId: general.id, commandId: command.id, options: [] }
      const { id: interactionId } = await ann.client.call('createInteraction', { body })
      const event = await takeEvent(session, 'INTERACTION_CREATE')
      assert.deepEqual(
        [event.id, event.application_id, event.data.id],
        [interactionId, applicationId, command.id],
      )
      const callback = `/interactions/${event.id}/${event.token}/callback`
      const responded = await client.json('POST', `/api/v10${callback}`, { type: 4, data: { content: 'hi' } })
      assert.equal(responded.status, 204, responded.text)
      const response = await takeEvent(session, 'MESSAGE_CREATE')
      assert.deepEqual([response.author.id, response.application_id], [id, applicationId])
      for (const each of [id, applicationId]) {
        const path = `/webhooks/${each}/${event.token}/messages/@original`
        const edited = await client.json('PATCH', `/api/v10${path}`, { content: each })
        assert.deepEqual([edited.status, edited.body.content], [200, each], edited.text)
        await takeEvent(session, 'MESSAGE_UPDATE')
      }
      const sent = await send('POST', `/channels/${general.id}/messages`, { content: 'own' })
      assert.deepEqual([sent.status, sent.body.author.id], [200, id], sent.text)
      const { s: seq } = await session.nextDispatch()
      const resumed = await resumeDiscord(service, { token, session_id: session.sessionId, seq: seq ?? 0 })
      assert.equal((await resumed.nextDispatch()).t, 'RESUMED')
      resumed.socket.close()
      await resumed.closed
    }
    const wrong = toDiscordToken(ann.id, bot.token)
    const refused = await service.client().get('/api/v10/users/@me', { authorization: `Bot ${wrong}` })
    assert.equal(refused.status, 401)
  },
)

/** The location of the redirect, and its query. */
function readRedirect({ status, headers, text }: TestResponse) {
  assert.equal(status, 303, text)
  const url = new URL(headers.get('location') ?? '', 'https://chat.example.org')
  return { path: url.pathname, query: Object.fromEntries(url.searchParams) }
}

eachDiscordBot(
  'a link that a library makes leads to the authorization endpoint (discord/authorize-link)',
  async setup => {
    const { service, bot, server } = setup
    const follow = async (query: Record<string, string>) =>
      readRedirect(await service.client().get(`/api/oauth2/authorize?${new URLSearchParams(query)}`))
    const unknownBits = (1n << 9n) | (1n << 46n)
    const permissions = String(unknownBits | Permission.BAN_MEMBERS)
    const link = { client_id: bot.botId, scope: 'bot applications.commands', permissions, state: 'a b&c' }
    assert.deepEqual(await follow({ ...link, guild_id: server.id }), {
      path: '/oauth2/authorize',
      query: { ...link, permissions: String(Permission.BAN_MEMBERS), server_id: server.id },
    })
    // A server that is named so stays, and so do values that the endpoint rejects.
    const odd = { ...link, guild_id: '1', server_id: server.id, permissions: 'x' }
    assert.deepEqual((await follow(odd)).query, odd)
    // A sign-in is not an installation.
    const signIn = { client_id: bot.applicationId, scope: 'identify', guild_id: '1', permissions }
    assert.deepEqual((await follow(signIn)).query, signIn)
  },
)

eachDiscordBot(
  'the id of an older bot is a client_id only for an installation (discord/authorize-link)',
  async setup => {
    const { service, bot, owner, server } = setup
    const id = await separate(service, bot.applicationId)
    const follow = async (scope: string) => {
      const query = new URLSearchParams({ client_id: id, scope, guild_id: server.id })
      return readRedirect(await service.client().get(`/api/oauth2/authorize?${query}`))
    }
    const installed = await follow('bot')
    assert.equal(installed.query.client_id, bot.applicationId)
    assert.equal((await follow('bot identify')).query.client_id, id)
    // The endpoint itself knows only the id of the application (sign-in/client-id-is-no-user-id).
    const direct = await owner.client.get(`/oauth2/authorize?client_id=${id}&scope=bot`)
    assert.equal(direct.status, 400)
    const page = await owner.client.get(`/oauth2/authorize?${new URLSearchParams(installed.query)}`)
    assert.equal(page.status, 200, page.text)
  },
)
