import assert from 'node:assert/strict'
import { eachDiscordBot } from '../discord-testing.ts'
import { assertWhole } from './whole-objects-testing.ts'

eachDiscordBot(
  'users, guilds, roles, members and bans are whole (discord/whole-objects)',
  async ({ service, ann, bot, server, call }) => {
    const guild = `/guilds/${server.id}`
    assertWhole('gateway', await call('GET', '/gateway'))
    assertWhole('gatewayOfBot', await call('GET', '/gateway/bot'))
    const own = await call('GET', '/users/@me')
    assertWhole('ownUser', own)
    assert.deepEqual(
      [own.id, own.verified, own.mfa_enabled, own.email, own.flags, own.locale],
      [bot.botId, true, false, null, 0, 'en-US'],
    )
    assert.deepEqual(await call('PATCH', '/users/@me', {}), own)
    assertWhole('user', await call('GET', `/users/${ann.id}`))
    assertWhole('user', await call('GET', `/users/${bot.botId}`))
    const whole = await call('GET', guild)
    assertWhole('guild', whole)
    assert.deepEqual([whole.region, whole.max_members], ['deprecated', 500_000])
    assertWhole('guildWithCounts', await call('GET', `${guild}?with_counts=true`))
    assertWhole('guild', await call('PATCH', guild, {}))
    assertWhole('listedGuild', await call('GET', '/users/@me/guilds'))
    const [counted] = await call('GET', '/users/@me/guilds?with_counts=true')
    assertWhole('listedGuildWithCounts', counted)
    assert.deepEqual([counted.approximate_member_count, counted.approximate_presence_count], [3, 3])
    const role = await call('POST', `${guild}/roles`, { name: 'Mods' })
    assertWhole('role', role)
    for (const path of ['', `/${role.id}`]) assertWhole('role', await call('GET', `${guild}/roles${path}`))
    assertWhole('role', await call('PATCH', `${guild}/roles/${role.id}`, { name: 'Guards' }))
    assertWhole('role', await call('PATCH', `${guild}/roles`, [{ id: role.id, position: 1 }]))
    assertWhole('member', await call('GET', `${guild}/members?limit=10`))
    assertWhole('member', await call('GET', `${guild}/members/search?query=a`))
    assertWhole('member', await call('PATCH', `${guild}/members/@me`, {}))
    const until = new Date(service.clock.now() + 60_000).toISOString()
    const path = `${guild}/members/${ann.id}`
    const timedOut = await call('PATCH', path, { communication_disabled_until: until })
    assertWhole('member', timedOut)
    assert.equal(timedOut.communication_disabled_until, until.replace('Z', '000+00:00'))
    await call('PUT', `${guild}/bans/${ann.id}`, {})
    assertWhole('ban', await call('GET', `${guild}/bans`))
    assertWhole('ban', await call('GET', `${guild}/bans/${ann.id}`))
    const application = await call('GET', '/applications/@me')
    assertWhole('application', application)
    assert.deepEqual(await call('GET', '/oauth2/applications/@me'), application)
  },
)

eachDiscordBot(
  'channels, messages, invites and webhooks are whole (discord/whole-objects)',
  async ({ service, ann, general, server, call }) => {
    const channels = `/guilds/${server.id}/channels`
    const overwrite = { id: ann.id, type: 1, allow: '1024', deny: '0' }
    const body = { name: 'news', permission_overwrites: [overwrite] }
    const text = await call('POST', channels, body)
    const category = await call('POST', channels, { ...body, type: 4 })
    assertWhole('channel', [text, await call('GET', `/channels/${text.id}`)])
    assertWhole('channel', await call('PATCH', `/channels/${text.id}`, { topic: 'All' }))
    assertWhole('category', [category, await call('GET', `/channels/${category.id}`)])
    const listed: { type: number }[] = await call('GET', channels)
    for (const channel of listed) assertWhole(channel.type === 0 ? 'channel' : 'category', channel)
    assertWhole('category', await call('DELETE', `/channels/${category.id}`))
    const direct = await call('POST', '/users/@me/channels', { recipient_id: ann.id })
    assertWhole('directChannel', [direct, await call('GET', `/channels/${direct.id}`)])
    const image = 'https://example.org/x.png'
    const sent = {
      content: `<@${ann.id}>`,
      embeds: [
        {
          ...{ title: 'T', description: 'D', url: image, color: 1, timestamp: '2026-01-31T12:00:00.000Z' },
          ...{ image: { url: image }, thumbnail: { url: image }, fields: [{ name: 'n', value: 'v' }] },
          ...{ author: { name: 'A', url: image, icon_url: image }, footer: { text: 'F', icon_url: image } },
        },
        { description: 'only' },
      ],
      components: [
        {
          type: 1,
          components: [
            { type: 2, style: 1, label: 'A', custom_id: 'a', emoji: { name: '🎲' } },
            { type: 2, style: 5, label: 'B', url: image },
          ],
        },
        { type: 1, components: [{ type: 3, custom_id: 's', options: [{ label: 'a', value: 'a' }] }] },
        { type: 1, components: [{ type: 5, custom_id: 'u' }] },
      ],
    }
    const message = await call('POST', `/channels/${general.id}/messages`, sent)
    assertWhole('message', message)
    const [{ image: picture, author, footer }] = message.embeds
    for (const url of [picture.proxy_url, author.proxy_icon_url, footer.proxy_icon_url]) {
      assert.ok(url.startsWith(`${service.url}/media-proxy?`), url)
    }
    type Numbered = { id: number; components?: Numbered[] }
    const idsOf = (all: Numbered[]): number[] =>
      all.flatMap(({ id, components = [] }) => [id, ...idsOf(components)])
    assert.deepEqual(idsOf(message.components), [1, 2, 3, 4, 5, 6, 7])
    const path = `/channels/${general.id}/messages/${message.id}`
    assertWhole('message', [await call('GET', path), await call('PATCH', path, { content: 'new' })])
    assertWhole('message', await call('GET', `/channels/${general.id}/messages`))
    assertWhole('directMessage', await call('POST', `/channels/${direct.id}/messages`, sent))
    const invite = await call('POST', `/channels/${general.id}/invites`, {})
    assertWhole('inviteWithUses', [invite, ...(await call('GET', `/guilds/${server.id}/invites`))])
    assertWhole('invitePreview', await call('GET', `/invites/${invite.code}`))
    const deleted = await call('DELETE', `/invites/${invite.code}`)
    assertWhole('inviteWithUses', deleted)
    assert.deepEqual([deleted.code, deleted.guild.id], [invite.code, server.id])
    const webhook = await call('POST', `/channels/${general.id}/webhooks`, { name: 'CI' })
    assertWhole('webhook', [webhook, await call('PATCH', `/webhooks/${webhook.id}`, { name: 'CD' })])
    assertWhole('webhook', await call('GET', `/channels/${general.id}/webhooks`))
    assertWhole('webhook', await call('GET', `/webhooks/${webhook.id}`))
  },
)

eachDiscordBot(
  'commands are whole, and have only the values of the bot that libraries compare (discord/whole-objects)',
  async ({ bot, server, owner, call }) => {
    const base = `/applications/${bot.applicationId}`
    const options = [
      { type: 3, name: 'text', description: 'T', choices: [{ name: 'a', value: 'a' }] },
      { type: 4, name: 'number', description: 'N', min_value: 1 },
    ]
    const group = [{ type: 1, name: 'sub', description: 'S', options }]
    for (const [shape, path] of [
      ['command', `${base}/commands`],
      ['guildCommand', `${base}/guilds/${server.id}/commands`],
    ] as const) {
      const command = await call('POST', path, { name: 'roll', description: 'Rolls', options: group })
      assertWhole(shape, [command, await call('GET', `${path}/${command.id}`)])
      assertWhole(shape, await call('PATCH', `${path}/${command.id}`, { description: 'New' }))
      assertWhole(shape, await call('GET', path))
      const names = ({ choices, autocomplete, required }: object & Record<string, unknown>) =>
        ({ choices, autocomplete, required }) as const
      assert.deepEqual(names(command.options[0].options[1]), {
        ...{ choices: undefined, autocomplete: undefined, required: undefined },
      })
      assertWhole(
        shape,
        await call('PUT', path, [
          { name: 'roll', description: 'R' },
          { type: 2, name: 'Who' },
        ]),
      )
    }
    const [{ id }] = await call('GET', `${base}/guilds/${server.id}/commands`)
    const overrides = [{ type: 'user', id: owner.id, allow: true }]
    await owner.client.request('PUT', `/api/servers/${server.id}/commands/${id}/permissions`, overrides)
    const permissions = await call('GET', `${base}/guilds/${server.id}/commands/permissions`)
    assertWhole('commandPermissions', permissions)
    assert.equal(permissions.length, 1)
  },
)
