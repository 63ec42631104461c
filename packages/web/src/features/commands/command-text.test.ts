import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Option } from '@gatehouse/protocol/commands'
import fc from 'fast-check'
import type { Candidate } from './candidates.ts'
import {
  formatCommand,
  type GetCandidates,
  parseComposedText,
  parseOptions,
  splitFieldText,
} from './command-text.ts'

const option = (name: string, type: Option['type'] = 'string', changes: Partial<Option> = {}): Option => ({
  type,
  name,
  description: 'd',
  ...changes,
})

const sides = option('sides', 'integer', { required: true, min: 2, max: 100 })
const count = option('count', 'integer')
const note = option('note')
const to = option('to', 'user')
const where = option('where', 'channel')
const role = option('role', 'role')
const whom = option('whom', 'mentionable')
const secret = option('secret', 'boolean')
const size = option('size', 'string', {
  choices: [
    { name: 'Large box', value: 'l' },
    { name: 'Large', value: 's' },
  ],
})

const people: Candidate[] = [
  { value: '1', text: 'Ann Lee', username: 'ann' },
  { value: '2', text: 'ann', username: 'bob' },
  { value: '3', text: 'Twin', username: 'cem' },
  { value: '4', text: 'Twin', username: 'dan' },
]

const roles: Candidate[] = [
  { value: '20', text: '@Big Pilots' },
  { value: '21', text: '@everyone' },
]

const offers: GetCandidates = ({ type, choices }) => {
  if (choices) return choices.map(({ name, value }) => ({ text: name, value }))
  if (type === 'user') return people
  if (type === 'channel') return [{ value: '10', text: '#general' }]
  if (type === 'role') return roles
  if (type === 'mentionable') return [...roles, { value: '22', text: '@Bob' }, ...people]
  if (type !== 'boolean') return undefined
  return [
    { value: true, text: 'Ja', aliases: ['yes', '1'] },
    { value: false, text: 'Nein', aliases: ['no', '0'] },
  ]
}

/** The values, or the texts of those that were not recognised. */
function read(options: readonly Option[], rest: string) {
  const { entries, leftover, next } = parseOptions(options, rest, offers)
  const values = Object.entries(entries).map(([name, { text, value }]) => [name, value ?? text])
  return { ...Object.fromEntries(values), ...(leftover ? { leftover } : {}), next }
}

test('parses a leading slash as a command, two slashes as a text with one, and others as a text', () => {
  const command = (name: string, rest: string, hasSpace: boolean, content: string) => ({
    kind: 'command',
    content,
    name,
    rest,
    hasSpace,
  })
  assert.deepEqual(parseComposedText('hello /roll'), { kind: 'text', content: 'hello /roll' })
  assert.deepEqual(parseComposedText(' hello '), { kind: 'text', content: 'hello' })
  assert.deepEqual(parseComposedText('//roll 20'), { kind: 'literal', content: '/roll 20' })
  assert.deepEqual(parseComposedText('///x'), { kind: 'literal', content: '//x' })
  assert.deepEqual(parseComposedText('/'), command('', '', false, '/'))
  assert.deepEqual(parseComposedText('/Roll'), command('roll', '', false, '/Roll'))
  assert.deepEqual(parseComposedText('/roll '), command('roll', '', true, '/roll'))
  assert.deepEqual(parseComposedText('/roll 20 2'), command('roll', '20 2', true, '/roll 20 2'))
  assert.deepEqual(parseComposedText('/etc/passwd'), command('etc/passwd', '', false, '/etc/passwd'))
  assert.deepEqual(parseComposedText('\n /roll\n20\n2'), command('roll', '20\n2', true, '/roll\n20\n2'))
})

test('never parses a text with a leading slash as plain text', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme' }), fc.constantFrom('', ' ', '\n', '\t '), (text, space) => {
      const { kind, content } = parseComposedText(`${space}/${text}`)
      assert.notEqual(kind, 'text')
      if (kind === 'literal') assert.equal(`/${content}`, `/${text}`.trim())
    }),
  )
})

test('assigns values to the options in their order, or by name', () => {
  const all = [sides, count, note]
  assert.deepEqual(read(all, ''), { next: 'sides' })
  assert.deepEqual(read(all, '20'), { sides: '20', next: 'sides' })
  assert.deepEqual(read(all, '20 '), { sides: '20', next: 'count' })
  assert.deepEqual(read(all, '20 2 for luck  and\nfun'), {
    sides: '20',
    count: '2',
    note: 'for luck  and\nfun',
    next: 'note',
  })
  assert.deepEqual(read(all, 'count:2 20'), { count: '2', sides: '20', next: 'sides' })
  assert.deepEqual(read(all, 'Sides:5000'), { sides: '5000', next: 'sides' })
  assert.deepEqual(read(all, 'sides: 20 count:'), { sides: '20', count: '', next: 'count' })
  assert.deepEqual(read(all, 'note:for luck sides:6'), { note: 'for luck', sides: '6', next: 'sides' })
  assert.deepEqual(read(all, 'note:"for luck" 6'), { note: 'for luck', sides: '6', next: 'sides' })
  assert.deepEqual(read(all, 'six'), { sides: 'six', next: 'sides' })
})

test('returns text that belongs to no option as leftover', () => {
  assert.deepEqual(read([sides, count], '20 2 3 4'), {
    sides: '20',
    count: '2',
    leftover: '3 4',
    next: 'count',
  })
  assert.deepEqual(read([sides], 'sides:2 sides:3'), { sides: '2', leftover: 'sides:3', next: 'sides' })
  assert.deepEqual(read([], 'hello'), { leftover: 'hello', next: undefined })
  assert.deepEqual(read([sides], '2 other:3'), { sides: '2', leftover: 'other:3', next: 'sides' })
})

test('parses values with spaces in quotation marks, and escaped quotation marks', () => {
  const two = [note, option('more')]
  assert.deepEqual(read(two, '"a b" c d'), { note: 'a b', more: 'c d', next: 'more' })
  assert.deepEqual(read(two, String.raw`"say \"hi\" \\" c`), { note: 'say "hi" \\', more: 'c', next: 'more' })
  assert.deepEqual(read(two, '“a b” «c d»'), { note: 'a b', more: 'c d', next: 'more' })
  assert.deepEqual(read(two, '"a b'), { note: '"a', more: 'b', next: 'more' })
  assert.deepEqual(read(two, '"a"b c'), { note: '"a"b', more: 'c', next: 'more' })
  const rest = 'see "a note:x" here'
  assert.deepEqual(read([note], rest), { note: rest, next: 'note' })
})

test('finds users, channels, roles, choices and booleans by their whole text', () => {
  for (const [text, value] of [
    ['@ann', '1'],
    ['ann', '1'],
    ['ANN LEE', '1'],
    ['<@2>', '2'],
    ['<@!2>', '2'],
    ['@dan', '4'],
    ['Twin', 'Twin'],
    ['an', 'an'],
  ] as const) {
    assert.deepEqual(read([to], text), { to: value, next: 'to' }, text)
  }
  assert.deepEqual(read([to, count], 'Ann Lee 3'), { to: '1', count: '3', next: 'count' })
  assert.deepEqual(read([to, count], 'to:"Ann Lee" 3'), { to: '1', count: '3', next: 'count' })
  for (const text of ['#general', 'general', '<#10>'])
    assert.deepEqual(read([where], text), { where: '10', next: 'where' })
  for (const text of ['@Big Pilots', 'big pilots', '<@&20>'])
    assert.deepEqual(read([role], text), { role: '20', next: 'role' })
  assert.deepEqual(read([role], '@everyone'), { role: '21', next: 'role' })
  for (const text of ['ja', 'YES', 'true', '1'])
    assert.deepEqual(read([secret], text), { secret: true, next: 'secret' })
  for (const text of ['Nein', 'no', 'false'])
    assert.deepEqual(read([secret], text), { secret: false, next: 'secret' })
  assert.deepEqual(read([size, note], 'large box please'), { size: 'l', note: 'please', next: 'note' })
  assert.deepEqual(read([size], 'S'), { size: 's', next: 'size' })
  assert.deepEqual(read([size], 'Larg'), { size: 'Larg', next: 'size' })
})

test('splits the text in a field among the other options', () => {
  const all = [sides, count, note, to]
  const typed = (own: Option, text: string, entries = {}) => splitFieldText(all, own, text, entries, offers)
  const values = (own: Option, text: string, entries = {}) => {
    const answer = typed(own, text, entries)
    return (
      answer && {
        ...Object.fromEntries(Object.entries(answer.entries).map(([name, entry]) => [name, entry.text])),
        next: answer.next,
      }
    )
  }
  assert.equal(typed(sides, '20'), undefined)
  assert.deepEqual(values(sides, '20 '), { sides: '20', next: 'count' })
  assert.deepEqual(values(sides, '20 2'), { sides: '20', count: '2', next: 'count' })
  assert.deepEqual(values(sides, 'sides:'), { sides: '', next: 'sides' })
  assert.deepEqual(values(sides, 'sides:5000'), { sides: '5000', next: 'sides' })
  assert.deepEqual(values(sides, 'note:'), { note: '', next: 'note' })
  assert.equal(typed(note, 'for luck and fun'), undefined)
  assert.equal(typed(note, 'see http://a.example'), undefined)
  assert.deepEqual(values(note, 'for luck count:'), { note: 'for luck', count: '', next: 'count' })
  assert.equal(typed(note, 'for luck count:', { count: { text: '3' } }), undefined)
  assert.deepEqual(values(to, '@ann '), { to: 'Ann Lee', next: 'sides' })
  assert.equal(typed(to, 'ann '), undefined, 'it may become Ann Lee')
  assert.equal(typed(to, 'nobody '), undefined)
  assert.equal(splitFieldText([sides], sides, '20 3', {}, offers), undefined, 'nothing is dropped')
})

const value = fc.string({ unit: 'grapheme', minLength: 1, maxLength: 30 }).filter(text => text.trim() !== '')

test('parses a formatted command to the same entries', () => {
  const options = [sides, count, note, option('more'), to, whom, secret, size]
  const texts = fc.record({ sides: value, count: value, note: value, more: value }, { requiredKeys: [] })
  const picks = fc.record(
    {
      to: fc.constantFrom(...people),
      whom: fc.constantFrom(...(offers(whom) ?? [])),
      secret: fc.constantFrom(...(offers(secret) ?? [])),
      size: fc.constantFrom(...(offers(size) ?? [])),
    },
    { requiredKeys: [] },
  )
  fc.assert(
    fc.property(texts, picks, (written, picked) => {
      const entries = Object.fromEntries([
        ...Object.entries(written).map(([name, text]) => [name, { text: text.trim() }]),
        ...Object.entries(picked).map(([name, { text, value }]) => [name, { text, value }]),
      ])
      const text = formatCommand({ name: 'roll', options }, entries, offers)
      const composed = parseComposedText(text)
      assert.ok(composed.kind === 'command' && composed.name === 'roll')
      const again = parseOptions(options, composed.rest, offers)
      assert.equal(again.leftover, '')
      assert.deepEqual(again.entries, { ...entries })
    }),
  )
})

test('a role is formatted with its name, or with the id if a member has this name', () => {
  const format = (value: string, text: string) =>
    formatCommand({ name: 'ping', options: [whom] }, { whom: { text, value } }, offers)
  assert.equal(format('20', '@Big Pilots'), '/ping whom:"@Big Pilots"')
  assert.equal(format('22', '@Bob'), '/ping whom:<@&22>')
  assert.equal(format('2', 'ann'), '/ping whom:@bob')
  assert.equal(format('9', 'Eve'), '/ping whom:<@9>')
})

test('a selected member who is not loaded is formatted with the id', () => {
  const entries = { to: { text: 'Eve', value: '9' } }
  assert.equal(formatCommand({ name: 'ban', options: [to] }, entries, offers), '/ban to:<@9>')
})

test('never loses text', () => {
  const all = [sides, note, to, secret]
  const part = fc.oneof(
    value,
    fc.constantFrom(
      'note:',
      'sides:',
      'sides:2',
      '"',
      '\\',
      '"a b"',
      '“',
      '@ann',
      'Ann',
      'Lee',
      'yes',
      ' ',
      '\n',
    ),
  )
  const letters = (text: string) => text.toLowerCase().replaceAll(/[^\p{L}\p{N}]/gu, '')
  fc.assert(
    fc.property(fc.array(part, { maxLength: 8 }), parts => {
      const rest = parts.join(' ')
      const { entries, leftover } = parseOptions(all, rest, option =>
        option.type === 'string' ? undefined : [],
      )
      const kept = Object.values(entries)
        .map(({ text }) => text)
        .concat(leftover)
      const count = (text: string) => [...letters(text)].length
      const names = [...rest.matchAll(/(?:note|sides|to|secret):/giu)].map(([name]) => name)
      assert.ok(count(kept.join('')) >= count(rest) - count(names.join('')), JSON.stringify({ rest, kept }))
    }),
  )
})

test('a number with suggestions takes a text with spaces, up to the name of another option', () => {
  const year = option('year', 'integer', { autocomplete: true })
  const split = (text: string) => splitFieldText([year, count, note], year, text, {}, offers)
  assert.equal(split('Green Day'), undefined)
  assert.equal(split('10 '), undefined)
  assert.equal(split('10 minutes'), undefined)
  assert.deepEqual(split('1994 note:why')?.entries, { year: { text: '1994' }, note: { text: 'why' } })
  assert.deepEqual(split('10 minutes note:why')?.entries, {
    year: { text: '10 minutes' },
    note: { text: 'why' },
  })
})

test('formats a suggestion of the bot as its value, because the text is parsed without the bot', () => {
  const song = option('song', 'string', { autocomplete: true })
  const entries = { song: { text: 'Moscow', value: 'track 7' } }
  const text = formatCommand({ name: 'find', options: [song] }, entries, offers)
  assert.equal(text, '/find song:"track 7"')
  assert.deepEqual(read([song], 'song:"track 7"'), { song: 'track 7', next: 'song' })
  assert.equal(
    formatCommand({ name: 'find', options: [song] }, { song: { text: 'Moscow' } }, offers),
    '/find song:Moscow',
  )
})
