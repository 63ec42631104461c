import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createOperator, setDisabled } from '@gatehouse/testkit/administration'
import { addBot } from '@gatehouse/testkit/applications'
import { createCommunity, createServer, register } from '@gatehouse/testkit/community'
import { eachEngine } from '@gatehouse/testkit/databases'
import { fieldErrorsOf } from '@gatehouse/testkit/field-errors'
import { eachService, startNodes, type TestService } from '@gatehouse/testkit/service'
import { compose } from '../compose.ts'
import { connectUser, createBot, identify } from '../gateway/gateway-testing.ts'
import { createLogger } from '../http/log.ts'
import { maxSnowflake } from '../kit/snowflake.ts'
import { createWebhook } from '../webhooks/webhooks-testing.ts'

const path = '/api/admin/servers'

async function createWorld(service: TestService) {
  const [operator, ada, ben] = [
    await createOperator(service),
    await register(service, 'ada'),
    await register(service, 'ben'),
  ]
  const { server, general } = await createServer(ada, ben)
  return { operator, ada, ben, server, general }
}

eachService(
  'finds servers by name, id and owner, newest first (administration/servers)',
  async (_t, service) => {
    const { operator, ada, server } = await createWorld(service)
    const { body: garden } = await ada.client.json('POST', '/api/servers', { name: 'Garden 100%' })
    const find = async (query: string): Promise<string[]> =>
      (await operator.client.get(`${path}?${query}`)).body.map(({ id }: { id: string }) => id)
    assert.deepEqual(await find(''), [garden.id, server.id])
    assert.deepEqual(await find(`before=${garden.id}&limit=1`), [server.id])
    for (const query of ['gARD', '0%', garden.id])
      assert.deepEqual(await find(`query=${encodeURIComponent(query)}`), [garden.id])
    assert.deepEqual(await find(`query=${ada.id}`), [garden.id, server.id])
    assert.deepEqual(await find('query=nothing'), [])
    const [, first] = (await operator.client.get(path)).body
    assert.deepEqual(
      [first.name, first.owner.username, first.members, first.channels, first.disabledAt],
      ['Server', 'ada', 2, 1, null],
    )
  },
)

eachService(
  'nobody finds a disabled server, nor anything of it, until it is enabled (administration/disable-server)',
  async (_t, service) => {
    const { operator, ada, ben, server, general } = await createWorld(service)
    const webhook = await createWebhook(ada, general.id)
    const { code } = await ada.client.call('createInvite', { id: server.id })
    const connection = await connectUser(service, ben)
    const statuses = async () => {
      const post = await service.client().json('POST', new URL(webhook.url).pathname, { content: 'Hi' })
      return [
        (await ben.client.get(`/api/channels/${general.id}/messages`)).status,
        (await ada.client.get(`/api/servers/${server.id}`)).status,
        (await service.client().get(`/api/invites/${code}`)).status,
        post.status,
        (await ada.client.get('/api/users/@me/servers')).body.length,
      ]
    }
    const set = (disabled: boolean) => operator.client.json('PATCH', `${path}/${server.id}`, { disabled })
    const disabled = await set(true)
    assert.deepEqual([disabled.status, typeof disabled.body.disabledAt], [200, 'string'])
    const removed = await connection.nextDispatch()
    assert.deepEqual([removed.t, removed.d], ['SERVER_REMOVE', { id: server.id }])
    assert.deepEqual(await statuses(), [404, 404, 404, 404, 0])
    const enabled = await set(false)
    assert.deepEqual([enabled.status, enabled.body.disabledAt], [200, null])
    assert.equal((await connection.nextDispatch()).t, 'SERVER_ADD')
    assert.deepEqual(await statuses(), [200, 200, 200, 204, 1])
    await set(false)
    const acts = await service.db
      .all`SELECT action, target_id FROM audit_log WHERE server_id = '' ORDER BY id`
    assert.deepEqual(acts, [
      { action: 'SERVER_DISABLE', targetId: server.id },
      { action: 'SERVER_ENABLE', targetId: server.id },
    ])
  },
)

eachService(
  'an invite of a disabled server is none (administration/disable-server, community/invite-first)',
  async (_t, service) => {
    const { operator, ada, ben, server } = await createWorld(service)
    const eve = await register(service, 'eve')
    const { code } = await ada.client.call('createInvite', { id: server.id })
    await operator.client.json('PATCH', `${path}/${server.id}`, { disabled: true })
    const invite = `/api/invites/${code}`
    assert.equal((await service.client().get(invite)).status, 404)
    assert.equal((await eve.client.json('POST', invite)).status, 404)
    assert.equal((await ada.client.json('DELETE', invite)).status, 404)
    for (const { client } of [ada, ben])
      assert.equal((await client.get(`/api/servers/${server.id}/invites`)).status, 404)
    // Also for a name that is taken: the response tells nothing about accounts.
    for (const username of ['ada', 'free']) {
      const fields = {
        username,
        email: `${username}2@example.org`,
        password: 'a long passphrase',
        invite: code,
      }
      const reply = await service.client().json('POST', '/api/auth/register', fields)
      assert.deepEqual([reply.status, fieldErrorsOf(reply)], [400, ['invite unknown_invite']])
    }
    const [stored] = await service.db.all`SELECT uses FROM invites WHERE code = ${code}`
    assert.deepEqual(stored, { uses: 0 })
    await operator.client.json('PATCH', `${path}/${server.id}`, { disabled: false })
    assert.equal((await eve.client.json('POST', invite)).status, 200)
  },
)

eachEngine(
  'the sweep deletes nothing of a disabled server (administration/disable-server)',
  async (_t, db) => {
    const community = createCommunity(db)
    const owner = await community.createUser('ada')
    const { server } = await community.createServer(owner)
    await db.run`UPDATE servers SET deleted_at = ${-community.clock.now()} WHERE id = ${server.id}`
    await community.sweepDeletions()
    assert.equal((await db.all`SELECT id FROM channels WHERE server_id = ${server.id}`).length, 1)
  },
)

eachService(
  'a server is transferred to a person, who becomes a member (administration/transfer-server)',
  async (_t, service) => {
    const { operator, ada, ben, server } = await createWorld(service)
    const cleo = await register(service, 'cleo')
    const bot = await createBot(service, ada)
    const transfer = async (owner: string) => {
      const { status, body } = await operator.client.json('PATCH', `${path}/${server.id}`, { owner })
      return [status, body.owner?.username]
    }
    assert.deepEqual(await transfer('nobody'), [404, undefined])
    assert.deepEqual(await transfer(bot.userId), [404, undefined])
    assert.deepEqual(await transfer('ben'), [200, 'ben'])
    assert.deepEqual(await transfer(ben.id), [200, 'ben'])
    assert.deepEqual(await transfer(cleo.email), [200, 'cleo'])
    assert.equal((await cleo.client.get(`/api/servers/${server.id}`)).body.ownerId, cleo.id)
    assert.equal((await ada.client.get(`/api/servers/${server.id}`)).status, 200)
    const acts = await service.db.all`
      SELECT server_id FROM audit_log WHERE action = 'SERVER_TRANSFER' ORDER BY id`
    assert.deepEqual(
      acts,
      [server.id, '', server.id, ''].map(serverId => ({ serverId })),
    )
    await setDisabled(operator, ada, true)
    assert.deepEqual(await transfer('ada'), [409, undefined])
  },
)

eachService(
  'a transfer by an administrator ends the open offer for both users (administration/transfer-server)',
  async (_t, service) => {
    const { operator, ada, ben, server } = await createWorld(service)
    const body = { userId: ben.id, currentPassword: ada.password }
    await ada.client.request('PUT', `/api/servers/${server.id}/ownership-transfer`, body)
    const connections = await Promise.all([ada, ben].map(user => connectUser(service, user)))
    await operator.client.request('PATCH', `${path}/${server.id}`, { owner: ben.id })
    for (const connection of connections) {
      // The order of events of a user and of a server is not defined.
      const events = [await connection.nextDispatch(), await connection.nextDispatch()]
      const ended = events.find(({ t }) => t === 'OWNERSHIP_TRANSFER_UPDATE')
      assert.deepEqual(ended?.d, { serverId: server.id, transfer: null })
    }
  },
)

eachService(
  'an application is transferred to a person, and goes on working (administration/transfer-application)',
  async (_t, service) => {
    const { operator, ada, ben } = await createWorld(service)
    const bot = await createBot(service, ada)
    const connection = await identify(service, bot)
    const transfer = (owner: string) =>
      operator.client.json('PATCH', `/api/admin/applications/${bot.applicationId}`, { owner })
    const own = async ({ client }: Pick<typeof ada, 'client'>) =>
      (await client.get(`/api/applications/${bot.applicationId}`)).status
    assert.equal((await transfer('nobody')).status, 404)
    assert.equal((await transfer(bot.userId)).status, 404)
    const transferred = await transfer('ben')
    assert.deepEqual([transferred.status, transferred.body.owner.id], [200, ben.id])
    assert.deepEqual([await own(ada), await own(ben)], [404, 200])
    const reset = `/api/applications/${bot.applicationId}/bot/token`
    assert.equal((await ada.client.json('POST', reset)).status, 404)
    // The connection of the bot stays until the new owner resets the token.
    assert.equal((await transfer(ben.email)).status, 200)
    const acts = await service.db.all<{ changes: string }>`
      SELECT changes FROM audit_log WHERE action = 'APPLICATION_TRANSFER'`
    const [before, after] = [ada, ben].map(({ id, username: name }) => JSON.stringify({ id, name }))
    assert.deepEqual(
      acts.map(({ changes }) => JSON.parse(changes)),
      [[{ key: 'owner', before, after }]],
    )
    assert.equal((await ben.client.json('POST', reset)).status, 200)
    assert.deepEqual(await connection.closed, { code: 4004, reason: 'token_reset' })
  },
)

eachService(
  'a change returns the server and the application also when many others have the id in the name',
  async (_t, service) => {
    const { operator, ada, server } = await createWorld(service)
    const { applicationId } = await createBot(service, ada)
    for (let n = 0; n < 50; n++) {
      const id = maxSnowflake.slice(0, -2) + String(n).padStart(2, '0')
      await service.db.run`
        INSERT INTO servers (id, name, owner_id, invites_paused, verification_level, created_at)
        SELECT ${id}, id, owner_id, invites_paused, verification_level, created_at FROM servers
        WHERE id = ${server.id}`
      await service.db.run`
        INSERT INTO applications (id, owner_id, name, description, type, redirect_uris, allow_loopback_port,
          post_logout_redirect_uris, public_key, private_key_sealed, public_bot, privileged_intents,
          commands_version, created_at)
        SELECT ${id}, owner_id, id, description, type, redirect_uris, allow_loopback_port,
          post_logout_redirect_uris, public_key, private_key_sealed, public_bot, privileged_intents,
          commands_version, created_at FROM applications WHERE id = ${applicationId}`
    }
    const change = (kind: string, id: string) =>
      operator.client.json('PATCH', `/api/admin/${kind}/${id}`, { disabled: true })
    const changed = [await change('servers', server.id), await change('applications', applicationId)]
    assert.deepEqual(
      changed.map(({ status, body }) => [status, body.id]),
      [
        [200, server.id],
        [200, applicationId],
      ],
    )
  },
)

eachService(
  'deletes a server, also a disabled one, with a proof (administration/delete-server)',
  async (_t, service) => {
    const { operator, ada, server } = await createWorld(service)
    service.clock.advance(600_000)
    const without = await operator.client.json('DELETE', `${path}/${server.id}`, {})
    assert.deepEqual([without.status, without.body.errors[0].path], [400, 'currentPassword'])
    const proof = { currentPassword: operator.password }
    await operator.client.json('PATCH', `${path}/${server.id}`, { disabled: true, ...proof })
    assert.equal((await operator.client.json('DELETE', `${path}/${server.id}`, proof)).status, 204)
    assert.equal((await operator.client.json('DELETE', `${path}/${server.id}`, proof)).status, 404)
    assert.deepEqual((await operator.client.get(path)).body, [])
    assert.equal((await ada.client.get(`/api/servers/${server.id}`)).status, 404)
  },
)

eachService(
  'a disabled application has no valid token and no bot until it is enabled (administration/disable-application)',
  async (_t, service) => {
    const { operator, ada, server } = await createWorld(service)
    const bot = await createBot(service, ada)
    await addBot(ada.client, bot.applicationId, server.id, 0n)
    const connection = await identify(service, bot)
    const list = '/api/admin/applications'
    const set = (disabled: boolean) =>
      operator.client.json('PATCH', `${list}/${bot.applicationId}`, { disabled })
    const status = async () =>
      (await service.client().send('/api/users/@me', { headers: { authorization: `Bot ${bot.token}` } }))
        .status
    assert.equal(await status(), 200)
    const disabled = await set(true)
    assert.deepEqual([disabled.status, typeof disabled.body.disabledAt], [200, 'string'])
    assert.deepEqual(await connection.closed, { code: 4004, reason: 'disabled' })
    assert.equal(await status(), 401)
    assert.equal((await ada.client.get(`/api/applications/${bot.applicationId}`)).status, 200)
    await set(false)
    assert.equal(await status(), 200)
    const [row] = (await operator.client.get(`${list}?query=${ada.id}`)).body
    assert.deepEqual([row.id, row.owner.username, row.bot.id], [bot.applicationId, 'ada', bot.userId])
    assert.equal((await operator.client.json('DELETE', `${list}/${bot.applicationId}`, {})).status, 204)
    assert.equal(await status(), 401)
    assert.deepEqual((await operator.client.get(list)).body, [])
    const acts = await service.db.all<{ action: string }>`
      SELECT action FROM audit_log WHERE server_id = '' ORDER BY id`
    assert.deepEqual(
      acts.map(({ action }) => action),
      ['APPLICATION_DISABLE', 'APPLICATION_ENABLE', 'APPLICATION_DELETE'],
    )
  },
)

eachService(
  'commands of the operator change servers and applications (administration/audit-log)',
  async (_t, service) => {
    const { ada, server } = await createWorld(service)
    const bot = await createBot(service, ada)
    const command = await compose(service.config, createLogger('silent'), { isCommand: true })
    const { adminServers, adminApplications } = command.parts
    await adminServers.updateByOperator(server.id, { disabled: true })
    await adminServers.updateByOperator(server.id, { disabled: false })
    await adminServers.updateByOperator(server.id, { owner: 'ben' })
    await adminServers.deleteByOperator(server.id)
    await assert.rejects(adminServers.deleteByOperator(server.id), { code: 'not_found' })
    await adminApplications.updateByOperator(bot.applicationId, { disabled: true })
    await adminApplications.updateByOperator(bot.applicationId, { owner: 'ben' })
    await adminApplications.deleteByOperator(bot.applicationId)
    await command.close()
    const acts = await service.db
      .all`SELECT 1 AS one FROM audit_log WHERE server_id = '' AND actor_id IS NULL`
    assert.equal(acts.length, 7)
  },
)

test('a server is gone on another node at once (administration/disable-server)', async t => {
  const [a, b] = (await startNodes(t)) ?? []
  if (!a || !b) return
  const { operator, ben, server } = await createWorld(a)
  const client = b.client()
  for (const [name, value] of ben.client.cookies) client.cookies.set(name, value)
  const connection = await connectUser(b, { ...ben, client })
  await operator.client.json('PATCH', `${path}/${server.id}`, { disabled: true })
  assert.equal((await connection.nextDispatch()).t, 'SERVER_REMOVE')
})
