import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { png } from '@gatehouse/testkit/images'
import { withoutProxyUrls } from '@gatehouse/testkit/proxy-urls'
import { eachWebhook, errorCodeAt, type WebhookSetup } from './webhooks-testing.ts'

const json = 'application/json'

eachWebhook(
  '`wait` selects between 200 with the message and 204 (webhooks/wait)',
  async ({ webhook, anonymous, listContents }) => {
    const { id, token } = webhook
    for (const [wait, status] of [
      ['wait=true', 200],
      ['wait=True', 200],
      ['wait=1', 200],
      ['wait=false', 204],
      ['wait=False', 204],
      ['wait=0', 204],
      ['wait=', 204],
      ['wait=false&wait=true', 200],
      ['', 204],
      ['wait=garbage', 400],
      ['wait=2', 400],
    ] as const) {
      const reply = await anonymous.json('POST', `/api/webhooks/${id}/${token}?${wait}`, {
        content: `wait ${wait}`,
      })
      assert.equal(reply.status, status, `${wait}: ${reply.text}`)
      if (status === 204) assert.equal(reply.text, '')
      if (status === 400) assert.equal(errorCodeAt(reply, 'wait'), 'BASE_TYPE_CONVERT')
    }
    assert.equal((await listContents()).length, 9)
  },
)

const avatarUrl = 'https://ci.example/a.png'
const embed = {
  title: 'Build',
  description: 'green',
  url: 'https://ci.example/1',
  timestamp: '2026-01-02T03:04:05+01:00',
  color: '65280',
  footer: { text: 'ci', icon_url: 'https://ci.example/i.png' },
  image: { url: 'http://host:8000/x' },
  author: { name: 'Bob', url: '' },
  fields: [{ name: 'a', value: 'b', inline: true }],
  type: 'rich',
}

/** The embed as the service stores it: a normalized time and color, and no empty URL. */
const storedEmbed = {
  title: 'Build',
  description: 'green',
  url: 'https://ci.example/1',
  timestamp: '2026-01-02T02:04:05.000Z',
  color: 65280,
  footer: { text: 'ci', icon_url: 'https://ci.example/i.png' },
  image: { url: 'http://host:8000/x' },
  author: { name: 'Bob' },
  fields: [{ name: 'a', value: 'b', inline: true }],
}

/** Executes the webhook with each kind of property. */
async function postCard({ post, owner }: WebhookSetup) {
  const reply = await post({
    content: `  hello <@${owner.id}>  `,
    username: 'CI',
    avatar_url: avatarUrl,
    embeds: [embed],
  })
  assert.equal(reply.status, 200, reply.text)
  return reply
}

eachWebhook('returns the message in the format of Discord (webhooks/discord-format)', async setup => {
  const { webhook, owner, general, service } = setup
  const reply = await postCard(setup)
  assert.deepEqual(withoutProxyUrls(reply.body), {
    id: reply.body.id,
    type: 0,
    channel_id: general.id,
    webhook_id: webhook.id,
    content: `hello <@${owner.id}>`,
    author: {
      id: webhook.id,
      username: 'CI',
      avatar: createHash('sha256').update(avatarUrl).digest('hex').slice(0, 32),
      avatar_url: avatarUrl,
      bot: true,
      discriminator: '0000',
      public_flags: 0,
    },
    embeds: [{ ...storedEmbed, type: 'rich', timestamp: '2026-01-02T02:04:05.000000+00:00' }],
    attachments: [],
    components: [],
    mentions: [
      {
        id: owner.id,
        username: 'ana',
        avatar: null,
        avatar_url: `${service.url}/images/users/${owner.id}/default`,
        bot: false,
        discriminator: '0000',
        public_flags: 0,
      },
    ],
    mention_roles: [],
    mention_everyone: false,
    pinned: false,
    tts: false,
    timestamp: '2026-01-15T12:00:00.000000+00:00',
    edited_timestamp: null,
    flags: 0,
  })
})

eachWebhook('stores the message in the native format (webhooks/message-object)', async setup => {
  const { webhook, owner, general } = setup
  const reply = await postCard(setup)
  const native = await owner.client.get(`/api/channels/${general.id}/messages/${reply.body.id}`)
  assert.deepEqual(withoutProxyUrls(native.body.author), {
    id: webhook.id,
    username: 'CI',
    displayName: 'CI',
    avatar: 'https://ci.example/a.png',
    bot: true,
    webhookId: webhook.id,
  })
  assert.deepEqual(withoutProxyUrls(native.body.embeds), [storedEmbed])
  assert.deepEqual(native.body.mentions, { users: [owner.id], roles: [], everyone: false })
})

eachWebhook(
  'counts code points after trimming, and rejects invisible content ' +
    '(webhooks/content-length, webhooks/empty-message, webhooks/trim-before-length)',
  async ({ post }) => {
    assert.equal((await post({ content: '😀'.repeat(2000) })).status, 200)
    assert.equal((await post({ content: ` ${'x'.repeat(2000)}\n` })).status, 200)
    const long = await post({ content: 'x'.repeat(2001) })
    assert.deepEqual([long.status, long.body.code], [400, 50035])
    assert.equal(errorCodeAt(long, 'content'), 'BASE_TYPE_MAX_LENGTH')
    assert.match(long.text, /Must be 2000 or fewer in length/)
    for (const body of [
      {},
      { content: '' },
      { content: ' \n\t' },
      { content: '\u200b\u200d' },
      { content: null },
      { content: '', embeds: [] },
      { embeds: null },
      { username: 'x' },
    ]) {
      const reply = await post(body)
      assert.deepEqual([reply.status, reply.body.code], [400, 50006], JSON.stringify(body))
    }
    assert.equal((await post({ content: null, embeds: [{ title: 'x' }] })).status, 200)
    assert.equal(
      (await post({ content: '', embeds: [{ title: `${'x'.repeat(256)}${' '.repeat(20)}` }] })).status,
      200,
    )
    const emptyEmbed = await post({ content: 'x', embeds: [{}] })
    assert.deepEqual([emptyEmbed.status, emptyEmbed.body.code], [400, 50035])
    assert.ok(errorCodeAt(emptyEmbed, 'embeds', 0))
  },
)

eachWebhook(
  'accepts embeds at each limit and rejects them beyond it (webhooks/embed-limits, ' +
    'webhooks/embed-total, webhooks/embed-timestamp, webhooks/attachment-url)',
  async ({ post }) => {
    const x = (n: number) => 'x'.repeat(n)
    const many = (n: number) => Array.from({ length: n }, () => ({ name: 'n', value: 'v' }))
    const embed = (members: object) => ({ embeds: [{ title: 't', ...members }] })
    for (const [valid, invalid, ...path] of [
      [embed({ title: x(256) }), embed({ title: x(257) }), 'embeds', 0, 'title'],
      [embed({ description: x(4096) }), embed({ description: x(4097) }), 'embeds', 0, 'description'],
      [embed({ fields: many(25) }), embed({ fields: many(26) }), 'embeds', 0, 'fields'],
      [
        embed({ fields: [{ name: x(256), value: 'v' }] }),
        embed({ fields: [{ name: x(257), value: 'v' }] }),
        'embeds',
        0,
        'fields',
        0,
        'name',
      ],
      [
        embed({ fields: [{ name: 'n', value: x(1024) }] }),
        embed({ fields: [{ name: 'n', value: x(1025) }] }),
        'embeds',
        0,
        'fields',
        0,
        'value',
      ],
      [
        embed({ footer: { text: x(2048) } }),
        embed({ footer: { text: x(2049) } }),
        'embeds',
        0,
        'footer',
        'text',
      ],
      [
        embed({ author: { name: x(256) } }),
        embed({ author: { name: x(257) } }),
        'embeds',
        0,
        'author',
        'name',
      ],
      [
        { embeds: Array.from({ length: 10 }, () => ({ title: 't' })) },
        { embeds: Array.from({ length: 11 }, () => ({ title: 't' })) },
        'embeds',
      ],
      [embed({ color: 16777215 }), embed({ color: 16777216 }), 'embeds', 0, 'color'],
      [embed({ color: 0 }), embed({ color: -1 }), 'embeds', 0, 'color'],
      [embed({ color: '16711680' }), embed({ color: 'ff0000' }), 'embeds', 0, 'color'],
      [embed({ color: null }), embed({ color: 1.5 }), 'embeds', 0, 'color'],
      [embed({ timestamp: '' }), embed({ timestamp: '2024-02-30T00:00:00Z' }), 'embeds', 0, 'timestamp'],
      [
        embed({ timestamp: '2024-02-29T00:00:00Z' }),
        embed({ timestamp: 1700000000 }),
        'embeds',
        0,
        'timestamp',
      ],
      [embed({ timestamp: null }), embed({ timestamp: '+275761-01-01T00:00:00Z' }), 'embeds', 0, 'timestamp'],
      [
        embed({ image: { url: '' } }),
        embed({ image: { url: 'attachment://x.png' } }),
        'embeds',
        0,
        'image',
        'url',
      ],
      [
        { embeds: [{ description: x(3000) }, { description: x(3000) }] },
        { embeds: [{ description: x(3000) }, { description: x(3001) }] },
        'embeds',
      ],
    ] as [object, object, ...(string | number)[]][]) {
      const accepted = await post(valid)
      assert.equal(accepted.status, 200, `${path.join('.')}: ${accepted.text}`)
      const rejected = await post(invalid)
      assert.deepEqual(
        [rejected.status, rejected.body.code],
        [400, 50035],
        `${path.join('.')}: ${rejected.text}`,
      )
      assert.ok(errorCodeAt(rejected, ...path), `${path.join('.')}: ${rejected.text}`)
    }
    const total = await post({ embeds: [{ description: x(3000) }, { description: x(3001) }] })
    assert.equal(errorCodeAt(total, 'embeds'), 'MAX_EMBED_SIZE_EXCEEDED')
  },
)

eachWebhook(
  'removes an empty embed beside other content, and rejects it alone (webhooks/bodies)',
  async ({ post }) => {
    const empty = { fields: [] }
    const withContent = await post({ content: 'x', embeds: [empty] })
    assert.deepEqual([withContent.status, withContent.body.content, withContent.body.embeds], [200, 'x', []])
    const withEmbed = await post({ embeds: [empty, { title: 't' }] })
    assert.deepEqual([withEmbed.status, withEmbed.body.embeds], [200, [{ title: 't', type: 'rich' }]])
    for (const body of [
      { embeds: [empty] },
      { content: ' ', embeds: [empty] },
      { content: 'x', embeds: [{}] },
    ]) {
      const reply = await post(body)
      assert.deepEqual([reply.status, reply.body.code], [400, 50035])
      assert.equal(errorCodeAt(reply, 'embeds', 0), 'BASE_TYPE_REQUIRED')
    }
    const blankField = { name: '', value: '', inline: true }
    const spaced = await post({ embeds: [{ fields: [blankField, { name: 'n', value: 'v' }] }] })
    assert.deepEqual(spaced.body.embeds[0].fields, [blankField, { name: 'n', value: 'v', inline: false }])
  },
)

eachWebhook('ignores unknown and unsupported keys (webhooks/files-and-unknown-keys)', async ({ post }) => {
  const reply = await post({
    content: 'x',
    tts: true,
    flags: 64,
    thread_id: '1',
    wait: false,
    poll: {},
    attachments: [],
    components: [{ type: 1 }],
    unknown: { nested: true },
  })
  assert.equal(reply.status, 200, reply.text)
  assert.deepEqual([reply.body.tts, reply.body.flags, reply.body.components], [false, 0, []])
  const withFile = await post({ content: 'x', attachments: [{ id: 0, filename: 'a.txt' }] })
  assert.deepEqual([withFile.status, withFile.body.code], [400, 50035])
  assert.match(withFile.body.message, /Files are not accepted/)
})

eachWebhook(
  'validates before the response with wait=false too, and creates no message (webhooks/validation-first)',
  async ({ postRaw, listContents }) => {
    for (const suffix of ['', '?wait=false']) {
      const reply = await postRaw('{"content":{}}', json, suffix)
      assert.deepEqual([reply.status, reply.body.code], [400, 50035])
    }
    assert.deepEqual(await listContents(), [])
  },
)

eachWebhook('returns 400 with all field errors at their paths', async ({ post }) => {
  const reply = await post({
    content: ['x'],
    username: 'x'.repeat(81),
    avatar_url: 'javascript:1',
    embeds: [{ title: 't' }, { url: 'ftp://x.example', fields: [{ name: null }] }],
    allowed_mentions: { parse: ['users', 'nobody'] },
  })
  assert.equal(reply.status, 400)
  assert.equal(errorCodeAt(reply, 'content'), 'BASE_TYPE_CONVERT')
  assert.equal(errorCodeAt(reply, 'username'), 'BASE_TYPE_MAX_LENGTH')
  assert.equal(errorCodeAt(reply, 'avatar_url'), 'URL_TYPE_INVALID_SCHEME')
  assert.equal(errorCodeAt(reply, 'embeds', 1, 'url'), 'URL_TYPE_INVALID_SCHEME')
  assert.equal(errorCodeAt(reply, 'embeds', 1, 'fields', 0, 'name'), 'BASE_TYPE_REQUIRED')
  assert.equal(errorCodeAt(reply, 'embeds', 1, 'fields', 0, 'value'), 'BASE_TYPE_REQUIRED')
  assert.equal(errorCodeAt(reply, 'allowed_mentions', 'parse', 1), 'BASE_TYPE_CHOICES')
})

eachWebhook(
  'returns the same 404 for an unknown id and a wrong token (webhooks/unknown-webhook, ' +
    'webhooks/token-in-path, webhooks/lifetime)',
  async setup => {
    const { webhook, path, anonymous, owner, server } = setup
    const { id, token } = webhook
    const other = token.startsWith('a') ? 'b' : 'a'
    for (const wrong of [
      `/api/webhooks/1234567890123456789/${token}`,
      `/api/webhooks/1/${token}`,
      `/api/webhooks/x/${token}`,
      `/api/webhooks/${id}/${other}${token.slice(1)}`,
      `/api/webhooks/${id}/${token}a`,
      `/api/webhooks/${id}/${token.slice(1)}`,
      `/api/webhooks/${id}/${token.slice(0, -1)}%2F`,
      `/api/webhooks/${id}/${token.toLowerCase() === token ? token.toUpperCase() : token.toLowerCase()}`,
      `/api/webhooks/${id}/x`,
    ]) {
      for (const suffix of ['', '?wait=garbage', '/github']) {
        // The body is not validated first (webhooks/order-of-checks).
        const reply = await anonymous.send(`${wrong}${suffix}`, { method: 'POST', body: '{' })
        assert.equal(reply.status, 404, `${wrong}${suffix}`)
        assert.deepEqual(reply.body, { code: 10015, message: 'Unknown Webhook' })
        assert.equal(reply.headers.get('x-ratelimit-limit'), null)
      }
      const slack = await anonymous.send(`${wrong}/slack`, { method: 'POST', body: '{' })
      assert.deepEqual([slack.status, slack.text], [404, 'no_service'])
    }
    const bare = await anonymous.json('POST', `/api/v10/webhooks/${id}`, { content: 'x' })
    assert.deepEqual([bare.status, bare.body], [404, { code: 10015, message: 'Unknown Webhook' }])
    // A path that no route has (community/error-hints).
    for (const wrong of [`${path}/`, `${path}/teamcity`, `/api/webhooks/1234567890123456789/${token}/x`]) {
      const reply = await anonymous.json('POST', wrong, { content: 'x' })
      assert.equal(reply.status, 404, wrong)
      const hint = wrong.endsWith('/') ? ' Use /api/webhooks/:id/:token.' : ''
      assert.deepEqual(reply.body, { code: 10015, message: `The service has no such path.${hint}` })
    }
    assert.equal((await anonymous.json('POST', `${path}/..`, { content: 'x' })).status, 404)
    // Deleting a channel deletes its webhooks.
    const channel = await owner.client.json('POST', `/api/servers/${server.id}/channels`, { name: 'deleted' })
    const deleted = await owner.client.json('POST', `/api/channels/${channel.body.id}/webhooks`, {
      name: 'x',
    })
    assert.equal(
      (await anonymous.json('POST', new URL(deleted.body.url).pathname, { content: 'x' })).status,
      204,
    )
    await owner.client.json('DELETE', `/api/channels/${channel.body.id}`)
    const afterDeletion = await anonymous.json('POST', new URL(deleted.body.url).pathname, { content: 'x' })
    assert.equal(afterDeletion.status, 404)
    assert.deepEqual(afterDeletion.body, { code: 10015, message: 'Unknown Webhook' })
  },
)

eachWebhook(
  'returns 405 with Allow for other methods, or 404 for an unknown webhook (webhooks/order-of-checks)',
  async setup => {
    const { path, anonymous, webhook } = setup
    for (const [suffix, method, allow] of [
      ['', 'PUT', ['POST', 'GET', 'HEAD', 'PATCH', 'DELETE']],
      ['/slack', 'GET', ['POST']],
      ['/github', 'DELETE', ['POST']],
      ['/messages/1234567890123456789', 'POST', ['GET', 'HEAD', 'PATCH', 'DELETE']],
    ] as const) {
      const reply = await anonymous.send(`${path}${suffix}`, { method })
      assert.equal(reply.status, 405, suffix)
      assert.deepEqual(new Set(reply.headers.get('allow')?.split(', ')), new Set(allow))
      assert.equal(reply.headers.get('x-ratelimit-limit'), '5')
      const unknownPath = path.replace(webhook.id, '1234567890123456789')
      const notFound = await anonymous.send(`${unknownPath}${suffix}`, { method })
      assert.deepEqual([notFound.status, notFound.headers.get('allow')], [404, null])
      if (suffix === '/slack') assert.equal(notFound.text, 'no_service')
      else assert.deepEqual(notFound.body, { code: 10015, message: 'Unknown Webhook' })
    }
  },
)

eachWebhook(
  'every route exists in the versions of Discord’s API (webhooks/discord-format, webhooks/api-versions)',
  async ({ path, anonymous, listContents }) => {
    const versions = ['v6', 'v7', 'v8', 'v9', 'v10']
    for (const version of versions) {
      const base = path.replace('/api/', `/api/${version}/`)
      const posted = await anonymous.json('POST', `${base}?wait=true`, { content: version })
      assert.equal(posted.status, 200)
      const message = `${base}/messages/${posted.body.id}`
      assert.equal((await anonymous.get(message)).body.content, version)
      assert.equal(
        (await anonymous.json('PATCH', message, { content: `${version}!` })).body.content,
        `${version}!`,
      )
      assert.equal((await anonymous.json('DELETE', message)).status, 204)
      assert.equal((await anonymous.get(base)).status, 200)
      assert.equal((await anonymous.json('PATCH', base, { name: version })).body.name, version)
      assert.equal((await anonymous.json('POST', `${base}/slack`, { text: `slack ${version}` })).text, 'ok')
      assert.equal(
        (await anonymous.json('POST', `${base}/github`, {}, { 'x-github-event': 'ping' })).status,
        204,
      )
    }
    assert.deepEqual(
      await listContents(),
      versions.map(version => `slack ${version}`),
    )
  },
)

eachWebhook(
  'another version of Discord’s API is an error in the format of the route, and a delivery (webhooks/api-versions)',
  async ({ path, anonymous, owner, general, webhook, listContents }) => {
    for (const version of ['v5', 'v11', 'v010', 'v', 'vx']) {
      const base = path.replace('/api/', `/api/${version}/`)
      for (const [method, suffix] of [
        ['POST', ''],
        ['POST', '/github'],
        ['GET', ''],
        ['PATCH', '/messages/1234567890123456789'],
      ] as const) {
        const reply = await anonymous.json(method, `${base}${suffix}`, method === 'GET' ? undefined : {})
        assert.deepEqual([reply.status, reply.body.code], [400, 50041], `${version}${suffix}`)
        assert.match(reply.body.message, /v6, v7, v8, v9, v10/)
      }
      assert.equal((await anonymous.json('POST', `${base}/slack`, { text: 'x' })).text, 'invalid_payload')
      const unknown = await anonymous.json('POST', base.replace(webhook.id, '1234567890123456789'), {})
      assert.deepEqual([unknown.status, unknown.body.code], [404, 10015])
    }
    const deliveries = (
      await owner.client.get(`/api/channels/${general.id}/webhooks/${webhook.id}/deliveries`)
    ).body
    assert.equal(deliveries.length, 15)
    for (const { status, reason } of deliveries) {
      assert.equal(status, 400)
      assert.match(reason, /Invalid API version/)
    }
    assert.deepEqual(await listContents(), [])
  },
)

eachWebhook(
  'numbers, booleans and texts may have each other’s form (webhooks/lenient-values)',
  async ({ post, postRaw, anonymous, path }) => {
    for (const [inline, expected] of [
      ['True', true],
      ['true', true],
      ['1', true],
      [1, true],
      [true, true],
      ['False', false],
      ['false', false],
      ['0', false],
      [0, false],
      ['', false],
      [null, false],
    ] as const) {
      const reply = await post({ embeds: [{ fields: [{ name: 'n', value: 'v', inline }] }] })
      assert.equal(reply.body.embeds?.[0].fields[0].inline, expected, `${inline}: ${reply.text}`)
    }
    const numbers = {
      content: 7,
      username: 8,
      embeds: [
        {
          title: 1,
          description: 2.5,
          color: ' 255 ',
          footer: { text: 3 },
          author: { name: 4 },
          fields: [{ name: 5, value: -6 }],
        },
      ],
    }
    const { status, body } = await post(numbers)
    assert.deepEqual([status, body.content, body.author?.username], [200, '7', '8'], JSON.stringify(body))
    const [{ type: _, ...embed }] = body.embeds
    assert.deepEqual(embed, {
      title: '1',
      description: '2.5',
      color: 255,
      footer: { text: '3' },
      author: { name: '4' },
      fields: [{ name: '5', value: '-6', inline: false }],
    })
    const large = await postRaw('{"content":12345678901234567890}', 'application/json', '?wait=true')
    assert.equal(large.body.content, '12345678901234567890')
    const message = `${path}/messages/${large.body.id}`
    assert.equal((await anonymous.json('PATCH', message, { content: 9 })).body.content, '9')
    for (const wrong of [{ content: true }, { content: {} }, { embeds: [{ title: ['x'] }] }]) {
      assert.equal((await post(wrong)).status, 400, JSON.stringify(wrong))
    }
    for (const inline of ['yes', 2, {}, 'truely']) {
      const reply = await post({ embeds: [{ fields: [{ name: 'n', value: 'v', inline }] }] })
      assert.equal(errorCodeAt(reply, 'embeds', 0, 'fields', 0, 'inline'), 'BASE_TYPE_CONVERT')
    }
  },
)

eachWebhook(
  'logs no token (webhooks/tokens-not-logged)',
  async ({ path, anonymous, service, post, webhook }) => {
    await post({ content: 'x' })
    await post({ content: {} })
    await anonymous.json('PUT', path, {})
    await anonymous.get(`${path}/nothing`)
    await anonymous.get(`${path}?token=${webhook.token}`)
    assert.ok(service.log.length > 0)
    assert.equal(service.log.join('').includes(webhook.token), false)
  },
)

eachWebhook('allows requests of any origin without credentials', async setup => {
  const { anonymous, path } = setup
  const headers = { origin: 'https://form.example', 'content-type': 'application/json' }
  for (const [url, body, status] of [
    [`${path}?wait=true`, { content: 'cross-origin' }, 200],
    [path, {}, 400],
    [`${path}x`, { content: 'x' }, 404],
    [`${path}/none`, { content: 'x' }, 404],
    [`${path}/messages/1`, { content: 'x' }, 405],
  ] as const) {
    const reply = await anonymous.send(url, {
      method: 'POST',
      headers,
      body: JSON.stringify(body),
    })
    assert.equal(reply.status, status)
    assert.equal(reply.headers.get('access-control-allow-origin'), '*')
    assert.equal(reply.headers.get('access-control-allow-credentials'), null)
  }
  const preflight = await anonymous.send(path, { method: 'OPTIONS', headers })
  assert.equal(preflight.status, 204)
  assert.match(preflight.headers.get('access-control-allow-methods') ?? '', /POST/)
  assert.match(preflight.headers.get('access-control-allow-headers') ?? '', /Content-Type/)
})

eachWebhook(
  'returns 400 that mentions /slack for a message in the format of Slack',
  async ({ post, postRaw }) => {
    for (const body of [
      { text: 'hi' },
      { text: 'hi', attachments: [{ text: 'x' }] },
      { attachments: [{ fallback: 'x' }] },
      { blocks: [{ type: 'header', text: { type: 'plain_text', text: 'hi' } }] },
    ]) {
      const reply = await post(body)
      assert.deepEqual([reply.status, reply.body.code], [400, 50006])
      assert.match(reply.body.message, /add \/slack to the webhook URL/)
      const slack = await postRaw(JSON.stringify(body), json, '/slack')
      assert.deepEqual([slack.status, slack.text], [200, 'ok'])
    }
    assert.equal((await post({})).body.message, 'Cannot send an empty message')
    assert.equal((await post({ content: 'x', text: 'y' })).status, 200)
  },
)

eachWebhook('returns the same avatar hash for the same URL', async ({ post, owner, service }) => {
  const postAuthor = async (body: object) => (await post({ content: 'x', ...body })).body.author
  const first = await postAuthor({ avatar_url: 'https://ci.example/a.png' })
  assert.match(first.avatar, /^[0-9a-f]{32}$/)
  assert.deepEqual(await postAuthor({ avatar_url: 'https://ci.example/a.png' }), first)
  assert.notEqual((await postAuthor({ avatar_url: 'https://ci.example/b.png' })).avatar, first.avatar)
  const none = await postAuthor({})
  assert.deepEqual([none.avatar, none.avatar_url], [null, null])
  const uploaded = await owner.client.send('/api/users/@me/avatar', {
    method: 'PUT',
    headers: { 'content-type': 'image/png' },
    body: png,
  })
  assert.equal(uploaded.status, 200, uploaded.text)
  const [mentioned] = (await post({ content: `<@${owner.id}>` })).body.mentions
  assert.match(mentioned.avatar, /^[0-9a-f]{32}$/)
  assert.equal(mentioned.avatar_url, `${service.url}${uploaded.body.avatar}`)
  assert.ok(mentioned.avatar_url.endsWith(mentioned.avatar))
})

eachWebhook('applies changes of another node to the next message', async ({ webhook, post, service }) => {
  const { db, clock } = service
  assert.equal((await post({ content: 'before' })).body.author.username, 'Alerts')
  await db.run`UPDATE webhooks SET name = 'Renamed', avatar = 'https://ci.example/a.png' WHERE id = ${webhook.id}`
  const renamed = (await post({ content: 'renamed' })).body.author
  assert.deepEqual([renamed.username, renamed.avatar], ['Renamed', null])
  await db.run`UPDATE webhooks SET token_hash = 'another' WHERE id = ${webhook.id}`
  for (const ms of [0, 999, 1]) {
    clock.advance(ms)
    assert.deepEqual([(await post({ content: 'after' })).status], [404])
  }
  // The cached record has expired, so an invalid body is 404 too.
  assert.equal((await post({ content: '' })).status, 404)
})
