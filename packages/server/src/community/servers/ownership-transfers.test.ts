import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { AuditLogEntry } from '@gatehouse/protocol/audit-log'
import { ownershipTransferSeconds } from '@gatehouse/protocol/limits'
import { Permission } from '@gatehouse/protocol/permissions'
import { createOperator } from '@gatehouse/testkit/administration'
import { addBot } from '@gatehouse/testkit/applications'
import { assertLimitReached, oldIds } from '@gatehouse/testkit/caps'
import { createServer, register, type TestUser } from '@gatehouse/testkit/community'
import { fieldErrorsOf } from '@gatehouse/testkit/field-errors'
import { createBot } from '@gatehouse/testkit/interactions'
import { eachService, startNodes, type TestResponse, type TestService } from '@gatehouse/testkit/service'
import { addTotp, totpCode } from '../../accounts/second-factor/second-factor-testing.ts'
import { password } from '../../accounts/users/users-testing.ts'
import { connectUser, identify } from '../../gateway/gateway-testing.ts'

const listPath = '/api/users/@me/ownership-transfers'

/** A server of ann with the members ben and eve. */
async function setUp(service: TestService) {
  const ann = await register(service, 'ann', password)
  const [ben, eve] = [await register(service, 'ben'), await register(service, 'eve')]
  const { server, general } = await createServer(ann, ben, eve)
  const path = `/api/servers/${server.id}`
  const transferPath = `${path}/ownership-transfer`
  const offer = (to: { id: string }, fields: object = {}) =>
    ann.client.json('PUT', transferPath, { userId: to.id, currentPassword: password, ...fields })
  const accept = (user: TestUser) => user.client.json('POST', transferPath)
  const end = (user: TestUser) => user.client.json('DELETE', transferPath)
  const ownerId = async () => (await eve.client.get(path)).body.ownerId
  return { ann, ben, eve, server, general, path, offer, accept, end, ownerId }
}

const assertError = ({ status, body }: TestResponse, expected: [number, string]) =>
  assert.deepEqual([status, body.code], expected)

eachService(
  'a member who accepts becomes the owner, and the former owner can leave (community/ownership-transfer)',
  async (_t, service) => {
    const { ann, ben, eve, server, path, offer, accept, ownerId } = await setUp(service)
    assertError(await accept(ben), [404, 'not_found'])

    const offered = await offer(ben)
    assert.equal(offered.status, 200, offered.text)
    const { id, name, icon } = server
    const expiresAt = new Date(service.clock.now() + ownershipTransferSeconds * 1000).toISOString()
    assert.deepEqual(
      { ...offered.body, owner: offered.body.owner.id, user: offered.body.user.id },
      { server: { id, name, icon }, owner: ann.id, user: ben.id, expiresAt },
    )
    for (const { client } of [ann, ben]) assert.deepEqual((await client.get(listPath)).body, [offered.body])
    assert.deepEqual((await eve.client.get(listPath)).body, [])
    assert.equal(await ownerId(), ann.id)
    assertError(await accept(eve), [404, 'not_found'])

    const accepted = await accept(ben)
    assert.equal(accepted.status, 200, accepted.text)
    assert.deepEqual(accepted.body, { ...server, ownerId: ben.id })
    assert.equal(await ownerId(), ben.id)
    assert.deepEqual((await ben.client.get(listPath)).body, [])
    assertError(await accept(ben), [404, 'not_found'])

    assertError(await ann.client.json('DELETE', path), [403, 'missing_permission'])
    assertError(await ben.client.json('DELETE', `${path}/members/@me`), [409, 'conflict'])
    assert.equal((await ann.client.json('DELETE', `${path}/members/@me`)).status, 204)
    assert.equal((await ben.client.json('DELETE', path)).status, 204)
  },
)

eachService(
  'only the owner offers a server, to a member who is no bot (community/ownership-transfer)',
  async (_t, service) => {
    const { ann, ben, eve, server, offer } = await setUp(service)
    const other = await register(service, 'other')
    const bot = await createBot(service, ann, 'robot')
    await addBot(ann.client, bot.applicationId, server.id, 0n)
    const path = `/api/servers/${server.id}/ownership-transfer`
    const body = { userId: eve.id, currentPassword: 'correct horse' }
    assertError(await ben.client.json('PUT', path, body), [403, 'missing_permission'])
    assertError(await other.client.json('PUT', path, body), [404, 'not_found'])
    assertError(await offer(other), [404, 'not_found'])
    assertError(await offer({ id: bot.botId }), [409, 'conflict'])
    assertError(await offer(ann), [409, 'conflict'])
    assert.deepEqual((await ann.client.get(listPath)).body, [])
  },
)

eachService(
  'an offer needs the password and the second factor of the owner (community/ownership-transfer)',
  async (_t, service) => {
    const { ann, ben, offer, accept } = await setUp(service)
    assert.deepEqual(fieldErrorsOf(await offer(ben, { currentPassword: undefined })), [
      'currentPassword required',
    ])
    assert.deepEqual(fieldErrorsOf(await offer(ben, { currentPassword: 'wrong' })), [
      'currentPassword wrong_password',
    ])
    const { secret } = await addTotp(service, ann.client)
    service.clock.advance(10 * 60_000)
    assert.deepEqual(fieldErrorsOf(await offer(ben)), ['code required'])
    const wrong = { code: await totpCode(service, secret, 5) }
    assert.deepEqual(fieldErrorsOf(await offer(ben, wrong)), ['code wrong_code'])
    assertError(await accept(ben), [404, 'not_found'])
    assert.equal((await offer(ben, { code: await totpCode(service, secret) })).status, 200)
    assert.equal((await accept(ben)).status, 200)
  },
)

eachService(
  'an offer ends when it is declined, withdrawn, replaced or seven days old (community/ownership-transfer)',
  async (_t, service) => {
    const { ann, ben, eve, offer, accept, end, ownerId } = await setUp(service)
    for (const user of [ann, ben]) {
      await offer(ben)
      assertError(await end(eve), [404, 'not_found'])
      assert.equal((await end(user)).status, 204)
      assertError(await end(user), [404, 'not_found'])
      assertError(await accept(ben), [404, 'not_found'])
    }
    await offer(ben)
    await offer(eve)
    assertError(await accept(ben), [404, 'not_found'])
    assert.deepEqual((await ben.client.get(listPath)).body, [])
    assert.equal((await eve.client.get(listPath)).body.length, 1)
    service.clock.advance(ownershipTransferSeconds * 1000)
    assert.deepEqual((await eve.client.get(listPath)).body, [])
    assertError(await accept(eve), [404, 'not_found'])
    assert.equal(await ownerId(), ann.id)
  },
)

eachService(
  'an offer ends when the member leaves, also for one who joins again (community/ownership-transfer)',
  async (_t, service) => {
    const { ann, ben, path, offer, accept } = await setUp(service)
    await offer(ben)
    await ben.client.request('DELETE', `${path}/members/@me`)
    const { code } = await ann.client.request<{ code: string }>('POST', `${path}/invites`, {})
    await ben.client.request('POST', `/api/invites/${code}`)
    assertError(await accept(ben), [404, 'not_found'])
    assert.deepEqual((await ann.client.get(listPath)).body, [])
  },
)

eachService(
  'an offer has no effect when the server has another owner (community/ownership-transfer)',
  async (_t, service) => {
    const { ann, ben, eve, server, offer, accept, ownerId } = await setUp(service)
    await offer(ben)
    await service.db.run`UPDATE servers SET owner_id = ${eve.id} WHERE id = ${server.id}`
    assertError(await accept(ben), [404, 'not_found'])
    for (const { client } of [ann, ben]) assert.deepEqual((await client.get(listPath)).body, [])
    assert.equal(await ownerId(), eve.id)
  },
)

eachService(
  'nobody ends or accepts the offer of a disabled server, which is there when it is enabled ' +
    '(community/ownership-transfer, administration/disable-server)',
  async (_t, service) => {
    const { ann, ben, server, offer, accept, end } = await setUp(service)
    const { body } = await offer(ben)
    const operator = await createOperator(service)
    const disable = (disabled: boolean) =>
      operator.client.request('PATCH', `/api/admin/servers/${server.id}`, { disabled })
    await disable(true)
    for (const user of [ann, ben]) {
      assertError(await end(user), [404, 'not_found'])
      assert.deepEqual((await user.client.get(listPath)).body, [])
    }
    assertError(await accept(ben), [404, 'not_found'])
    await disable(false)
    assert.deepEqual((await ben.client.get(listPath)).body, [body])
    assert.equal((await end(ann)).status, 204)
  },
)

eachService(
  'a member who owns 50 servers cannot accept another one (community/ownership-transfer)',
  async (_t, service) => {
    const { ann, ben, offer, accept, ownerId } = await setUp(service)
    await service.db.transaction(async tx => {
      for (const id of oldIds(50)) {
        await tx.run`INSERT INTO servers (id, name, owner_id, created_at) VALUES (${id}, 'Old', ${ben.id}, 0)`
      }
    })
    await offer(ben)
    const reply = await accept(ben)
    assertLimitReached(reply, { limit: 'ownedServers', message: 'A user owns at most 50 servers.' })
    assert.equal(await ownerId(), ann.id)
    assert.equal((await ben.client.get(listPath)).body.length, 1)
  },
)

eachService(
  'a member without a verified address cannot accept a server (community/unverified-email)',
  async (_t, service) => {
    const { ann, ben, eve } = {
      ann: await register(service, 'ann', password),
      ben: await register(service, 'ben'),
      eve: await register(service, 'eve'),
    }
    await service.db.run`UPDATE users SET email_verified = 1 WHERE id = ${ann.id}`
    const { server } = await createServer(ann, ben, eve)
    const path = `/api/servers/${server.id}/ownership-transfer`
    await ann.client.request('PUT', path, { userId: ben.id, currentPassword: password })
    assertError(await ben.client.json('POST', path), [403, 'email_not_verified'])
  },
  { env: { REQUIRE_VERIFIED_EMAIL: 'on' } },
)

eachService(
  'of two requests to accept, one makes the member the owner (community/ownership-transfer)',
  async (_t, service) => {
    const { ben, offer, accept, ownerId } = await setUp(service)
    await offer(ben)
    const replies = await Promise.all([accept(ben), accept(ben)])
    assert.deepEqual(replies.map(({ status }) => status).sort(), [200, 404])
    assert.equal(await ownerId(), ben.id)
  },
)

eachService(
  'a member who leaves while accepting a server does not leave it without an owner (community/ownership-transfer)',
  async (_t, service) => {
    const { ann, ben, eve, path, offer, accept, ownerId } = await setUp(service)
    await offer(ben)
    const [accepted, left] = await Promise.all([
      accept(ben),
      ben.client.json('DELETE', `${path}/members/@me`),
    ])
    const outcome = [accepted.status, left.status]
    assert.ok(['200,409', '404,204'].includes(String(outcome)), String(outcome))
    const owner = await ownerId()
    assert.equal(owner, accepted.status === 200 ? ben.id : ann.id)
    assert.equal((await eve.client.get(`${path}/members/${owner}`)).status, 200)
  },
)

eachService(
  'the former owner and the new one are told, and the transfer is in the audit log (community/ownership-transfer, ' +
    'community/audit-log)',
  async (_t, service) => {
    const { ann, ben, eve, server, general, offer, accept } = await setUp(service)
    const bot = await createBot(service, ann, 'robot')
    const permissions = Permission.VIEW_CHANNEL | Permission.VIEW_AUDIT_LOG
    await addBot(ann.client, bot.applicationId, server.id, permissions)
    const auditor = await identify(service, { ...bot, intents: ['moderation', 'servers'] })
    // A channel that only the owner may view.
    const overwrite = { type: 'role', allow: '0', deny: String(Permission.VIEW_CHANNEL) }
    await ann.client.request('PUT', `/api/channels/${general.id}/overwrites/${server.id}`, overwrite)
    const [ofAnn, ofBen, ofEve] = [
      await connectUser(service, ann),
      await connectUser(service, ben),
      await connectUser(service, eve),
    ]
    await offer(ben)
    await accept(ben)
    for (const client of [ofAnn, ofBen]) {
      const offered = await client.nextDispatch()
      assert.deepEqual(
        [offered.t, offered.d.serverId, offered.d.transfer?.user.id],
        ['OWNERSHIP_TRANSFER_UPDATE', server.id, ben.id],
      )
      const ended = await client.nextDispatch()
      assert.deepEqual(
        [ended.t, ended.d],
        ['OWNERSHIP_TRANSFER_UPDATE', { serverId: server.id, transfer: null }],
      )
    }
    const updated = await ofEve.nextDispatch()
    assert.deepEqual([updated.t, updated.d], ['SERVER_UPDATE', { ...server, ownerId: ben.id }])

    // After the entry of the overwrite.
    let entry = (await auditor.nextDispatch()).d
    while (entry.action !== 'SERVER_TRANSFER') entry = (await auditor.nextDispatch()).d
    assert.deepEqual(
      [entry?.action, entry?.actor?.id, entry?.target, entry?.changes],
      [
        'SERVER_TRANSFER',
        ben.id,
        { type: 'server', id: server.id, name: server.name },
        [{ key: 'ownerId', before: JSON.stringify(ann.id), after: JSON.stringify(ben.id) }],
      ],
    )
  },
)

test('a transfer changes who may do what on both nodes (community/ownership-transfer)', async t => {
  const [first, second] = (await startNodes(t)) ?? []
  if (!first || !second) return
  const { ann, ben, server, general, offer, accept } = await setUp(first)
  const overwrite = { type: 'role', allow: '0', deny: String(Permission.VIEW_CHANNEL) }
  await ann.client.request('PUT', `/api/channels/${general.id}/overwrites/${server.id}`, overwrite)
  const [ofAnn, ofBen] = [await connectUser(second, ann), await connectUser(second, ben)]
  await offer(ben)
  await accept(ben)
  const names = async (client: typeof ofAnn) => [
    (await client.nextDispatch()).t,
    (await client.nextDispatch()).t,
    (await client.nextDispatch()).t,
    (await client.nextDispatch()).t,
  ]
  const told = ['OWNERSHIP_TRANSFER_UPDATE', 'OWNERSHIP_TRANSFER_UPDATE', 'SERVER_UPDATE']
  assert.deepEqual((await names(ofAnn)).sort(), ['CHANNEL_DELETE', ...told])
  assert.deepEqual((await names(ofBen)).sort(), ['CHANNEL_CREATE', ...told])
})

eachService(
  'an offer, its withdrawal and its refusal are in the audit log, with the reason (community/ownership-transfer)',
  async (_t, service) => {
    const { ann, ben, path, offer, end } = await setUp(service)
    const body = { userId: ben.id, currentPassword: password }
    const reason = { 'x-audit-log-reason': 'I%20retire' }
    const offered = await ann.client.json('PUT', `${path}/ownership-transfer`, body, reason)
    assert.equal(offered.status, 200, offered.text)
    assert.equal((await end(ann)).status, 204)
    await offer(ben)
    assert.equal((await end(ben)).status, 204)
    const log: AuditLogEntry[] = (await ann.client.get(`${path}/audit-log`)).body
    const shown = log
      .filter(({ action }) => action.startsWith('SERVER_TRANSFER'))
      .map(({ action, actor, target, reason }) => [action, actor?.username, target.name, reason])
    assert.deepEqual(shown, [
      ['SERVER_TRANSFER_END', 'ben', 'ben', null],
      ['SERVER_TRANSFER_OFFER', 'ann', 'ben', null],
      ['SERVER_TRANSFER_END', 'ann', 'ben', null],
      ['SERVER_TRANSFER_OFFER', 'ann', 'ben', 'I retire'],
    ])
  },
)
