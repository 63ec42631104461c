import fc from 'fast-check'
import { sentRequests } from './sent-requests.fixture.ts'

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
/** A JSON object with known members and unexpected values. */
export const object = fc.dictionary(fc.constantFrom(...names), value, { maxKeys: 10 })
const bytes = fc.uint8Array({ maxLength: 400 }).map(array => Buffer.from(array))
const multipartPieces = fc
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

/** A request body, from almost valid to random bytes. */
export const body = fc.oneof(
  { weight: 6, arbitrary: object.map(json => Buffer.from(JSON.stringify(json))) },
  { weight: 1, arbitrary: fc.json().map(json => Buffer.from(json)) },
  { weight: 1, arbitrary: bytes },
  { weight: 1, arbitrary: multipartPieces },
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
export const contentType = fc.constantFrom(
  'application/json',
  'application/json',
  'application/x-www-form-urlencoded',
  'multipart/form-data; boundary=xx',
  'text/plain',
)

/** A request of another program with some bytes changed, removed, duplicated or truncated. */
export const damagedRequest = fc
  .tuple(
    fc.constantFrom(...sentRequests),
    fc.array(
      fc.record({
        how: fc.constantFrom('change', 'remove', 'duplicate', 'truncate'),
        at: fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }),
        byte: fc.integer({ min: 0, max: 255 }),
        length: fc.integer({ min: 1, max: 40 }),
      }),
      { minLength: 1, maxLength: 4 },
    ),
  )
  .map(([{ suffix, contentType: type, body: text }, damages]) => {
    let bytes = Buffer.from(text)
    for (const { how, at, byte, length } of damages) {
      const from = Math.floor(at * bytes.length)
      const [head, piece, tail] = [
        bytes.subarray(0, from),
        bytes.subarray(from, from + length),
        bytes.subarray(from + length),
      ]
      if (how === 'change') bytes = Buffer.concat([head, Buffer.from([byte]), bytes.subarray(from + 1)])
      else if (how === 'remove') bytes = Buffer.concat([head, tail])
      else if (how === 'duplicate') bytes = Buffer.concat([head, piece, piece, tail])
      else bytes = Buffer.from(head)
    }
    return { suffix, type, body: bytes }
  })
