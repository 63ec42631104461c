import assert from 'node:assert/strict'
import { Permission } from '@gatehouse/protocol/permissions'
import { found, type Person, register } from '../../platform/testing.ts'
import { eachOutside, makeWebhook } from '../testing.ts'

eachOutside('201 and 200: a new webhook, listed with its address, which posts', async from => {
  const { owner, general, server, service, program } = from
  const reply = await owner.client.json('POST', `/api/channels/${general.id}/webhooks`, {
    name: ' Build\u202e ',
    avatar: 'https://ci.example/a.png',
  })
  assert.equal(reply.status, 201, reply.text)
  const { id, token } = reply.body
  assert.match(token, /^[A-Za-z0-9_-]{68}$/)
  assert.match(id, /^\d{19}$/)
  assert.deepEqual(reply.body, {
    id,
    channelId: general.id,
    serverId: server.id,
    name: 'Build',
    avatar: 'https://ci.example/a.png',
    token,
    url: `${service.url}/api/webhooks/${id}/${token}`,
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
  const posted = await program.json('POST', `/api/webhooks/${id}/${token}?wait=true`, { content: 'x' })
  // D43: the webhook's own picture, which is no override.
  assert.deepEqual([posted.body.author.username, posted.body.author.avatar], ['Build', null])
  const native = await owner.client.get(`/api/channels/${general.id}/messages/${posted.body.id}`)
  assert.equal(native.body.author.avatar, 'https://ci.example/a.png')
  const listed = await owner.client.get(`/api/channels/${general.id}/webhooks`)
  assert.equal(listed.status, 200)
  assert.equal(listed.body.length, 2)
  assert.deepEqual(listed.body[1], { ...reply.body, lastUsedAt: '2026-01-15T12:00:05.000Z' })
})

eachOutside('a webhook and its address outlast a restart; no token stands in the database', async from => {
  const { service, program, path, owner, general, webhook } = from
  await service.restart()
  assert.equal((await program.json('POST', path, { content: 'x' })).status, 204)
  const listed = await owner.client.get(`/api/channels/${general.id}/webhooks`)
  assert.equal(listed.body[0].token, webhook.token)
  const row = await service.db.get`SELECT * FROM webhooks WHERE id = ${webhook.id}`
  assert.equal(JSON.stringify(row).includes(webhook.token), false)
})

eachOutside('400: what is not valid, each at its path', async ({ owner, general, webhook }) => {
  const { id } = webhook
  for (const [body, path, code] of [
    [{}, 'name', 'required'],
    [{ name: '' }, 'name', 'too_short'],
    [{ name: '\u200b' }, 'name', 'too_short'],
    [{ name: 'x'.repeat(81) }, 'name', 'too_long'],
    [{ name: 'x', avatar: 'javascript:1' }, 'avatar', 'invalid_url'],
    [{ name: 'x', more: 1 }, 'more', 'unknown_member'],
  ] as const) {
    const made = await owner.client.json('POST', `/api/channels/${general.id}/webhooks`, body)
    assert.equal(made.status, 400, made.text)
    assert.deepEqual([made.body.errors[0].path, made.body.errors[0].code], [path, code])
    if (path === 'name' && code === 'required') continue
    const changed = await owner.client.json('PATCH', `/api/channels/${general.id}/webhooks/${id}`, body)
    assert.equal(changed.body.errors[0].code, code)
  }
})

eachOutside('400 webhook_limit: of 40 creations at once 15 succeed (D39, D44)', async from => {
  const { owner, general, server, webhook } = from
  const create = () => owner.client.json('POST', `/api/channels/${general.id}/webhooks`, { name: 'x' })
  const replies = await Promise.all(Array.from({ length: 40 }, create))
  const refused = replies.filter(reply => reply.status !== 201)
  assert.deepEqual(
    new Set(refused.map(reply => `${reply.status} ${reply.body.code}`)),
    new Set(['400 webhook_limit']),
  )
  assert.equal((await owner.client.get(`/api/channels/${general.id}/webhooks`)).body.length, 15)
  assert.equal(replies.length - refused.length, 14)
  await owner.client.json('DELETE', `/api/channels/${general.id}/webhooks/${webhook.id}`)
  assert.equal((await create()).status, 201)
  // A full channel takes none from elsewhere either.
  const made = await owner.client.json('POST', `/api/servers/${server.id}/channels`, { name: 'other' })
  const outside = await makeWebhook(owner, made.body.id)
  const moved = await owner.client.json('PATCH', `/api/channels/${made.body.id}/webhooks/${outside.id}`, {
    channelId: general.id,
  })
  assert.deepEqual([moved.status, moved.body.code], [400, 'webhook_limit'])
})

eachOutside('200: renamed, pictured, moved within its server; its address stays (D44)', async from => {
  const { owner, general, server, webhook, program, path, contents } = from
  const settings = `/api/channels/${general.id}/webhooks/${webhook.id}`
  const changed = await owner.client.json('PATCH', settings, {
    name: 'New',
    avatar: 'https://a.example/x.png',
  })
  assert.deepEqual(
    [changed.status, changed.body.name, changed.body.avatar],
    [200, 'New', 'https://a.example/x.png'],
  )
  const bare = await owner.client.json('PATCH', settings, { avatar: null })
  assert.deepEqual([bare.body.name, bare.body.avatar, bare.body.url], ['New', null, webhook.url])

  const other = await found(owner)
  const foreign = await owner.client.json('PATCH', settings, { channelId: other.general.id })
  assert.deepEqual([foreign.status, foreign.body.errors[0].path], [400, 'channelId'])
  const nowhere = await owner.client.json('PATCH', settings, { channelId: '1234567890123456789' })
  assert.equal(nowhere.status, 404)

  const made = await owner.client.json('POST', `/api/servers/${server.id}/channels`, { name: 'other' })
  const moved = await owner.client.json('PATCH', settings, { channelId: made.body.id })
  assert.deepEqual([moved.status, moved.body.channelId, moved.body.url], [200, made.body.id, webhook.url])
  const posted = await program.json('POST', `${path}?wait=true`, { content: 'there' })
  assert.equal(posted.body.channel_id, made.body.id)
  assert.deepEqual(await contents(), [])
  assert.equal((await owner.client.json('PATCH', settings, { name: 'x' })).status, 404)
})

eachOutside('200: a new token; the old address is dead at once (check 62)', async from => {
  const { owner, general, webhook, program, path } = from
  const reply = await owner.client.json('POST', `/api/channels/${general.id}/webhooks/${webhook.id}/token`)
  assert.equal(reply.status, 200, reply.text)
  assert.notEqual(reply.body.token, webhook.token)
  assert.ok(reply.body.url.endsWith(reply.body.token))
  assert.deepEqual((await program.json('POST', path, { content: 'x' })).body, {
    code: 10015,
    message: 'Unknown Webhook',
  })
  assert.equal((await program.json('POST', new URL(reply.body.url).pathname, { content: 'x' })).status, 204)
  const listed = await owner.client.get(`/api/channels/${general.id}/webhooks`)
  assert.equal(listed.body[0].url, reply.body.url)
})

eachOutside(
  '204: deleted; its messages stay',
  async ({ owner, general, webhook, program, path, post, contents }) => {
    await post({ content: 'stays' })
    const settings = `/api/channels/${general.id}/webhooks/${webhook.id}`
    assert.equal((await owner.client.json('DELETE', settings)).status, 204)
    assert.equal((await owner.client.json('DELETE', settings)).status, 404)
    assert.equal((await program.json('POST', path, { content: 'x' })).status, 404)
    assert.deepEqual(await contents(), ['stays'])
  },
)

eachOutside('401, 403 and 404: nobody without MANAGE_WEBHOOKS, in either channel of a move', async from => {
  const { owner, server, general, webhook, service } = from
  const bob = await register(service, 'bob')
  const eve = await register(service, 'eve')
  const invite = await owner.client.json('POST', `/api/servers/${server.id}/invites`, {})
  await bob.client.json('POST', `/api/invites/${invite.body.code}`)
  const each = async (client: Person['client'], channelId = general.id) => {
    const settings = `/api/channels/${channelId}/webhooks`
    const replies = [
      await client.get(settings),
      await client.json('POST', settings, { name: 'x' }),
      await client.json('PATCH', `${settings}/${webhook.id}`, { name: 'x' }),
      await client.json('POST', `${settings}/${webhook.id}/token`),
      await client.get(`${settings}/${webhook.id}/deliveries`),
      await client.json('DELETE', `${settings}/${webhook.id}`),
    ]
    return [...new Set(replies.map(reply => `${reply.status} ${reply.body.code}`))]
  }
  assert.deepEqual(await each(service.client()), ['401 unauthenticated'])
  assert.deepEqual(await each(bob.client), ['403 missing_permission'])
  assert.deepEqual(await each(eve.client), ['404 not_found'])
  assert.deepEqual(await each(owner.client, '1234567890123456789'), ['404 not_found'])

  const allow = String(Permission.MANAGE_WEBHOOKS)
  const overwrite = { type: 'member', allow, deny: '0' }
  await owner.client.json('PUT', `/api/channels/${general.id}/overwrites/${bob.id}`, overwrite)
  assert.equal((await bob.client.get(`/api/channels/${general.id}/webhooks`)).status, 200)
  const made = await owner.client.json('POST', `/api/servers/${server.id}/channels`, { name: 'other' })
  const settings = `/api/channels/${general.id}/webhooks/${webhook.id}`
  const move = () => bob.client.json('PATCH', settings, { channelId: made.body.id })
  assert.equal((await move()).status, 403)
  await owner.client.json('PUT', `/api/channels/${made.body.id}/overwrites/${bob.id}`, overwrite)
  assert.equal((await move()).status, 200)
  // By the path of another channel it is not there.
  assert.equal((await owner.client.json('DELETE', settings)).status, 404)
})
