import assert from 'node:assert/strict'
import { Permission } from '@gatehouse/protocol/permissions'
import { register } from '@gatehouse/testkit/community'
import { eachService, type TestService } from '@gatehouse/testkit/service'
import { sendMessage } from '../../gateway/gateway-testing.ts'
import {
  createWorld,
  pressButton,
  putCommands,
  runCommand,
  type World,
} from '../../interactions/interactions-testing.ts'
import { assertWhole } from '../objects/whole-objects-testing.ts'
import {
  bit,
  call,
  createDiscordWorld,
  type DiscordClient,
  identifyDiscord,
  joinServer,
  nextEvent,
  takeEvent,
} from './discord-gateway-testing.ts'

eachService('the events of servers are whole (discord/whole-objects)', async (_t, service) => {
  const { ada, bot, server } = await createDiscordWorld(service)
  const intents = bit.guilds | bit.members | bit.moderation
  const session = await identifyDiscord(service, { token: bot.token, intents })
  const take = async (name: string, shape: string) => {
    const d = await takeEvent(session, name)
    assertWhole(shape, d)
    return d
  }
  assertWhole('ready', session.ready.d)
  assert.deepEqual([session.ready.d.user.id, session.ready.d.user.flags], [bot.userId, 0])
  assert.equal((await take('GUILD_CREATE', 'guildCreate')).members.length, 2)
  const ben = await register(service, 'ben')
  await joinServer(ada, ben, server.id)
  await take('GUILD_MEMBER_ADD', 'memberEvent')
  const path = `/api/servers/${server.id}`
  const permissions = String(Permission.BAN_MEMBERS | Permission.VIEW_AUDIT_LOG)
  const role = await call(ada, 'POST', `${path}/roles`, { name: 'Guard', permissions })
  await take('GUILD_ROLE_CREATE', 'roleEvent')
  await call(ada, 'PATCH', `${path}/roles/${role.id}`, { color: 1 })
  await take('GUILD_ROLE_UPDATE', 'roleEvent')
  await call(ada, 'PUT', `${path}/members/${bot.userId}/roles/${role.id}`)
  await take('GUILD_MEMBER_UPDATE', 'memberEvent')
  await call(ada, 'PATCH', path, { name: 'New' })
  assertWhole('auditLogEvent', await nextEvent(session, 'GUILD_AUDIT_LOG_ENTRY_CREATE'))
  assertWhole('guild', await nextEvent(session, 'GUILD_UPDATE'))
  session.send({ op: 8, d: { guild_id: server.id, user_ids: [ben.id], nonce: 'n' } })
  assertWhole('membersChunk', await nextEvent(session, 'GUILD_MEMBERS_CHUNK'))
  await call(ada, 'PUT', `${path}/bans/${ben.id}`, {})
  assertWhole('userInGuild', await nextEvent(session, 'GUILD_MEMBER_REMOVE'))
  await call(ada, 'DELETE', `${path}/bans/${ben.id}`)
  assertWhole('userInGuild', await nextEvent(session, 'GUILD_BAN_REMOVE'))
  await call(ada, 'DELETE', `${path}/roles/${role.id}`)
  assertWhole('removedRole', await nextEvent(session, 'GUILD_ROLE_DELETE'))
  await call(ada, 'DELETE', `${path}/members/${bot.userId}`)
  assertWhole('removedGuild', await nextEvent(session, 'GUILD_DELETE'))
})

eachService('the events of channels and messages are whole (discord/whole-objects)', async (_t, service) => {
  const { ada, bot, server, general } = await createDiscordWorld(service)
  const intents = bit.guilds | bit.messages | bit.messageContent
  const session = await identifyDiscord(service, { token: bot.token, intents })
  await takeEvent(session, 'GUILD_CREATE')
  const { id } = await sendMessage(ada, general.id, `<@${ada.id}>`)
  assertWhole('messageEvent', await takeEvent(session, 'MESSAGE_CREATE'))
  await call(ada, 'PATCH', `/api/channels/${general.id}/messages/${id}`, { content: 'new' })
  assertWhole('messageEvent', await takeEvent(session, 'MESSAGE_UPDATE'))
  await call(ada, 'DELETE', `/api/channels/${general.id}/messages/${id}`)
  assertWhole('removedMessage', await takeEvent(session, 'MESSAGE_DELETE'))
  await call(ada, 'POST', `/api/servers/${server.id}/channels`, { name: 'news' })
  assertWhole('channel', await takeEvent(session, 'CHANNEL_CREATE'))
})

async function connect(service: TestService, { bot }: World): Promise<DiscordClient> {
  const session = await identifyDiscord(service, { token: bot.token, intents: bit.guilds })
  await takeEvent(session, 'GUILD_CREATE')
  return session
}

eachService('interactions and their responses are whole (discord/whole-objects)', async (_t, service) => {
  const world = await createWorld(service)
  const { ann, channelId } = world
  const options = [
    { type: 'user', name: 'who', description: 'Who' },
    { type: 'channel', name: 'where', description: 'Where' },
    { type: 'role', name: 'role', description: 'Which' },
    { type: 'string', name: 'text', description: 'What', autocomplete: true },
  ]
  const roll = { name: 'roll', description: 'Rolls', options }
  const menus = [
    { type: 'user', name: 'Who' },
    { type: 'message', name: 'Which' },
  ]
  world.commands = await putCommands(world.bot, [roll, ...menus])
  const session = await connect(service, world)
  const respond = async ({ id, token }: { id: string; token: string }, body: object) => {
    const path = `/api/v10/interactions/${id}/${token}/callback?with_response=true`
    const reply = await service.client().json('POST', path, body)
    assert.equal(reply.status, 200, reply.text)
    assertWhole('callback', reply.body)
    return reply.body
  }
  const take = async (shape: string) => {
    const event = await nextEvent(session, 'INTERACTION_CREATE')
    assertWhole(shape, event)
    return event
  }
  await runCommand(world, 'roll', {
    options: [
      { name: 'who', value: ann.id },
      { name: 'where', value: channelId },
      { name: 'role', value: world.serverId },
    ],
  })
  const components = [
    { type: 1, components: [{ type: 2, style: 1, label: 'A', custom_id: 'a' }] },
    { type: 1, components: [{ type: 5, custom_id: 'u' }] },
  ]
  const used = await take('commandUse')
  assert.deepEqual(Object.keys(used.data.resolved).sort(), ['channels', 'members', 'roles', 'users'])
  const { resource } = await respond(used, { type: 4, data: { content: 'x', components } })
  const { id } = resource.message
  await runCommand(world, 'Who', { targetId: ann.id })
  await respond(await take('menuCommand'), { type: 5 })
  const message = await sendMessage(ann, channelId, 'hello')
  await runCommand(world, 'Which', { targetId: message.id })
  await respond(await take('menuCommand'), { type: 5, data: { flags: 64 } })
  await pressButton(world, id, 'u', { values: [ann.id] })
  await respond(await take('componentUse'), { type: 6 })
  await pressButton(world, id, 'a')
  const field = { type: 4, custom_id: 'why', style: 1, label: 'Why' }
  const modal = { custom_id: 'm', title: 'M', components: [{ type: 1, components: [field] }] }
  const pressed = await take('componentUse')
  await respond(pressed, { type: 9, data: modal })
  const entered = [{ customId: 'why', value: 'so' }]
  const submitted = { type: 'modal_submit', channelId, interactionId: pressed.id, components: entered }
  await call(ann, 'POST', '/api/interactions', submitted)
  const submission = await take('modalSubmission')
  assert.deepEqual(submission.data.components, [
    { type: 1, id: 1, components: [{ type: 4, id: 2, custom_id: 'why', value: 'so' }] },
  ])
  await respond(submission, { type: 7, data: { content: 'done' } })
  const asked = call(ann, 'POST', '/api/interactions/autocomplete', {
    ...{ channelId, commandId: world.commands.roll, focused: 'text' },
    options: [{ name: 'text', value: 'a' }],
  })
  await respond(await take('commandUse'), { type: 8, data: { choices: [] } })
  await asked
})
