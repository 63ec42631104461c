import assert from 'node:assert/strict'
import { readdir } from 'node:fs/promises'
import { connect } from 'node:net'
import { eachWebhook, errorCodeAt, multipartBody, multipartField } from './webhooks-testing.ts'

const json = 'application/json'
const form = 'application/x-www-form-urlencoded'
const mp = 'multipart/form-data; boundary=xx'

eachWebhook('accepts a form with fields or payload_json (webhooks/form-body)', async setup => {
  const { postRaw, listContents } = setup
  assert.equal((await postRaw('content=hi+there&username=x&tts=true', form)).status, 204)
  const payload = new URLSearchParams({
    payload_json: '{"content":"from the payload"}',
    content: 'ignored',
  })
  assert.equal((await postRaw(payload.toString(), form)).status, 204)
  const broken = await postRaw('payload_json={', form)
  assert.deepEqual([broken.status, broken.body.code], [400, 50109])
  const many = await postRaw(`content=x${'&x=1'.repeat(1000)}`, form)
  assert.equal(many.status, 400)
  assert.deepEqual(many.body, { code: 50035, message: 'The form has more than 1000 fields.' })
  assert.equal((await postRaw(`content=at+the+limit${'&x=1'.repeat(999)}`, form)).status, 204)
  assert.deepEqual(await listContents(), ['hi there', 'from the payload', 'at the limit'])
})

eachWebhook(
  'accepts every member of a message in each type of body (webhooks/form-body)',
  async ({ postRaw, anonymous, owner, general, path }) => {
    const embeds = [{ title: 'Build 7', description: 'a=b & c', fields: [{ name: 'n', value: 'v' }] }]
    const members = {
      content: `<@${owner.id}>`,
      username: 'CI',
      avatar_url: 'https://ci.example/a.png',
      embeds: JSON.stringify(embeds),
      allowed_mentions: `{"users": [${owner.id}]}`,
      tts: 'true',
    }
    const fields = Object.entries(members)
    const bodies = [
      [
        `{${fields.map(([name, value]) => `"${name}":${/^[[{]/.test(value) ? value : JSON.stringify(value)}`)}}`,
        json,
      ],
      [new URLSearchParams(members).toString(), form],
      [multipartBody(fields.map(([name, value]) => multipartField(name, value))), mp],
    ] as const
    for (const [body, type] of bodies) {
      assert.equal((await postRaw(body, type)).status, 204, type)
      const [message] = (await owner.client.get(`/api/channels/${general.id}/messages`)).body
      assert.deepEqual(
        [message.content, message.author.displayName, message.author.avatar, message.mentions.users],
        [members.content, 'CI', members.avatar_url, [owner.id]],
        type,
      )
      assert.deepEqual(message.embeds, [{ ...embeds[0], fields: [{ name: 'n', value: 'v', inline: false }] }])
    }
    const message = `${path}/messages/${(await postRaw('content=x', form, '?wait=true')).body.id}`
    const edit = (body: string, type: string) =>
      anonymous.send(message, { method: 'PATCH', headers: { 'content-type': type }, body })
    const added = await edit(new URLSearchParams({ embeds: members.embeds }).toString(), form)
    assert.deepEqual([added.status, added.body.embeds?.[0].title], [200, 'Build 7'], added.text)
    const removed = await edit(multipartBody([multipartField('embeds', '[]')]), mp)
    assert.deepEqual([removed.status, removed.body.embeds], [200, []])
  },
)

eachWebhook(
  'returns 400 at the field of a form that is not valid JSON (webhooks/form-body)',
  async ({ postRaw, listContents }) => {
    for (const name of ['embeds', 'allowed_mentions']) {
      for (const value of ['{', 'text', '['.repeat(40), '"text"']) {
        const body = new URLSearchParams({ content: 'x', [name]: value }).toString()
        const reply = await postRaw(body, form)
        assert.deepEqual([reply.status, reply.body.code], [400, 50035], value)
        assert.equal(errorCodeAt(reply, name), 'BASE_TYPE_CONVERT', value)
      }
      assert.equal((await postRaw(`content=empty&${name}=`, form)).status, 204)
    }
    assert.deepEqual(await listContents(), ['empty', 'empty'])
  },
)

eachWebhook(
  'accepts multipart with payload_json or fields, and returns 400 for files and malformed ' +
    'bodies (webhooks/files-and-unknown-keys, webhooks/multipart-body)',
  async setup => {
    const { postRaw, listContents, service } = setup
    const payload = multipartField('payload_json', '{"content":"one"}')
    assert.equal((await postRaw(multipartBody([payload]), mp)).status, 204)
    assert.equal(
      (await postRaw(multipartBody([multipartField('content', 'two'), multipartField('username', 'x')]), mp))
        .status,
      204,
    )
    const blob = new FormData()
    blob.append('payload_json', new Blob(['{"content":"three"}'], { type: json }))
    assert.equal((await postRaw(blob)).status, 204)
    const file =
      'Content-Disposition: form-data; name="files[0]"; filename="a.txt"\r\nContent-Type: text/plain\r\n\r\nabc'
    const withFile = await postRaw(multipartBody([payload, file]), mp)
    assert.deepEqual([withFile.status, withFile.body.code], [400, 50035])
    assert.match(withFile.body.message, /Files are not accepted/)
    for (const [body, type] of [
      [multipartBody([payload, payload]), mp],
      [multipartBody([multipartField('payload_json', '{')]), mp],
      [multipartBody([payload]), 'multipart/form-data'],
      [multipartBody(Array.from({ length: 1000 }, () => multipartField('a', 'b'))), mp],
      [multipartBody([`X-Long: ${'x'.repeat(1_000_000)}\r\n${payload}`]), mp],
      [multipartBody([payload]).slice(0, -20), mp],
      ['', mp],
    ] as const) {
      const reply = await postRaw(body, type)
      assert.equal(reply.status, 400, `${type}: ${body.slice(0, 80)}`)
    }
    assert.deepEqual(await listContents(), ['one', 'two', 'three'])
    assert.deepEqual(
      (await readdir(service.config.dataDir)).filter(
        name => name !== 'secret.key' && !name.startsWith('gatehouse.db'),
      ),
      [],
    )
  },
)

eachWebhook(
  'creates no message if the body is truncated (webhooks/multipart-body)',
  async ({ path, service, listContents }) => {
    const { port } = new URL(service.url)
    await new Promise<void>((resolve, reject) => {
      const socket = connect(Number(port), 'localhost', () => {
        socket.write(
          `POST ${path} HTTP/1.1\r\nHost: x\r\nContent-Type: ` +
            'application/json\r\nContent-Length: 100\r\n\r\n{"content":"a"}',
          () => socket.destroy(),
        )
      })
      socket.on('close', () => resolve())
      socket.on('error', reject)
    })
    assert.deepEqual(await listContents(), [])
  },
)

eachWebhook(
  'returns 400 (50035) for a missing, malformed or unsupported Content-Type ' +
    '(webhooks/content-type, webhooks/error-codes)',
  async ({ postRaw, anonymous, path }) => {
    for (const type of ['text/plain', 'application/xml', 'json', ';;', '']) {
      const reply = await postRaw('{"content":"x"}', type)
      assert.deepEqual([reply.status, reply.body.code], [400, 50035])
      assert.equal(errorCodeAt(reply), 'CONTENT_TYPE_INVALID')
    }
    const untyped = await anonymous.send(path, {
      method: 'POST',
      body: new TextEncoder().encode('{"content":"x"}'),
    })
    assert.deepEqual([untyped.status, untyped.body.code], [400, 50035])
    const empty = await anonymous.send(path, { method: 'POST' })
    assert.deepEqual([empty.status, empty.body.code], [400, 50035])
    assert.equal((await postRaw('{"content":"x"}', 'application/json; charset=utf-8')).status, 204)
  },
)

eachWebhook(
  'returns 413 (40005) for a body over 1 MiB of any type, and 415 for an encoded body ' +
    '(webhooks/body-size, webhooks/bodies)',
  async ({ postRaw, anonymous, path }) => {
    for (const type of [json, form, mp, 'text/plain']) {
      const reply = await postRaw('x'.repeat(1024 * 1024 + 1), type)
      assert.deepEqual([reply.status, reply.body.code], [413, 40005], type)
    }
    const chunked = await anonymous.send(path, {
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
    const gzip = await anonymous.send(path, {
      method: 'POST',
      headers: { 'content-type': json, 'content-encoding': 'gzip' },
      body: '{"content":"x"}',
    })
    assert.deepEqual([gzip.status, gzip.body.code], [415, 0])
  },
)

eachWebhook(
  'handles deep, malformed and unusual JSON (webhooks/bodies, webhooks/body-depth, ' +
    'webhooks/prototype-keys, webhooks/json-syntax, webhooks/text-characters)',
  async ({ postRaw, listContents }) => {
    const deep = (levels: number) =>
      `{"content":"deep","x":${'['.repeat(levels - 1)}${']'.repeat(levels - 1)}}`
    assert.equal((await postRaw(deep(32), json)).status, 204)
    for (const body of [
      deep(33),
      deep(5001),
      '{',
      '',
      '{"content":NaN}',
      Buffer.from('{"content":"a"}', 'utf16le'),
      Buffer.from([0x7b, 0xff, 0x7d]),
    ]) {
      const reply = await postRaw(body, json)
      assert.deepEqual([reply.status, reply.body.code], [400, 50109], String(body).slice(0, 40))
    }
    assert.equal((await postRaw('{"__proto__":{"content":"x"}}', json)).body.code, 50006)
    assert.equal(
      (await postRaw('{"content":"proto","__proto__":{"x":1},"constructor":{"prototype":1}}', json)).status,
      204,
    )
    assert.equal((await postRaw('{"content":"first","content":"last"}', json)).status, 204)
    assert.equal((await postRaw('\ufeff{"content":"bom"}', json)).status, 204)
    for (const text of ['a\\u0000', '\\ud800', '\\udc00b']) {
      for (const member of ['content', 'username']) {
        const reply = await postRaw(`{"content":"x","${member}":"${text}"}`, json)
        assert.equal(reply.status, 400)
        assert.equal(errorCodeAt(reply, member), 'BASE_TYPE_BAD_TEXT')
      }
      const reply = await postRaw(`{"embeds":[{"fields":[{"name":"n","value":"${text}"}]}]}`, json)
      assert.equal(errorCodeAt(reply, 'embeds', 0, 'fields', 0, 'value'), 'BASE_TYPE_BAD_TEXT')
    }
    for (const body of ['[]', 'null', '"x"', '1']) {
      const reply = await postRaw(body, json)
      assert.deepEqual([reply.status, reply.body.code], [400, 50035], body)
    }
    assert.deepEqual(await listContents(), ['deep', 'proto', 'last', 'bom'])
  },
)

eachWebhook(
  'JSON with the type of a form names the header, also for an edit (webhooks/content-type)',
  async ({ post, postRaw, anonymous, path, listContents }) => {
    const body = JSON.stringify({ content: 'deployed & done=true' })
    const reply = await postRaw(body, form)
    const message = 'The body is JSON: send the header Content-Type: application/json.'
    const errors = { _errors: [{ code: 'CONTENT_TYPE_INVALID', message }] }
    assert.deepEqual([reply.status, reply.body], [400, { code: 50035, message, errors }])
    const { id } = (await post({ content: 'first' })).body
    for (const target of [`${path}/messages/${id}`, path]) {
      const edited = await anonymous.send(target, {
        method: 'PATCH',
        headers: { 'content-type': form },
        body: JSON.stringify({ content: 'second', name: 'second' }),
      })
      assert.deepEqual([edited.status, edited.body.message], [400, message])
    }
    assert.deepEqual(await listContents(), ['first'])
  },
)

eachWebhook(
  'a body for another route of the webhook names that route (webhooks/other-format)',
  async ({ postRaw, anonymous, path, owner, general, webhook }) => {
    const slackForm = await postRaw(new URLSearchParams({ payload: '{"text":"hi"}' }).toString(), form)
    assert.equal(slackForm.status, 400)
    assert.match(slackForm.body.message, /add \/slack to the webhook URL/)
    const github = await anonymous.json('POST', path, { zen: 'x' }, { 'x-github-event': 'ping' })
    assert.deepEqual([github.status, github.body.code], [400, 50006])
    assert.match(github.body.message, /add \/github to the webhook URL/)
    for (const body of [{ content: 'hi' }, { embeds: [{ title: 'hi' }] }]) {
      const slack = await postRaw(JSON.stringify(body), json, '/slack')
      const hint = "this body has Discord's format: remove /slack from the webhook URL"
      assert.deepEqual([slack.status, slack.text], [400, `no_text: ${hint}`])
      const { body: log } = await owner.client.get(
        `/api/channels/${general.id}/webhooks/${webhook.id}/deliveries`,
      )
      assert.ok(log[0].reason.endsWith(hint), log[0].reason)
    }
    const ping = await anonymous.json('POST', `${path}/slack`, { zen: 'x' }, { 'x-github-event': 'ping' })
    assert.match(ping.text, /^no_text: .*replace \/slack with \/github in the webhook URL$/)
    const [event] = await owner.client.call('listDeliveries', { channelId: general.id, id: webhook.id })
    assert.match(event?.reason ?? '', /GitHub's format: replace \/slack with \/github in the webhook URL/)
    for (const [body, hint] of [
      [{ content: 'hi' }, /Discord's format, remove \/github from the webhook URL/],
      [{ attachments: [{ text: 'hi' }] }, /Slack's format, replace \/github with \/slack in the webhook URL/],
      [{ zen: 'x' }, /^The header X-GitHub-Event is required\.$/],
    ] as const) {
      const reply = await postRaw(JSON.stringify(body), json, '/github')
      assert.equal(reply.status, 400)
      assert.match(reply.body.errors['X-GitHub-Event']._errors[0].message, hint)
    }
  },
)
