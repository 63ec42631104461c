import assert from 'node:assert/strict'
import { eachDiscordBot } from './discord-testing.ts'

/** An object with these members, all null. */
function nulls(...names: string[]): Record<string, null> {
  return Object.fromEntries(names.map(name => [name, null]))
}

const channelMembers = [
  ...['topic', 'nsfw', 'rate_limit_per_user', 'bitrate', 'user_limit', 'permission_overwrites', 'parent_id'],
  ...[
    'position',
    'rtc_region',
    'video_quality_mode',
    'default_auto_archive_duration',
    'default_reaction_emoji',
  ],
  ...['default_sort_order', 'default_forum_layout', 'available_tags', 'default_thread_rate_limit_per_user'],
]

eachDiscordBot(
  'a channel is created and changed with null for what it has not (discord/null)',
  async setup => {
    const { server, call } = setup
    const path = `/guilds/${server.id}/channels`
    const created = await call('POST', path, { name: 'new', ...nulls('type', ...channelMembers) })
    assert.deepEqual([created.type, created.topic, created.rate_limit_per_user], [0, null, 0])
    const changes = { topic: 'x', rate_limit_per_user: 5, position: 3 }
    await call('PATCH', `/channels/${created.id}`, changes)
    const kept = await call('PATCH', `/channels/${created.id}`, nulls('type', 'position'))
    assert.deepEqual({ ...kept, ...changes }, kept)
    const changed = await call('PATCH', `/channels/${created.id}`, nulls(...channelMembers))
    assert.deepEqual([changed.topic, changed.rate_limit_per_user, changed.position], [null, 0, 3])
    const category = await call('POST', path, { name: 'more', ...nulls(...channelMembers), type: 4 })
    assert.equal((await call('PATCH', `/channels/${category.id}`, nulls(...channelMembers))).name, 'more')
    await call('PATCH', path, [{ id: created.id, ...nulls('position', 'lock_permissions', 'parent_id') }])
  },
)

eachDiscordBot(
  'an overwrite, a role, a guild and a member are changed with null (discord/null)',
  async setup => {
    const { server, general, ann, call } = setup
    const { id } = await call('POST', `/guilds/${server.id}/roles`, {
      ...nulls('name', 'permissions', 'color', 'colors', 'hoist', 'icon', 'unicode_emoji', 'mentionable'),
    })
    await call('PUT', `/channels/${general.id}/permissions/${id}`, { type: 0, ...nulls('allow', 'deny') })
    const role = await call('PATCH', `/guilds/${server.id}/roles/${id}`, {
      ...nulls('name', 'permissions', 'color', 'colors', 'hoist', 'icon', 'unicode_emoji', 'mentionable'),
    })
    assert.deepEqual([role.name, role.permissions], ['new role', '0'])
    await call('PATCH', `/guilds/${server.id}/roles`, [{ id, position: null }])
    const guild = await call('PATCH', `/guilds/${server.id}`, {
      ...nulls(
        'region',
        'verification_level',
        'default_message_notifications',
        'explicit_content_filter',
        'icon',
      ),
      ...nulls(
        'afk_channel_id',
        'splash',
        'discovery_splash',
        'banner',
        'system_channel_id',
        'rules_channel_id',
      ),
      ...nulls('public_updates_channel_id', 'preferred_locale', 'description', 'safety_alerts_channel_id'),
    })
    assert.equal(guild.name, server.name)
    const member = await call('PATCH', `/guilds/${server.id}/members/${ann.id}`, {
      ...nulls('nick', 'roles', 'mute', 'deaf', 'channel_id', 'communication_disabled_until', 'flags'),
    })
    assert.equal(member.user.id, ann.id)
  },
)

eachDiscordBot(
  'a message, an invite, a webhook, a ban and a command have null (discord/null)',
  async setup => {
    const { server, general, ann, bot, call } = setup
    const path = `/channels/${general.id}/messages`
    const more = [
      'tts',
      'allowed_mentions',
      'message_reference',
      'components',
      'sticker_ids',
      'attachments',
      'flags',
    ]
    const sent = await call('POST', path, {
      content: 'a',
      ...nulls('embeds', 'nonce', 'enforce_nonce', 'poll', ...more),
    })
    const edited = await call('PATCH', `${path}/${sent.id}`, {
      embeds: [{ title: 'b' }],
      ...nulls('content', ...more),
    })
    assert.deepEqual([edited.content, edited.embeds.length], ['', 1])
    const emptied = await call('PATCH', `${path}/${sent.id}`, { content: 'c', ...nulls('embeds') })
    assert.deepEqual([emptied.content, emptied.embeds], ['c', []])
    await call('POST', path, {
      embeds: [{ title: 'b', ...nulls('description', 'fields') }],
      ...nulls('content'),
    })
    const invite = await call('POST', `/channels/${general.id}/invites`, {
      ...nulls(
        'max_age',
        'max_uses',
        'temporary',
        'unique',
        'target_type',
        'target_user_id',
        'target_application_id',
      ),
    })
    assert.deepEqual([invite.max_age, invite.max_uses], [86_400, 0])
    const webhook = await call('POST', `/channels/${general.id}/webhooks`, { name: 'hook', avatar: null })
    await call('PATCH', `/webhooks/${webhook.id}`, nulls('avatar', 'channel_id'))
    const command = await call('POST', `/applications/${bot.applicationId}/commands`, {
      ...{ name: 'a', description: 'b' },
      ...nulls('name_localizations', 'description_localizations', 'options', 'default_member_permissions'),
      ...nulls(
        'dm_permission',
        'default_permission',
        'nsfw',
        'contexts',
        'integration_types',
        'type',
        'handler',
      ),
    })
    assert.equal(command.type, 1)
    await call(
      'PUT',
      `/guilds/${server.id}/bans/${ann.id}`,
      nulls('delete_message_seconds', 'delete_message_days'),
    )
  },
)

eachDiscordBot('what means nothing here is ignored (discord/ignored)', async setup => {
  const { server, general, call } = setup
  const channel = {
    ...{ nsfw: true, bitrate: 64_000, user_limit: 5, rtc_region: 'x', video_quality_mode: 2, flags: 16 },
    ...{ default_auto_archive_duration: 60, default_thread_rate_limit_per_user: 5, default_forum_layout: 1 },
  }
  const created = await call('POST', `/guilds/${server.id}/channels`, { name: 'new', ...channel })
  assert.deepEqual([created.nsfw, created.default_auto_archive_duration], [false, 1440])
  await call('PATCH', `/channels/${created.id}`, channel)
  const guild = await call('PATCH', `/guilds/${server.id}`, {
    ...{ system_channel_id: general.id, system_channel_flags: 7, explicit_content_filter: 2 },
    ...{ default_message_notifications: 0, preferred_locale: 'de' },
  })
  assert.deepEqual([guild.system_channel_id, guild.explicit_content_filter], [null, 0])
})

eachDiscordBot('the widget of a guild is there, and disabled (discord/widget)', async setup => {
  const { server, owner, service, send } = setup
  const path = `/guilds/${server.id}/widget`
  const disabled = { enabled: false, channel_id: null }
  assert.deepEqual((await send('GET', path)).body, disabled)
  assert.deepEqual((await send('PATCH', path, disabled)).body, disabled)
  assert.equal((await send('PATCH', path, { enabled: true })).body.code, 50035)
  assert.equal((await send('GET', '/guilds/1000000000000000001/widget')).body.code, 10004)
  for (const id of [server.id, '1000000000000000001']) {
    const reply = await service.client().get(`/api/v10/guilds/${id}/widget.json`)
    assert.deepEqual([reply.status, reply.body], [403, { code: 50004, message: 'Widget Disabled' }])
  }
  assert.equal((await owner.client.get(`/api/v10${path}`)).status, 401)
})
