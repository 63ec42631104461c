import assert from 'node:assert/strict'
import { Permission } from '@gatehouse/protocol/permissions'
import { oldIds } from '@gatehouse/testkit/caps'
import { type Published, payloads } from '@gatehouse/testkit/community'
import { eachService } from '@gatehouse/testkit/service'
import { waitUntil } from '@gatehouse/testkit/wait-until'
import { subjects } from '../events/gateway-events.ts'
import { authorizePath, decide, parametersOf } from '../oauth/oauth-testing.ts'
import { createFixture } from './applications-testing.ts'

const { VIEW_CHANNEL, SEND_MESSAGES, EMBED_LINKS, MANAGE_MESSAGES } = Permission

eachService(
  'GET /api/servers/:id/integrations 200: lists the integrations to every member',
  async (_t, service) => {
    const fixture = await createFixture(service)
    const path = `/api/servers/${fixture.serverId}/integrations`
    assert.deepEqual((await fixture.member.client.get(path)).body, [])
    await fixture.install('bot applications.commands', SEND_MESSAGES)
    const reply = await fixture.member.client.get(path)
    assert.equal(reply.status, 200, reply.text)
    const profile = await fixture.owner.client.get(
      `/api/servers/${fixture.serverId}/members/${fixture.owner.id}`,
    )
    const bot = await fixture.owner.client.get(`/api/servers/${fixture.serverId}/members/${fixture.botId}`)
    assert.deepEqual(reply.body, [
      {
        application: { id: fixture.application.id, name: 'Dice', icon: null },
        bot: bot.body.user,
        scopes: ['bot', 'applications.commands'],
        permissions: String(SEND_MESSAGES),
        addedBy: profile.body.user,
        addedAt: new Date(service.clock.now()).toISOString(),
      },
    ])
  },
)

eachService(
  'GET /api/servers/:id/integrations 200, 404; a bot is a member (bots/bot-is-member)',
  async (_t, service) => {
    const fixture = await createFixture(service)
    await fixture.install('bot')
    const path = `/api/servers/${fixture.serverId}/integrations`
    assert.equal((await fixture.bot('GET', path)).status, 200)
    for (const url of [
      path,
      '/api/servers/1573634452968439808/integrations',
      '/api/servers/x/integrations',
    ]) {
      const reply = await fixture.outsider.client.get(url)
      assert.equal(reply.status, 404, url)
      assert.equal(reply.body.code, 'not_found')
    }
  },
)

eachService(
  'installing again adds scopes and replaces the permissions (sign-in/bot-installation, sign-in/commands-scope)',
  async (_t, service) => {
    const fixture = await createFixture(service)
    const commands = [{ name: 'roll', description: 'Rolls dice' }]
    assert.equal((await fixture.bot('PUT', '/api/applications/@me/commands', commands)).status, 200)
    const state = async () => {
      const [integration] = (await fixture.owner.client.get(`/api/servers/${fixture.serverId}/integrations`))
        .body
      const commands = (await fixture.owner.client.get(`/api/channels/${fixture.channelId}/commands`)).body
      return { scopes: integration.scopes, permissions: integration.permissions, commands: commands.length }
    }
    const managed = async () => {
      const roles: { managed: boolean; permissions: string; name: string }[] = (
        await fixture.owner.client.get(`/api/servers/${fixture.serverId}/roles`)
      ).body
      return roles.filter(role => role.managed).map(({ name, permissions }) => ({ name, permissions }))
    }
    await fixture.install('bot', EMBED_LINKS)
    assert.deepEqual(await state(), { scopes: ['bot'], permissions: String(EMBED_LINKS), commands: 0 })
    await fixture.install('applications.commands')
    const both = ['bot', 'applications.commands']
    assert.deepEqual(await state(), { scopes: both, permissions: String(EMBED_LINKS), commands: 1 })
    assert.deepEqual(await managed(), [{ name: 'Dice', permissions: String(EMBED_LINKS) }])
    // The bot gets the permissions of the last consent and keeps its commands.
    await fixture.install('bot', VIEW_CHANNEL | MANAGE_MESSAGES)
    const permissions = String(VIEW_CHANNEL | MANAGE_MESSAGES)
    assert.deepEqual(await state(), { scopes: both, permissions, commands: 1 })
    assert.deepEqual(await managed(), [{ name: 'Dice', permissions }])
  },
)

eachService(
  'removing a bot deletes its integration, role and server commands (bots/bot-removed)',
  async (_t, service) => {
    const fixture = await createFixture(service)
    await fixture.install('bot applications.commands', SEND_MESSAGES)
    const own = `/api/applications/@me/servers/${fixture.serverId}/commands`
    assert.equal((await fixture.bot('PUT', own, [{ name: 'here', description: 'x' }])).status, 200)
    assert.equal(
      (await fixture.bot('PUT', '/api/applications/@me/commands', [{ name: 'all', description: 'x' }]))
        .status,
      200,
    )
    const published: Published[] = []
    for (const subject of [subjects.user(fixture.botId), subjects.server(fixture.serverId)]) {
      await service.bus.subscribe(subject, message => {
        const { t, d } = message as { t: string; d: unknown }
        published.push({ subject, t, d })
      })
    }
    const members = `/api/servers/${fixture.serverId}/members`
    const removed = await fixture.owner.client.json('DELETE', `${members}/${fixture.botId}`)
    assert.equal(removed.status, 204, removed.text)

    assert.deepEqual(
      (await fixture.member.client.get(`/api/servers/${fixture.serverId}/integrations`)).body,
      [],
    )
    assert.deepEqual(
      (await fixture.member.client.get(`/api/channels/${fixture.channelId}/commands`)).body,
      [],
    )
    const roles: { managed: boolean }[] = (
      await fixture.member.client.get(`/api/servers/${fixture.serverId}/roles`)
    ).body
    assert.equal(
      roles.some(role => role.managed),
      false,
    )
    assert.equal((await fixture.bot('GET', own)).status, 404)
    assert.equal(
      (await fixture.bot('POST', `/api/channels/${fixture.channelId}/messages`, { content: 'x' })).status,
      404,
    )
    assert.deepEqual(payloads(published, subjects.user(fixture.botId), 'SERVER_REMOVE'), [
      { id: fixture.serverId },
    ])
    const { serverId } = fixture
    assert.deepEqual(payloads(published, subjects.server(serverId), 'COMMANDS_UPDATE'), [{ serverId }])
    // The bot and its global commands remain. Added again, it has no server commands.
    assert.equal((await fixture.bot('GET', '/api/users/@me')).status, 200)
    assert.equal((await fixture.bot('GET', '/api/applications/@me/commands')).body.length, 1)
    await fixture.install('bot applications.commands')
    assert.deepEqual((await fixture.bot('GET', own)).body, [])
  },
)

eachService('deleting a server deletes its integrations and server commands', async (_t, service) => {
  const fixture = await createFixture(service)
  await fixture.install('bot applications.commands')
  const own = `/api/applications/@me/servers/${fixture.serverId}/commands`
  const put = await fixture.bot('PUT', own, [{ name: 'here', description: 'x' }])
  assert.equal(put.status, 200)
  assert.equal((await fixture.owner.client.json('DELETE', `/api/servers/${fixture.serverId}`)).status, 204)
  assert.equal((await fixture.bot('GET', own)).status, 404)
  assert.equal((await fixture.bot('PUT', own, [])).status, 404)
  assert.deepEqual((await fixture.bot('GET', '/api/users/@me/servers')).body, [])
  const countCommands = () =>
    service.db.get<{
      n: number
    }>`SELECT COUNT(*) AS n FROM commands WHERE application_id = ${fixture.application.id}`
  service.clock.advance(60_000)
  await waitUntil(async () => (await countCommands())?.n === 0)
})

eachService(
  'a bot is not added to a server with 250 roles, because it needs one more (limits/cap-counting)',
  async (_t, service) => {
    const fixture = await createFixture(service)
    const { owner, serverId, botId } = fixture
    const insertRoles = (ids: readonly string[]) =>
      service.db.transaction(async tx => {
        for (const id of ids) {
          await tx.run`
            INSERT INTO roles (id, server_id, name, permissions, color, position)
            VALUES (${id}, ${serverId}, 'old', '0', 0, 1)`
        }
      })
    const ids = oldIds(249)
    await insertRoles(ids)
    const parameters = { scope: 'bot', permissions: '0' }
    const page = await owner.client.get(authorizePath(fixture.application, parameters))
    const refused = parametersOf(await decide(owner.client, page, { server_id: serverId }))
    assert.equal(refused.error, 'access_denied')
    assert.equal(refused.error_description, 'A server has at most 250 roles.')
    assert.equal((await owner.client.get(`/api/servers/${serverId}/members/${botId}`)).status, 404)
    await service.db.run`DELETE FROM roles WHERE id = ${ids[0] ?? ''}`
    await fixture.install('bot')
    // The bot has its role already, so it can be added again with other permissions.
    await fixture.install('bot', SEND_MESSAGES)
    assert.equal((await owner.client.get(`/api/servers/${serverId}/roles`)).body.length, 250)
  },
)
