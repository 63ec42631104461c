import assert from 'node:assert/strict'
import { Permission } from '@gatehouse/protocol/permissions'
import { register } from '@gatehouse/testkit/community'
import { eachService, type TestService } from '@gatehouse/testkit/service'
import { sendMessage } from '../../gateway/gateway-testing.ts'
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

/** A session of the bot with these intents, which has received GUILD_CREATE. */
async function setUp(service: TestService, intents: number) {
  const world = await createDiscordWorld(service)
  const session = await identifyDiscord(service, { token: world.bot.token, intents: bit.guilds | intents })
  await takeEvent(session, 'GUILD_CREATE')
  return { ...world, session }
}

/** Checks that no event is on its way, with the response to a heartbeat. */
async function assertSilent(session: DiscordClient): Promise<void> {
  session.send({ op: 1, d: null })
  assert.equal((await session.nextFrame()).op, 11)
}

eachService('channels (discord/gateway-events)', async (_t, service) => {
  const { ada, server, session } = await setUp(service, 0)
  const { id } = await call(ada, 'POST', `/api/servers/${server.id}/channels`, { name: 'news', topic: 'All' })
  const created = await takeEvent(session, 'CHANNEL_CREATE')
  assert.deepEqual([created.id, created.guild_id, created.type], [id, server.id, 0])
  assert.deepEqual([created.name, created.topic], ['news', 'All'])
  await call(ada, 'PATCH', `/api/channels/${id}`, { slowMode: 10 })
  assert.equal((await takeEvent(session, 'CHANNEL_UPDATE')).rate_limit_per_user, 10)
  await call(ada, 'DELETE', `/api/channels/${id}`)
  const deleted = await takeEvent(session, 'CHANNEL_DELETE')
  assert.deepEqual([deleted.id, deleted.guild_id], [id, server.id])
})

eachService(
  'a channel that the bot can view no longer, and again (discord/gateway-events)',
  async (_t, service) => {
    const { ada, bot, general, session } = await setUp(service, bit.messages)
    const overwrite = `/api/channels/${general.id}/overwrites/${bot.userId}`
    const deny = Permission.VIEW_CHANNEL.toString()
    await call(ada, 'PUT', overwrite, { type: 'member', allow: '0', deny })
    assert.equal((await takeEvent(session, 'CHANNEL_DELETE')).id, general.id)
    await sendMessage(ada, general.id, 'hidden')
    await call(ada, 'DELETE', overwrite)
    const { id, name } = await takeEvent(session, 'CHANNEL_CREATE')
    assert.deepEqual([id, name], [general.id, general.name])
  },
)

eachService('roles and members (discord/gateway-events)', async (_t, service) => {
  const { ada, server, session } = await setUp(service, bit.members)
  const ben = await register(service, 'ben')
  await joinServer(ada, ben, server.id)
  const joined = await takeEvent(session, 'GUILD_MEMBER_ADD')
  assert.deepEqual([joined.guild_id, joined.user.id, joined.roles], [server.id, ben.id, []])
  const body = { name: 'Helper', permissions: '0', color: 255 }
  const role = await call(ada, 'POST', `/api/servers/${server.id}/roles`, body)
  const created = await takeEvent(session, 'GUILD_ROLE_CREATE')
  assert.deepEqual([created.guild_id, created.role.id, created.role.color], [server.id, role.id, 255])
  await call(ada, 'PUT', `/api/servers/${server.id}/members/${ben.id}/roles/${role.id}`)
  assert.deepEqual((await takeEvent(session, 'GUILD_MEMBER_UPDATE')).roles, [role.id])
  await call(ada, 'PATCH', `/api/servers/${server.id}/roles/${role.id}`, { name: 'Guide' })
  assert.equal((await takeEvent(session, 'GUILD_ROLE_UPDATE')).role.name, 'Guide')
  await call(ada, 'DELETE', `/api/servers/${server.id}/roles/${role.id}`)
  const deleted = await nextEvent(session, 'GUILD_ROLE_DELETE')
  assert.deepEqual(deleted, { guild_id: server.id, role_id: role.id })
  await call(ada, 'DELETE', `/api/servers/${server.id}/members/${ben.id}`)
  const removed = await nextEvent(session, 'GUILD_MEMBER_REMOVE')
  assert.deepEqual([removed.guild_id, removed.user.id], [server.id, ben.id])
})

eachService(
  'without the intent, only the own member is updated (discord/gateway-events)',
  async (_t, service) => {
    const { ada, bot, server, session } = await setUp(service, 0)
    const ben = await register(service, 'ben')
    await joinServer(ada, ben, server.id)
    const body = { name: 'Helper', permissions: '0' }
    const { id } = await call(ada, 'POST', `/api/servers/${server.id}/roles`, body)
    await takeEvent(session, 'GUILD_ROLE_CREATE')
    await call(ada, 'PUT', `/api/servers/${server.id}/members/${ben.id}/roles/${id}`)
    await call(ada, 'PUT', `/api/servers/${server.id}/members/${bot.userId}/roles/${id}`)
    const { user, roles } = await takeEvent(session, 'GUILD_MEMBER_UPDATE')
    assert.equal(user.id, bot.userId)
    assert.ok(roles.includes(id))
  },
)

eachService('bans, only with BAN_MEMBERS (discord/gateway-events)', async (_t, service) => {
  const { ada, bot, server, session } = await setUp(service, bit.moderation)
  const ben = await register(service, 'ben')
  const ban = `/api/servers/${server.id}/bans/${ben.id}`
  await call(ada, 'PUT', ban, {})
  await assertSilent(session)
  await call(ada, 'DELETE', ban)
  const permissions = Permission.BAN_MEMBERS.toString()
  const { id } = await call(ada, 'POST', `/api/servers/${server.id}/roles`, { name: 'Guard', permissions })
  await call(ada, 'PUT', `/api/servers/${server.id}/members/${bot.userId}/roles/${id}`)
  await call(ada, 'PUT', ban, {})
  const { guild_id, user } = await nextEvent(session, 'GUILD_BAN_ADD')
  assert.deepEqual([guild_id, user.username], [server.id, 'ben'])
  await call(ada, 'DELETE', ban)
  assert.equal((await nextEvent(session, 'GUILD_BAN_REMOVE')).user.id, ben.id)
})

eachService(
  'messages have their guild, the member and the mentions (discord/gateway-events)',
  async (_t, service) => {
    const { ada, bot, server, general, session } = await setUp(service, bit.messages | bit.messageContent)
    const { id } = await sendMessage(ada, general.id, `hello <@${bot.userId}>`)
    const message = await takeEvent(session, 'MESSAGE_CREATE')
    assert.deepEqual([message.id, message.guild_id, message.channel_id], [id, server.id, general.id])
    assert.deepEqual(
      [message.author.id, message.type, message.content],
      [ada.id, 0, `hello <@${bot.userId}>`],
    )
    assert.ok('joined_at' in message.member && !('user' in message.member))
    assert.deepEqual(
      message.mentions.map((user: { id: string }) => user.id),
      [bot.userId],
    )
    await call(ada, 'PATCH', `/api/channels/${general.id}/messages/${id}`, { content: 'edited' })
    const update = await takeEvent(session, 'MESSAGE_UPDATE')
    assert.deepEqual([update.content, update.edited_timestamp === null], ['edited', false])
    await call(ada, 'DELETE', `/api/channels/${general.id}/messages/${id}`)
    const deleted = { id, channel_id: general.id, guild_id: server.id }
    assert.deepEqual(await takeEvent(session, 'MESSAGE_DELETE'), deleted)
  },
)

eachService(
  'without MESSAGE_CONTENT, content is empty unless the bot is mentioned (discord/intents)',
  async (_t, service) => {
    const { ada, bot, general, session } = await setUp(service, bit.messages)
    const reader = await identifyDiscord(service, {
      token: bot.token,
      intents: bit.guilds | bit.messages | bit.messageContent,
    })
    await sendMessage(ada, general.id, 'secret')
    await sendMessage(ada, general.id, `for <@${bot.userId}>`)
    const contents = async (client: DiscordClient) => [
      (await nextEvent(client, 'MESSAGE_CREATE')).content,
      (await nextEvent(client, 'MESSAGE_CREATE')).content,
    ]
    assert.deepEqual(await contents(session), ['', `for <@${bot.userId}>`])
    assert.deepEqual(await contents(reader), ['secret', `for <@${bot.userId}>`])
  },
)

eachService(
  'direct messages have no guild, and no event announces them (discord/gateway-events)',
  async (_t, service) => {
    const { ada, bot, session } = await setUp(service, bit.directMessages)
    const channel = await call(ada, 'POST', '/api/users/@me/channels', { recipientId: bot.userId })
    const authorization = { authorization: `Bot ${bot.token}` }
    await service.client().json('POST', '/api/users/@me/channels', { recipientId: ada.id }, authorization)
    const { id } = await sendMessage(ada, channel.id, 'only for you')
    const message = await takeEvent(session, 'MESSAGE_CREATE')
    assert.deepEqual([message.id, message.channel_id, message.content], [id, channel.id, 'only for you'])
    assert.ok(!('guild_id' in message) && !('member' in message))
    assert.equal(message.channel_type, 1)
  },
)

eachService(
  'the nonce of a message reaches the bot that sent it (discord/gateway-events, discord/nonce)',
  async (_t, service) => {
    const { bot, general, session } = await setUp(service, bit.messages)
    const authorization = { authorization: `Bot ${bot.token}` }
    const body = { content: 'mine', nonce: 'n1' }
    await service.client().json('POST', `/api/channels/${general.id}/messages`, body, authorization)
    const message = await takeEvent(session, 'MESSAGE_CREATE')
    assert.deepEqual([message.nonce, message.content, message.author.bot], ['n1', 'mine', true])
    // Discord's API only repeats one that is not enforced.
    for (const nonce of ['n2', 'n2', 7]) {
      const path = `/api/v10/channels/${general.id}/messages`
      const sent = await service.client().json('POST', path, { content: 'again', nonce }, authorization)
      const event = await takeEvent(session, 'MESSAGE_CREATE')
      assert.deepEqual([sent.body.nonce, event.nonce, event.id], [nonce, String(nonce), sent.body.id])
    }
  },
)

eachService('the audit log, only with VIEW_AUDIT_LOG (discord/gateway-events)', async (_t, service) => {
  const { ada, bot, server, session } = await setUp(service, bit.moderation)
  await call(ada, 'PATCH', `/api/servers/${server.id}`, { name: 'One' })
  assert.equal((await takeEvent(session, 'GUILD_UPDATE')).name, 'One')
  const permissions = Permission.VIEW_AUDIT_LOG.toString()
  const { id } = await call(ada, 'POST', `/api/servers/${server.id}/roles`, { name: 'Reader', permissions })
  await call(ada, 'PUT', `/api/servers/${server.id}/members/${bot.userId}/roles/${id}`)
  await nextEvent(session, 'GUILD_MEMBER_UPDATE')
  await call(ada, 'PATCH', `/api/servers/${server.id}`, { name: 'Two' })
  const isRename = (entry: { action_type: number }) => entry.action_type === 1
  let entry = await nextEvent(session, 'GUILD_AUDIT_LOG_ENTRY_CREATE')
  while (!isRename(entry)) entry = await nextEvent(session, 'GUILD_AUDIT_LOG_ENTRY_CREATE')
  assert.deepEqual([entry.guild_id, entry.user_id, entry.target_id], [server.id, ada.id, server.id])
  assert.deepEqual(entry.changes, [{ key: 'name', old_value: 'One', new_value: 'Two' }])
})
