import assert from 'node:assert/strict'
import { Permission } from '@gatehouse/protocol/permissions'
import { createServer, register } from '@gatehouse/testkit/community'
import { withoutProxyUrls } from '@gatehouse/testkit/proxy-urls'
import { createWebhook, eachWebhook, errorCodeAt } from './webhooks-testing.ts'

eachWebhook('creates a webhook and lists it with its URL', async setup => {
  const { owner, general, server, service, anonymous } = setup
  const reply = await owner.client.json('POST', `/api/channels/${general.id}/webhooks`, {
    name: ' Build\u202e ',
    avatar: 'https://ci.example/a.png',
  })
  assert.equal(reply.status, 201, reply.text)
  const { id, token } = reply.body
  assert.match(token, /^[A-Za-z0-9_-]{68}$/)
  assert.match(id, /^\d{19}$/)
  assert.deepEqual(withoutProxyUrls(reply.body), {
    id,
    channelId: general.id,
    serverId: server.id,
    name: 'Build',
    avatar: 'https://ci.example/a.png',
    token,
    url: `${service.url}/api/webhooks/${id}/${token}`,
    applicationId: null,
    createdBy: {
      id: owner.id,
      username: 'ana',
      displayName: 'ana',
      avatar: `/images/users/${owner.id}/default`,
      bot: false,
    },
    createdAt: '2026-01-15T12:00:00.000Z',
    lastUsedAt: null,
  })
  service.clock.advance(5000)
  const posted = await anonymous.json('POST', `/api/webhooks/${id}/${token}?wait=true`, { content: 'x' })
  // `author.avatar` is null unless the message replaces the avatar of the webhook (webhooks/message-object).
  assert.deepEqual([posted.body.author.username, posted.body.author.avatar], ['Build', null])
  const native = await owner.client.get(`/api/channels/${general.id}/messages/${posted.body.id}`)
  assert.equal(native.body.author.avatar, 'https://ci.example/a.png')
  const listed = await owner.client.get(`/api/channels/${general.id}/webhooks`)
  assert.equal(listed.status, 200)
  assert.equal(listed.body.length, 2)
  assert.deepEqual(listed.body[1], { ...reply.body, lastUsedAt: '2026-01-15T12:00:05.000Z' })
})

eachWebhook(
  'a webhook and its URL persist across a restart, and the database contains no token',
  async setup => {
    const { service, anonymous, path, owner, general, webhook } = setup
    await service.restart()
    assert.equal((await anonymous.json('POST', path, { content: 'x' })).status, 204)
    const listed = await owner.client.get(`/api/channels/${general.id}/webhooks`)
    assert.equal(listed.body[0].token, webhook.token)
    const row = await service.db.get`SELECT * FROM webhooks WHERE id = ${webhook.id}`
    assert.equal(JSON.stringify(row).includes(webhook.token), false)
  },
)

eachWebhook('returns 400 with the path of an invalid member', async ({ owner, general, webhook }) => {
  const { id } = webhook
  for (const [body, path, code] of [
    [{}, 'name', 'required'],
    [{ name: '' }, 'name', 'too_short'],
    [{ name: '\u200b' }, 'name', 'too_short'],
    [{ name: 'x'.repeat(81) }, 'name', 'too_long'],
    [{ name: 'x', avatar: 'javascript:1' }, 'avatar', 'invalid_url'],
    [{ name: 'x', unknown: 1 }, 'unknown', 'unknown_member'],
  ] as const) {
    const created = await owner.client.json('POST', `/api/channels/${general.id}/webhooks`, body)
    assert.equal(created.status, 400, created.text)
    assert.deepEqual([created.body.errors[0].path, created.body.errors[0].code], [path, code])
    if (path === 'name' && code === 'required') continue
    const changed = await owner.client.json('PATCH', `/api/channels/${general.id}/webhooks/${id}`, body)
    assert.equal(changed.body.errors[0].code, code)
  }
})

eachWebhook(
  'creates at most 15 webhooks per channel, also with 40 concurrent requests (webhooks/managing)',
  async setup => {
    const { owner, general, server, webhook } = setup
    const create = () => owner.client.json('POST', `/api/channels/${general.id}/webhooks`, { name: 'x' })
    const replies = await Promise.all(Array.from({ length: 40 }, create))
    const rejected = replies.filter(reply => reply.status !== 201)
    assert.deepEqual(
      new Set(rejected.map(reply => `${reply.status} ${reply.body.code}`)),
      new Set(['400 webhook_limit']),
    )
    assert.equal((await owner.client.get(`/api/channels/${general.id}/webhooks`)).body.length, 15)
    assert.equal(replies.length - rejected.length, 14)
    await owner.client.json('DELETE', `/api/channels/${general.id}/webhooks/${webhook.id}`)
    assert.equal((await create()).status, 201)
    // The limit applies to a move too.
    const otherChannel = await owner.client.json('POST', `/api/servers/${server.id}/channels`, {
      name: 'other',
    })
    const movable = await createWebhook(owner, otherChannel.body.id)
    const moved = await owner.client.json(
      'PATCH',
      `/api/channels/${otherChannel.body.id}/webhooks/${movable.id}`,
      {
        channelId: general.id,
      },
    )
    assert.deepEqual([moved.status, moved.body.code], [400, 'webhook_limit'])
  },
)

eachWebhook(
  'changes name, avatar and channel within the server, but not the URL (webhooks/managing)',
  async setup => {
    const { owner, general, server, webhook, anonymous, path, listContents } = setup
    const settings = `/api/channels/${general.id}/webhooks/${webhook.id}`
    const changed = await owner.client.json('PATCH', settings, {
      name: 'New',
      avatar: 'https://a.example/x.png',
    })
    assert.deepEqual(
      [changed.status, changed.body.name, changed.body.avatar],
      [200, 'New', 'https://a.example/x.png'],
    )
    const withoutAvatar = await owner.client.json('PATCH', settings, { avatar: null })
    assert.deepEqual(
      [withoutAvatar.body.name, withoutAvatar.body.avatar, withoutAvatar.body.url],
      ['New', null, webhook.url],
    )

    const other = await createServer(owner)
    const otherServer = await owner.client.json('PATCH', settings, { channelId: other.general.id })
    assert.deepEqual([otherServer.status, otherServer.body.errors[0].path], [400, 'channelId'])
    const unknown = await owner.client.json('PATCH', settings, { channelId: '1234567890123456789' })
    assert.equal(unknown.status, 404)

    const otherChannel = await owner.client.json('POST', `/api/servers/${server.id}/channels`, {
      name: 'other',
    })
    const moved = await owner.client.json('PATCH', settings, { channelId: otherChannel.body.id })
    assert.deepEqual(
      [moved.status, moved.body.channelId, moved.body.url],
      [200, otherChannel.body.id, webhook.url],
    )
    const posted = await anonymous.json('POST', `${path}?wait=true`, { content: 'moved' })
    assert.equal(posted.body.channel_id, otherChannel.body.id)
    assert.deepEqual(await listContents(), [])
    assert.equal((await owner.client.json('PATCH', settings, { name: 'x' })).status, 404)
  },
)

eachWebhook('concurrent changes of the name and the avatar do not undo each other', async setup => {
  const { owner, general, webhook, anonymous, path } = setup
  const settings = `/api/channels/${general.id}/webhooks/${webhook.id}`
  for (let i = 0; i < 10; i++) {
    for (const [client, renamed] of [
      [owner.client, settings],
      [anonymous, path],
    ] as const) {
      const name = `New ${i} ${renamed.length}`
      const avatar = `https://a.example/${i}/${renamed.length}.png`
      const replies = await Promise.all([
        owner.client.json('PATCH', settings, { avatar }),
        client.json('PATCH', renamed, { name }),
      ])
      assert.deepEqual(
        replies.map(({ status }) => status),
        [200, 200],
      )
      const [stored] = (await owner.client.get(`/api/channels/${general.id}/webhooks`)).body
      assert.deepEqual([stored.name, stored.avatar], [name, avatar])
    }
  }
})

eachWebhook(
  'deletes a webhook but not its messages',
  async ({ owner, general, webhook, anonymous, path, post, listContents }) => {
    await post({ content: 'remains' })
    const settings = `/api/channels/${general.id}/webhooks/${webhook.id}`
    assert.equal((await owner.client.json('DELETE', settings)).status, 204)
    assert.equal((await owner.client.json('DELETE', settings)).status, 404)
    assert.equal((await anonymous.json('POST', path, { content: 'x' })).status, 404)
    assert.deepEqual(await listContents(), ['remains'])
  },
)

eachWebhook('a move requires MANAGE_WEBHOOKS in both channels', async setup => {
  const { owner, server, general, webhook, service } = setup
  const bob = await register(service, 'bob')
  const invite = await owner.client.json('POST', `/api/servers/${server.id}/invites`, {})
  await bob.client.json('POST', `/api/invites/${invite.body.code}`)
  const allow = String(Permission.MANAGE_WEBHOOKS)
  const overwrite = { type: 'member', allow, deny: '0' }
  await owner.client.json('PUT', `/api/channels/${general.id}/overwrites/${bob.id}`, overwrite)
  assert.equal((await bob.client.get(`/api/channels/${general.id}/webhooks`)).status, 200)
  const otherChannel = await owner.client.json('POST', `/api/servers/${server.id}/channels`, {
    name: 'other',
  })
  const settings = `/api/channels/${general.id}/webhooks/${webhook.id}`
  const move = () => bob.client.json('PATCH', settings, { channelId: otherChannel.body.id })
  assert.equal((await move()).status, 403)
  await owner.client.json('PUT', `/api/channels/${otherChannel.body.id}/overwrites/${bob.id}`, overwrite)
  assert.equal((await move()).status, 200)
  // The webhook is not found under its previous channel.
  assert.equal((await owner.client.json('DELETE', settings)).status, 404)
})

eachWebhook('returns 200 with the webhook, without its creator (webhooks/by-token)', async setup => {
  const { owner, webhook, anonymous, general, server, service } = setup
  const { id, token } = webhook
  const reply = await anonymous.get(`/api/webhooks/${id}/${token}`)
  assert.equal(reply.status, 200)
  assert.deepEqual(reply.body, {
    id,
    type: 1,
    channel_id: general.id,
    guild_id: server.id,
    name: 'Alerts',
    avatar: null,
    avatar_url: null,
    token,
    application_id: null,
    url: `${service.url}/api/webhooks/${id}/${token}`,
  })
  const avatar = 'https://ci.example/a.png'
  const settings = `/api/channels/${general.id}/webhooks/${id}`
  assert.equal((await owner.client.json('PATCH', settings, { avatar })).body.avatar, avatar)
  const withAvatar = (await anonymous.get(`/api/webhooks/${id}/${token}`)).body
  assert.match(withAvatar.avatar, /^[0-9a-f]{32}$/)
  assert.equal(withAvatar.avatar_url, avatar)
  // The URL depends only on BASE_URL, not on request headers.
  const spoofed = await anonymous.get(`/api/webhooks/${id}/${token}`, {
    'x-forwarded-host': 'evil.example',
  })
  assert.equal(spoofed.body.url, reply.body.url)
})

eachWebhook(
  'PATCH with the token changes only the name (webhooks/managing, webhooks/by-token)',
  async setup => {
    const { path, anonymous, general, server, owner } = setup
    const otherChannel = await owner.client.json('POST', `/api/servers/${server.id}/channels`, {
      name: 'other',
    })
    const reply = await anonymous.json('PATCH', path, {
      name: ' New\u202ename ',
      channel_id: otherChannel.body.id,
      avatar: 'data:image/png;base64,AAAA',
      token: 'x',
    })
    assert.equal(reply.status, 200, reply.text)
    assert.deepEqual(
      [reply.body.name, reply.body.channel_id, reply.body.avatar],
      ['Newname', general.id, null],
    )
    assert.equal((await anonymous.json('PATCH', path, {})).body.name, 'Newname')
    assert.equal((await anonymous.json('PATCH', path, { name: null })).body.name, 'Newname')
    assert.equal((await anonymous.get(path)).body.name, 'Newname')
  },
)

eachWebhook('PATCH with the token returns 400 for an invalid name', async ({ path, anonymous }) => {
  for (const [name, code] of [
    ['', 'BASE_TYPE_BAD_LENGTH'],
    ['\u200b', 'BASE_TYPE_BAD_LENGTH'],
    ['x'.repeat(81), 'BASE_TYPE_MAX_LENGTH'],
    [{}, 'BASE_TYPE_CONVERT'],
    ['a\u0000', 'BASE_TYPE_BAD_TEXT'],
  ] as const) {
    const reply = await anonymous.json('PATCH', path, { name })
    assert.deepEqual([reply.status, errorCodeAt(reply, 'name')], [400, code])
  }
})

eachWebhook(
  'DELETE with the token deletes the webhook but not its messages (webhooks/lifetime)',
  async ({ path, anonymous, post, listContents }) => {
    await post({ content: 'remains' })
    assert.equal((await anonymous.json('DELETE', path)).status, 204)
    for (const method of ['GET', 'DELETE'] as const) {
      const reply = await anonymous.json(method, path)
      assert.deepEqual([reply.status, reply.body], [404, { code: 10015, message: 'Unknown Webhook' }])
    }
    assert.equal((await anonymous.json('PATCH', path, { name: 'x' })).status, 404)
    assert.deepEqual(await listContents(), ['remains'])
  },
)
