import assert from 'node:assert/strict'
import { Permission } from '@gatehouse/protocol/permissions'
import { register } from '../platform/testing.ts'
import { codeAt, eachOutside, makeWebhook } from './testing.ts'

eachOutside(
  'D36, D40, checks 1, 2 and 60: everyone and roles are notified only where the post asks and its creator may',
  async from => {
    const { owner, server, general, post, program, service } = from
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

    const bobs = await makeWebhook(bob, general.id)
    const postAsBobs = (body: object) => program.json('POST', `${new URL(bobs.url).pathname}?wait=true`, body)
    const without = await postAsBobs({ content, allowed_mentions: everyone })
    assert.deepEqual([without.body.mention_everyone, without.body.mention_roles], [false, []])
    const permissions = String(Permission.MANAGE_WEBHOOKS | Permission.MENTION_EVERYONE)
    await owner.client.json('PATCH', `/api/servers/${server.id}/roles/${role.body.id}`, { permissions })
    const granted = await postAsBobs({ content, allowed_mentions: everyone })
    assert.deepEqual([granted.body.mention_everyone, granted.body.mention_roles], [true, [role.body.id]])

    // D40 and check 60: it outlives the membership of its creator, not what they were allowed.
    await bob.client.json('DELETE', `/api/servers/${server.id}/members/@me`)
    const outlived = await postAsBobs({ content, allowed_mentions: everyone })
    assert.deepEqual([outlived.status, outlived.body.mention_everyone], [200, false])
  },
)

eachOutside(
  'checks 3 to 5: parse and ids, each by itself; nobody whom the text does not mention',
  async ({ owner, service, post, server }) => {
    const users = (reply: { body: { mentions: { id: string }[] } }) =>
      reply.body.mentions.map(user => user.id)
    const eve = await register(service, 'eve')
    const content = `<@${owner.id}> and <@!${owner.id}>, <@1234567890123456789>, <@${eve.id}>`
    // Who is not there is not notified: eve is no member.
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
    assert.equal(codeAt(both, 'allowed_mentions', 'users'), 'MESSAGE_ALLOWED_MENTIONS_PARSE_EXCLUSIVE')
    const ids = Array.from({ length: 101 }, (_, i) => `1234567890123456${100 + i}`)
    const many = await post({ content, allowed_mentions: { users: ids } })
    assert.equal(codeAt(many, 'allowed_mentions', 'users'), 'BASE_TYPE_MAX_LENGTH')
    const word = await post({ content, allowed_mentions: { users: ['bob'] } })
    assert.equal(codeAt(word, 'allowed_mentions', 'users', 0), 'NUMBER_TYPE_COERCE')
    assert.equal((await post({ content, allowed_mentions: ['users'] })).status, 400)
  },
)

eachOutside('checks 6 and 7: embeds, code and disguises notify nobody', async ({ post }) => {
  const allowed_mentions = { parse: ['everyone'] }
  const card = {
    title: '@everyone',
    description: '@everyone',
    footer: { text: '@everyone' },
    fields: [{ name: '@everyone', value: '@everyone' }],
  }
  for (const body of [
    { content: 'x', embeds: [card] },
    { embeds: [card] },
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
})

eachOutside(
  'check 8 and D46: an edit without allowed_mentions notifies no more than the original',
  async from => {
    const { owner, post, path, program } = from
    const edit = (id: string, body: object) => program.json('PATCH', `${path}/messages/${id}`, body)
    const silent = await post({ content: 'x', allowed_mentions: { parse: [] } })
    const widened = await edit(silent.body.id, { content: `<@${owner.id}> @everyone` })
    assert.deepEqual([widened.status, widened.body.mentions, widened.body.mention_everyone], [200, [], false])
    const asked = await edit(silent.body.id, {
      content: `<@${owner.id}>`,
      allowed_mentions: { parse: ['users'] },
    })
    assert.equal(asked.body.mentions.length, 1)

    const loud = await post({ content: '@everyone', allowed_mentions: { parse: ['everyone'] } })
    const kept = await edit(loud.body.id, { embeds: [{ title: 'only a card is new' }] })
    assert.equal(kept.body.mention_everyone, true)
    const same = await edit(loud.body.id, { content: '@everyone, again' })
    // The default of the route is users only.
    assert.equal(same.body.mention_everyone, false)
  },
)

eachOutside('checks 9 and 10: any name may be taken, but nothing hides in it', async ({ post, webhook }) => {
  const name = async (username: unknown) => (await post({ content: 'x', username })).body.author.username
  for (const taken of ['everyone', 'here', 'System', 'ana']) {
    const reply = await post({ content: 'x', username: taken })
    const { author, webhook_id } = reply.body
    assert.deepEqual([author.username, author.bot, webhook_id], [taken, true, webhook.id])
  }
  assert.equal(await name('a\u202eb\u200bc\nd\u2066e'), 'abcde')
  assert.equal(await name(`${'x'.repeat(80)}\u200b\u202e`), 'x'.repeat(80))
  assert.equal(await name('😀'.repeat(80)), '😀'.repeat(80))
  for (const absent of ['', '  ', '\u200b', null]) assert.equal(await name(absent), 'Alerts')
  for (const long of ['x'.repeat(81), '😀'.repeat(81)]) {
    const reply = await post({ content: 'x', username: long })
    assert.deepEqual([reply.status, reply.body.code], [400, 50035])
    assert.equal(codeAt(reply, 'username'), 'BASE_TYPE_MAX_LENGTH')
  }
})

eachOutside('checks 14 to 16: http and https alone, by what a URL parses to', async ({ post }) => {
  const places: [(url: unknown) => object, ...(string | number)[]][] = [
    [url => ({ content: 'x', avatar_url: url }), 'avatar_url'],
    [url => ({ embeds: [{ title: 't', url }] }), 'embeds', 0, 'url'],
    [url => ({ embeds: [{ author: { name: 'n', url } }] }), 'embeds', 0, 'author', 'url'],
    [url => ({ embeds: [{ title: 't', thumbnail: { url } }] }), 'embeds', 0, 'thumbnail', 'url'],
  ]
  for (const [body, ...path] of places) {
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
        codeAt(reply, ...path),
        'URL_TYPE_INVALID_SCHEME',
        `${path.join('.')} ${url}: ${reply.text}`,
      )
    }
    for (const url of ['x', '//host/x', 'http://', 'https:host']) {
      assert.equal(codeAt(await post(body(url)), ...path), 'URL_TYPE_INVALID_URL', url)
    }
    for (const url of ['http://host:8000/x', 'https://a.example/?q=1#f', '', null]) {
      const reply = await post(body(url))
      assert.equal(reply.status, 200, `${url}: ${reply.text}`)
    }
    assert.equal(
      codeAt(await post(body(`https://a.example/${'x'.repeat(2048)}`)), ...path),
      'BASE_TYPE_MAX_LENGTH',
    )
  }
})
