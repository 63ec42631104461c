import assert from 'node:assert/strict'
import { codeAt, eachOutside } from '../testing.ts'

const json = 'application/json'

eachOutside(
  '200 and 204: wait decides between the message and nothing (check 38)',
  async ({ webhook, program, contents }) => {
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
      const reply = await program.json('POST', `/api/webhooks/${id}/${token}?${wait}`, {
        content: `wait ${wait}`,
      })
      assert.equal(reply.status, status, `${wait}: ${reply.text}`)
      if (status === 204) assert.equal(reply.text, '')
      if (status === 400) assert.equal(codeAt(reply, 'wait'), 'BASE_TYPE_CONVERT')
    }
    assert.equal((await contents()).length, 9)
  },
)

eachOutside(
  '200: the message stands in the dialect on the wire and natively in the channel (D33, D43)',
  async from => {
    const { webhook, owner, general, post, service } = from
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
    const reply = await post({
      content: `  hello <@${owner.id}>  `,
      username: 'CI',
      avatar_url: 'https://ci.example/a.png',
      embeds: [embed],
    })
    assert.equal(reply.status, 200, reply.text)
    const shown = {
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
    assert.deepEqual(reply.body, {
      id: reply.body.id,
      type: 0,
      channel_id: general.id,
      webhook_id: webhook.id,
      content: `hello <@${owner.id}>`,
      author: {
        id: webhook.id,
        username: 'CI',
        avatar: 'https://ci.example/a.png',
        bot: true,
        discriminator: '0000',
      },
      embeds: [shown],
      attachments: [],
      components: [],
      mentions: [
        {
          id: owner.id,
          username: 'ana',
          avatar: `${service.url}/images/users/${owner.id}/default`,
          bot: false,
          discriminator: '0000',
        },
      ],
      mention_roles: [],
      mention_everyone: false,
      pinned: false,
      tts: false,
      timestamp: '2026-01-15T12:00:00.000Z',
      edited_timestamp: null,
      flags: 0,
    })
    const native = await owner.client.get(`/api/channels/${general.id}/messages/${reply.body.id}`)
    assert.deepEqual(native.body.author, {
      id: webhook.id,
      username: 'CI',
      displayName: 'CI',
      avatar: 'https://ci.example/a.png',
      bot: true,
      webhookId: webhook.id,
    })
    assert.deepEqual(native.body.embeds, [shown])
    assert.deepEqual(native.body.mentions, { users: [owner.id], roles: [], everyone: false })
  },
)

eachOutside(
  'checks 31, 32 and 35: lengths in code points after trimming; what shows nothing is empty',
  async ({ post }) => {
    assert.equal((await post({ content: '😀'.repeat(2000) })).status, 200)
    assert.equal((await post({ content: ` ${'x'.repeat(2000)}\n` })).status, 200)
    const long = await post({ content: 'x'.repeat(2001) })
    assert.deepEqual([long.status, long.body.code], [400, 50035])
    assert.equal(codeAt(long, 'content'), 'BASE_TYPE_MAX_LENGTH')
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
    const nothing = await post({ content: 'x', embeds: [{}] })
    assert.deepEqual([nothing.status, nothing.body.code], [400, 50035])
    assert.ok(codeAt(nothing, 'embeds', 0))
  },
)

eachOutside(
  'checks 33, 34, 36 and 42: the limits of embeds, at their bound and one beyond',
  async ({ post }) => {
    const x = (n: number) => 'x'.repeat(n)
    const many = (n: number) => Array.from({ length: n }, () => ({ name: 'n', value: 'v' }))
    const embed = (more: object) => ({ embeds: [{ title: 't', ...more }] })
    for (const [good, bad, ...path] of [
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
      const taken = await post(good)
      assert.equal(taken.status, 200, `${path.join('.')}: ${taken.text}`)
      const refused = await post(bad)
      assert.deepEqual(
        [refused.status, refused.body.code],
        [400, 50035],
        `${path.join('.')}: ${refused.text}`,
      )
      assert.ok(codeAt(refused, ...path), `${path.join('.')}: ${refused.text}`)
    }
    const total = await post({ embeds: [{ description: x(3000) }, { description: x(3001) }] })
    assert.equal(codeAt(total, 'embeds'), 'MAX_EMBED_SIZE_EXCEEDED')
  },
)

eachOutside('D45: a card with nothing in it: left out beside anything, alone refused', async ({ post }) => {
  const hollow = { fields: [] }
  const beside = await post({ content: 'x', embeds: [hollow] })
  assert.deepEqual([beside.status, beside.body.content, beside.body.embeds], [200, 'x', []])
  const card = await post({ embeds: [hollow, { title: 't' }] })
  assert.deepEqual([card.status, card.body.embeds], [200, [{ title: 't' }]])
  for (const body of [
    { embeds: [hollow] },
    { content: ' ', embeds: [hollow] },
    { content: 'x', embeds: [{}] },
  ]) {
    const reply = await post(body)
    assert.deepEqual([reply.status, reply.body.code], [400, 50035])
    assert.equal(codeAt(reply, 'embeds', 0), 'BASE_TYPE_REQUIRED')
  }
  const free = { name: '', value: '', inline: true }
  const spaced = await post({ embeds: [{ fields: [free, { name: 'n', value: 'v' }] }] })
  assert.deepEqual(spaced.body.embeds[0].fields, [free, { name: 'n', value: 'v', inline: false }])
})

eachOutside('D35, check 37: what a webhook cannot set is ignored', async ({ post }) => {
  const reply = await post({
    content: 'x',
    tts: true,
    flags: 64,
    thread_id: '1',
    wait: false,
    poll: {},
    attachments: [],
    components: [{ type: 1 }],
    whatever: { deep: true },
  })
  assert.equal(reply.status, 200, reply.text)
  assert.deepEqual([reply.body.tts, reply.body.flags, reply.body.components], [false, 0, []])
  const announced = await post({ content: 'x', attachments: [{ id: 0, filename: 'a.txt' }] })
  assert.deepEqual([announced.status, announced.body.code], [400, 50035])
  assert.match(announced.body.message, /Files are not accepted/)
})

eachOutside(
  'check 39: what is wrong is said with wait=false too, and stays behind nowhere',
  async ({ raw, contents }) => {
    for (const suffix of ['', '?wait=false']) {
      const reply = await raw('{"content":1}', json, suffix)
      assert.deepEqual([reply.status, reply.body.code], [400, 50035])
    }
    assert.deepEqual(await contents(), [])
  },
)

eachOutside('400 says all that is wrong at once, each at its place', async ({ post }) => {
  const reply = await post({
    content: ['x'],
    username: 'x'.repeat(81),
    avatar_url: 'javascript:1',
    embeds: [{ title: 't' }, { url: 'ftp://x.example', fields: [{ name: null }] }],
    allowed_mentions: { parse: ['users', 'nobody'] },
  })
  assert.equal(reply.status, 400)
  assert.equal(codeAt(reply, 'content'), 'BASE_TYPE_CONVERT')
  assert.equal(codeAt(reply, 'username'), 'BASE_TYPE_MAX_LENGTH')
  assert.equal(codeAt(reply, 'avatar_url'), 'URL_TYPE_INVALID_SCHEME')
  assert.equal(codeAt(reply, 'embeds', 1, 'url'), 'URL_TYPE_INVALID_SCHEME')
  assert.equal(codeAt(reply, 'embeds', 1, 'fields', 0, 'name'), 'BASE_TYPE_REQUIRED')
  assert.equal(codeAt(reply, 'embeds', 1, 'fields', 0, 'value'), 'BASE_TYPE_REQUIRED')
  assert.equal(codeAt(reply, 'allowed_mentions', 'parse', 1), 'BASE_TYPE_CHOICES')
})

eachOutside(
  '404: D34, checks 56, 59 and 60: an unknown id and a wrong token are one and the same answer',
  async from => {
    const { webhook, path, program, owner, server } = from
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
        // Before the body is looked at (D41).
        const reply = await program.send(`${wrong}${suffix}`, { method: 'POST', body: '{' })
        assert.equal(reply.status, 404, `${wrong}${suffix}`)
        assert.deepEqual(reply.body, { code: 10015, message: 'Unknown Webhook' })
        assert.equal(reply.headers.get('x-ratelimit-limit'), null)
      }
      const slack = await program.send(`${wrong}/slack`, { method: 'POST', body: '{' })
      assert.deepEqual([slack.status, slack.text], [404, 'no_service'])
    }
    for (const wrong of [`${path}/`, `${path}/teamcity`, `/api/v10/webhooks/${id}`, `/api/webhooks/${id}/`]) {
      const reply = await program.json('POST', wrong, { content: 'x' })
      assert.equal(reply.status, 404, wrong)
      assert.deepEqual(reply.body, { code: 10015, message: 'Unknown Webhook' })
    }
    assert.equal((await program.json('POST', `${path}/..`, { content: 'x' })).status, 404)
    // A channel that is gone takes its webhooks along.
    const made = await owner.client.json('POST', `/api/servers/${server.id}/channels`, { name: 'gone' })
    const gone = await owner.client.json('POST', `/api/channels/${made.body.id}/webhooks`, { name: 'x' })
    assert.equal((await program.json('POST', new URL(gone.body.url).pathname, { content: 'x' })).status, 204)
    await owner.client.json('DELETE', `/api/channels/${made.body.id}`)
    assert.equal(
      (await program.json('POST', new URL(gone.body.url).pathname, { content: 'x' })).body.code,
      10015,
    )
  },
)

eachOutside('405: D41: other methods, with Allow; an unknown webhook goes before', async from => {
  const { path, program, webhook } = from
  for (const [suffix, method, allow] of [
    ['', 'PUT', ['POST', 'GET', 'HEAD', 'PATCH', 'DELETE']],
    ['/slack', 'GET', ['POST']],
    ['/github', 'DELETE', ['POST']],
    ['/messages/1234567890123456789', 'POST', ['GET', 'HEAD', 'PATCH', 'DELETE']],
  ] as const) {
    const reply = await program.send(`${path}${suffix}`, { method })
    assert.equal(reply.status, 405, suffix)
    assert.deepEqual(new Set(reply.headers.get('allow')?.split(', ')), new Set(allow))
    assert.equal(reply.headers.get('x-ratelimit-limit'), '5')
    const unknown = path.replace(webhook.id, '1234567890123456789')
    const gone = await program.send(`${unknown}${suffix}`, { method })
    assert.deepEqual([gone.status, gone.headers.get('allow')], [404, null])
    if (suffix === '/slack') assert.equal(gone.text, 'no_service')
    else assert.deepEqual(gone.body, { code: 10015, message: 'Unknown Webhook' })
  }
})

eachOutside(
  'D33: every route answers under the versions of the compatible platform too',
  async ({ path, program, contents }) => {
    for (const version of ['v9', 'v10']) {
      const base = path.replace('/api/', `/api/${version}/`)
      const posted = await program.json('POST', `${base}?wait=true`, { content: version })
      assert.equal(posted.status, 200)
      const message = `${base}/messages/${posted.body.id}`
      assert.equal((await program.get(message)).body.content, version)
      assert.equal(
        (await program.json('PATCH', message, { content: `${version}!` })).body.content,
        `${version}!`,
      )
      assert.equal((await program.json('DELETE', message)).status, 204)
      assert.equal((await program.get(base)).status, 200)
      assert.equal((await program.json('PATCH', base, { name: version })).body.name, version)
      assert.equal((await program.json('POST', `${base}/slack`, { text: `slack ${version}` })).text, 'ok')
      assert.equal(
        (await program.json('POST', `${base}/github`, {}, { 'x-github-event': 'ping' })).status,
        204,
      )
    }
    assert.deepEqual(await contents(), ['slack v9', 'slack v10'])
  },
)

eachOutside(
  'check 58: the token is in no line of the log',
  async ({ path, program, service, post, webhook }) => {
    await post({ content: 'x' })
    await post({ content: 1 })
    await program.json('PUT', path, {})
    await program.get(`${path}/nothing`)
    await program.get(`${path}?token=${webhook.token}`)
    assert.ok(service.log.length > 0)
    assert.equal(service.log.join('').includes(webhook.token), false)
  },
)

eachOutside(
  'a page of any site posts and reads the answer, refused or not, without credentials',
  async from => {
    const { program, path } = from
    const origin = { origin: 'https://form.example', 'content-type': 'application/json' }
    for (const [address, body, status] of [
      [`${path}?wait=true`, { content: 'from a page' }, 200],
      [path, {}, 400],
      [`${path}x`, { content: 'x' }, 404],
      [`${path}/none`, { content: 'x' }, 404],
      [`${path}/messages/1`, { content: 'x' }, 405],
    ] as const) {
      const reply = await program.send(address, {
        method: 'POST',
        headers: origin,
        body: JSON.stringify(body),
      })
      assert.equal(reply.status, status)
      assert.equal(reply.headers.get('access-control-allow-origin'), '*')
      assert.equal(reply.headers.get('access-control-allow-credentials'), null)
    }
    const preflight = await program.send(path, { method: 'OPTIONS', headers: origin })
    assert.equal(preflight.status, 204)
    assert.match(preflight.headers.get('access-control-allow-methods') ?? '', /POST/)
    assert.match(preflight.headers.get('access-control-allow-headers') ?? '', /Content-Type/)
  },
)

eachOutside(
  'what another process changed holds for the next post, at once',
  async ({ webhook, post, service }) => {
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
    // From here on also what the post could not have told.
    assert.equal((await post({ content: '' })).status, 404)
  },
)
