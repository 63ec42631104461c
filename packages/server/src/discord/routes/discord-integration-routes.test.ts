import assert from 'node:assert/strict'
import { Permission } from '@gatehouse/protocol/permissions'
import { eachDiscordBot } from '../discord-testing.ts'
import { assertWhole } from '../objects/whole-objects-testing.ts'

eachDiscordBot(
  'the integrations of a guild are its bots (discord/lists)',
  async ({ owner, bot, server, call, send }) => {
    const description = 'Helps everyone'
    await owner.client.request('PATCH', `/api/applications/${bot.applicationId}`, { description })
    const [integration, ...others] = await call('GET', `/guilds/${server.id}/integrations`)
    assert.deepEqual(others, [])
    assertWhole('integration', integration)
    const { id, name, type, enabled, user, account, application, scopes } = integration
    assert.deepEqual([id, name, type, enabled], [bot.applicationId, 'Helper', 'discord', true])
    assert.deepEqual([user.id, account], [owner.id, { id: bot.applicationId, name: 'Helper' }])
    assert.deepEqual([application.description, application.bot.id], [description, bot.botId])
    assert.ok(scopes.includes('bot'))
    assert.equal((await send('GET', '/guilds/1000000000000000001/integrations')).body.code, 10004)
  },
)

eachDiscordBot(
  'the integrations of a guild need MANAGE_SERVER (discord/lists)',
  async ({ server, send }) => {
    const { status, body } = await send('GET', `/guilds/${server.id}/integrations`)
    assert.deepEqual([status, body.code], [403, 50013])
  },
  { permissions: Permission.VIEW_CHANNEL },
)
