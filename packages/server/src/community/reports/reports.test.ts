import assert from 'node:assert/strict'
import { test } from 'node:test'
import { maxOpenReports } from '@gatehouse/protocol/limits'
import { defaultEveryone, formatPermissions, Permission } from '@gatehouse/protocol/permissions'
import { addBot } from '@gatehouse/testkit/applications'
import { createCommunity, createServer, register, type TestUser } from '@gatehouse/testkit/community'
import { eachEngine } from '@gatehouse/testkit/databases'
import { eachService, startNodes, type TestService } from '@gatehouse/testkit/service'
import { createAuditLog } from '../../audit/index.ts'
import { createEvents } from '../../events/gateway-events.ts'
import { clientOn, connectUser, createBot, identify } from '../../gateway/gateway-testing.ts'
import { assertError } from '../../interactions/interactions-testing.ts'
import { createWebhook } from '../../webhooks/webhooks-testing.ts'
import { createReportQueue, createReports } from './index.ts'

const day = 86_400_000
const unknown = '1234567890123456789'

/** A server of Ann with the moderator Mo, who may delete messages, and the members Ben and Eve. */
async function setUp(service: TestService) {
  const names = ['ann', 'mo', 'ben', 'eve'] as const
  const [ann, mo, ben, eve] = [
    await register(service, names[0]),
    await register(service, names[1]),
    await register(service, names[2]),
    await register(service, names[3]),
  ]
  const { server, general } = await createServer(ann, mo, ben, eve)
  await grant(ann, server.id, mo.id, Permission.MANAGE_MESSAGES)
  const message = await say(ben, general.id, 'Buy my seeds')
  const path = `/api/servers/${server.id}/reports`
  const report = (user: TestUser, messageId = message.id, reason = 'Spam') =>
    user.client.call('reportMessage', { id: general.id, messageId, body: { reason } })
  const list = (user: TestUser, query = {}) => user.client.call('listReports', { id: server.id, query })
  return { ann, mo, ben, eve, server, general, message, path, report, list }
}

async function grant({ client }: TestUser, id: string, userId: string, permissions: bigint) {
  const body = { name: 'Crew', permissions: formatPermissions(permissions) }
  const role = await client.call('createRole', { id, body })
  await client.call('addMemberRole', { id, userId, roleId: role.id })
}

function say({ client }: TestUser, id: string, content: string) {
  return client.call('createMessage', { id, body: { content } })
}

eachService(
  'a report has a copy of the message, which moderators see also after an edit and a deletion (community/reports)',
  async (_t, service) => {
    const { ann, mo, ben, eve, general, message, report, list } = await setUp(service)
    const created = await report(eve)
    assert.deepEqual(
      [created.messageId, created.reporter.id, created.user.id, created.state, created.closedBy],
      [message.id, eve.id, ben.id, 'open', null],
    )
    assert.equal('message' in created, false)
    const edit = { id: general.id, messageId: message.id, body: { content: 'Nothing to see' } }
    await ben.client.call('updateMessage', edit)
    const [found] = await list(mo)
    const names = { users: [], roles: [], channels: [{ id: general.id, name: 'general' }] }
    assert.deepEqual(found, { ...created, message, names, messageExists: true })
    await ben.client.call('deleteMessage', { id: general.id, messageId: message.id })
    assert.deepEqual(await list(ann), [{ ...created, message, names, messageExists: false }])
  },
)

eachService(
  'a report has the names of what the message mentions, also after their deletion, but not of hidden channels and of ' +
    'others than members (community/report-names)',
  async (_t, service) => {
    const { ann, mo, ben, eve, server, general, list } = await setUp(service)
    const stranger = await register(service, 'stranger')
    const role = await ann.client.call('createRole', {
      id: server.id,
      body: { name: 'Gardeners', permissions: '0' },
    })
    const [open, secret] = await Promise.all(
      ['open', 'secret'].map(name => ann.client.call('createChannel', { id: server.id, body: { name } })),
    )
    assert.ok(open && secret)
    const hide = { type: 'role', allow: '0', deny: String(Permission.VIEW_CHANNEL) }
    await ann.client.request('PUT', `/api/channels/${secret.id}/overwrites/${server.id}`, hide)
    const content =
      `<@${ann.id}> <@!${ann.id}> <@${stranger.id}> <@&${role.id}> <#${open.id}> <#${secret.id}> ` +
      `<#${general.id}> <@${unknown}>`
    const { id: messageId } = await say(ben, general.id, content)
    await eve.client.call('reportMessage', { id: general.id, messageId, body: { reason: 'Spam' } })
    await ann.client.call('deleteRole', { id: server.id, roleId: role.id })
    const users = [{ id: ann.id, username: 'ann', displayName: 'ann' }]
    const roles = [{ id: role.id, name: 'Gardeners' }]
    const channels = [
      { id: general.id, name: 'general' },
      { id: open.id, name: 'open' },
    ]
    const namesFor = async (user: TestUser) => {
      const [report] = await list(user)
      assert.equal(report?.message?.content, content)
      return (
        report && {
          ...report.names,
          channels: report.names.channels.sort((a, b) => (a.name < b.name ? -1 : 1)),
        }
      )
    }
    assert.deepEqual(await namesFor(mo), { users, roles, channels })
    await ann.client.call('deleteChannel', { id: open.id })
    assert.deepEqual(await namesFor(ann), {
      users,
      roles,
      channels: [...channels, { id: secret.id, name: 'secret' }],
    })
  },
)

eachService(
  'POST …/messages/:messageId/reports: 400, 404 for what the reporter cannot see, 409 for an own message ' +
    'and a second report (community/reports)',
  async (_t, service) => {
    const { ann, ben, eve, server, general, message, report } = await setUp(service)
    const path = `/api/channels/${general.id}/messages/${message.id}/reports`
    for (const reason of ['', ' \n ', 'x'.repeat(513)]) {
      assertError(await eve.client.json('POST', path, { reason }), 400, 'validation_failed')
    }
    const missing = path.replace(message.id, unknown)
    assertError(await eve.client.json('POST', missing, { reason: 'Spam' }), 404, 'not_found')
    assertError(await ben.client.json('POST', path, { reason: 'Spam' }), 409, 'conflict')
    await report(eve, message.id, 'x'.repeat(512))
    assertError(await eve.client.json('POST', path, { reason: 'Again' }), 409, 'conflict')
    await report(ann)
    const overwrite = { type: 'role', allow: '0', deny: String(Permission.VIEW_CHANNEL) }
    await ann.client.request('PUT', `/api/channels/${general.id}/overwrites/${server.id}`, overwrite)
    assertError(await eve.client.json('POST', path, { reason: 'Spam' }), 404, 'not_found')
  },
)

eachService(
  'POST …/members/:userId/reports: 201, 404 for others than members, 409 (community/reports)',
  async (_t, service) => {
    const { mo, ben, eve, server, list } = await setUp(service)
    const stranger = await register(service, 'stranger')
    const path = `/api/servers/${server.id}/members`
    const body = { reason: 'Insults people' }
    assert.equal((await eve.client.json('POST', `${path}/${ben.id}/reports`, body)).status, 201)
    assertError(await eve.client.json('POST', `${path}/${ben.id}/reports`, body), 409, 'conflict')
    assertError(await eve.client.json('POST', `${path}/${eve.id}/reports`, body), 409, 'conflict')
    assertError(await eve.client.json('POST', `${path}/${stranger.id}/reports`, body), 404, 'not_found')
    assertError(await stranger.client.json('POST', `${path}/${ben.id}/reports`, body), 404, 'not_found')
    const [report] = await list(mo)
    assert.ok(report)
    assert.deepEqual(
      [report.user.id, report.channelId, report.messageId, report.message, report.messageExists],
      [ben.id, null, null, null, false],
    )
  },
)

eachService(
  'one of four permissions is enough for the queue, without reports of hidden channels and of oneself ' +
    '(community/report-queue)',
  async (_t, service) => {
    const { ann, mo, ben, eve, server, general, message, path, report, list } = await setUp(service)
    await report(eve)
    const secret = await ann.client.call('createChannel', { id: server.id, body: { name: 'staff' } })
    const hidden = await say(ben, secret.id, 'Also here')
    await eve.client.call('reportMessage', { id: secret.id, messageId: hidden.id, body: { reason: 'x' } })
    const own = await say(mo, general.id, 'I am the law')
    await report(eve, own.id)
    const overwrite = { type: 'role', allow: '0', deny: String(Permission.VIEW_CHANNEL) }
    await ann.client.request('PUT', `/api/channels/${secret.id}/overwrites/${server.id}`, overwrite)
    const messageIds = async (user: TestUser, query = {}) =>
      (await list(user, query)).map(({ messageId }) => messageId)
    assert.deepEqual(await messageIds(ann), [own.id, hidden.id, message.id])
    assert.deepEqual(await messageIds(mo), [message.id])
    assert.deepEqual(await messageIds(mo, { state: 'open' }), [message.id])
    const [first, second] = await list(ann, { limit: 2 })
    assert.deepEqual(await messageIds(ann, { before: first?.id, limit: 1 }), [hidden.id])
    assert.deepEqual(await messageIds(ann, { before: second?.id, state: 'open' }), [message.id])
    for (const { id } of [first, second].flatMap(one => one ?? [])) {
      assertError(await mo.client.json('PATCH', `${path}/${id}`, { state: 'resolved' }), 404, 'not_found')
    }
    assertError(await eve.client.get(path), 403, 'missing_permission')
    const { KICK_MEMBERS, BAN_MEMBERS, MODERATE_MEMBERS } = Permission
    for (const permission of [KICK_MEMBERS, BAN_MEMBERS, MODERATE_MEMBERS]) {
      const member = await register(service, `m${permission}`)
      const { code } = await ann.client.call('createInvite', { id: server.id })
      await member.client.call('acceptInvite', { code })
      await grant(ann, server.id, member.id, permission)
      assert.deepEqual(await messageIds(member), [own.id, message.id])
    }
    // Only the owner and administrators see those of a deleted channel.
    await ann.client.call('deleteChannel', { id: general.id })
    assert.deepEqual(await messageIds(mo), [])
    assert.deepEqual(await messageIds(ann), [own.id, hidden.id, message.id])
    const timedOutUntil = new Date(service.clock.now() + 60_000).toISOString()
    await ann.client.call('updateMember', { id: server.id, userId: mo.id, body: { timedOutUntil } })
    assertError(await mo.client.get(path), 403, 'timed_out')
  },
)

eachService(
  'a report is resolved, opened again and dismissed, each recorded with its reason (community/report-states)',
  async (_t, service) => {
    const { ann, mo, eve, server, path, report, list } = await setUp(service)
    const { id } = await report(eve)
    const set = (state: string) =>
      mo.client.json('PATCH', `${path}/${id}`, { state }, { 'x-audit-log-reason': `Because%20${state}` })
    const resolved = await set('resolved')
    assert.equal(resolved.status, 200, resolved.text)
    assert.deepEqual(
      [resolved.body.state, resolved.body.closedBy.id, resolved.body.closedAt],
      ['resolved', mo.id, new Date(service.clock.now()).toISOString()],
    )
    await set('resolved')
    assert.deepEqual(await list(mo, { state: 'open' }), [])
    const again = await set('open')
    assert.deepEqual([again.body.state, again.body.closedBy, again.body.closedAt], ['open', null, null])
    await set('dismissed')
    assert.equal((await list(mo, { state: 'dismissed' })).length, 1)
    // A report that was closed does not prevent another one, but then cannot be opened again.
    const next = await report(eve)
    assertError(await set('open'), 409, 'conflict')
    assert.deepEqual(
      (await list(mo, { state: 'open' })).map(one => one.id),
      [next.id],
    )
    const entries = await ann.client.call('listAuditLog', { id: server.id, query: { targetId: id } })
    assert.deepEqual(
      entries.map(({ action, actor, target, reason, changes }) => [
        action,
        actor?.id,
        target.name,
        reason,
        changes[0]?.after,
      ]),
      [
        ['REPORT_DISMISS', mo.id, '', 'Because dismissed', '"dismissed"'],
        ['REPORT_REOPEN', mo.id, '', 'Because open', '"open"'],
        ['REPORT_RESOLVE', mo.id, '', 'Because resolved', '"resolved"'],
      ],
    )
    assertError(await mo.client.json('PATCH', `${path}/${id}`, { state: 'closed' }), 400, 'validation_failed')
    assertError(await eve.client.json('PATCH', `${path}/${id}`, { state: 'open' }), 403, 'missing_permission')
  },
)

eachService(
  'of two states at the same time one is set and recorded, or both in turn (community/report-states)',
  async (_t, service) => {
    const { ann, mo, eve, server, path, report, list } = await setUp(service)
    const { id } = await report(eve)
    const replies = await Promise.all([
      ann.client.json('PATCH', `${path}/${id}`, { state: 'resolved' }),
      mo.client.json('PATCH', `${path}/${id}`, { state: 'dismissed' }),
    ])
    const successes = replies.filter(({ status }) => status === 200)
    for (const reply of replies) if (reply.status !== 200) assertError(reply, 409, 'conflict')
    const entries = await ann.client.call('listAuditLog', { id: server.id, query: { targetId: id } })
    assert.equal(entries.length, successes.length)
    const [stored] = await list(ann)
    assert.equal(entries[0]?.changes[0]?.after, JSON.stringify(stored?.state))
  },
)

eachService('a user has at most 25 open reports on a server (limits/caps)', async (_t, service) => {
  const { ben, eve, general, report, list, ann } = await setUp(service)
  const { id } = await report(eve)
  for (let n = 1; n < maxOpenReports - 1; n += 1) {
    await service.db.run`
      INSERT INTO reports
      (id, server_id, channel_id, subject_id, user_id, reporter_id, reason, message, state,
        created_at)
      SELECT ${`10000000000000000${n + 10}`}, server_id, channel_id, ${`10000000000000000${n + 10}`}, user_id,
        reporter_id, reason, message, state, created_at
      FROM reports WHERE id = ${id}`
  }
  const others = [await say(ben, general.id, 'one'), await say(ben, general.id, 'two')]
  const replies = await Promise.all(
    others.map(other =>
      eve.client.json('POST', `/api/channels/${general.id}/messages/${other.id}/reports`, { reason: 'x' }),
    ),
  )
  assert.deepEqual(replies.map(({ status }) => status).toSorted(), [201, 409])
  const refused = replies.find(({ status }) => status === 409)
  assert.deepEqual([refused?.body.code, refused?.body.limit], ['limit_reached', 'openReports'])
  assert.equal((await list(ann, { limit: 100 })).length, maxOpenReports)
})

eachService(
  'REPORT_CREATE and REPORT_UPDATE reach those who see the report, and not its user (community/report-events)',
  async (_t, service) => {
    const { ann, mo, ben, eve, server, general, path, report } = await setUp(service)
    await grant(ann, server.id, ben.id, Permission.BAN_MEMBERS)
    const bot = await createBot(service, ann)
    await addBot(ann.client, bot.applicationId, server.id, Permission.VIEW_CHANNEL | Permission.BAN_MEMBERS)
    const powerless = await createBot(service, ann)
    await addBot(ann.client, powerless.applicationId, server.id)
    const receivers = [
      await connectUser(service, ann),
      await connectUser(service, mo),
      await identify(service, { ...bot, intents: ['moderation'] }),
    ]
    const others = [
      await connectUser(service, ben),
      await connectUser(service, eve),
      await identify(service, { ...powerless, intents: ['moderation', 'messages'] }),
      await identify(service, { ...bot, intents: ['messages'] }),
    ]
    const created = await report(eve)
    await mo.client.json('PATCH', `${path}/${created.id}`, { state: 'resolved' })
    await say(ann, general.id, 'done')
    for (const receiver of receivers) {
      const first = await receiver.nextDispatch()
      assert.deepEqual([first.t, first.d], ['REPORT_CREATE', created])
      let second = await receiver.nextDispatch()
      while (second.t !== 'REPORT_UPDATE') second = await receiver.nextDispatch()
      assert.deepEqual([second.d.id, second.d.state], [created.id, 'resolved'])
    }
    for (const other of others) assert.equal((await other.nextDispatch()).t, 'MESSAGE_CREATE')
  },
)

eachService('a bot with one of the permissions uses the queue, and reports nothing', async (_t, service) => {
  const { ann, eve, server, general, message, path, report } = await setUp(service)
  const { id } = await report(eve)
  const bot = await createBot(service, ann)
  await addBot(ann.client, bot.applicationId, server.id, defaultEveryone | Permission.MODERATE_MEMBERS)
  const headers = { authorization: `Bot ${bot.token}` }
  const anyone = service.client()
  assert.equal((await anyone.get(path, headers)).body[0].id, id)
  const reply = await anyone.json('PATCH', `${path}/${id}`, { state: 'dismissed' }, headers)
  assert.deepEqual([reply.status, reply.body.closedBy.bot], [200, true])
  const reported = await anyone.json(
    'POST',
    `/api/channels/${general.id}/messages/${message.id}/reports`,
    { reason: 'Spam' },
    headers,
  )
  assertError(reported, 403, 'credential_not_accepted')
})

eachEngine(
  'reports are deleted 90 days after they were closed, and with their server (community/report-deletion)',
  async (_t, db) => {
    const community = createCommunity(db)
    const { clock, messageRepository: messages, ids } = community
    const deps = { db, clock: clock.now, ids, messages, events: createEvents({ publish: () => undefined }) }
    const queue = createReportQueue({ ...deps, auditLog: createAuditLog(deps) })
    const reports = createReports({ ...deps, queue })
    const [ann, ben, eve] = [
      await community.createUser('ann'),
      await community.createUser('ben'),
      await community.createUser('eve'),
    ]
    const { server } = await community.createServer(ann, ben, eve)
    const reported = [
      await reports.reportMember(eve, server.id, ben, { reason: 'Spam' }),
      await reports.reportMember(ann, server.id, ben, { reason: 'Spam' }),
    ]
    const left = async () => (await reports.listReports(ann, server.id, {})).map(({ id }) => id).toReversed()
    await reports.updateReport({ userId: ann }, server.id, reported[0]?.id ?? '', 'dismissed')
    clock.advance(90 * day)
    await queue.sweep()
    assert.deepEqual(
      await left(),
      reported.map(({ id }) => id),
    )
    clock.advance(1)
    await queue.sweep()
    assert.deepEqual(await left(), [reported[1]?.id])
    await community.servers.deleteServer({ userId: ann }, server.id)
    await community.sweepDeletions()
    assert.deepEqual(await db.all`SELECT id FROM reports`, [])
  },
)

eachService(
  'a report of a message of a webhook has its name and avatar from that time (community/reports)',
  async (_t, service) => {
    const { ann, eve, general, report, list } = await setUp(service)
    const webhook = await createWebhook(ann, general.id)
    const posted = await ann.client.request<{ id: string }>(
      'POST',
      `${new URL(webhook.url).pathname}?wait=true`,
      { content: 'Build 7', username: 'Builds', embeds: [{ title: 'Failed' }] },
    )
    await report(eve, posted.id)
    await ann.client.call('deleteWebhook', { channelId: general.id, id: webhook.id })
    const [found] = await list(ann)
    assert.deepEqual([found?.user.displayName, found?.user.webhookId], ['Builds', webhook.id])
    assert.equal(found?.message?.embeds[0]?.title, 'Failed')
  },
)

test('REPORT_CREATE reaches a moderator on the other node (community/report-events)', async t => {
  const [a, b] = (await startNodes(t)) ?? []
  if (!a || !b) return
  const [ann, ben] = [await register(a, 'ann'), await register(b, 'ben')]
  const { server, general } = await createServer(ann, clientOn(a, ben))
  const { id: messageId } = await say(ann, general.id, 'Buy my seeds')
  await grant(ann, server.id, ben.id, Permission.KICK_MEMBERS)
  const eve = await register(a, 'eve')
  const { code } = await ann.client.call('createInvite', { id: server.id })
  await eve.client.call('acceptInvite', { code })
  const session = await connectUser(b, clientOn(b, ben))
  const body = { reason: 'Spam' }
  const report = await eve.client.call('reportMessage', { id: general.id, messageId, body })
  const { t: name, d } = await session.nextDispatch()
  assert.deepEqual([name, d], ['REPORT_CREATE', report])
})
