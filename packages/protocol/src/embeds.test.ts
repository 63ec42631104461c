import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { checkEmbeds } from './embeds.ts'
import { formatPath } from './field-errors.ts'

/** `path rule` of every field error. */
function violationsOf(value: unknown, options?: { lenient?: boolean; hasContent?: boolean }): string[] {
  return checkEmbeds(value, options).violations.map(
    violation => `${formatPath(violation.path)} ${violation.code}`,
  )
}

/** Asserts that the maximum length counts code points, not UTF-16 code units. */
function assertMaxLength(bound: number, path: string, embed: (text: string) => object): void {
  for (const sign of ['x', '😀']) {
    assert.deepEqual(violationsOf([embed(sign.repeat(bound))]), [], path)
    const { violations, embeds } = checkEmbeds([embed(sign.repeat(bound + 1))])
    assert.deepEqual(embeds, [])
    assert.equal(violations.length, 1)
    assert.deepEqual(
      [formatPath(violations[0]?.path ?? []), violations[0]?.code, violations[0]?.max],
      [path, 'too_long', bound],
    )
  }
}

test('returns an embed with all members unchanged', () => {
  const embed = {
    title: 'Title',
    description: 'Text',
    url: 'https://example.com/',
    timestamp: '2024-02-29T12:00:00.000Z',
    color: 16777215,
    footer: { text: 'Foot', icon_url: 'https://example.com/f.png' },
    image: { url: 'https://example.com/i.png' },
    thumbnail: { url: 'http://host:8000/t.png' },
    author: { name: 'Who', url: 'https://example.com/who', icon_url: 'https://example.com/w.png' },
    fields: [
      { name: 'a', value: 'b', inline: true },
      { name: '\u200b', value: '\u200b', inline: false },
    ],
  }
  assert.deepEqual(checkEmbeds([embed]), { embeds: [embed], violations: [] })
})

test('absent, null and empty embeds are an empty list', () => {
  for (const value of [undefined, null, []])
    assert.deepEqual(checkEmbeds(value), { embeds: [], violations: [] })
})

test('webhooks/embed-limits: every text has a maximum length', () => {
  assertMaxLength(256, 'embeds[0].title', title => ({ title }))
  assertMaxLength(4096, 'embeds[0].description', description => ({ description }))
  assertMaxLength(2048, 'embeds[0].footer.text', text => ({ footer: { text } }))
  assertMaxLength(256, 'embeds[0].author.name', name => ({ author: { name } }))
  assertMaxLength(256, 'embeds[0].fields[0].name', name => ({ fields: [{ name, value: 'v' }] }))
  assertMaxLength(1024, 'embeds[0].fields[0].value', value => ({ fields: [{ name: 'n', value }] }))
})

test('webhooks/embed-limits: accepts at most 25 fields and 10 embeds', () => {
  const fields = (count: number) => [
    { fields: Array.from({ length: count }, () => ({ name: 'n', value: 'v' })) },
  ]
  assert.equal(checkEmbeds(fields(25)).embeds[0]?.fields?.length, 25)
  assert.deepEqual(violationsOf(fields(26)), ['embeds[0].fields too_many'])
  const embeds = (count: number) => Array.from({ length: count }, () => ({ title: 't' }))
  assert.equal(checkEmbeds(embeds(10)).embeds.length, 10)
  assert.deepEqual(violationsOf(embeds(11)), ['embeds too_many'])
})

test('webhooks/embed-limits: a colour is an integer from 0 to 16777215', () => {
  for (const color of [0, 1, 16777215]) assert.equal(checkEmbeds([{ color }]).embeds[0]?.color, color)
  for (const color of [-1, 16777216, 1e21])
    assert.deepEqual(violationsOf([{ color }]), ['embeds[0].color out_of_range'])
  for (const color of ['ff0000', 1.5, true, [1], {}, '255', Number.NaN]) {
    assert.deepEqual(violationsOf([{ color }]), ['embeds[0].color invalid_type'])
  }
})

test('only lenient validation accepts a colour as a decimal string (webhooks/bodies)', () => {
  assert.equal(checkEmbeds([{ color: '16777215' }], { lenient: true }).embeds[0]?.color, 16777215)
  assert.deepEqual(violationsOf([{ color: '16777216' }], { lenient: true }), ['embeds[0].color out_of_range'])
  assert.deepEqual(violationsOf([{ color: '-1' }], { lenient: true }), ['embeds[0].color out_of_range'])
  for (const color of ['ff0000', '#123456', '1.5', '0x10', '']) {
    assert.deepEqual(violationsOf([{ color }], { lenient: true }), ['embeds[0].color invalid_type'], color)
  }
})

test('webhooks/embed-total: all embeds have at most 6000 characters; the error has the path of the list', () => {
  const half = { description: 'x'.repeat(3000) }
  assert.deepEqual(violationsOf([half, half]), [])
  const { violations } = checkEmbeds([half, { description: 'x'.repeat(3001) }])
  assert.deepEqual(violations, [
    {
      path: ['embeds'],
      code: 'total_too_long',
      message: 'must have at most 6000 characters over all embeds',
      max: 6000,
    },
  ])
})

test('webhooks/embed-total: the total of 6000 counts every text in code points, and no URLs (webhooks/bodies)', () => {
  const url = `https://h/${'u'.repeat(2000)}`
  const embed = (last: string) => ({
    title: '😀'.repeat(200),
    description: '😀'.repeat(3000),
    url,
    footer: { text: 'f'.repeat(1000), icon_url: url },
    author: { name: 'a'.repeat(200), url, icon_url: url },
    image: { url },
    thumbnail: { url },
    fields: [
      { name: 'n'.repeat(200), value: 'v'.repeat(1000) },
      { name: 'n'.repeat(200), value: last },
    ],
  })
  assert.deepEqual(violationsOf([embed('v'.repeat(200))]), [])
  assert.deepEqual(violationsOf([embed('v'.repeat(201))]), ['embeds total_too_long'])
})

test('webhooks/trim-before-length: texts are trimmed before they are counted', () => {
  const { embeds } = checkEmbeds([{ title: `${'x'.repeat(256)}${' '.repeat(20)}` }])
  assert.equal(embeds[0]?.title, 'x'.repeat(256))
})

test('webhooks/embed-timestamp: a timestamp is a valid ISO 8601 time or absent', () => {
  const moment = checkEmbeds([{ timestamp: '2024-02-29T12:00:00+01:00' }]).embeds[0]?.timestamp
  assert.equal(moment, '2024-02-29T11:00:00.000Z')
  for (const timestamp of ['2024-02-30T00:00:00Z', 1700000000, '275761-01-01T00:00:00Z', 'soon', true, {}]) {
    assert.deepEqual(violationsOf([{ timestamp }]), ['embeds[0].timestamp invalid_timestamp'])
  }
  for (const timestamp of ['', ' ', null]) {
    assert.deepEqual(checkEmbeds([{ title: 't', timestamp }]).embeds, [{ title: 't' }])
  }
})

test('webhooks/empty-message: an empty embed is rejected at its index', () => {
  const emptyEmbeds = [
    {},
    { title: '' },
    { title: ' ', url: '', fields: [], footer: {}, image: { url: '' } },
    { x: 1 },
  ]
  for (const embed of emptyEmbeds) {
    assert.deepEqual(violationsOf([{ title: 't' }, embed]), ['embeds[1] empty'])
    assert.deepEqual(
      violationsOf([embed], { hasContent: true }),
      ['embeds[0] empty'],
      'not in the native API',
    )
    assert.deepEqual(violationsOf([embed, embed], { lenient: true }), ['embeds[0] empty', 'embeds[1] empty'])
  }
})

test('only lenient validation drops an embed with empty members if the message has other content', () => {
  const embed = { title: 't' }
  for (const empty of [{ fields: [] }, { title: '', color: null }, { x: 1 }]) {
    const check = (value: unknown, hasContent: boolean) => checkEmbeds(value, { lenient: true, hasContent })
    assert.deepEqual(check([empty], true), { embeds: [], violations: [] })
    assert.deepEqual(check([empty, embed, empty], false), { embeds: [embed], violations: [] })
    assert.deepEqual(violationsOf([empty, { title: [5] }], { lenient: true }), [
      'embeds[1].title invalid_type',
      'embeds[0] empty',
    ])
  }
  assert.deepEqual(violationsOf([{}], { lenient: true, hasContent: true }), ['embeds[0] empty'])
})

test('webhooks/url-schemes: a URL with another scheme is rejected in every member', () => {
  for (const url of [
    'javascript:alert(1)',
    'java\tscript:x',
    ' javascript:x',
    'data:text/html,x',
    'file:///x',
  ]) {
    const found = checkEmbeds([
      {
        url,
        author: { name: 'n', url, icon_url: url },
        footer: { text: 't', icon_url: url },
        image: { url },
        thumbnail: { url },
      },
    ])
    assert.deepEqual(
      found.violations.map(violation => `${formatPath(violation.path)} ${violation.code}`),
      [
        'embeds[0].url invalid_url',
        'embeds[0].footer.icon_url invalid_url',
        'embeds[0].image.url invalid_url',
        'embeds[0].thumbnail.url invalid_url',
        'embeds[0].author.url invalid_url',
        'embeds[0].author.icon_url invalid_url',
      ],
    )
    assert.ok(found.violations.every(violation => violation.scheme !== undefined))
  }
})

test('webhooks/url-host: a host without a dot is accepted', () => {
  assert.equal(checkEmbeds([{ url: 'http://host:8000/x' }]).embeds[0]?.url, 'http://host:8000/x')
})

test('webhooks/url-empty: an empty URL is absent', () => {
  const empty = {
    title: 't',
    url: '',
    image: { url: '' },
    thumbnail: { url: null },
    footer: { text: '', icon_url: '' },
  }
  assert.deepEqual(checkEmbeds([empty]).embeds, [{ title: 't' }])
  assert.deepEqual(checkEmbeds([{ author: { name: 'n', url: '' } }]).embeds, [{ author: { name: 'n' } }])
})

test('webhooks/attachment-url: an attachment URL is rejected as an image', () => {
  assert.deepEqual(violationsOf([{ image: { url: 'attachment://x.png' } }]), [
    'embeds[0].image.url invalid_url',
  ])
})

test('webhooks/prototype-keys: unknown members are ignored and never copied', () => {
  const value: unknown = JSON.parse(
    '[{"title":"t","__proto__":{"polluted":1},"type":"rich","author":{"name":"n","__proto__":{"url":"https://x/"}}}]',
  )
  const { embeds, violations } = checkEmbeds(value)
  assert.deepEqual(violations, [])
  assert.deepEqual(embeds, [{ title: 't', author: { name: 'n' } }])
  const [embed] = embeds
  assert.ok(embed)
  assert.equal(Object.getPrototypeOf(embed), Object.prototype)
  assert.equal('polluted' in embed, false)
})

test('webhooks/text-characters: U+0000 and lone surrogates are rejected in every text', () => {
  for (const bad of ['a\u0000', '\ud800']) {
    const embed = {
      title: bad,
      description: bad,
      footer: { text: bad },
      author: { name: bad },
      fields: [{ name: bad, value: bad }],
    }
    assert.deepEqual(violationsOf([embed]), [
      'embeds[0].title invalid_text',
      'embeds[0].description invalid_text',
      'embeds[0].footer.text invalid_text',
      'embeds[0].author.name invalid_text',
      'embeds[0].fields[0].name invalid_text',
      'embeds[0].fields[0].value invalid_text',
    ])
  }
})

test('a field requires a name and a value, which may be empty; a footer and an author require their text', () => {
  assert.deepEqual(violationsOf([{ fields: [{}, { name: 'n', value: ' ' }] }]), [
    'embeds[0].fields[0].name required',
    'embeds[0].fields[0].value required',
  ])
  assert.deepEqual(
    violationsOf([{ fields: [{}, { name: 'n' }, { name: ' ', value: null }] }], { lenient: true }),
    [
      'embeds[0].fields[0].name required',
      'embeds[0].fields[0].value required',
      'embeds[0].fields[1].value required',
      'embeds[0].fields[2].value required',
    ],
  )
  const free = { name: '', value: '', inline: true }
  for (const lenient of [true, false]) {
    assert.deepEqual(checkEmbeds([{ fields: [free] }], { lenient }).embeds, [{ fields: [free] }])
  }
  const icon_url = 'https://example.com/i.png'
  assert.deepEqual(violationsOf([{ footer: { icon_url }, author: { icon_url } }]), [
    'embeds[0].footer.text required',
    'embeds[0].author.name required',
  ])
})

test('returns a field error for every value of the wrong type', () => {
  assert.deepEqual(violationsOf('x'), ['embeds invalid_type'])
  assert.deepEqual(violationsOf({}), ['embeds invalid_type'])
  const wrong = {
    title: 5,
    description: {},
    url: 5,
    color: 'red',
    footer: 'x',
    image: 'https://example.com/',
    thumbnail: [],
    author: 5,
    fields: {},
  }
  assert.deepEqual(violationsOf([null, 5, wrong, { fields: [5, { name: 'n', value: 5, inline: 'true' }] }]), [
    'embeds[0] invalid_type',
    'embeds[1] invalid_type',
    'embeds[2].title invalid_type',
    'embeds[2].description invalid_type',
    'embeds[2].url invalid_type',
    'embeds[2].color invalid_type',
    'embeds[2].footer invalid_type',
    'embeds[2].image invalid_type',
    'embeds[2].thumbnail invalid_type',
    'embeds[2].author invalid_type',
    'embeds[2].fields invalid_type',
    'embeds[3].fields[0] invalid_type',
    'embeds[3].fields[1].value invalid_type',
    'embeds[3].fields[1].inline invalid_type',
  ])
})

test('never throws, and validating its own result returns the same result', () => {
  const codes: string[] = []
  const text = fc.oneof(
    fc.string(),
    fc.constantFrom('', 'https://example.com/', '2024-01-01', 'x'.repeat(300)),
    fc.jsonValue(),
  )
  const embed = fc.record(
    {
      title: text,
      description: text,
      url: text,
      timestamp: text,
      color: fc.oneof(fc.nat(), fc.jsonValue()),
      footer: fc.oneof(fc.record({ text, icon_url: text }, { requiredKeys: [] }), fc.jsonValue()),
      author: fc.oneof(fc.record({ name: text, url: text }, { requiredKeys: [] }), fc.jsonValue()),
      image: fc.oneof(fc.record({ url: text }), fc.jsonValue()),
      fields: fc.oneof(fc.array(fc.record({ name: text, value: text })), fc.jsonValue()),
    },
    { requiredKeys: [] },
  )
  let passed = 0
  fc.assert(
    fc.property(fc.oneof(fc.array(embed, { maxLength: 12 }), fc.jsonValue()), value => {
      const { embeds, violations } = checkEmbeds(value)
      codes.push(...violations.map(violation => violation.code))
      if (violations.length > 0) return assert.deepEqual(embeds, [])
      passed++
      assert.deepEqual(checkEmbeds(embeds), { embeds, violations: [] })
    }),
    { numRuns: 300 },
  )
  assert.ok(passed > 0 && codes.length > 0)
})
