import assert from 'node:assert/strict'
import { readdir } from 'node:fs/promises'
import { connect } from 'node:net'
import { codeAt, eachOutside, field, multipart } from '../testing.ts'

const json = 'application/json'
const form = 'application/x-www-form-urlencoded'
const mp = 'multipart/form-data; boundary=xx'

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
    const many = await raw(`content=x${'&x=1'.repeat(1000)}`, form)
    assert.equal(many.status, 400)
    assert.deepEqual(many.body, { code: 50035, message: 'The form has more than 1000 fields.' })
    assert.equal((await raw(`content=at+the+bound${'&x=1'.repeat(999)}`, form)).status, 204)
    assert.deepEqual(await contents(), ['hi there', 'from the payload', 'at the bound'])
  },
)

eachOutside(
  'D35, check 41: multipart with payload_json, or with fields; files and broken bodies are 400 and leave nothing',
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
  'D39, check 26: more than 1 MiB is 413 with 40005, of any type; an encoded body is 415 (D45)',
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
  'D39, D45, checks 27 to 30: depth, prototypes, duplicate keys, encodings, U+0000',
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
