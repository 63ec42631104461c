import assert from 'node:assert/strict'
import { Permission } from '@gatehouse/protocol/permissions'
import { eachService } from '@gatehouse/testkit/service'
import { assertWhole } from '../objects/whole-objects-testing.ts'
import { bit, call, createDiscordWorld, identifyDiscord, takeEvent } from './discord-gateway-testing.ts'

eachService(
  'a deleted channel is sent as it was, with all its members (discord/gateway-events)',
  async (_t, service) => {
    const { ada, bot, server } = await createDiscordWorld(service)
    const session = await identifyDiscord(service, { token: bot.token, intents: bit.guilds })
    await takeEvent(session, 'GUILD_CREATE')
    const channels = `/api/servers/${server.id}/channels`
    const parent = await call(ada, 'POST', channels, { name: 'Group', type: 'category' })
    const category = await takeEvent(session, 'CHANNEL_CREATE')
    const child = await call(ada, 'POST', channels, { name: 'news', topic: 'All', parentId: parent.id })
    await takeEvent(session, 'CHANNEL_CREATE')
    const overwrite = `/api/channels/${child.id}/overwrites/${ada.id}`
    const allow = Permission.SEND_MESSAGES.toString()
    await call(ada, 'PUT', overwrite, { type: 'member', allow, deny: '0' })
    await takeEvent(session, 'CHANNEL_UPDATE')
    await call(ada, 'DELETE', `/api/channels/${parent.id}`)
    const events = [await session.nextDispatch(), await session.nextDispatch()]
    const [moved, deleted] = events.toSorted((a, b) => String(b.t).localeCompare(String(a.t)))
    assert.deepEqual([deleted?.t, deleted?.d], ['CHANNEL_DELETE', category])
    assert.deepEqual([category.type, category.name], [4, 'Group'])
    await call(ada, 'DELETE', `/api/channels/${child.id}`)
    assert.deepEqual(await takeEvent(session, 'CHANNEL_DELETE'), moved?.d)
    assert.deepEqual([moved?.d.topic, moved?.d.permission_overwrites.length], ['All', 1])
  },
)

eachService(
  'a channel that became hidden has its type and no values (discord/gateway-events)',
  async (_t, service) => {
    const { ada, bot, server } = await createDiscordWorld(service)
    const session = await identifyDiscord(service, { token: bot.token, intents: bit.guilds })
    await takeEvent(session, 'GUILD_CREATE')
    for (const type of ['text', 'category'] as const) {
      const body = { name: 'secret', type }
      const { id } = await call(ada, 'POST', `/api/servers/${server.id}/channels`, body)
      const { type: number } = await takeEvent(session, 'CHANNEL_CREATE')
      const deny = Permission.VIEW_CHANNEL.toString()
      const overwrite = { type: 'member', allow: '0', deny }
      await call(ada, 'PUT', `/api/channels/${id}/overwrites/${bot.userId}`, overwrite)
      const hidden = await takeEvent(session, 'CHANNEL_DELETE')
      assertWhole(type === 'text' ? 'channel' : 'category', hidden)
      assert.deepEqual([hidden.id, hidden.guild_id, hidden.type], [id, server.id, number])
      const { name, position, permission_overwrites: overwrites } = hidden
      assert.deepEqual([name, position, overwrites, hidden.topic ?? null], ['', 0, [], null])
      await call(ada, 'DELETE', `/api/channels/${id}`)
    }
  },
)
