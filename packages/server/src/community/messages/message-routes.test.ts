import assert from 'node:assert/strict'
import type { Message } from '@gatehouse/protocol/messages'
import { formatPermissions, Permission } from '@gatehouse/protocol/permissions'
import { createServer, register } from '@gatehouse/testkit/community'
import { eachService, type TestService } from '@gatehouse/testkit/service'

const unknown = '1234567890123456789'
const button = { type: 'button', style: 'primary', label: 'Go', customId: 'go' }

/** A channel of a server of ann, in which bob is a member and eve is not. */
async function setUp(service: TestService) {
  const [ann, bob, eve] = [
    await register(service, 'ann'),
    await register(service, 'bob'),
    await register(service, 'eve'),
  ]
  const { server, general } = await createServer(ann, bob)
  return { ann, bob, eve, server, general, path: `/api/channels/${general.id}/messages` }
}

eachService('POST /api/channels/:id/messages: 201 with the message and its mentions', async (_t, service) => {
  const { ann, bob, server, general, path } = await setUp(service)
  const reply = await bob.client.json('POST', path, { content: `  hello <@${ann.id}> @everyone ` })
  assert.equal(reply.status, 201)
  assert.deepEqual(reply.body, {
    id: reply.body.id,
    channelId: general.id,
    serverId: server.id,
    author: {
      id: bob.id,
      username: 'bob',
      displayName: 'bob',
      avatar: `/images/users/${bob.id}/default`,
      bot: false,
    },
    content: `hello <@${ann.id}> @everyone`,
    embeds: [],
    components: [],
    mentions: { users: [ann.id], roles: [], everyone: false },
    createdAt: new Date(service.clock.now()).toISOString(),
    editedAt: null,
    state: 'sent',
  })
  const mentioning = await ann.client.json('POST', path, { content: `@here <@&${server.id}>` })
  assert.deepEqual(mentioning.body.mentions, { users: [], roles: [server.id], everyone: true })
  const silent = await ann.client.json('POST', path, { content: '@here', allowedMentions: { parse: [] } })
  assert.equal(silent.body.mentions.everyone, false, 'allowedMentions.parse: []')
})

eachService(
  'POST /api/channels/:id/messages: 201 with the same message for the same nonce',
  async (_t, service) => {
    const { bob, path } = await setUp(service)
    const body = { content: 'once', nonce: 'n-1' }
    const [one, two] = await Promise.all([
      bob.client.json('POST', path, body),
      bob.client.json('POST', path, body),
    ])
    assert.deepEqual([one.status, two.status], [201, 201])
    assert.deepEqual(one.body, two.body)
  },
)

eachService(
  'POST /api/channels/:id/messages: 400; up to 2,000 characters (community/message-length)',
  async (_t, service) => {
    const { bob, path } = await setUp(service)
    const longest = await bob.client.json('POST', path, { content: '😀'.repeat(2000) })
    assert.equal(longest.status, 201, longest.text)
    for (const [body, field] of [
      [{}, 'content'],
      [{ content: '' }, 'content'],
      [{ content: null }, 'content'],
      [{ content: ' \u200b\n' }, 'content'],
      [{ content: 'x'.repeat(2001) }, 'content'],
      [{ content: 'a\u0000b' }, 'content'],
      [{ content: '\ud800' }, 'content'],
      [{ content: 7 }, 'content'],
      [{ content: 'x', nonce: 'x'.repeat(65) }, 'nonce'],
      [{ content: 'x', allowedMentions: { parse: ['all'] } }, 'allowedMentions.parse[0]'],
      [{ content: 'x', embeds: [{ title: 'Card' }] }, 'embeds'],
      [{ content: 'x', components: [{ type: 'row', components: [button] }] }, 'components'],
      [{ content: 'x', tts: true }, 'tts'],
    ] as const) {
      const reply = await bob.client.json('POST', path, body)
      assert.equal(reply.status, 400, JSON.stringify(body))
      assert.equal(reply.body.code, 'validation_failed')
      assert.ok(
        reply.body.errors.some((error: { path: string }) => error.path === field),
        `${JSON.stringify(body)}: ${reply.text}`,
      )
    }
    const malformed = await bob.client.send(path, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: '{',
    })
    assert.deepEqual([malformed.status, malformed.body.code], [400, 'malformed_json'])
  },
)

eachService('POST /api/channels/:id/messages: 404 does not reveal the channel', async (_t, service) => {
  const { eve, path } = await setUp(service)
  const outside = await eve.client.json('POST', path, { content: 'x' })
  assert.equal(outside.status, 404, outside.text)
  const missing = await eve.client.json('POST', `/api/channels/${unknown}/messages`, { content: 'x' })
  assert.equal(outside.text, missing.text)
})

eachService(
  'POST /api/channels/:id/messages: 403 email_not_verified with REQUIRE_VERIFIED_EMAIL=on (community/unverified-email)',
  async (_t, service) => {
    const [ann, bob] = [await register(service, 'ann'), await register(service, 'bob')]
    await service.db.run`UPDATE users SET email_verified = 1 WHERE id = ${ann.id}`
    const { general } = await createServer(ann, bob)
    const path = `/api/channels/${general.id}/messages`
    assert.equal((await ann.client.json('POST', path, { content: 'x' })).status, 201)
    const reply = await bob.client.json('POST', path, { content: 'x' })
    assert.equal(reply.status, 403)
    assert.equal(reply.body.code, 'email_not_verified')
  },
  { env: { REQUIRE_VERIFIED_EMAIL: 'on' } },
)

eachService(
  'GET /api/channels/:id/messages and …/:messageId: 200, 400, 404 (community/validation)',
  async (_t, service) => {
    const [ann, bob, eve] = [
      await register(service, 'ann'),
      await register(service, 'bob'),
      await register(service, 'eve'),
    ]
    const { server, general } = await createServer(ann, bob)
    const path = `/api/channels/${general.id}/messages`
    const sent: Message[] = []
    for (const content of ['one', 'two', 'three', 'four']) {
      sent.unshift((await ann.client.json('POST', path, { content })).body)
    }
    const [four, three, two, one] = sent
    assert.deepEqual((await bob.client.get(path)).body, sent)
    assert.deepEqual((await bob.client.get(`${path}?limit=2`)).body, [four, three])
    assert.deepEqual((await bob.client.get(`${path}?before=${three?.id}&limit=2`)).body, [two, one])
    assert.deepEqual((await bob.client.get(`${path}?after=${one?.id}&limit=2`)).body, [three, two])
    assert.deepEqual((await bob.client.get(`${path}/${two?.id}`)).body, two)
    for (const query of [
      'limit=0',
      'limit=101',
      'limit=-1',
      'limit=x',
      'limit=1.5',
      'limit=%201',
      'limit=1e1',
      'limit=0x1',
      'limit=',
      'limit=1&limit=2',
      'before=x',
      'after=1',
    ]) {
      const reply = await bob.client.get(`${path}?${query}`)
      assert.equal(reply.status, 400, query)
      assert.equal(reply.body.code, 'validation_failed')
    }
    assert.equal((await eve.client.get(path)).status, 404)
    assert.equal((await eve.client.get(`${path}/${two?.id}`)).status, 404)
    assert.equal((await bob.client.get(`${path}/${unknown}`)).status, 404)
    {
      // A channel that one of the users cannot view, and its message under the path of another channel.
      const hidden = (await ann.client.json('POST', `/api/servers/${server.id}/channels`, { name: 'hidden' }))
        .body
      const deny = { type: 'role', allow: '0', deny: formatPermissions(Permission.VIEW_CHANNEL) }
      await ann.client.json('PUT', `/api/channels/${hidden.id}/overwrites/${server.id}`, deny)
      const inside = `/api/channels/${hidden.id}/messages`
      const secret = (await ann.client.json('POST', inside, { content: 'secret' })).body
      assert.deepEqual((await ann.client.get(inside)).body, [secret])
      assert.equal((await bob.client.get(inside)).status, 404)
      assert.equal((await bob.client.get(`${inside}/${secret.id}`)).status, 404)
      assert.equal((await bob.client.get(`${path}/${secret.id}`)).status, 404)
      assert.equal((await bob.client.json('POST', inside, { content: 'x' })).status, 404)
      assert.equal((await bob.client.json('DELETE', `${path}/${secret.id}`)).status, 404)
    }
  },
)

eachService('PATCH /api/channels/:id/messages/:messageId: 200, 400, 404', async (_t, service) => {
  const [ann, bob, eve] = [
    await register(service, 'ann'),
    await register(service, 'bob'),
    await register(service, 'eve'),
  ]
  const { general } = await createServer(ann, bob)
  const messages = `/api/channels/${general.id}/messages`
  const message: Message = (await bob.client.json('POST', messages, { content: `hello <@${ann.id}>` })).body
  const path = `${messages}/${message.id}`
  service.clock.advance(1000)
  {
    const reply = await bob.client.json('PATCH', path, { content: `bye <@${ann.id}> <@${bob.id}>` })
    assert.equal(reply.status, 200)
    const editedAt = new Date(service.clock.now()).toISOString()
    // Users whom the original did not mention get no notification (webhooks/edit-mentions).
    assert.deepEqual(reply.body, { ...message, content: `bye <@${ann.id}> <@${bob.id}>`, editedAt })
    const withAllowed = await bob.client.json('PATCH', path, {
      content: `bye <@${bob.id}>`,
      allowedMentions: { parse: ['users'] },
    })
    assert.deepEqual(withAllowed.body.mentions.users, [bob.id])
    assert.deepEqual((await bob.client.get(path)).body, withAllowed.body)
  }
  for (const body of [{ content: '' }, { content: null }, { content: 'x'.repeat(2001) }, { nonce: 'x' }]) {
    assert.equal((await bob.client.json('PATCH', path, body)).status, 400, JSON.stringify(body))
  }
  assert.equal(
    (await bob.client.json('PATCH', path, { embeds: [{ title: 'x' }] })).body.errors[0].path,
    'embeds',
  )
  assert.equal((await eve.client.json('PATCH', path, { content: 'x' })).status, 404)
  assert.equal((await bob.client.json('PATCH', `${messages}/${unknown}`, { content: 'x' })).status, 404)
})

eachService('DELETE /api/channels/:id/messages/:messageId: 204, 404', async (_t, service) => {
  const [ann, bob, cem, eve] = [
    await register(service, 'ann'),
    await register(service, 'bob'),
    await register(service, 'cem'),
    await register(service, 'eve'),
  ]
  const { general } = await createServer(ann, bob, cem)
  const messages = `/api/channels/${general.id}/messages`
  const send = async () =>
    `${messages}/${(await bob.client.json('POST', messages, { content: 'x' })).body.id}`
  const path = await send()
  assert.equal((await eve.client.json('DELETE', path)).status, 404)
  assert.equal((await bob.client.json('DELETE', `${messages}/${unknown}`)).status, 404)
  assert.equal((await bob.client.json('DELETE', path)).status, 204)
  assert.equal((await bob.client.json('DELETE', path)).status, 404)
  assert.equal((await bob.client.get(path)).status, 404)
  assert.equal((await ann.client.json('DELETE', await send())).status, 204)
})
