import assert from 'node:assert/strict'
import { Permission } from '@gatehouse/protocol/permissions'
import { register } from '@gatehouse/testkit/community'
import { createWebhook, eachWebhook, errorCodeAt } from './webhooks-testing.ts'

eachWebhook(
  'notifies everyone and roles only if allowed_mentions and the permissions of the creator ' +
    'allow it (webhooks/mentions, webhooks/lifetime)',
  async setup => {
    const { owner, server, general, post, anonymous, service } = setup
    const bob = await register(service, 'bob')
    const invite = await owner.client.json('POST', `/api/servers/${server.id}/invites`, {})
    await bob.client.json('POST', `/api/invites/${invite.body.code}`)
    const role = await owner.client.json('POST', `/api/servers/${server.id}/roles`, {
      name: 'hooks',
      permissions: String(Permission.MANAGE_WEBHOOKS),
    })
    await owner.client.json('PUT', `/api/servers/${server.id}/members/${bob.id}/roles/${role.body.id}`)
    const content = `@everyone <@&${role.body.id}>`
    const everyone = { parse: ['everyone', 'roles'] }

    const silent = await post({ content })
    assert.deepEqual([silent.body.mention_everyone, silent.body.mention_roles], [false, []])
    const loud = await post({ content, allowed_mentions: everyone })
    assert.deepEqual([loud.body.mention_everyone, loud.body.mention_roles], [true, [role.body.id]])
    const native = await owner.client.get(`/api/channels/${general.id}/messages/${loud.body.id}`)
    assert.deepEqual(native.body.mentions, { users: [], roles: [role.body.id], everyone: true })

    const bobs = await createWebhook(bob, general.id)
    const postAsBobs = (body: object) =>
      anonymous.json('POST', `${new URL(bobs.url).pathname}?wait=true`, body)
    const without = await postAsBobs({ content, allowed_mentions: everyone })
    assert.deepEqual([without.body.mention_everyone, without.body.mention_roles], [false, []])
    const permissions = String(Permission.MANAGE_WEBHOOKS | Permission.MENTION_EVERYONE)
    await owner.client.json('PATCH', `/api/servers/${server.id}/roles/${role.body.id}`, { permissions })
    const granted = await postAsBobs({ content, allowed_mentions: everyone })
    assert.deepEqual([granted.body.mention_everyone, granted.body.mention_roles], [true, [role.body.id]])

    // The webhook continues to work when its creator leaves, but without the creator's permission (webhooks/lifetime).
    await bob.client.json('DELETE', `/api/servers/${server.id}/members/@me`)
    const afterLeave = await postAsBobs({ content, allowed_mentions: everyone })
    assert.deepEqual([afterLeave.status, afterLeave.body.mention_everyone], [200, false])
  },
)

eachWebhook(
  'applies `parse` and user ids of allowed_mentions, and rejects both together ' +
    '(webhooks/mentions-none, webhooks/mentions-exclusive, webhooks/mentions-users)',
  async ({ owner, service, post, server }) => {
    const users = (reply: { body: { mentions: { id: string }[] } }) =>
      reply.body.mentions.map(user => user.id)
    const eve = await register(service, 'eve')
    const content = `<@${owner.id}> and <@!${owner.id}>, <@1234567890123456789>, <@${eve.id}>`
    // eve is not a member of the server.
    assert.deepEqual(users(await post({ content })), [owner.id])
    assert.deepEqual(users(await post({ content, allowed_mentions: { parse: [] } })), [])
    assert.deepEqual(users(await post({ content, allowed_mentions: {} })), [])
    assert.deepEqual(users(await post({ content, allowed_mentions: { users: [owner.id, owner.id] } })), [
      owner.id,
    ])
    assert.deepEqual(users(await post({ content: 'nobody', allowed_mentions: { users: [owner.id] } })), [])
    assert.deepEqual(users(await post({ content, allowed_mentions: { parse: ['roles'] } })), [])
    const invite = await owner.client.json('POST', `/api/servers/${server.id}/invites`, {})
    await eve.client.json('POST', `/api/invites/${invite.body.code}`)
    assert.deepEqual(users(await post({ content, allowed_mentions: null })), [owner.id, eve.id])

    const both = await post({ content, allowed_mentions: { parse: ['users'], users: [owner.id] } })
    assert.deepEqual([both.status, both.body.code], [400, 50035])
    assert.equal(errorCodeAt(both, 'allowed_mentions', 'users'), 'MESSAGE_ALLOWED_MENTIONS_PARSE_EXCLUSIVE')
    const ids = Array.from({ length: 101 }, (_, i) => `1234567890123456${100 + i}`)
    const many = await post({ content, allowed_mentions: { users: ids } })
    assert.equal(errorCodeAt(many, 'allowed_mentions', 'users'), 'BASE_TYPE_MAX_LENGTH')
    const word = await post({ content, allowed_mentions: { users: ['bob'] } })
    assert.equal(errorCodeAt(word, 'allowed_mentions', 'users', 0), 'NUMBER_TYPE_COERCE')
    assert.equal((await post({ content, allowed_mentions: ['users'] })).status, 400)
  },
)

eachWebhook(
  'the ids of allowed_mentions may be numbers, which are not rounded (webhooks/mentions-users)',
  async ({ owner, server, path, anonymous }) => {
    const role = await owner.client.json('POST', `/api/servers/${server.id}/roles`, {
      name: 'On call',
      permissions: '0',
    })
    const content = `<@${owner.id}> <@&${role.body.id}>`
    const send = (mentions: string, type = 'application/json') => {
      const json = `{"content":${JSON.stringify(content)},"allowed_mentions":${mentions}}`
      const body = type === 'application/json' ? json : new URLSearchParams({ payload_json: json }).toString()
      return anonymous.send(`${path}?wait=true`, { method: 'POST', headers: { 'content-type': type }, body })
    }
    for (const type of ['application/json', 'application/x-www-form-urlencoded']) {
      const { body } = await send(`{"users":[${owner.id}],"roles":[${role.body.id}]}`, type)
      assert.deepEqual([body.mentions?.[0]?.id, body.mention_roles], [owner.id, [role.body.id]])
    }
    for (const id of ['-1', '1.5', '1e400', 'true']) {
      const rejected = await send(`{"users":[${owner.id},${id}]}`)
      assert.equal(rejected.status, 400, rejected.text)
      assert.equal(errorCodeAt(rejected, 'allowed_mentions', 'users', 1), 'NUMBER_TYPE_COERCE')
    }
  },
)

eachWebhook(
  'mentions in embeds and code and broken mentions notify nobody ' +
    '(webhooks/mentions-in-embeds, webhooks/mentions-in-code)',
  async ({ post }) => {
    const allowed_mentions = { parse: ['everyone'] }
    const embed = {
      title: '@everyone',
      description: '@everyone',
      footer: { text: '@everyone' },
      fields: [{ name: '@everyone', value: '@everyone' }],
    }
    for (const body of [
      { content: 'x', embeds: [embed] },
      { embeds: [embed] },
      { content: '@\u200beveryone' },
      { content: '`@everyone`' },
      { content: '```\n@everyone\n```' },
      { content: 'me@everyone.example' },
    ]) {
      const reply = await post({ ...body, allowed_mentions })
      assert.deepEqual([reply.status, reply.body.mention_everyone], [200, false], JSON.stringify(body))
    }
    const none = await post({ content: '[](@everyone) @everyone @here', allowed_mentions: { parse: [] } })
    assert.equal(none.body.mention_everyone, false)
  },
)

eachWebhook(
  'an edit without allowed_mentions notifies nobody whom the original did not (webhooks/edit-mentions)',
  async setup => {
    const { owner, post, path, anonymous } = setup
    const edit = (id: string, body: object) => anonymous.json('PATCH', `${path}/messages/${id}`, body)
    const silent = await post({ content: 'x', allowed_mentions: { parse: [] } })
    const widened = await edit(silent.body.id, { content: `<@${owner.id}> @everyone` })
    assert.deepEqual([widened.status, widened.body.mentions, widened.body.mention_everyone], [200, [], false])
    const allowed = await edit(silent.body.id, {
      content: `<@${owner.id}>`,
      allowed_mentions: { parse: ['users'] },
    })
    assert.equal(allowed.body.mentions.length, 1)

    const loud = await post({ content: '@everyone', allowed_mentions: { parse: ['everyone'] } })
    const withEmbed = await edit(loud.body.id, { embeds: [{ title: 'only the embed is new' }] })
    assert.equal(withEmbed.body.mention_everyone, true)
    const edited = await edit(loud.body.id, { content: '@everyone, again' })
    // Without `allowed_mentions` only users are notified.
    assert.equal(edited.body.mention_everyone, false)
  },
)

eachWebhook(
  'accepts any username after removing invisible and bidirectional characters (webhooks/username)',
  async ({ post, webhook }) => {
    const postAs = async (username: unknown) => (await post({ content: 'x', username })).body.author.username
    for (const username of ['everyone', 'here', 'System', 'ana']) {
      const reply = await post({ content: 'x', username })
      const { author, webhook_id } = reply.body
      assert.deepEqual([author.username, author.bot, webhook_id], [username, true, webhook.id])
    }
    assert.equal(await postAs('a\u202eb\u200bc\nd\u2066e'), 'abcde')
    assert.equal(await postAs(`${'x'.repeat(80)}\u200b\u202e`), 'x'.repeat(80))
    assert.equal(await postAs('😀'.repeat(80)), '😀'.repeat(80))
    for (const absent of ['', '  ', '\u200b', null]) assert.equal(await postAs(absent), 'Alerts')
    for (const long of ['x'.repeat(81), '😀'.repeat(81)]) {
      const reply = await post({ content: 'x', username: long })
      assert.deepEqual([reply.status, reply.body.code], [400, 50035])
      assert.equal(errorCodeAt(reply, 'username'), 'BASE_TYPE_MAX_LENGTH')
    }
  },
)

eachWebhook(
  'accepts only http and https URLs (webhooks/url-schemes, webhooks/url-host, webhooks/url-empty)',
  async ({ post }) => {
    const bodies: [(url: unknown) => object, ...(string | number)[]][] = [
      [url => ({ content: 'x', avatar_url: url }), 'avatar_url'],
      [url => ({ embeds: [{ title: 't', url }] }), 'embeds', 0, 'url'],
      [url => ({ embeds: [{ author: { name: 'n', url } }] }), 'embeds', 0, 'author', 'url'],
      [url => ({ embeds: [{ title: 't', thumbnail: { url } }] }), 'embeds', 0, 'thumbnail', 'url'],
    ]
    for (const [body, ...path] of bodies) {
      for (const url of [
        'javascript:alert(1)',
        'JavaScript:alert(1)',
        'java\tscript:alert(1)',
        ' javascript:alert(1)',
        'vbscript:x',
        'data:text/html,x',
        'file:///etc/passwd',
        'attachment://x.png',
      ]) {
        const reply = await post(body(url))
        assert.equal(
          errorCodeAt(reply, ...path),
          'URL_TYPE_INVALID_SCHEME',
          `${path.join('.')} ${url}: ${reply.text}`,
        )
      }
      for (const url of ['x', '//host/x', 'http://', 'https:host']) {
        assert.equal(errorCodeAt(await post(body(url)), ...path), 'URL_TYPE_INVALID_URL', url)
      }
      for (const url of ['http://host:8000/x', 'https://a.example/?q=1#f', '', null]) {
        const reply = await post(body(url))
        assert.equal(reply.status, 200, `${url}: ${reply.text}`)
      }
      assert.equal(
        errorCodeAt(await post(body(`https://a.example/${'x'.repeat(2048)}`)), ...path),
        'BASE_TYPE_MAX_LENGTH',
      )
    }
  },
)
