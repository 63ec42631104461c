import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ApiError, createBot, InvalidError } from '@gatehouse/bot'
import { endpointOf, type OperationId } from '@gatehouse/protocol/endpoints'
import { Permission } from '@gatehouse/protocol/permissions'
import { addBot, createBotApplication } from '@gatehouse/testkit/applications'
import { createServer, register } from '@gatehouse/testkit/community'
import { png } from '@gatehouse/testkit/images'
import { startService, type TestService } from '@gatehouse/testkit/service'
import { waitUntil } from '@gatehouse/testkit/wait-until'
import { createApi } from './src/api.ts'
import { systemTimers } from './src/clock.ts'
import { operations, ownRates } from './src/operations.ts'
import type { RestRequest } from './src/rest.ts'
import type { InteractionEvent } from './src/types.ts'
import { fetchWithoutDate, startBotSetup } from './testing.ts'

const entries = Object.values(operations).flatMap(group => Object.values<string>(group))
const idOf = (entry: string) => entry.replace(' 204', '') as OperationId

/** `GET /api/…` */
const listed = entries.map(entry => nameOf(endpointOf(idOf(entry))))

function nameOf({ method, path }: { method: string; path: string }): string {
  return `${method} ${path}`
}

/** The routes of the functions that are not in the table: the responses to interactions, and the commands. */
async function flatRoutes(): Promise<string[]> {
  const requests: RestRequest[] = []
  const rest = async (request: RestRequest) => {
    requests.push(request)
    return { status: 200, body: {} }
  }
  const api = createApi(rest, systemTimers)
  const event = { id: ':id', token: ':token' } as InteractionEvent
  await api.callback(event, { type: 'defer' })
  await api.followUp(event, {})
  for (const messageId of ['original', ':messageId']) {
    await api.edit(event, messageId, {})
    await api.delete(event, messageId)
  }
  for (const serverId of [undefined, ':serverId']) {
    await api.commands(serverId)
    await api.putCommands([], serverId)
  }
  return requests.map(({ method, path }) => `${method} ${decodeURIComponent(path)}`)
}

test('the API of the bot has a function for every route that accepts a bot, and knows their rates', async t => {
  const { routes } = await startService(t)
  const forBots = routes.filter(({ caller, operationId }) => caller.bot && operationId !== undefined)
  // The SDK reads it only if the connection breaks during the first response.
  const original = 'GET /api/interactions/:id/:token/original'
  // It needs no credential.
  const invite = 'GET /api/invites/:code'
  assert.deepEqual(
    [...listed, ...(await flatRoutes()), original].toSorted(),
    [...forBots.map(nameOf), invite].toSorted(),
  )
  const empty = routes.filter(({ responses }) => 204 in responses).map(({ operationId }) => operationId)
  for (const entry of entries) {
    assert.equal(entry.endsWith(' 204'), empty.includes(idOf(entry)), entry)
  }
  // Bots have no rate for messages in all channels (limits/messages).
  const rates = forBots.flatMap(route =>
    route.rates.filter(rate => rate !== 'messages').map(rate => [route.operationId, rate]),
  )
  assert.deepEqual(ownRates, Object.fromEntries(rates))
})

/** A bot with all permissions on a server, whose requests are recorded as `GET /api/servers/1`. */
async function start(service: TestService) {
  const owner = await register(service, 'owner')
  const member = await register(service, 'member')
  const { server, general } = await createServer(owner, member)
  const { applicationId, token, botId } = await createBotApplication(owner.client)
  await addBot(owner.client, applicationId, server.id, Permission.ADMINISTRATOR)
  const requests: string[] = []
  const bot = createBot({
    token,
    url: service.url,
    log: () => {},
    runtime: {
      clock: service.clock.now,
      fetch(input, init) {
        requests.push(`${init?.method} ${String(input).replace(service.url, '').split('?')[0]}`)
        return fetchWithoutDate(input, init)
      },
    },
  })
  return { owner, member, server, general, botId, api: bot.api, requests }
}

test('each function sends the request of its operation to the service', async t => {
  const service = await startService(t)
  const { owner, member, server, general, botId, api, requests } = await start(service)

  assert.equal((await api.users.me()).id, botId)
  assert.equal((await api.application.update({ displayName: 'Helper' })).bot.displayName, 'Helper')
  assert.equal((await api.gateway.get()).shards, 1)
  assert.deepEqual(
    (await api.servers.list()).map(({ id }) => id),
    [server.id],
  )
  assert.equal((await api.servers.get(server.id)).ownerId, owner.id)
  assert.equal((await api.servers.update(server.id, { name: 'Harbour' })).name, 'Harbour')
  const image = new Blob([png], { type: 'image/png' })
  assert.match((await api.servers.setIcon(server.id, image)).icon ?? '', /^\/images\//)
  assert.equal((await api.servers.deleteIcon(server.id)).icon, null)
  assert.equal((await api.servers.integrations(server.id))[0]?.bot.id, botId)

  const channel = await api.channels.create(server.id, { name: 'log' })
  assert.equal((await api.channels.update(channel.id, { topic: 'Actions' })).topic, 'Actions')
  assert.equal((await api.channels.get(channel.id)).topic, 'Actions')
  await api.channels.move(server.id, [{ id: channel.id, position: 7 }])
  assert.equal((await api.channels.get(channel.id)).position, 7)
  const view = { type: 'role', allow: '0', deny: String(Permission.VIEW_CHANNEL) } as const
  await api.channels.putOverwrite(channel.id, server.id, view)
  const hidden = await api.members.list(server.id, { channelId: channel.id, limit: 100 })
  assert.ok(!hidden.some(({ user }) => user.id === member.id))
  await api.channels.deleteOverwrite(channel.id, server.id)
  assert.deepEqual((await api.channels.get(channel.id)).permissionOverwrites, [])
  await api.channels.delete(channel.id)
  assert.equal((await api.channels.list(server.id)).length, 1)

  const first = await api.messages.create(general.id, { content: 'one' })
  const second = await api.messages.create(general.id, { content: 'two', embeds: [{ title: 'Card' }] })
  const changed = await api.messages.update(general.id, first.id, { content: 'changed' })
  assert.equal(changed.content, 'changed')
  assert.equal((await api.messages.get(general.id, first.id)).content, 'changed')
  const newer = await api.messages.list(general.id, { after: first.id, limit: 1 })
  assert.deepEqual(
    newer.map(({ id }) => id),
    [second.id],
  )
  await api.messages.delete(general.id, second.id)

  const direct = await api.directMessages.open({ recipientId: member.id })
  assert.equal((await api.directMessages.list())[0]?.id, direct.id)
  assert.equal((await api.openDirectMessage(member.id)).id, direct.id)

  const role = await api.roles.create(server.id, { name: 'Reader', permissions: '0' })
  assert.equal((await api.roles.update(server.id, role.id, { name: 'Writer' })).name, 'Writer')
  assert.equal((await api.roles.move(server.id, [{ id: role.id, position: 1 }]))[1]?.id, role.id)
  await api.members.addRole(server.id, member.id, role.id)
  assert.deepEqual((await api.members.get(server.id, member.id)).roles, [role.id])
  await api.members.removeRole(server.id, member.id, role.id)
  await api.roles.delete(server.id, role.id)
  assert.ok((await api.roles.list(server.id)).every(({ id }) => id !== role.id))

  const timedOutUntil = new Date(service.clock.now() + 60_000).toISOString()
  assert.equal(
    (await api.members.update(server.id, member.id, { timedOutUntil })).timedOutUntil,
    timedOutUntil,
  )
  await api.members.remove(server.id, member.id)
  await api.bans.create(server.id, member.id)
  await api.bans.create(server.id, member.id, { reason: 'Spam' })
  assert.equal((await api.bans.get(server.id, member.id)).user.id, member.id)
  assert.equal((await api.bans.list(server.id, { limit: 5 })).length, 1)
  assert.equal((await api.auditLog.list(server.id, { action: 'BAN_ADD' }))[0]?.actor?.bot, true)
  await api.bans.delete(server.id, member.id)
  const { bannedUserIds } = await api.bans.createMany(server.id, { userIds: [member.id] })
  assert.deepEqual(bannedUserIds, [member.id])

  const { id: reported } = await api.messages.create(general.id, { content: 'Ping' })
  const { id: reportId } = await owner.client.call('reportMessage', {
    id: general.id,
    messageId: reported,
    body: { reason: 'Noise' },
  })
  // The bot does not see the reports of itself.
  assert.deepEqual(await api.reports.list(server.id, { state: 'open' }), [])
  await service.db.run`UPDATE reports SET user_id = ${owner.id} WHERE id = ${reportId}`
  assert.equal((await api.reports.list(server.id))[0]?.message?.content, 'Ping')
  assert.equal((await api.reports.update(server.id, reportId, { state: 'resolved' })).state, 'resolved')

  const [command] = await api.putCommands([{ name: 'ping', description: 'Answers' }])
  const overrides = [{ type: 'channel', id: server.id, allow: false }] as const
  const replaced = await api.commandPermissions.replace(server.id, command?.id ?? '', overrides)
  assert.deepEqual(replaced.overrides, overrides)
  assert.deepEqual(await api.commandPermissions.list(server.id), [replaced])

  const { code } = await api.invites.create(server.id)
  assert.equal((await api.invites.create(server.id, { maxUses: 1 })).code.length, code.length)
  assert.equal((await api.invites.list(server.id, { limit: 100 })).length >= 2, true)
  assert.equal((await api.invites.get(code)).server.id, server.id)
  await api.invites.revoke(code)

  const webhook = await api.webhooks.create(general.id, { name: 'Deploys' })
  assert.equal((await api.webhooks.update(general.id, webhook.id, { name: 'Builds' })).name, 'Builds')
  assert.equal((await api.webhooks.list(general.id)).length, 1)
  assert.equal((await api.webhooks.listOfServer(server.id)).length, 1)
  assert.notEqual((await api.webhooks.resetToken(general.id, webhook.id)).token, webhook.token)
  assert.deepEqual(await api.webhooks.deliveries(general.id, webhook.id), [])
  await api.webhooks.delete(general.id, webhook.id)

  await assert.rejects(api.roles.create(server.id, { name: '', permissions: '0' }), error => {
    assert.ok(error instanceof InvalidError)
    assert.deepEqual(
      [error.status, error.code, error.fieldErrors[0]?.path],
      [400, 'validation_failed', 'name'],
    )
    assert.equal(error.message, `POST /api/servers/:id/roles: ${error.reason}`)
    assert.match(error.reason, /\n {2}name: /)
    return true
  })
  await assert.rejects(api.messages.get(general.id, second.id), (error: ApiError) => {
    assert.deepEqual([error instanceof ApiError, error.status, error.code], [true, 404, 'not_found'])
    return true
  })
  await api.members.remove(server.id, '@me')
  assert.deepEqual(await api.servers.list(), [])

  // Every function was called.
  const patterns = listed.map(
    endpoint => [endpoint, new RegExp(`^${endpoint.replaceAll(/:\w+/g, '[^/]+')}$`)] as const,
  )
  const unused = patterns.filter(([, pattern]) => !requests.some(request => pattern.test(request)))
  assert.deepEqual(
    unused.map(([endpoint]) => endpoint),
    [],
  )
})

test('messages beyond the rate of the service wait as its 429 says, and arrive in order', async t => {
  const setup = await startBotSetup(t, { RATE_LIMITS: 'channelMessages=3/10' })
  const { service, token, channelId, messages } = setup
  const retries: string[] = []
  let requests = 0
  const bot = createBot({
    token,
    url: service.url,
    log: line => retries.push(line),
    runtime: {
      fetch(...request) {
        requests++
        return fetchWithoutDate(...request)
      },
      clock: service.clock.now,
      timers: {
        after(ms, work) {
          const timer = service.clock.timers.after(ms, work)
          return () => timer.cancel()
        },
      },
    },
  })
  const sent = [1, 2, 3, 4, 5].map(number => bot.api.sendMessage(channelId, { content: `${number}` }))
  await waitUntil(() => retries.length > 0)
  assert.deepEqual(retries, [
    'POST /api/channels/:id/messages: the service returned 429; trying again in 10 s',
  ])
  assert.equal((await messages()).length, 3)
  assert.equal(requests, 4)
  service.clock.advance(10_000)
  await Promise.all(sent)
  assert.deepEqual(
    (await messages()).map(({ content }) => content),
    ['5', '4', '3', '2', '1'],
  )
  assert.equal(requests, 6)
})

test('a message whose response was lost is sent again with its nonce, and exists once', async t => {
  const { service, token, channelId, messages } = await startBotSetup(t)
  let isFirst = true
  const bot = createBot({
    token,
    url: service.url,
    log: () => {},
    runtime: {
      async fetch(...request) {
        const response = await fetchWithoutDate(...request)
        if (!isFirst) return response
        isFirst = false
        throw Object.assign(new Error('lost'), { code: 'ECONNRESET' })
      },
      clock: service.clock.now,
      timers: {
        after(ms, work) {
          // The delay before the second attempt; the timeout of a request does not fire.
          if (ms === 1000) queueMicrotask(work)
          return () => {}
        },
      },
    },
  })
  const { id } = await bot.api.sendMessage(channelId, { content: 'once' })
  assert.deepEqual(
    (await messages()).map(message => message.id),
    [id],
  )
})
