import assert from 'node:assert/strict'
import { createOperator } from '@gatehouse/testkit/administration'
import { createServer, register } from '@gatehouse/testkit/community'
import { eachService, type TestService } from '@gatehouse/testkit/service'
import { connectUser } from '../gateway/gateway-testing.ts'
import { assertError } from '../interactions/interactions-testing.ts'

/** A direct message of Ben to Ann, which she reports. */
async function setUp(service: TestService) {
  const [operator, ann, ben] = [
    await createOperator(service),
    await register(service, 'ann'),
    await register(service, 'ben'),
  ]
  const { server, general } = await createServer(ann, ben)
  const direct = await ben.client.call('openDirectMessage', { body: { recipientId: ann.id } })
  await ben.client.call('createMessage', { id: direct.id, body: { content: 'Not reported' } })
  const message = await ben.client.call('createMessage', {
    id: direct.id,
    body: { content: `Give me money, <@${ann.id}>` },
  })
  const body = { reason: 'Fraud' }
  const report = () => ann.client.call('reportMessage', { id: direct.id, messageId: message.id, body })
  return { operator, ann, ben, server, general, direct, message, report }
}

function listActs({ db }: TestService) {
  return db.all<{ action: string; actorId: string; targetId: string; reason: string | null }>`
    SELECT action, actor_id, target_id, reason FROM audit_log WHERE server_id = '' ORDER BY id`
}

eachService(
  'administrators see the reported message of a conversation and no other, each time recorded (administration/reports)',
  async (_t, service) => {
    const { operator, ann, ben, server, general, direct, message, report } = await setUp(service)
    const created = await report()
    assert.equal(created.serverId, null)
    const ofServer = await ben.client.call('createMessage', { id: general.id, body: { content: 'Seeds' } })
    await ann.client.call('reportMessage', { id: general.id, messageId: ofServer.id, body: { reason: 'x' } })
    assert.deepEqual(await operator.client.call('listAdminReports'), [created])
    assert.deepEqual(await operator.client.call('listAdminReports', { query: { state: 'dismissed' } }), [])
    assert.deepEqual(await listActs(service), [])
    const details = await operator.client.call('getAdminReport', { id: created.id })
    const names = { users: [{ id: ann.id, username: 'ann', displayName: 'ann' }], roles: [], channels: [] }
    assert.deepEqual(details, { ...created, message, names, messageExists: true })
    const view = { action: 'REPORT_VIEW', actorId: operator.id, targetId: created.id, reason: null }
    assert.deepEqual(await listActs(service), [view])
    for (const path of [
      `/api/channels/${direct.id}/messages`,
      `/api/channels/${direct.id}/messages/${message.id}`,
      `/api/servers/${server.id}/reports`,
    ]) {
      assertError(await operator.client.get(path), 404, 'not_found')
    }
    const [ofModerators] = await ann.client.call('listReports', { id: server.id })
    assertError(await operator.client.get(`/api/admin/reports/${ofModerators?.id}`), 404, 'not_found')
    await ben.client.call('deleteMessage', { id: direct.id, messageId: message.id })
    const after = await operator.client.call('getAdminReport', { id: created.id })
    assert.deepEqual([after.message?.content, after.messageExists], [`Give me money, <@${ann.id}>`, false])
  },
)

eachService(
  'a report of a direct message is closed and opened again, recorded in the audit log of the instance ' +
    '(administration/reports)',
  async (_t, service) => {
    const { operator, ann, ben, report } = await setUp(service)
    await service.db.run`UPDATE users SET administrator = 1 WHERE id = ${ben.id}`
    const [session, reported] = [await connectUser(service, operator), await connectUser(service, ben)]
    const { id } = await report()
    const path = `/api/admin/reports/${id}`
    // Nobody sees reports of themselves.
    assert.deepEqual(await ben.client.call('listAdminReports'), [])
    assertError(await ben.client.get(path), 404, 'not_found')
    assertError(await ben.client.json('PATCH', path, { state: 'dismissed' }), 404, 'not_found')
    assertError(await ann.client.json('PATCH', path, { state: 'dismissed' }), 404, 'not_found')
    const headers = { 'x-audit-log-reason': 'Warned' }
    for (const state of ['resolved', 'open', 'dismissed']) {
      const reply = await operator.client.json('PATCH', path, { state }, headers)
      assert.deepEqual([reply.status, reply.body.state], [200, state], reply.text)
    }
    assert.deepEqual(
      (await listActs(service)).map(({ action, reason }) => [action, reason]),
      [
        ['REPORT_RESOLVE', 'Warned'],
        ['REPORT_REOPEN', 'Warned'],
        ['REPORT_DISMISS', 'Warned'],
      ],
    )
    for (const state of ['open', 'resolved', 'open', 'dismissed']) {
      const { t, d } = await session.nextDispatch()
      assert.deepEqual([t, d.id, d.state], [t === 'REPORT_CREATE' ? t : 'REPORT_UPDATE', id, state])
    }
    assert.deepEqual(reported.takeFrames(), [])
  },
)
