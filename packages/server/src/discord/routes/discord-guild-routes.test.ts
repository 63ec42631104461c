import assert from 'node:assert/strict'
import { Permission } from '@gatehouse/protocol/permissions'
import { png } from '@gatehouse/testkit/images'
import { eachDiscordBot } from '../discord-testing.ts'

eachDiscordBot('a bot reads and changes a server', async ({ server, owner, call, send }) => {
  const path = `/guilds/${server.id}`
  const guild = await call('GET', path)
  assert.deepEqual(
    [guild.id, guild.name, guild.owner_id, guild.verification_level, guild.features],
    [server.id, 'Server', owner.id, 0, []],
  )
  assert.deepEqual(guild.roles, await call('GET', `${path}/roles`))
  assert.equal(guild.approximate_member_count, undefined)
  // discord.js sends true, discord.py 1.
  for (const value of ['true', '1']) {
    assert.equal((await call('GET', `${path}?with_counts=${value}`)).approximate_member_count, 3)
  }
  const icon = `data:image/png;base64,${Buffer.from(png).toString('base64')}`
  const changed = await call('PATCH', path, {
    ...{ name: 'New', verification_level: 3, features: ['INVITES_DISABLED'], icon },
  })
  assert.deepEqual([changed.name, changed.verification_level], ['New', 3])
  assert.deepEqual(changed.features, ['INVITES_DISABLED'])
  assert.match(changed.icon, /^[0-9a-f]{32}$/)
  const back = await call('PATCH', path, { verification_level: null, features: [], icon: null })
  assert.deepEqual([back.verification_level, back.features, back.icon], [0, [], null])
  for (const body of [
    ...[{ verification_level: 2 }, { features: ['COMMUNITY'] }, { afk_channel_id: '1' }],
    ...[{ icon: 'https://example.org/x.png' }, { name: '' }],
  ]) {
    const reply = await send('PATCH', path, body)
    assert.deepEqual([reply.status, Object.keys(reply.body.errors)], [400, Object.keys(body)])
  }
})

eachDiscordBot(
  'a bot creates, changes, orders and deletes roles',
  async ({ server, owner, bot, call, send }) => {
    const path = `/guilds/${server.id}/roles`
    const own = (await call('GET', path)).find(({ managed }: { managed: boolean }) => managed)
    await owner.client.call('updateRole', { id: server.id, roleId: own.id, body: { position: 9 } })
    const addReactions = 1n << 6n
    const mods = await call('POST', path, {
      ...{ name: 'Mods', color: 0xff00ff, hoist: true },
      permissions: String(Permission.KICK_MEMBERS | addReactions),
    })
    assert.deepEqual(mods, {
      ...{ id: mods.id, name: 'Mods', color: 0xff00ff, hoist: false, mentionable: false, managed: false },
      colors: { primary_color: 0xff00ff, secondary_color: null, tertiary_color: null },
      ...{ permissions: '2', position: 1, icon: null, unicode_emoji: null, flags: 0 },
    })
    const plain = await call('POST', path, {
      name: null,
      colors: { primary_color: 5, secondary_color: null },
    })
    assert.deepEqual([plain.name, plain.permissions, plain.color], ['new role', '0', 5])
    assert.equal((await call('PATCH', `${path}/${plain.id}`, { name: 'Plain' })).name, 'Plain')
    assert.equal((await call('GET', `${path}/${plain.id}`)).name, 'Plain')

    // The older role is above the newer one: in the request, the newer one is above.
    const order = [server.id, mods.id, plain.id, own.id].map((id, position) => ({ id, position }))
    const ordered = await call('PATCH', path, order)
    assert.deepEqual(
      ordered.map(({ id }: { id: string }) => id),
      [server.id, mods.id, plain.id, own.id],
    )
    assert.equal((await send('PATCH', path, [{ id: '1000000000000000001', position: 1 }])).body.code, 50035)
    assert.equal((await send('PATCH', path, { id: mods.id })).body.code, 50035)

    assert.equal((await send('DELETE', `${path}/${mods.id}`)).status, 204)
    for (const method of ['GET', 'PATCH', 'DELETE']) {
      const body = method === 'PATCH' ? {} : undefined
      assert.equal((await send(method, `${path}/${mods.id}`, body)).body.code, 10011)
    }
    assert.equal((await send('POST', path, { name: 'x', icon: 'data:' })).body.code, 50035)
    assert.equal(bot.botId, (await call('GET', '/users/@me')).id)
  },
)

eachDiscordBot(
  'an invite is for the server, and expires after 30 days at the latest (discord/invites)',
  async setup => {
    const { server, general, bot, call, send } = setup
    const invite = await call('POST', `/channels/${general.id}/invites`, { max_age: 0, max_uses: 3 })
    assert.deepEqual(
      [invite.guild.id, invite.channel.id, invite.max_age, invite.max_uses, invite.inviter.id],
      [server.id, general.id, 30 * 86_400, 3, bot.botId],
    )
    const preview = await call('GET', `/invites/${invite.code}?with_counts=true`)
    assert.deepEqual(
      [preview.guild.name, preview.channel, preview.expires_at],
      ['Server', { id: server.id, name: 'Server', type: 0 }, invite.expires_at],
    )
    const list = await call('GET', `/guilds/${server.id}/invites`)
    assert.deepEqual(list.map(({ max_uses: uses }: { max_uses: number }) => uses).toSorted(), [0, 3])
    assert.equal((await call('POST', `/channels/${general.id}/invites`)).max_age, 86_400)
    const short = await send('POST', `/channels/${general.id}/invites`, { max_age: 5 })
    assert.deepEqual(Object.keys(short.body.errors), ['max_age'])
    assert.equal(
      (await send('POST', `/channels/${general.id}/invites`, { temporary: true })).body.code,
      50035,
    )
    assert.equal((await call('DELETE', `/invites/${invite.code}`)).code, invite.code)
    assert.equal((await send('GET', `/invites/${invite.code}`)).body.code, 10006)
    assert.equal((await send('DELETE', `/invites/${invite.code}`)).body.code, 10006)
  },
)

eachDiscordBot(
  'a bot manages webhooks by their id, without their token (discord/webhook-paths)',
  async setup => {
    const { service, owner, server, general, call, send } = setup
    const webhook = await call('POST', `/channels/${general.id}/webhooks`, { name: 'Hook' })
    assert.deepEqual([webhook.type, webhook.channel_id, webhook.guild_id], [1, general.id, server.id])
    // The URL has the format of webhooks/, also with the version of the API.
    const post = `/api/v10/webhooks/${webhook.id}/${webhook.token}`
    assert.equal((await service.client().json('POST', post, { content: 'x' })).status, 204)
    assert.deepEqual(await call('GET', `/channels/${general.id}/webhooks`), [webhook])
    assert.deepEqual(await call('GET', `/webhooks/${webhook.id}`), webhook)
    const foreign = await owner.client.call('createWebhook', { channelId: general.id, body: { name: 'Own' } })
    assert.equal((await call('GET', `/webhooks/${foreign.id}`)).token, undefined)
    const other = await call('POST', `/guilds/${server.id}/channels`, { name: 'other' })
    const changed = await call('PATCH', `/webhooks/${webhook.id}`, {
      name: 'New',
      channel_id: other.id,
      avatar: null,
    })
    assert.deepEqual([changed.name, changed.channel_id], ['New', other.id])
    assert.equal((await send('PATCH', `/webhooks/${webhook.id}`, { avatar: 'data:' })).body.code, 50035)
    assert.equal((await send('DELETE', `/webhooks/${webhook.id}`)).status, 204)
    for (const method of ['GET', 'PATCH', 'DELETE']) {
      const body = method === 'PATCH' ? {} : undefined
      assert.deepEqual((await send(method, `/webhooks/${webhook.id}`, body)).body.code, 10015)
    }
  },
)

eachDiscordBot("the audit log has the acts that Discord's API has too (discord/audit-log)", async setup => {
  const { server, general, ann, owner, bot, call, send } = setup
  const { id: roleId } = await call('POST', `/guilds/${server.id}/roles`, { name: 'Mods' })
  await send('PUT', `/guilds/${server.id}/members/${ann.id}/roles/${roleId}`)
  await send('PUT', `/channels/${general.id}/permissions/${roleId}`, { type: 0, allow: '1024', deny: '0' })
  await call('PATCH', `/channels/${general.id}`, { rate_limit_per_user: 5 })
  const { id: messageId } = await ann.client.call('createMessage', {
    ...{ id: general.id, body: { content: 'x' } },
  })
  await send('DELETE', `/channels/${general.id}/messages/${messageId}`)
  await send('PUT', `/guilds/${server.id}/bans/${ann.id}`, {}, { 'x-audit-log-reason': 'spam' })
  // Discord's API has no transfers of a server.
  const body = { userId: owner.id, currentPassword: 'correct horse' }
  await owner.client.json('PUT', `/api/servers/${server.id}/ownership-transfer`, body)

  const log = await call('GET', `/guilds/${server.id}/audit-logs?limit=6`)
  type Entry = Record<
    'id' | 'action_type' | 'user_id' | 'target_id' | 'changes' | 'options' | 'reason',
    unknown
  >
  assert.deepEqual(
    log.audit_log_entries.map(({ id: _, changes, ...entry }: Entry) => ({ ...entry, changes })),
    [
      { action_type: 22, target_id: ann.id, reason: 'spam', changes: [] },
      { action_type: 72, target_id: ann.id, options: { channel_id: general.id, count: '1' }, changes: [] },
      {
        ...{ action_type: 11, target_id: general.id },
        changes: [{ key: 'rate_limit_per_user', old_value: 0, new_value: 5 }],
      },
      {
        ...{ action_type: 13, target_id: general.id, options: { id: roleId, type: '0', role_name: 'Mods' } },
        changes: [
          { key: 'allow', new_value: '1024' },
          { key: 'deny', new_value: '0' },
        ],
      },
      {
        action_type: 25,
        target_id: ann.id,
        changes: [{ key: '$add', new_value: [{ id: roleId, name: 'Mods' }] }],
      },
      {
        ...{ action_type: 30, target_id: roleId },
        changes: [
          { key: 'name', new_value: 'Mods' },
          { key: 'permissions', new_value: '0' },
          { key: 'color', new_value: 0 },
          { key: 'position', new_value: 1 },
        ],
      },
    ].map(entry => ({ user_id: bot.botId, ...entry })),
  )
  const userIds = log.users.map(({ id }: { id: string }) => id)
  assert.deepEqual(new Set(userIds), new Set([ann.id, bot.botId]))
  const typesOf = async (query: string) =>
    (await call('GET', `/guilds/${server.id}/audit-logs?${query}`)).audit_log_entries.map(
      ({ action_type: type }: Entry) => type,
    )
  assert.deepEqual(await typesOf('action_type=22'), [22])
  assert.deepEqual(await typesOf('action_type=13'), [13])
  assert.deepEqual(await typesOf('action_type=14'), [])
  assert.deepEqual(await typesOf('action_type=73'), [])
  assert.deepEqual(await typesOf(`user_id=${owner.id}&after=0`), [28, 40])
  assert.equal((await send('GET', `/guilds/${server.id}/audit-logs?action_type=x`)).body.code, 50035)
})
