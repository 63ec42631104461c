import assert from 'node:assert/strict'
import { readdir } from 'node:fs/promises'
import { connect } from 'node:net'
import { codeAt, eachOutside, field, multipart } from '../testing.ts'

const json = 'application/json'
const form = 'application/x-www-form-urlencoded'
const mp = 'multipart/form-data; boundary=xx'

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
  'check 40: a form with fields, a form with payload_json; embeds as a field are refused clearly',
  async from => {
    const { raw, contents } = from
    assert.equal((await raw('content=hi+there&username=x&tts=true', form)).status, 204)
    const payload = new URLSearchParams({
      payload_json: '{"content":"from the payload"}',
      content: 'not this',
    })
    assert.equal((await raw(payload.toString(), form)).status, 204)
    for (const name of ['embeds', 'allowed_mentions']) {
      const refused = await raw(`content=x&${name}=[]`, form)
      assert.equal(refused.status, 400)
      assert.equal(codeAt(refused, name), 'BASE_TYPE_CONVERT')
      assert.match(refused.text, /payload_json/)
    }
    const broken = await raw('payload_json={', form)
    assert.deepEqual([broken.status, broken.body.code], [400, 50109])
    assert.deepEqual(await contents(), ['hi there', 'from the payload'])
  },
)

eachOutside(
  'check 41: multipart with payload_json, or with fields; files and broken bodies are 400 and leave nothing',
  async from => {
    const { raw, contents, service } = from
    const payload = field('payload_json', '{"content":"one"}')
    assert.equal((await raw(multipart([payload]), mp)).status, 204)
    assert.equal((await raw(multipart([field('content', 'two'), field('username', 'x')]), mp)).status, 204)
    const blob = new FormData()
    blob.append('payload_json', new Blob(['{"content":"three"}'], { type: json }))
    assert.equal((await raw(blob)).status, 204)
    const file =
      'Content-Disposition: form-data; name="files[0]"; filename="a.txt"\r\nContent-Type: text/plain\r\n\r\nabc'
    const chosen = await raw(multipart([payload, file]), mp)
    assert.deepEqual([chosen.status, chosen.body.code], [400, 50035])
    assert.match(chosen.body.message, /Files are not accepted/)
    for (const [body, type] of [
      [multipart([payload, payload]), mp],
      [multipart([field('payload_json', '{')]), mp],
      [multipart([payload]), 'multipart/form-data'],
      [multipart(Array.from({ length: 1000 }, () => field('a', 'b'))), mp],
      [multipart([`X-Long: ${'x'.repeat(1_000_000)}\r\n${payload}`]), mp],
      [multipart([payload]).slice(0, -20), mp],
      ['', mp],
    ] as const) {
      const reply = await raw(body, type)
      assert.equal(reply.status, 400, `${type}: ${body.slice(0, 80)}`)
    }
    assert.deepEqual(await contents(), ['one', 'two', 'three'])
    assert.deepEqual(
      (await readdir(service.config.dataDir)).filter(
        name => name !== 'secret.key' && !name.startsWith('gatehouse.db'),
      ),
      [],
    )
  },
)

eachOutside(
  'check 41: a body that breaks off in the middle makes no message',
  async ({ path, service, contents }) => {
    const { port } = new URL(service.url)
    await new Promise<void>((resolve, reject) => {
      const socket = connect(Number(port), 'localhost', () => {
        socket.write(
          `POST ${path} HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n{"content":"a"}`,
          () => socket.destroy(),
        )
      })
      socket.on('close', () => resolve())
      socket.on('error', reject)
    })
    assert.deepEqual(await contents(), [])
  },
)

eachOutside(
  'check 43: a body without a type, or of another, is 400 with 50035',
  async ({ raw, program, path }) => {
    for (const type of ['text/plain', 'application/xml']) {
      const reply = await raw('{"content":"x"}', type)
      assert.deepEqual([reply.status, reply.body.code], [400, 50035])
      assert.equal(codeAt(reply), 'CONTENT_TYPE_INVALID')
    }
    const untyped = await program.send(path, {
      method: 'POST',
      body: new TextEncoder().encode('{"content":"x"}'),
    })
    assert.deepEqual([untyped.status, untyped.body.code], [400, 50035])
    const empty = await program.send(path, { method: 'POST' })
    assert.deepEqual([empty.status, empty.body.code], [400, 50035])
    assert.equal((await raw('{"content":"x"}', 'application/json; charset=utf-8')).status, 204)
  },
)

eachOutside(
  'check 26: more than 1 MiB is 413 with 40005, of any type; an encoded body is 415 (D45)',
  async ({ raw, program, path }) => {
    for (const type of [json, form, mp, 'text/plain']) {
      const reply = await raw('x'.repeat(1024 * 1024 + 1), type)
      assert.deepEqual([reply.status, reply.body.code], [413, 40005], type)
    }
    const chunked = await program.send(path, {
      method: 'POST',
      headers: { 'content-type': json },
      body: new ReadableStream({
        start(controller) {
          for (let i = 0; i < 3; i++) controller.enqueue(new Uint8Array(500_000))
          controller.close()
        },
      }),
      duplex: 'half',
    } as RequestInit)
    assert.deepEqual([chunked.status, chunked.body.code], [413, 40005])
    const gzip = await program.send(path, {
      method: 'POST',
      headers: { 'content-type': json, 'content-encoding': 'gzip' },
      body: '{"content":"x"}',
    })
    assert.deepEqual([gzip.status, gzip.body.code], [415, 0])
  },
)

eachOutside(
  'checks 27 to 30: depth, prototypes, duplicate keys, encodings, U+0000',
  async ({ raw, contents }) => {
    const deep = (levels: number) =>
      `{"content":"deep","x":${'['.repeat(levels - 1)}${']'.repeat(levels - 1)}}`
    assert.equal((await raw(deep(32), json)).status, 204)
    for (const body of [
      deep(33),
      deep(5001),
      '{',
      '',
      '{"content":NaN}',
      Buffer.from('{"content":"a"}', 'utf16le'),
      Buffer.from([0x7b, 0xff, 0x7d]),
    ]) {
      const reply = await raw(body, json)
      assert.deepEqual([reply.status, reply.body.code], [400, 50109], String(body).slice(0, 40))
    }
    assert.equal((await raw('{"__proto__":{"content":"x"}}', json)).body.code, 50006)
    assert.equal(
      (await raw('{"content":"proto","__proto__":{"x":1},"constructor":{"prototype":1}}', json)).status,
      204,
    )
    assert.equal((await raw('{"content":"first","content":"last"}', json)).status, 204)
    assert.equal((await raw('\ufeff{"content":"bom"}', json)).status, 204)
    for (const text of ['a\\u0000', '\\ud800', '\\udc00b']) {
      for (const member of ['content', 'username']) {
        const reply = await raw(`{"content":"x","${member}":"${text}"}`, json)
        assert.equal(reply.status, 400)
        assert.equal(codeAt(reply, member), 'BASE_TYPE_BAD_TEXT')
      }
      const reply = await raw(`{"embeds":[{"fields":[{"name":"n","value":"${text}"}]}]}`, json)
      assert.equal(codeAt(reply, 'embeds', 0, 'fields', 0, 'value'), 'BASE_TYPE_BAD_TEXT')
    }
    for (const body of ['[]', 'null', '"x"', '1']) {
      const reply = await raw(body, json)
      assert.deepEqual([reply.status, reply.body.code], [400, 50035], body)
    }
    assert.deepEqual(await contents(), ['deep', 'proto', 'last', 'bom'])
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

eachOutside('check 37: what a webhook cannot set is ignored', async ({ post }) => {
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
    embeds: [{ title: 't' }, { url: 'ftp://x.example', fields: [{ name: '' }] }],
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
  '404: checks 56, 59 and 60: an unknown id and a wrong token are one and the same answer',
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
    for (const wrong of [`${path}/`, `${path}/..`]) {
      assert.equal((await program.json('POST', wrong, { content: 'x' })).status, 404)
    }
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

eachOutside('405 with Allow for other methods (D41)', async ({ path, program }) => {
  for (const [suffix, method, allow] of [
    ['', 'PUT', ['POST', 'GET', 'HEAD', 'PATCH', 'DELETE']],
    ['/slack', 'GET', ['POST']],
    ['/github', 'DELETE', ['POST']],
    ['/messages/1234567890123456789', 'POST', ['GET', 'HEAD', 'PATCH', 'DELETE']],
  ] as const) {
    const reply = await program.send(`${path}${suffix}`, { method })
    assert.equal(reply.status, 405, suffix)
    assert.deepEqual(new Set(reply.headers.get('allow')?.split(', ')), new Set(allow))
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
