import assert from 'node:assert/strict'
import fc from 'fast-check'
import { eachOutside } from './testing.ts'

const text = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 300 }),
  fc.constantFrom(
    '',
    ' ',
    '\u0000',
    '\ud800',
    '@everyone',
    '<@1234567890123456789>',
    'https://a.example',
    'javascript:1',
    'x'.repeat(2001),
    '2024-02-30',
  ),
)
const names = [
  'content',
  'username',
  'avatar_url',
  'embeds',
  'allowed_mentions',
  'attachments',
  'payload_json',
  'payload',
  'text',
  'blocks',
  'fields',
  'title',
  'url',
  'color',
  'ts',
  'timestamp',
  'parse',
  'users',
  'roles',
  'author',
  'name',
  'value',
  'footer',
  'type',
  'elements',
  'accessory',
  'image_url',
  '__proto__',
  'constructor',
  'toString',
  'length',
]
const { value } = fc.letrec(tie => ({
  value: fc.oneof(
    { depthSize: 'medium' },
    text,
    fc.constantFrom(null, true, 0, -1, 1.5, 1e308, 16777216),
    fc.array(tie('value'), { maxLength: 12 }),
    fc.dictionary(fc.constantFrom(...names), tie('value'), { maxKeys: 8 }),
  ),
}))
const object = fc.dictionary(fc.constantFrom(...names), value, { maxKeys: 10 })
const bytes = fc.uint8Array({ maxLength: 400 }).map(array => Buffer.from(array))
const pieces = fc
  .array(
    fc.constantFrom(
      '--xx',
      '\r\n',
      '\r\n\r\n',
      '--',
      'Content-Disposition: form-data; name="payload_json"',
      '; filename="a"',
      '{"content":"x"}',
      '{',
      '\0',
    ),
    { maxLength: 20 },
  )
  .map(parts => Buffer.from(parts.join('')))

const body = fc.oneof(
  { weight: 6, arbitrary: object.map(json => Buffer.from(JSON.stringify(json))) },
  { weight: 1, arbitrary: fc.json().map(json => Buffer.from(json)) },
  { weight: 1, arbitrary: bytes },
  { weight: 1, arbitrary: pieces },
  {
    weight: 1,
    arbitrary: object.map(json => Buffer.from(`payload_json=${encodeURIComponent(JSON.stringify(json))}`)),
  },
  {
    weight: 1,
    arbitrary: object.map(json => Buffer.from(`payload=${encodeURIComponent(JSON.stringify(json))}`)),
  },
  {
    weight: 1,
    arbitrary: fc
      .integer({ min: 30, max: 6000 })
      .map(depth => Buffer.from(`{"content":"x","embeds":${'['.repeat(depth)}${']'.repeat(depth)}}`)),
  },
)
const type = fc.constantFrom(
  'application/json',
  'application/json',
  'application/x-www-form-urlencoded',
  'multipart/form-data; boundary=xx',
  'text/plain',
)
const suffix = fc.constantFrom('', '?wait=true', '/slack', '/github')
const event = fc.constantFrom('push', 'issues', 'pull_request', 'gollum', 'release')

eachOutside(
  'no body, however wrong, is our fault, and what was refused is nowhere',
  async ({ program, path, service }) => {
    let taken = 0
    const seen = new Set<number>()
    const options = { seed: 20_260_115, numRuns: 600 }
    const checked = fc.asyncProperty(suffix, type, event, body, async (route, contentType, name, sent) => {
      const reply = await program.send(`${path}${route}`, {
        method: 'POST',
        headers: { 'content-type': contentType, 'x-github-event': name },
        body: sent,
      })
      seen.add(reply.status)
      assert.ok([200, 204, 400].includes(reply.status), `${reply.status} ${reply.text}`)
      const count = await service.db.get<{ count: number }>`SELECT COUNT(*) AS count FROM messages`
      if (reply.status === 200 || (reply.status === 204 && route === '')) taken++
      else if (reply.status === 204) taken = count?.count ?? taken
      assert.equal(count?.count, taken)
    })
    await fc.assert(checked, options)
    assert.deepEqual([...seen].sort(), [200, 204, 400])
    assert.equal(
      service.log.some(line => line.includes('"level":50')),
      false,
    )
  },
)
