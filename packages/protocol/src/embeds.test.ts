import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { checkEmbeds, type EmbedRule } from './embeds.ts'
import { formatPath } from './faults.ts'

/** `path rule` of every fault. */
function faultsOf(value: unknown, options?: { lenient?: boolean; beside?: boolean }): string[] {
  return checkEmbeds(value, options).faults.map(fault => `${formatPath(fault.path)} ${fault.rule}`)
}

/** At its bound a text passes, one character above it does not, whatever the character takes in units. */
function boundary(bound: number, path: string, embed: (text: string) => object): void {
  for (const sign of ['x', '😀']) {
    assert.deepEqual(faultsOf([embed(sign.repeat(bound))]), [], path)
    const { faults, embeds } = checkEmbeds([embed(sign.repeat(bound + 1))])
    assert.deepEqual(embeds, [])
    assert.equal(faults.length, 1)
    assert.deepEqual(
      [formatPath(faults[0]?.path ?? []), faults[0]?.rule, faults[0]?.limit],
      [path, 'too_long', bound],
    )
  }
}

test('an embed with everything comes back whole', () => {
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
  assert.deepEqual(checkEmbeds([embed]), { embeds: [embed], faults: [] })
})

test('no embeds are none', () => {
  for (const value of [undefined, null, []]) assert.deepEqual(checkEmbeds(value), { embeds: [], faults: [] })
})

test('check 33: every text has its bound', () => {
  boundary(256, 'embeds[0].title', title => ({ title }))
  boundary(4096, 'embeds[0].description', description => ({ description }))
  boundary(2048, 'embeds[0].footer.text', text => ({ footer: { text } }))
  boundary(256, 'embeds[0].author.name', name => ({ author: { name } }))
  boundary(256, 'embeds[0].fields[0].name', name => ({ fields: [{ name, value: 'v' }] }))
  boundary(1024, 'embeds[0].fields[0].value', value => ({ fields: [{ name: 'n', value }] }))
})

test('check 33: 25 fields and 10 embeds, and not one more', () => {
  const fields = (count: number) => [
    { fields: Array.from({ length: count }, () => ({ name: 'n', value: 'v' })) },
  ]
  assert.equal(checkEmbeds(fields(25)).embeds[0]?.fields?.length, 25)
  assert.deepEqual(faultsOf(fields(26)), ['embeds[0].fields too_many'])
  const embeds = (count: number) => Array.from({ length: count }, () => ({ title: 't' }))
  assert.equal(checkEmbeds(embeds(10)).embeds.length, 10)
  assert.deepEqual(faultsOf(embeds(11)), ['embeds too_many'])
})

test('check 33: a colour is a whole number from 0 to 16777215', () => {
  for (const color of [0, 1, 16777215]) assert.equal(checkEmbeds([{ color }]).embeds[0]?.color, color)
  for (const color of [-1, 16777216, 1e21])
    assert.deepEqual(faultsOf([{ color }]), ['embeds[0].color out_of_range'])
  for (const color of ['ff0000', 1.5, true, [1], {}, '255', Number.NaN]) {
    assert.deepEqual(faultsOf([{ color }]), ['embeds[0].color invalid_type'])
  }
})

test('a colour may be a decimal string in the lenient dialect alone (D45)', () => {
  assert.equal(checkEmbeds([{ color: '16777215' }], { lenient: true }).embeds[0]?.color, 16777215)
  assert.deepEqual(faultsOf([{ color: '16777216' }], { lenient: true }), ['embeds[0].color out_of_range'])
  assert.deepEqual(faultsOf([{ color: '-1' }], { lenient: true }), ['embeds[0].color out_of_range'])
  for (const color of ['ff0000', '#123456', '1.5', '0x10', '']) {
    assert.deepEqual(faultsOf([{ color }], { lenient: true }), ['embeds[0].color invalid_type'], color)
  }
})

test('check 34: all embeds together have 6000 characters, and one more is a fault of the list', () => {
  const half = { description: 'x'.repeat(3000) }
  assert.deepEqual(faultsOf([half, half]), [])
  const { faults } = checkEmbeds([half, { description: 'x'.repeat(3001) }])
  assert.deepEqual(faults, [
    {
      path: ['embeds'],
      rule: 'total_too_long',
      message: 'must have at most 6000 characters over all embeds',
      limit: 6000,
    },
  ])
})

test('check 34: every text counts into the 6000 in code points, URLs do not (D45)', () => {
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
  assert.deepEqual(faultsOf([embed('v'.repeat(200))]), [])
  assert.deepEqual(faultsOf([embed('v'.repeat(201))]), ['embeds total_too_long'])
})

test('check 35: texts are trimmed before they are counted', () => {
  const { embeds } = checkEmbeds([{ title: `${'x'.repeat(256)}${' '.repeat(20)}` }])
  assert.equal(embeds[0]?.title, 'x'.repeat(256))
})

test('check 36: a timestamp is a real moment in ISO 8601, or absent', () => {
  const moment = checkEmbeds([{ timestamp: '2024-02-29T12:00:00+01:00' }]).embeds[0]?.timestamp
  assert.equal(moment, '2024-02-29T11:00:00.000Z')
  for (const timestamp of ['2024-02-30T00:00:00Z', 1700000000, '275761-01-01T00:00:00Z', 'soon', true, {}]) {
    assert.deepEqual(faultsOf([{ timestamp }]), ['embeds[0].timestamp invalid_timestamp'])
  }
  for (const timestamp of ['', ' ', null]) {
    assert.deepEqual(checkEmbeds([{ title: 't', timestamp }]).embeds, [{ title: 't' }])
  }
})

test('check 32: an embed with nothing in it is refused at its index', () => {
  const nothing = [
    {},
    { title: '' },
    { title: ' ', url: '', fields: [], footer: {}, image: { url: '' } },
    { x: 1 },
  ]
  for (const embed of nothing) {
    assert.deepEqual(faultsOf([{ title: 't' }, embed]), ['embeds[1] empty'])
    assert.deepEqual(faultsOf([embed], { beside: true }), ['embeds[0] empty'], 'not in the native dialect')
    assert.deepEqual(faultsOf([embed, embed], { lenient: true }), ['embeds[0] empty', 'embeds[1] empty'])
  }
})

test('a card whose members hold nothing is left out beside anything else, in the lenient dialect alone', () => {
  const card = { title: 't' }
  for (const hollow of [{ fields: [] }, { title: '', color: null }, { x: 1 }]) {
    const left = (value: unknown, beside: boolean) => checkEmbeds(value, { lenient: true, beside })
    assert.deepEqual(left([hollow], true), { embeds: [], faults: [] })
    assert.deepEqual(left([hollow, card, hollow], false), { embeds: [card], faults: [] })
    assert.deepEqual(faultsOf([hollow, { title: 5 }], { lenient: true }), [
      'embeds[1].title invalid_type',
      'embeds[0] empty',
    ])
  }
  assert.deepEqual(faultsOf([{}], { lenient: true, beside: true }), ['embeds[0] empty'])
})

test('check 14: a URL of another scheme is refused wherever it stands', () => {
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
      found.faults.map(fault => `${formatPath(fault.path)} ${fault.rule}`),
      [
        'embeds[0].url invalid_url',
        'embeds[0].footer.icon_url invalid_url',
        'embeds[0].image.url invalid_url',
        'embeds[0].thumbnail.url invalid_url',
        'embeds[0].author.url invalid_url',
        'embeds[0].author.icon_url invalid_url',
      ],
    )
    assert.ok(found.faults.every(fault => fault.scheme !== undefined))
  }
})

test('check 15: a host without a dot is accepted', () => {
  assert.equal(checkEmbeds([{ url: 'http://host:8000/x' }]).embeds[0]?.url, 'http://host:8000/x')
})

test('check 16: an empty URL is absent', () => {
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

test('check 42: an attachment is no address of a picture', () => {
  assert.deepEqual(faultsOf([{ image: { url: 'attachment://x.png' } }]), ['embeds[0].image.url invalid_url'])
})

test('check 28: keys that are not known are ignored and never copied', () => {
  const value: unknown = JSON.parse(
    '[{"title":"t","__proto__":{"polluted":1},"type":"rich","author":{"name":"n","__proto__":{"url":"https://x/"}}}]',
  )
  const { embeds, faults } = checkEmbeds(value)
  assert.deepEqual(faults, [])
  assert.deepEqual(embeds, [{ title: 't', author: { name: 'n' } }])
  const [embed] = embeds
  assert.ok(embed)
  assert.equal(Object.getPrototypeOf(embed), Object.prototype)
  assert.equal('polluted' in embed, false)
})

test('check 30: U+0000 and lone surrogates are refused in every text', () => {
  for (const bad of ['a\u0000', '\ud800']) {
    const embed = {
      title: bad,
      description: bad,
      footer: { text: bad },
      author: { name: bad },
      fields: [{ name: bad, value: bad }],
    }
    assert.deepEqual(faultsOf([embed]), [
      'embeds[0].title invalid_text',
      'embeds[0].description invalid_text',
      'embeds[0].footer.text invalid_text',
      'embeds[0].author.name invalid_text',
      'embeds[0].fields[0].name invalid_text',
      'embeds[0].fields[0].value invalid_text',
    ])
  }
})

test('a field needs a name and a value; a footer and an author need their text beside anything else', () => {
  assert.deepEqual(faultsOf([{ fields: [{}, { name: 'n', value: ' ' }] }]), [
    'embeds[0].fields[0].name required',
    'embeds[0].fields[0].value required',
    'embeds[0].fields[1].value required',
  ])
  assert.deepEqual(
    faultsOf([{ fields: [{}, { name: 'n' }, { name: ' ', value: null }] }], { lenient: true }),
    [
      'embeds[0].fields[0].name required',
      'embeds[0].fields[0].value required',
      'embeds[0].fields[1].value required',
      'embeds[0].fields[2].value required',
    ],
  )
  const free = { name: '', value: '', inline: true }
  assert.deepEqual(checkEmbeds([{ fields: [free] }], { lenient: true }).embeds, [{ fields: [free] }])
  const icon_url = 'https://example.com/i.png'
  assert.deepEqual(faultsOf([{ footer: { icon_url }, author: { icon_url } }]), [
    'embeds[0].footer.text required',
    'embeds[0].author.name required',
  ])
})

test('what has another type than it should is refused, all of it at once', () => {
  assert.deepEqual(faultsOf('x'), ['embeds invalid_type'])
  assert.deepEqual(faultsOf({}), ['embeds invalid_type'])
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
  assert.deepEqual(faultsOf([null, 5, wrong, { fields: [5, { name: 'n', value: 5, inline: 'true' }] }]), [
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

test('whatever the value, the check ends without throwing, and what passed passes again unchanged', () => {
  const rules: EmbedRule[] = []
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
      const { embeds, faults } = checkEmbeds(value)
      rules.push(...faults.map(fault => fault.rule))
      if (faults.length > 0) return assert.deepEqual(embeds, [])
      passed++
      assert.deepEqual(checkEmbeds(embeds), { embeds, faults: [] })
    }),
    { numRuns: 300 },
  )
  assert.ok(passed > 0 && rules.length > 0)
})
