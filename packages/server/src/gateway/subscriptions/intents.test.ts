import assert from 'node:assert/strict'
import type { Intent } from '@gatehouse/protocol/intents'
import { Permission } from '@gatehouse/protocol/permissions'
import { addBot } from '@gatehouse/testkit/applications'
import { createServer, register, type TestUser } from '@gatehouse/testkit/community'
import { eachService, type TestService } from '@gatehouse/testkit/service'
import {
  connectSocket,
  connectUser,
  createBot,
  type GatewayClient,
  identify,
  resumeSession,
  sendMessage,
  sessionHeaders,
  type TestBot,
  takeEventNames,
} from '../gateway-testing.ts'

const view = Permission.VIEW_CHANNEL.toString()

/** A bot on a server of Ada, who owns its application too. Both privileged intents are on. */
async function setUp(service: TestService) {
  const ada = await register(service, 'ada')
  const { server, general } = await createServer(ada)
  const bot = await createBot(service, ada)
  await setPrivileged(bot, ['members', 'messageContent'])
  await addBot(ada.client, bot.applicationId, server.id)
  return { ada, bot, server, general }
}

async function setPrivileged({ owner, applicationId }: TestBot, privilegedIntents: readonly Intent[]) {
  const reply = await request(owner, 'PATCH', `/api/applications/${applicationId}`, { privilegedIntents })
  assert.deepEqual(reply.privilegedIntents, privilegedIntents)
}

async function request(person: TestUser, method: string, path: string, body?: unknown) {
  const reply = await person.client.json(method, path, body)
  assert.ok(reply.status < 300, reply.text)
  return reply.body
}

/** Identifies with any `d` and returns the close event. */
async function closeOfIdentify(service: TestService, d: object, headers = {}) {
  const client = await connectSocket(service, headers)
  client.send({ op: 2, d })
  const { code, reason } = await client.closed
  return [code, reason]
}

/** A direct message of a new user to the bot, who share the server. Returns the channel. */
async function openDirectMessage(
  service: TestService,
  { ada, bot, server }: Awaited<ReturnType<typeof setUp>>,
) {
  const ben = await register(service, 'ben')
  const invite = await request(ada, 'POST', `/api/servers/${server.id}/invites`, {})
  await request(ben, 'POST', `/api/invites/${invite.code}`)
  const channel = await request(ben, 'POST', '/api/users/@me/channels', { recipientId: bot.userId })
  const headers = { authorization: `Bot ${bot.token}` }
  await service.client().json('POST', '/api/users/@me/channels', { recipientId: ben.id }, headers)
  return { ben, channel }
}

/** Reads frames up to the marker, a SERVER_REMOVE, which every bot receives. */
async function readUntilRemoved(
  { ada, bot, server }: Awaited<ReturnType<typeof setUp>>,
  client: GatewayClient,
) {
  await request(ada, 'DELETE', `/api/servers/${server.id}/members/${bot.userId}`)
  const names: (string | undefined)[] = []
  for (;;) {
    const { t } = await client.nextDispatch()
    if (t === 'SERVER_REMOVE') return names
    names.push(t)
  }
}

eachService('identify closes with 4013 for invalid intents (gateway/intents)', async (_t, service) => {
  const { ada, bot } = await setUp(service)
  const names =
    'servers, members, messages, messageContent, directMessages, moderation, ' + 'invites, webhooks'
  const cases: [unknown, string][] = [
    [['reactions'], `intents must be an array of: ${names}`],
    [['servers', 7], `intents must be an array of: ${names}`],
    ['servers', `intents must be an array of: ${names}`],
    [null, `intents must be an array of: ${names}`],
    [513, `intents must be an array of: ${names}`],
    [['servers', 'servers'], 'intents must not contain a name twice'],
  ]
  for (const [intents, reason] of cases) {
    assert.deepEqual(await closeOfIdentify(service, { token: bot.token, intents }), [4013, reason])
  }
  const headers = sessionHeaders(service, ada)
  assert.deepEqual(await closeOfIdentify(service, { intents: [] }, headers), [4013, 'intents are for bots'])
  assert.deepEqual(await closeOfIdentify(service, { token: 'gbt_x', intents: ['reactions'] }), [
    4004,
    'invalid credentials',
  ])
})

eachService(
  'without intents a bot subscribes to its own events only, and to no server or channel (gateway/intents)',
  async (t, service) => {
    const world = await setUp(service)
    const { ada, bot, general } = world
    await openDirectMessage(service, world)
    const subscribe = t.mock.method(service.bus, 'subscribe')
    const subjectsSince = () => subscribe.mock.calls.map(call => String(call.arguments[0]))
    const client = await identify(service, bot)
    assert.deepEqual(subjectsSince(), [`control.${bot.applicationId}`, `user.${bot.userId}`])
    const same = await identify(service, { ...bot, intents: [] })
    assert.equal(subjectsSince().length, 2)
    await sendMessage(ada, general.id, 'hello')
    await request(ada, 'PATCH', `/api/channels/${general.id}`, { topic: 'news' })
    assert.deepEqual(await readUntilRemoved(world, client), [])
    assert.equal((await same.nextDispatch()).t, 'SERVER_REMOVE')
  },
)

eachService('only directMessages subscribes to no server (gateway/intents)', async (t, service) => {
  const world = await setUp(service)
  const { ada, bot, general } = world
  const { ben, channel } = await openDirectMessage(service, world)
  const subscribe = t.mock.method(service.bus, 'subscribe')
  const client = await identify(service, { ...bot, intents: ['directMessages'] })
  const subjects = subscribe.mock.calls.map(call => String(call.arguments[0]))
  assert.ok(subjects.includes(`channel.${channel.id}`))
  assert.ok(!subjects.some(subject => subject.startsWith('server.')))
  await sendMessage(ada, general.id, 'on the server')
  const message = await sendMessage(ben, channel.id, 'to the bot')
  const path = `/api/channels/${channel.id}/messages/${message.id}`
  await request(ben, 'PATCH', path, { content: 'edited' })
  await request(ben, 'DELETE', path)
  const created = await client.nextDispatch()
  assert.deepEqual([created.t, created.d], ['MESSAGE_CREATE', message])
  const updated = await client.nextDispatch()
  assert.deepEqual([updated.t, updated.d.content], ['MESSAGE_UPDATE', 'edited'])
  assert.equal((await client.nextDispatch()).t, 'MESSAGE_DELETE')
  // A direct message that is opened later.
  const eve = await register(service, 'eve')
  const invite = await request(ada, 'POST', `/api/servers/${world.server.id}/invites`, {})
  await request(eve, 'POST', `/api/invites/${invite.code}`)
  const second = await request(eve, 'POST', '/api/users/@me/channels', { recipientId: bot.userId })
  await sendMessage(eve, second.id, 'hello')
  assert.deepEqual(await takeEventNames(client, 2), ['CHANNEL_CREATE', 'MESSAGE_CREATE'])
})

eachService('each intent selects its events (gateway/intents)', async (_t, service) => {
  const world = await setUp(service)
  const { ada, bot, server, general } = world
  const chosen: Intent[][] = [['servers'], ['members'], ['messages'], ['servers', 'members', 'messages']]
  const clients = await Promise.all(chosen.map(intents => identify(service, { ...bot, intents })))
  const ben = await register(service, 'ben')
  const invite = await request(ada, 'POST', `/api/servers/${server.id}/invites`, {})
  await request(ben, 'POST', `/api/invites/${invite.code}`)
  const message = await sendMessage(ada, general.id, 'hello')
  const messagePath = `/api/channels/${general.id}/messages/${message.id}`
  await request(ada, 'PATCH', messagePath, { content: 'hello again' })
  await request(ada, 'DELETE', messagePath)
  const channel = await request(ada, 'POST', `/api/servers/${server.id}/channels`, { name: 'second' })
  await request(ada, 'PATCH', `/api/channels/${channel.id}`, { topic: 'news' })
  await request(ada, 'DELETE', `/api/channels/${channel.id}`)
  const role = await request(ada, 'POST', `/api/servers/${server.id}/roles`, {
    name: 'red',
    permissions: '0',
  })
  const rolePath = `/api/servers/${server.id}/roles/${role.id}`
  await request(ada, 'PUT', `/api/servers/${server.id}/members/${ben.id}/roles/${role.id}`)
  await request(ada, 'PATCH', rolePath, { name: 'blue' })
  await request(ada, 'DELETE', rolePath)
  await request(ada, 'PATCH', `/api/servers/${server.id}`, { name: 'Renamed' })
  await request(ada, 'DELETE', `/api/servers/${server.id}/members/${ben.id}`)
  const [servers, members, messages, all] = clients
  assert.ok(servers && members && messages && all)
  const received = await readUntilRemoved(world, all)
  const of = (...prefixes: string[]) =>
    received.filter(name => prefixes.some(prefix => name?.startsWith(`${prefix}_`)))
  assert.deepEqual(received.length, of('CHANNEL', 'ROLE', 'SERVER', 'MEMBER', 'MESSAGE').length)
  for (const name of ['CHANNEL_CREATE', 'CHANNEL_UPDATE', 'CHANNEL_DELETE', 'SERVER_UPDATE', 'MEMBER_ADD']) {
    assert.ok(received.includes(name), name)
  }
  for (const name of ['ROLE_CREATE', 'ROLE_UPDATE', 'ROLE_DELETE', 'MEMBER_UPDATE', 'MEMBER_REMOVE']) {
    assert.ok(received.includes(name), name)
  }
  assert.deepEqual(of('MESSAGE'), ['MESSAGE_CREATE', 'MESSAGE_UPDATE', 'MESSAGE_DELETE'])
  const readAll = async (client: GatewayClient) => {
    const names: (string | undefined)[] = []
    for (let t = (await client.nextDispatch()).t; t !== 'SERVER_REMOVE'; t = (await client.nextDispatch()).t)
      names.push(t)
    return names
  }
  assert.deepEqual(await readAll(servers), of('CHANNEL', 'ROLE', 'SERVER'))
  assert.deepEqual(await readAll(members), of('MEMBER'))
  assert.deepEqual(await readAll(messages), of('MESSAGE'))
})

eachService(
  'without messageContent the content of messages in server channels is empty (gateway/message-content)',
  async (_t, service) => {
    const { ada, bot, general } = await setUp(service)
    const without = await identify(service, { ...bot, intents: ['messages'] })
    const withContent = await identify(service, { ...bot, intents: ['messages', 'messageContent'] })
    const message = await sendMessage(ada, general.id, 'for members')
    assert.deepEqual((await without.nextDispatch()).d, {
      ...message,
      content: '',
      embeds: [],
      components: [],
    })
    assert.deepEqual((await withContent.nextDispatch()).d, message)
    const path = `/api/channels/${general.id}/messages`
    await request(ada, 'PATCH', `${path}/${message.id}`, { content: 'edited' })
    assert.deepEqual(
      [(await without.nextDispatch()).d.content, (await withContent.nextDispatch()).d.content],
      ['', 'edited'],
    )
    const mention = await sendMessage(ada, general.id, `<@${bot.userId}> hello`)
    assert.deepEqual((await without.nextDispatch()).d, mention)
    const other = await sendMessage(ada, general.id, `<@${ada.id}> hello`)
    assert.deepEqual((await without.nextDispatch()).d, { ...other, content: '' })
    const headers = { authorization: `Bot ${bot.token}` }
    const body = { content: 'mine', nonce: 'n1', embeds: [{ title: 'Embed' }] }
    const own = await service.client().json('POST', path, body, headers)
    assert.equal(own.status, 201, own.text)
    const { d } = await without.nextDispatch()
    assert.deepEqual(d, { ...own.body, nonce: 'n1' })
  },
)

eachService(
  'a bot hears only of channels that it can view, at once when permissions change (gateway/intents)',
  async (_t, service) => {
    const { ada, bot, server, general } = await setUp(service)
    const client = await identify(service, { ...bot, intents: ['servers', 'messages', 'messageContent'] })
    const second = await request(ada, 'POST', `/api/servers/${server.id}/channels`, { name: 'second' })
    assert.equal((await client.nextDispatch()).t, 'CHANNEL_CREATE')
    const overwrite = `/api/channels/${second.id}/overwrites/${bot.userId}`
    await request(ada, 'PUT', overwrite, { type: 'member', allow: '0', deny: view })
    await sendMessage(ada, second.id, 'secret')
    await sendMessage(ada, general.id, 'marker')
    const deleted = await client.nextDispatch()
    assert.deepEqual([deleted.t, deleted.d.id], ['CHANNEL_DELETE', second.id])
    assert.equal((await client.nextDispatch()).d.content, 'marker')
    await request(ada, 'DELETE', overwrite)
    await sendMessage(ada, second.id, 'visible')
    assert.equal((await client.nextDispatch()).t, 'CHANNEL_CREATE')
    assert.equal((await client.nextDispatch()).d.content, 'visible')
  },
)

eachService(
  'a bot receives the events of a server that it joins later, and none after it was removed (gateway/intents)',
  async (_t, service) => {
    const { ada, bot, server, general } = await setUp(service)
    const client = await identify(service, { ...bot, intents: ['messages', 'messageContent'] })
    const other = await createServer(ada)
    await addBot(ada.client, bot.applicationId, other.server.id)
    const added = await client.nextDispatch()
    assert.deepEqual([added.t, added.d.id], ['SERVER_ADD', other.server.id])
    await sendMessage(ada, other.general.id, 'hello')
    assert.equal((await client.nextDispatch()).d.content, 'hello')
    await request(ada, 'DELETE', `/api/servers/${server.id}/members/${bot.userId}`)
    await sendMessage(ada, general.id, 'after removal')
    await sendMessage(ada, other.general.id, 'marker')
    assert.equal((await client.nextDispatch()).t, 'SERVER_REMOVE')
    assert.equal((await client.nextDispatch()).d.content, 'marker')
  },
)

eachService(
  'a session keeps its intents in a resume, with the events that it missed (gateway/intents)',
  async (_t, service) => {
    const { ada, bot, general } = await setUp(service)
    const client = await identify(service, { ...bot, intents: ['messages'] })
    client.socket.close()
    await client.closed
    const missed = await sendMessage(ada, general.id, 'missed')
    const resumed = await resumeSession(service, { token: bot.token, sessionId: client.sessionId, seq: 1 })
    assert.deepEqual((await resumed.nextDispatch()).d, { ...missed, content: '' })
    assert.equal((await resumed.nextDispatch()).t, 'RESUMED')
    await request(ada, 'PATCH', `/api/channels/${general.id}`, { topic: 'news' })
    await sendMessage(ada, general.id, 'marker')
    assert.equal((await resumed.nextDispatch()).t, 'MESSAGE_CREATE')
  },
)

eachService(
  'the subscriptions to servers end with the last session that needs them (gateway/intents)',
  async (t, service) => {
    const { bot, server } = await setUp(service)
    const open = new Set<string>()
    const { subscribe } = service.bus
    t.mock.method(service.bus, 'subscribe', async (...args: Parameters<typeof subscribe>) => {
      const subscription = await subscribe.apply(service.bus, args)
      open.add(args[0])
      return {
        close() {
          open.delete(args[0])
          subscription.close()
        },
      }
    })
    const idle = await identify(service, bot)
    const first = await identify(service, { ...bot, intents: ['messages', 'members'] })
    const second = await identify(service, { ...bot, intents: ['servers', 'messageContent'] })
    await setPrivileged(bot, ['members'])
    assert.equal((await second.closed).code, 4014)
    assert.ok(open.has(`server.${server.id}`))
    await setPrivileged(bot, [])
    assert.equal((await first.closed).code, 4014)
    assert.deepEqual([...open], [`control.${bot.applicationId}`, `user.${bot.userId}`])
    assert.equal(idle.socket.readyState, 1)
  },
)

eachService(
  'a privileged intent that is off closes with 4014 and its name (gateway/privileged-intents)',
  async (_t, service) => {
    const { bot } = await setUp(service)
    await setPrivileged(bot, [])
    for (const name of ['members', 'messageContent']) {
      const intents = ['servers', 'messages', name]
      assert.deepEqual(await closeOfIdentify(service, { token: bot.token, intents }), [
        4014,
        `the intent ${name} is off in the application`,
      ])
    }
    await setPrivileged(bot, ['members'])
    await identify(service, { ...bot, intents: ['members'] })
  },
)

eachService(
  'switching a privileged intent off ends the sessions that use it (gateway/privileged-intents)',
  async (_t, service) => {
    const { ada, bot, general } = await setUp(service)
    const reader = await identify(service, { ...bot, intents: ['messages', 'messageContent'] })
    const waiting = await identify(service, { ...bot, intents: ['messages', 'messageContent'] })
    const other = await identify(service, { ...bot, intents: ['messages', 'members'] })
    const user = await connectUser(service, ada)
    waiting.socket.close()
    await waiting.closed
    await setPrivileged(bot, ['members'])
    await sendMessage(ada, general.id, 'secret')
    assert.deepEqual(await reader.closed, {
      code: 4014,
      reason: 'the intent messageContent is off in the application',
    })
    assert.deepEqual(reader.takeFrames(), [])
    assert.equal((await other.nextDispatch()).t, 'MESSAGE_CREATE')
    assert.equal((await user.nextDispatch()).t, 'MESSAGE_CREATE')
    for (const { sessionId } of [reader, waiting]) {
      const resumed = await resumeSession(service, { token: bot.token, sessionId, seq: 1 })
      assert.equal((await resumed.nextFrame()).op, 9)
    }
  },
)

eachService(
  'an ephemeral response reaches no bot, a public one every bot with the intent (gateway/intents, bots/ephemeral)',
  async (_t, service) => {
    const { ada, bot, server, general } = await setUp(service)
    const other = await createBot(service, ada)
    await addBot(ada.client, other.applicationId, server.id)
    const client = await identify(service, { ...bot, intents: ['messages'] })
    const listener = await identify(service, { ...other, intents: ['messages'] })
    const headers = { authorization: `Bot ${bot.token}` }
    const commands = [{ name: 'ping', description: 'Ping' }]
    const put = await service.client().json('PUT', '/api/applications/@me/commands', commands, headers)
    const run = { type: 'command', channelId: general.id, commandId: put.body[0].id, options: [] }
    for (const ephemeral of [true, false]) {
      await request(ada, 'POST', '/api/interactions', run)
      const { t, d } = await client.nextDispatch()
      assert.equal(t, 'INTERACTION_CREATE')
      const path = `/api/interactions/${d.id}/${d.token}/callback`
      const body = { type: 'message', data: { content: String(ephemeral), ephemeral } }
      const reply = await service.client().json('POST', path, body, headers)
      assert.equal(reply.status, 200, reply.text)
    }
    const own = await client.nextDispatch()
    assert.deepEqual([own.t, own.d.content], ['MESSAGE_CREATE', 'false'])
    const heard = await listener.nextDispatch()
    assert.deepEqual([heard.t, heard.d.content, heard.d.id], ['MESSAGE_CREATE', '', own.d.id])
  },
)

eachService(
  'AUDIT_LOG_ENTRY_CREATE reaches bots with the intent moderation and VIEW_AUDIT_LOG (gateway/intents)',
  async (_t, service) => {
    const { ada, bot, server, general } = await setUp(service)
    const permissions = Permission.VIEW_CHANNEL | Permission.VIEW_AUDIT_LOG
    await addBot(ada.client, bot.applicationId, server.id, permissions)
    const powerless = await createBot(service, ada)
    await addBot(ada.client, powerless.applicationId, server.id)
    const moderator = await identify(service, { ...bot, intents: ['moderation'] })
    const without = await identify(service, { ...powerless, intents: ['moderation', 'messages'] })
    const others = await identify(service, { ...bot, intents: ['messages'] })
    await request(ada, 'PATCH', `/api/channels/${general.id}`, { topic: 'Seeds' })
    await sendMessage(ada, general.id, 'done')
    const { t, d } = await moderator.nextDispatch()
    assert.equal(t, 'AUDIT_LOG_ENTRY_CREATE')
    const [entry] = await request(ada, 'GET', `/api/servers/${server.id}/audit-log?limit=1`)
    assert.deepEqual(d, entry)
    for (const client of [without, others]) assert.equal((await client.nextDispatch()).t, 'MESSAGE_CREATE')
  },
)

eachService(
  'BAN_ADD and BAN_REMOVE reach bots with the intent moderation, without the reason, and no ' +
    'users (gateway/intents, community/bans)',
  async (_t, service) => {
    const { ada, bot, server, general } = await setUp(service)
    const ben = await register(service, 'ben')
    const invite = await request(ada, 'POST', `/api/servers/${server.id}/invites`, {})
    await request(ben, 'POST', `/api/invites/${invite.code}`)
    const { id } = await sendMessage(ben, general.id, 'advertisement')
    await addBot(ada.client, bot.applicationId, server.id, Permission.VIEW_CHANNEL | Permission.BAN_MEMBERS)
    const powerless = await createBot(service, ada)
    await addBot(ada.client, powerless.applicationId, server.id)
    const moderator = await identify(service, { ...bot, intents: ['moderation'] })
    const without = await identify(service, { ...powerless, intents: ['moderation', 'messages'] })
    const others = await identify(service, { ...bot, intents: ['messages'] })
    const owner = await connectUser(service, ada)
    const path = `/api/servers/${server.id}/bans/${ben.id}`
    await request(ada, 'PUT', path, { reason: 'Spam', deleteMessageSeconds: 60 })
    // A ban of a banned user is no event.
    await request(ada, 'PUT', path, { reason: 'Spam again' })
    await request(ada, 'DELETE', path)
    await sendMessage(ada, general.id, 'done')
    const added = await moderator.nextDispatch()
    const payload = { serverId: server.id, user: added.d.user }
    assert.deepEqual([added.t, added.d, added.d.user.id], ['BAN_ADD', payload, ben.id])
    const ended = await moderator.nextDispatch()
    assert.deepEqual([ended.t, ended.d], ['BAN_REMOVE', payload])
    for (const client of [without, others]) {
      const deleted = await client.nextDispatch()
      assert.deepEqual(
        [deleted.t, deleted.d],
        ['MESSAGE_DELETE', { id, channelId: general.id, serverId: server.id }],
      )
      assert.equal((await client.nextDispatch()).t, 'MESSAGE_CREATE')
    }
    assert.deepEqual(without.takeFrames(), [])
    const ofOwner = ['MEMBER_REMOVE', 'MESSAGE_DELETE', 'MESSAGE_CREATE']
    assert.deepEqual(await takeEventNames(owner, 3), ofOwner)
  },
)
