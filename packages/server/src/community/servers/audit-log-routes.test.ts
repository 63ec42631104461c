import assert from 'node:assert/strict'
import type { AuditLogEntry } from '@gatehouse/protocol/audit-log'
import { defaultBot, formatPermissions, Permission } from '@gatehouse/protocol/permissions'
import { addBot, createBotApplication } from '@gatehouse/testkit/applications'
import { createServer, register, type TestUser } from '@gatehouse/testkit/community'
import { png } from '@gatehouse/testkit/images'
import { eachService, type TestService } from '@gatehouse/testkit/service'

const day = 86_400_000

/** The owner and a member of a server. */
async function setUp(service: TestService) {
  const [ann, ben] = [await register(service, 'ann'), await register(service, 'ben')]
  const { server, general } = await createServer(ann, ben)
  const path = `/api/servers/${server.id}`
  const list = (query = '') =>
    ann.client.request<AuditLogEntry[]>('GET', `${path}/audit-log?limit=100${query}`)
  return { ann, ben, server, general, path, list, channelPath: `/api/channels/${general.id}` }
}

const userTarget = ({ id, username }: TestUser) => ({ type: 'user', id, name: username })

const parse = (json: string | null) => (json === null ? null : JSON.parse(json))

/** The values of each change: `{name: ['before', 'after']}`. */
function changesOf({ changes }: AuditLogEntry) {
  return Object.fromEntries(changes.map(({ key, before, after }) => [key, [parse(before), parse(after)]]))
}

eachService(
  'each act on a server is recorded with its actor, its target, what changed and the reason (community/audit-log)',
  async (_t, service) => {
    const { ann, ben, server, general, path, list, channelPath } = await setUp(service)
    let count = (await list()).length
    /** Sends the request and returns the response. The newest entry, which is a new one, has these members. */
    async function act(
      request: readonly [method: string, path: string, body?: unknown],
      action: string,
      target: object,
      changes: object,
    ) {
      const [method, url, body] = request
      const headers = { 'x-audit-log-reason': encodeURIComponent(`Reason of ${url} – ж`) }
      const reply =
        body instanceof Blob
          ? await ann.client.send(url, { method, body, headers: { 'content-type': body.type, ...headers } })
          : await ann.client.json(method, url, body, headers)
      assert.ok(reply.status < 300, reply.text)
      const entries = await list()
      const [entry] = entries
      assert.ok(entry)
      count += 1
      assert.equal(entries.length, count, action)
      const expected = { action, target: { ...entry.target, ...target }, changes }
      assert.deepEqual({ action: entry.action, target: entry.target, changes: changesOf(entry) }, expected)
      assert.deepEqual([entry.actor?.id, entry.reason], [ann.id, `Reason of ${url} – ж`])
      return reply.body
    }
    const onServer = { type: 'server', id: server.id }
    await act(
      ['PATCH', path, { name: 'Garden' }],
      'SERVER_UPDATE',
      { ...onServer, name: 'Garden' },
      {
        name: ['Server', 'Garden'],
      },
    )
    const image = new Blob([png], { type: 'image/png' })
    const { icon } = await ann.client.send(`${path}/icon`, { method: 'PUT', body: image }).then(r => r.body)
    count += 1
    await act(['DELETE', `${path}/icon`], 'SERVER_UPDATE', onServer, { icon: [icon, null] })

    const onGeneral = { type: 'channel', id: general.id, name: 'general' }
    const created = await act(
      ['POST', `${path}/channels`, { name: 'news' }],
      'CHANNEL_CREATE',
      { type: 'channel', name: 'news' },
      { name: [null, 'news'], position: [null, 1] },
    )
    const onNews = { type: 'channel', id: created.id }
    await act(
      ['PATCH', `/api/channels/${created.id}`, { name: 'olds', topic: 'Old' }],
      'CHANNEL_UPDATE',
      { ...onNews, name: 'olds' },
      { name: ['news', 'olds'], topic: [null, 'Old'] },
    )
    await act(
      ['DELETE', `/api/channels/${created.id}`],
      'CHANNEL_DELETE',
      { ...onNews, name: 'olds' },
      {
        name: ['olds', null],
        topic: ['Old', null],
        position: [1, null],
        slowMode: [0, null],
      },
    )
    const category = await act(
      ['POST', `${path}/channels`, { name: 'Old news', type: 'category' }],
      'CHANNEL_CREATE',
      { type: 'category', name: 'Old news' },
      { name: [null, 'Old news'], position: [null, 1] },
    )
    await act(
      ['DELETE', `/api/channels/${category.id}`],
      'CHANNEL_DELETE',
      { type: 'category', id: category.id, name: 'Old news' },
      { name: ['Old news', null], position: [1, null], slowMode: [0, null] },
    )
    const overwrite = { id: ben.id, type: 'member', name: 'ben', allow: '0', deny: '2048' }
    await act(
      ['PUT', `${channelPath}/overwrites/${ben.id}`, { type: 'member', allow: '0', deny: '2048' }],
      'OVERWRITE_UPDATE',
      onGeneral,
      { permissionOverwrites: [null, overwrite] },
    )
    await act(['DELETE', `${channelPath}/overwrites/${ben.id}`], 'OVERWRITE_DELETE', onGeneral, {
      permissionOverwrites: [overwrite, null],
    })

    const role = await act(
      ['POST', `${path}/roles`, { name: 'Crew', permissions: '2' }],
      'ROLE_CREATE',
      { type: 'role', name: 'Crew' },
      { name: [null, 'Crew'], permissions: [null, '2'], color: [null, 0], position: [null, 1] },
    )
    const onRole = { type: 'role', id: role.id, name: 'Crew' }
    const rolePath = `${path}/roles/${role.id}`
    await act(['PATCH', rolePath, { permissions: '6' }], 'ROLE_UPDATE', onRole, { permissions: ['2', '6'] })
    const granted = [{ id: role.id, name: 'Crew' }]
    const memberPath = `${path}/members/${ben.id}`
    for (const [method, change] of [
      ['PUT', [null, granted]],
      ['DELETE', [granted, null]],
    ] as const) {
      const request = [method, `${memberPath}/roles/${role.id}`] as const
      await act(request, 'MEMBER_ROLE_UPDATE', userTarget(ben), { roles: change })
    }
    await act(['DELETE', rolePath], 'ROLE_DELETE', onRole, {
      name: ['Crew', null],
      permissions: ['6', null],
      color: [0, null],
      position: [1, null],
    })

    const timedOutUntil = new Date(service.clock.now() + day).toISOString()
    await act(['PATCH', memberPath, { timedOutUntil }], 'MEMBER_UPDATE', userTarget(ben), {
      timedOutUntil: [null, timedOutUntil],
    })
    await act(['PATCH', memberPath, { timedOutUntil: null }], 'MEMBER_UPDATE', userTarget(ben), {
      timedOutUntil: [timedOutUntil, null],
    })
    const message = await ben.client.request<{ id: string }>('POST', `${channelPath}/messages`, {
      content: 'Buy now',
    })
    await act(
      ['DELETE', `${channelPath}/messages/${message.id}`],
      'MESSAGE_DELETE',
      { type: 'message', id: message.id, name: 'ben' },
      { channelId: [general.id, null], authorId: [ben.id, null] },
    )
    const createdAt = new Date(service.clock.now()).toISOString()
    const { code, expiresAt } = await ben.client.request<{ code: string; expiresAt: string }>(
      'POST',
      `${path}/invites`,
      { maxUses: 3 },
    )
    count += 1
    const [invited] = await list()
    assert.ok(invited)
    assert.deepEqual(
      [invited.action, invited.actor?.id, changesOf(invited)],
      [
        'INVITE_CREATE',
        ben.id,
        { channelId: [null, general.id], maxUses: [null, 3], expiresAt: [null, expiresAt] },
      ],
    )
    await act(
      ['DELETE', `/api/invites/${code}`],
      'INVITE_DELETE',
      { type: 'invite', id: code, name: code },
      {
        ...{ channelId: [general.id, null], creatorId: [ben.id, null] },
        ...{ maxUses: [3, null], uses: [0, null] },
        ...{ createdAt: [createdAt, null], expiresAt: [expiresAt, null] },
      },
    )
    await act(['DELETE', memberPath], 'MEMBER_KICK', userTarget(ben), {})
    const banPath = `${path}/bans/${ben.id}`
    await act(['PUT', banPath, { deleteMessageSeconds: 60 }], 'BAN_ADD', userTarget(ben), {
      deleteMessageSeconds: [null, 60],
    })
    await act(['PUT', banPath, { reason: 'Spam' }], 'BAN_ADD', userTarget(ben), { reason: [null, 'Spam'] })
    await act(['DELETE', banPath], 'BAN_REMOVE', userTarget(ben), {})

    const webhooks = `/api/channels/${general.id}/webhooks`
    const webhook = await act(
      ['POST', webhooks, { name: 'Builds' }],
      'WEBHOOK_CREATE',
      { type: 'webhook', name: 'Builds' },
      { name: [null, 'Builds'], channelId: [null, general.id] },
    )
    const onWebhook = { type: 'webhook', id: webhook.id, name: 'Releases' }
    await act(['PATCH', `${webhooks}/${webhook.id}`, { name: 'Releases' }], 'WEBHOOK_UPDATE', onWebhook, {
      name: ['Builds', 'Releases'],
    })
    const reset = await act(['POST', `${webhooks}/${webhook.id}/token`], 'WEBHOOK_UPDATE', onWebhook, {
      token: [null, null],
    })
    await act(['DELETE', `${webhooks}/${webhook.id}`], 'WEBHOOK_DELETE', onWebhook, {
      name: ['Releases', null],
      channelId: [general.id, null],
    })
    const stored = JSON.stringify(await list())
    for (const secret of [webhook.token, reset.token, 'Buy now']) assert.ok(!stored.includes(secret))
  },
)

eachService(
  'bots that are added and removed, and who may use their commands, are recorded (community/audit-log)',
  async (_t, service) => {
    const { ann, ben, server, path, list } = await setUp(service)
    const bot = await createBotApplication(ann.client, {}, { username: 'dice' })
    const onBot = { type: 'user', id: bot.botId, name: 'dice' }
    const newest = async () => {
      const [entry] = await list()
      assert.ok(entry)
      return [entry.action, entry.target, changesOf(entry)]
    }
    const scopes = ['bot', 'applications.commands']
    const kick = defaultBot | Permission.KICK_MEMBERS
    await addBot(ann.client, bot.applicationId, server.id)
    const permissions = formatPermissions(defaultBot)
    assert.deepEqual(await newest(), [
      'BOT_ADD',
      onBot,
      { scopes: [null, scopes], permissions: [null, permissions] },
    ])
    await addBot(ann.client, bot.applicationId, server.id, kick)
    assert.deepEqual(await newest(), [
      'BOT_ADD',
      onBot,
      { permissions: [permissions, formatPermissions(kick)] },
    ])
    assert.equal((await list('&action=ROLE_UPDATE')).length, 1)

    const headers = { authorization: `Bot ${bot.token}` }
    const commands = [{ name: 'roll', description: 'Rolls dice' }]
    const anyone = service.client()
    const put = await anyone.json('PUT', '/api/applications/@me/commands', commands, headers)
    const commandPath = `${path}/commands/${put.body[0].id}/permissions`
    const forBen = { type: 'user', id: ben.id, allow: true }
    const forAll = { type: 'role', id: server.id, allow: false }
    await ann.client.request('PUT', commandPath, [forAll, forBen])
    await ann.client.request('PUT', commandPath, [forBen, { ...forAll, allow: true }])
    assert.deepEqual(await newest(), [
      'COMMAND_PERMISSION_UPDATE',
      { type: 'command', id: put.body[0].id, name: 'roll' },
      { overrides: [[forAll], [{ ...forAll, allow: true }]] },
    ])

    const kicked = await anyone.json('DELETE', `${path}/members/${ben.id}`, undefined, {
      ...headers,
      'x-audit-log-reason': 'Bot%20knows',
    })
    assert.equal(kicked.status, 204, kicked.text)
    const [byBot] = await list()
    assert.deepEqual(
      [byBot?.action, byBot?.actor?.id, byBot?.reason],
      ['MEMBER_KICK', bot.botId, 'Bot knows'],
    )
    await ann.client.request('DELETE', `${path}/members/${bot.botId}`)
    assert.deepEqual(await newest(), ['BOT_REMOVE', onBot, {}])
  },
)

eachService(
  'what fails, changes nothing, or concerns only the caller is not recorded (community/audit-log)',
  async (_t, service) => {
    const { ann, ben, server, path, list, channelPath } = await setUp(service)
    await ann.client.request('PUT', `${path}/bans/${(await register(service, 'cem')).id}`, { reason: 'Spam' })
    const before = await list()
    assert.equal(before[0]?.reason, 'Spam')
    const send = (by: TestUser, status: number, ...[method, url, body]: [string, string, unknown?]) =>
      by.client.json(method, url, body).then(reply => assert.equal(reply.status, status, `${method} ${url}`))
    await send(ben, 403, 'PATCH', path, { name: 'Mine' })
    await send(ann, 200, 'PATCH', path, { name: server.name })
    await send(ann, 200, 'PATCH', channelPath, { name: 'general' })
    await send(ann, 200, 'PATCH', `${path}/roles/${server.id}`, {})
    await send(ann, 200, 'PATCH', `${path}/members/${ben.id}`, { timedOutUntil: null })
    await send(ann, 204, 'PUT', `${path}/bans/${before[0]?.target.id}`, { reason: 'Spam' })
    const { id } = await ben.client.request<{ id: string }>('POST', `${channelPath}/messages`, {
      content: 'a',
    })
    await send(ben, 204, 'DELETE', `${channelPath}/messages/${id}`)
    await send(ben, 204, 'DELETE', `${path}/members/@me`)
    assert.deepEqual(await list(), before)
  },
)

eachService(
  'GET /api/servers/:id/audit-log: is 403 without VIEW_AUDIT_LOG; filters and pages (community/audit-log-page)',
  async (_t, service) => {
    const { ann, ben, server, path, list, channelPath } = await setUp(service)
    assert.equal((await ben.client.get(`${path}/audit-log`)).body.code, 'missing_permission')
    const permissions = formatPermissions(Permission.VIEW_AUDIT_LOG | Permission.MANAGE_CHANNELS)
    await ann.client.request('PATCH', `${path}/roles/${server.id}`, { permissions: '0' })
    const role = await ann.client.request<{ id: string }>('POST', `${path}/roles`, {
      name: 'Crew',
      permissions,
    })
    await ann.client.request('PUT', `${path}/members/${ben.id}/roles/${role.id}`)
    await ann.client.request('PATCH', `${path}/roles/${server.id}`, { permissions: '1024' })
    service.clock.advance(1000)
    for (const topic of ['one', 'two', 'three']) await ben.client.request('PATCH', channelPath, { topic })
    const all = await list()
    const page = async (query: string) => {
      const reply = await ben.client.request<AuditLogEntry[]>('GET', `${path}/audit-log?${query}`)
      return reply.map(entry => all.findIndex(({ id }) => id === entry.id))
    }
    assert.deepEqual(
      all.map(({ action }) => action),
      [
        ...['CHANNEL_UPDATE', 'CHANNEL_UPDATE', 'CHANNEL_UPDATE'],
        ...['ROLE_UPDATE', 'MEMBER_ROLE_UPDATE', 'ROLE_CREATE', 'ROLE_UPDATE', 'INVITE_CREATE'],
      ],
    )
    assert.deepEqual(await page(`userId=${ben.id}`), [0, 1, 2])
    assert.deepEqual(await page(`targetId=${ben.id}`), [4])
    assert.deepEqual(await page(`userId=${ann.id}&action=ROLE_UPDATE`), [3, 6])
    assert.deepEqual(await page(`limit=2&before=${all[2]?.id}`), [3, 4])
    assert.deepEqual(await page(`limit=2&after=${all[4]?.id}`), [2, 3])
    assert.deepEqual(await page(`after=${all[4]?.id}&before=${all[1]?.id}`), [2, 3])
    assert.equal((await ben.client.get(`${path}/audit-log?action=JUMP`)).status, 400)
  },
)

eachService(
  'DELETE /api/servers/:id: is in the audit log of the instance (community/audit-log)',
  async (_t, service) => {
    const { ann, path, server } = await setUp(service)
    await ann.client.request('DELETE', path)
    const entries = await service.db.all<object>`
      SELECT server_id, actor_id, target_id, target_name FROM audit_log WHERE action = 'SERVER_DELETE'`
    const expected = { serverId: '', actorId: ann.id, targetId: server.id, targetName: server.name }
    assert.deepEqual(entries, [expected])
  },
)
