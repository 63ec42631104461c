import assert from 'node:assert/strict'
import { Permission } from '@gatehouse/protocol/permissions'
import { subjects } from '../../platform/events.ts'
import { type Published, payloads } from '../../platform/testing.ts'
import { eachService } from '../../testing.ts'
import { openConsole } from './testing.ts'

const { VIEW_CHANNEL, SEND_MESSAGES, EMBED_LINKS, MANAGE_MESSAGES } = Permission

eachService(
  'GET /api/servers/:id/integrations 200: for every member, what was added, by whom and with what',
  async (_t, service) => {
    const at = await openConsole(service)
    const path = `/api/servers/${at.serverId}/integrations`
    assert.deepEqual((await at.member.client.get(path)).body, [])
    await at.install('bot applications.commands', SEND_MESSAGES)
    const reply = await at.member.client.get(path)
    assert.equal(reply.status, 200, reply.text)
    const profile = await at.owner.client.get(`/api/servers/${at.serverId}/members/${at.owner.id}`)
    const bot = await at.owner.client.get(`/api/servers/${at.serverId}/members/${at.botId}`)
    assert.deepEqual(reply.body, [
      {
        application: { id: at.application.id, name: 'Dice', icon: null },
        bot: bot.body.user,
        scopes: ['bot', 'applications.commands'],
        permissions: String(SEND_MESSAGES),
        addedBy: profile.body.user,
        addedAt: new Date(service.clock.now()).toISOString(),
      },
    ])
  },
)

eachService('GET /api/servers/:id/integrations 401, 404', async (_t, service) => {
  const at = await openConsole(service)
  await at.install('bot')
  const path = `/api/servers/${at.serverId}/integrations`
  assert.equal((await service.client().get(path)).status, 401)
  assert.equal((await at.bot('GET', path)).status, 401)
  for (const address of [
    path,
    '/api/servers/1573634452968439808/integrations',
    '/api/servers/x/integrations',
  ]) {
    const reply = await at.stranger.client.get(address)
    assert.equal(reply.status, 404, address)
    assert.equal(reply.body.code, 'not_found')
  }
})

eachService('the scopes add up, and each brings what it says (D23, D68)', async (_t, service) => {
  const at = await openConsole(service)
  const commands = [{ name: 'roll', description: 'Rolls dice' }]
  assert.equal((await at.bot('PUT', '/api/applications/@me/commands', commands)).status, 200)
  const state = async () => {
    const [integration] = (await at.owner.client.get(`/api/servers/${at.serverId}/integrations`)).body
    const offered = (await at.owner.client.get(`/api/channels/${at.channelId}/commands`)).body
    return { scopes: integration.scopes, permissions: integration.permissions, commands: offered.length }
  }
  const managed = async () => {
    const roles: { managed: boolean; permissions: string; name: string }[] = (
      await at.owner.client.get(`/api/servers/${at.serverId}/roles`)
    ).body
    return roles.filter(role => role.managed).map(({ name, permissions }) => ({ name, permissions }))
  }
  await at.install('bot', EMBED_LINKS)
  assert.deepEqual(await state(), { scopes: ['bot'], permissions: String(EMBED_LINKS), commands: 0 })
  await at.install('applications.commands')
  const both = ['bot', 'applications.commands']
  assert.deepEqual(await state(), { scopes: both, permissions: String(EMBED_LINKS), commands: 1 })
  assert.deepEqual(await managed(), [{ name: 'Dice', permissions: String(EMBED_LINKS) }])
  // Added once more, the bot has what is granted now, and its commands stay.
  await at.install('bot', VIEW_CHANNEL | MANAGE_MESSAGES)
  const permissions = String(VIEW_CHANNEL | MANAGE_MESSAGES)
  assert.deepEqual(await state(), { scopes: both, permissions, commands: 1 })
  assert.deepEqual(await managed(), [{ name: 'Dice', permissions }])
})

eachService('a bot that is removed leaves nothing on the server (D53)', async (_t, service) => {
  const at = await openConsole(service)
  await at.install('bot applications.commands', SEND_MESSAGES)
  const own = `/api/applications/@me/servers/${at.serverId}/commands`
  assert.equal((await at.bot('PUT', own, [{ name: 'here', description: 'x' }])).status, 200)
  assert.equal(
    (await at.bot('PUT', '/api/applications/@me/commands', [{ name: 'all', description: 'x' }])).status,
    200,
  )
  const published: Published[] = []
  for (const subject of [subjects.user(at.botId), subjects.server(at.serverId)]) {
    await service.bus.subscribe(subject, message => {
      const { t, d } = message as { t: string; d: unknown }
      published.push({ subject, t, d })
    })
  }
  const members = `/api/servers/${at.serverId}/members`
  const removed = await at.owner.client.json('DELETE', `${members}/${at.botId}`)
  assert.equal(removed.status, 204, removed.text)

  assert.deepEqual((await at.member.client.get(`/api/servers/${at.serverId}/integrations`)).body, [])
  assert.deepEqual((await at.member.client.get(`/api/channels/${at.channelId}/commands`)).body, [])
  const roles: { managed: boolean }[] = (await at.member.client.get(`/api/servers/${at.serverId}/roles`)).body
  assert.equal(
    roles.some(role => role.managed),
    false,
  )
  assert.equal((await at.bot('GET', own)).status, 404)
  assert.equal((await at.bot('POST', `/api/channels/${at.channelId}/messages`, { content: 'x' })).status, 404)
  assert.deepEqual(payloads(published, subjects.user(at.botId), 'SERVER_REMOVE'), [{ id: at.serverId }])
  const { serverId } = at
  assert.deepEqual(payloads(published, subjects.server(serverId), 'COMMANDS_UPDATE'), [{ serverId }])
  // The bot is still one, with its global commands; added again it begins anew.
  assert.equal((await at.bot('GET', '/api/users/@me')).status, 200)
  assert.equal((await at.bot('GET', '/api/applications/@me/commands')).body.length, 1)
  await at.install('bot applications.commands')
  assert.deepEqual((await at.bot('GET', own)).body, [])
})

eachService('a server that is deleted takes its installations and commands along', async (_t, service) => {
  const at = await openConsole(service)
  await at.install('bot applications.commands')
  const own = `/api/applications/@me/servers/${at.serverId}/commands`
  const put = await at.bot('PUT', own, [{ name: 'here', description: 'x' }])
  assert.equal(put.status, 200)
  assert.equal((await at.owner.client.json('DELETE', `/api/servers/${at.serverId}`)).status, 204)
  assert.equal((await at.bot('GET', own)).status, 404)
  assert.equal((await at.bot('PUT', own, [])).status, 404)
  assert.deepEqual((await at.bot('GET', '/api/users/@me/servers')).body, [])
  const left = await service.db.all`SELECT id FROM commands WHERE application_id = ${at.application.id}`
  assert.deepEqual(left, [])
})
