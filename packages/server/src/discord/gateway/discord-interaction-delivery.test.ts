import assert from 'node:assert/strict'
import { test } from 'node:test'
import { toDiscordToken } from '@gatehouse/protocol/bot-token'
import { eachService, startNodes, type TestService } from '@gatehouse/testkit/service'
import { type GatewayClient, identify } from '../../gateway/gateway-testing.ts'
import { createWorld, runCommand, type World } from '../../interactions/interactions-testing.ts'
import {
  bit,
  type DiscordClient,
  identifyDiscord,
  nextEvent,
  resumeDiscord,
  takeEvent,
} from './discord-gateway-testing.ts'

/** Responds to an interaction of Discord's format, without `Authorization`. */
function respond(service: TestService, { id, token }: { id: string; token: string }) {
  const body = { type: 4, data: { content: 'pong' } }
  return service.client().json('POST', `/api/v10/interactions/${id}/${token}/callback`, body)
}

async function connect(service: TestService, { bot }: World) {
  const session = await identifyDiscord(service, { token: bot.token, intents: bit.guilds })
  await takeEvent(session, 'GUILD_CREATE')
  return session
}

/** The id of the next interaction, and its client. */
async function nextOf(client: DiscordClient | GatewayClient) {
  for (;;) {
    const { t, d } = await client.nextDispatch()
    if (t === 'INTERACTION_CREATE') return { client, d }
  }
}

eachService(
  'a command reaches the bot, which responds with its token (discord/gateway-interactions)',
  async (_t, service) => {
    const world = await createWorld(service)
    const session = await connect(service, world)
    const { body } = await runCommand(world, 'ping')
    const event = await nextEvent(session, 'INTERACTION_CREATE')
    assert.deepEqual([event.id, event.type, event.version], [body.id, 2, 1])
    assert.deepEqual([event.guild_id, event.channel_id], [world.serverId, world.channelId])
    assert.deepEqual([event.data.name, event.member.user.id], ['ping', world.ann.id])
    assert.match(event.token, /^gdi_/)
    assert.equal((await respond(service, event)).status, 204)
  },
)

eachService(
  'a session with a token in the form of Discord can respond (bots/discord-token)',
  async (_t, service) => {
    const world = await createWorld(service)
    const token = toDiscordToken(world.bot.botId, world.bot.token)
    const session = await identifyDiscord(service, { token })
    await runCommand(world, 'ping')
    const event = await nextEvent(session, 'INTERACTION_CREATE')
    assert.equal((await respond(service, event)).status, 204)
  },
)

eachService('a command of one server says of which (discord/interactions)', async (_t, service) => {
  const world = await createWorld(service)
  const { bot, serverId } = world
  const path = `/api/applications/@me/servers/${serverId}/commands`
  const { body } = await bot.json('PUT', path, [{ name: 'rules', description: 'The rules' }])
  const session = await connect(service, world)
  await runCommand(world, 'rules', { commandId: body[0].id })
  assert.equal((await nextEvent(session, 'INTERACTION_CREATE')).data.guild_id, serverId)
  await runCommand(world, 'ping')
  assert.equal((await nextEvent(session, 'INTERACTION_CREATE')).data.guild_id, undefined)
})

eachService(
  'sessions of both formats receive commands in turn, each in its own (discord/gateway-interactions)',
  async (_t, service) => {
    const world = await createWorld(service)
    const discord = await connect(service, world)
    const native = await identify(service, { token: world.bot.token })
    const ids = [(await runCommand(world, 'ping')).body.id, (await runCommand(world, 'ping')).body.id]
    const [ofDiscord, ofNative] = [await nextOf(discord), await nextOf(native)]
    assert.deepEqual([ofDiscord.d.id, ofNative.d.id].toSorted(), ids.toSorted())
    assert.match(ofDiscord.d.token, /^gdi_/)
    assert.match(ofNative.d.token, /^git_/)
  },
)

eachService(
  'a command goes to the session of the other format if the first is lost (discord/gateway-interactions)',
  async (_t, service) => {
    const world = await createWorld(service)
    const discord = await connect(service, world)
    const native = await identify(service, { token: world.bot.token })
    const { body } = await runCommand(world, 'ping')
    const first = await Promise.race([nextOf(discord), nextOf(native)])
    const isNative = first.d.token.startsWith('git_')
    const [lost, other] = isNative ? [native, discord] : [discord, native]
    lost.socket.terminate()
    const second = await nextOf(other)
    assert.equal(second.d.id, body.id)
    assert.match(second.d.token, isNative ? /^gdi_/ : /^git_/)
  },
)

eachService(
  'a command during a lost connection is in the resume (discord/gateway-interactions)',
  async (_t, service) => {
    const world = await createWorld(service)
    const session = await connect(service, world)
    session.socket.terminate()
    const { body } = await runCommand(world, 'ping')
    const resumed = await resumeDiscord(service, {
      token: world.bot.token,
      session_id: session.sessionId,
      seq: 2,
    })
    const event = await nextEvent(resumed, 'INTERACTION_CREATE')
    assert.equal(event.id, body.id)
    assert.equal((await respond(service, event)).status, 204)
  },
)

eachService(
  'the token of a session whose bot token was reset is of no use (discord/interaction-token)',
  async (_t, service) => {
    const world = await createWorld(service)
    const session = await connect(service, world)
    // As if the message that closes the session were late.
    await service.db.run`
      UPDATE applications SET bot_token_hash = 'other' WHERE id = ${world.bot.applicationId}`
    await runCommand(world, 'ping')
    const event = await nextEvent(session, 'INTERACTION_CREATE')
    assert.equal((await respond(service, event)).status, 404)
  },
)

test('a command of one node reaches a session of the other (discord/gateway-interactions)', async t => {
  const [a, b] = (await startNodes(t)) ?? []
  if (!a || !b) return
  const world = await createWorld(a)
  const session = await connect(b, world)
  const { body } = await runCommand(world, 'ping')
  const event = await nextEvent(session, 'INTERACTION_CREATE')
  assert.equal(event.id, body.id)
  assert.equal((await respond(a, event)).status, 204)
})
