import assert from 'node:assert/strict'
import { Permission } from '@gatehouse/protocol/permissions'
import { eachDiscordBot } from '../discord-testing.ts'
import { assertWhole } from '../objects/whole-objects-testing.ts'

eachDiscordBot(
  'an invite has the channel that it was created for, until that is deleted (discord/invites)',
  async ({ service, owner, server, general, call, send }) => {
    const { id: newsId } = await call('POST', `/guilds/${server.id}/channels`, { name: 'news' })
    service.clock.advance(1)
    const invite = await call('POST', `/channels/${newsId}/invites`, {})
    const news = { id: newsId, name: 'news', type: 0 }
    const first = { id: general.id, name: general.name, type: 0 }
    assert.deepEqual(invite.channel, news)
    // One of our own API has no channel.
    service.clock.advance(1)
    const native = await owner.client.call('createInvite', { id: server.id, body: {} })
    const channels = async (path: string) => {
      const list = await call('GET', path)
      assertWhole('inviteWithUses', list)
      return Object.fromEntries(
        list.map(({ code, channel }: { code: string; channel: unknown }) => [code, channel]),
      )
    }
    const all = await channels(`/guilds/${server.id}/invites`)
    assert.deepEqual([all[invite.code], all[native.code]], [news, first])
    assert.deepEqual(await channels(`/channels/${newsId}/invites`), { [invite.code]: news })
    assert.deepEqual((await channels(`/channels/${general.id}/invites`))[native.code], first)

    await call('DELETE', `/channels/${newsId}`)
    assert.deepEqual((await channels(`/guilds/${server.id}/invites`))[invite.code], first)
    assert.equal((await send('GET', `/channels/${newsId}/invites`)).body.code, 10003)
    const deleted = await call('DELETE', `/invites/${invite.code}`, undefined, {
      'x-audit-log-reason': 'closed',
    })
    assert.deepEqual(deleted, { ...invite, channel: first })
    const [entry] = await owner.client.call('listAuditLog', {
      id: server.id,
      query: { action: 'INVITE_DELETE' },
    })
    assert.equal(entry?.reason, 'closed')
    const { changes } = (await call('GET', `/guilds/${server.id}/audit-logs?action_type=42`))
      .audit_log_entries[0]
    const change = changes.find(({ key }: { key: string }) => key === 'channel_id')
    assert.deepEqual(change, { key: 'channel_id', old_value: general.id })
    assert.equal((await send('DELETE', '/invites/%00')).body.code, 10006)
  },
)

eachDiscordBot(
  'a used up or paused invite is deleted and returned (discord/invites)',
  async ({ ann, server, general, call }) => {
    const invite = await call('POST', `/channels/${general.id}/invites`, { max_uses: 1 })
    await ann.client.request('DELETE', `/api/servers/${server.id}/members/@me`)
    await ann.client.request('POST', `/api/invites/${invite.code}`)
    await call('PATCH', `/guilds/${server.id}`, { features: ['INVITES_DISABLED'] })
    assert.deepEqual(await call('DELETE', `/invites/${invite.code}`), { ...invite, uses: 1 })
  },
)

eachDiscordBot(
  'an invite of a channel that the bot may not view shows none, and the channel is unknown (discord/invites)',
  async ({ owner, server, bot, general, call, send }) => {
    const secret = await owner.client.call('createChannel', { id: server.id, body: { name: 'secret' } })
    const overwrite = { type: 'member', allow: '0', deny: String(Permission.VIEW_CHANNEL) }
    await owner.client.request('PUT', `/api/channels/${secret.id}/overwrites/${bot.botId}`, overwrite)
    const { code } = await owner.client.call('createInvite', {
      id: server.id,
      body: { channelId: secret.id },
    })
    const list = await call('GET', `/guilds/${server.id}/invites`)
    const shown = list.find((invite: { code: string }) => invite.code === code)
    assert.deepEqual(shown.channel, { id: server.id, name: 'Server', type: 0 })
    assert.equal((await send('GET', `/channels/${secret.id}/invites`)).body.code, 10003)
    assert.ok(!JSON.stringify(await call('GET', `/channels/${general.id}/invites`)).includes(code))
    assert.deepEqual((await call('DELETE', `/invites/${code}`)).channel, shown.channel)
  },
  { permissions: Permission.VIEW_CHANNEL | Permission.MANAGE_SERVER },
)

eachDiscordBot(
  'the invites of a channel need MANAGE_SERVER (discord/invites)',
  async ({ general, send }) => {
    const { status, body } = await send('GET', `/channels/${general.id}/invites`)
    assert.deepEqual([status, body.code], [403, 50013])
  },
  { permissions: Permission.VIEW_CHANNEL | Permission.MANAGE_CHANNELS },
)
