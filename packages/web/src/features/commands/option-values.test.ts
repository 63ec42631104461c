import assert from 'node:assert/strict'
import test from 'node:test'
import type { Option } from '@gatehouse/protocol/commands'
import {
  fieldErrorsByOption,
  findProblemWhileTyping,
  listShownOptions,
  parseCommand,
  parseOption,
} from './option-values.ts'

const option = (changes: Partial<Option>): Option => ({
  type: 'string',
  name: 'o',
  description: 'd',
  ...changes,
})

test('an empty entry is a problem only if the option is required', () => {
  assert.deepEqual(parseOption(option({ required: true }), { text: '  ' }), {
    problem: { key: 'command.missing' },
  })
  assert.deepEqual(parseOption(option({}), undefined), { value: undefined })
})

test('an integer must be an integer within its bounds', () => {
  const sides = option({ type: 'integer', min: 2, max: 100 })
  assert.deepEqual(parseOption(sides, { text: ' 20 ' }), { value: 20 })
  assert.deepEqual(parseOption(sides, { text: '1' }), { problem: { key: 'command.min', min: 2 } })
  assert.deepEqual(parseOption(sides, { text: '101' }), { problem: { key: 'command.max', max: 100 } })
  assert.deepEqual(parseOption(sides, { text: '2.5' }), { problem: { key: 'command.notInteger' } })
  assert.deepEqual(parseOption(option({ type: 'integer' }), { text: '9007199254740992' }), {
    problem: { key: 'command.notInteger' },
  })
})

test('a value that a bot suggested must be within the bounds too (bots/option-bounds)', () => {
  const sides = option({ type: 'integer', min: 0.5, max: 100, autocomplete: true })
  assert.deepEqual(parseOption(sides, { text: 'Few', value: 1 }), { value: 1 })
  assert.deepEqual(parseOption(sides, { text: 'None', value: 0 }), {
    problem: { key: 'command.min', min: 0.5 },
  })
  const note = option({ minLength: 3, autocomplete: true })
  assert.deepEqual(parseOption(note, { text: 'x', value: ' ab ' }), {
    problem: { key: 'command.tooShort', min: 3 },
  })
  assert.deepEqual(parseOption(note, { text: 'x', value: ' abc ' }), { value: ' abc ' })
})

test('a number may have a decimal point or a decimal comma', () => {
  const price = option({ type: 'number' })
  assert.deepEqual(parseOption(price, { text: '1.5' }), { value: 1.5 })
  assert.deepEqual(parseOption(price, { text: '-0,25' }), { value: -0.25 })
  for (const text of ['', 'x', '1e5', '0x10', 'Infinity', 'NaN', '1.2.3', '١']) {
    const read = parseOption(option({ type: 'number', required: true }), { text })
    assert.ok('problem' in read, text)
  }
})

test('a choice can be selected or typed in full, in any case', () => {
  const size = option({ choices: [{ name: 'Large', value: 'l' }] })
  assert.deepEqual(parseOption(size, { text: 'large' }), { value: 'l' })
  assert.deepEqual(parseOption(size, { text: 'Large', value: 'l' }), { value: 'l' })
  assert.deepEqual(parseOption(size, { text: 'larg' }), { problem: { key: 'command.notChoice' } })
})

test('a user, channel, role, mentionable or boolean must be selected', () => {
  for (const type of ['user', 'channel', 'role', 'mentionable', 'boolean'] as const) {
    assert.deepEqual(parseOption(option({ type }), { text: 'ann' }), {
      problem: { key: 'command.notChoice' },
    })
    assert.deepEqual(parseOption(option({ type }), { text: 'ann', value: '12' }), { value: '12' })
  }
  assert.deepEqual(parseOption(option({ type: 'boolean' }), { text: 'No', value: false }), { value: false })
})

test('a parsed command has the filled options and the problem of each other', () => {
  const options = [
    option({ name: 'sides', type: 'integer', required: true }),
    option({ name: 'note' }),
    option({ name: 'to', type: 'user' }),
  ]
  assert.deepEqual(parseCommand({ options }, { sides: { text: '6' }, note: { text: '' } }), {
    options: [{ name: 'sides', value: 6 }],
    problems: {},
  })
  assert.deepEqual(parseCommand({ options }, { to: { text: 'ann' } }).problems, {
    sides: { key: 'command.missing' },
    to: { key: 'command.notChoice' },
  })
})

test('assigns field errors to options, by index of the sent options or by name', () => {
  const words = ({ message }: { message: string }) => message
  const sent = [{ name: 'sides' }, { name: 'to' }]
  const fieldError = (path: string, message: string) => ({ path, code: 'x', message })
  assert.deepEqual(
    fieldErrorsByOption(
      [fieldError('options[1].value', 'not a member'), fieldError('options.note', 'too long')],
      sent,
      words,
    ),
    { to: 'not a member', note: 'too long' },
  )
  assert.deepEqual(fieldErrorsByOption([fieldError('channelId', 'bad')], sent, words), { '': 'bad' })
})

test('optional fields are shown if the user added them', () => {
  const options = [option({ name: 'a', required: true }), option({ name: 'b' }), option({ name: 'c' })]
  assert.deepEqual(
    listShownOptions(options, new Set(['c'])).map(({ name }) => name),
    ['a', 'c'],
  )
})

test('while typing, only problems that more typing cannot solve are shown', () => {
  const sides: Option = {
    type: 'integer',
    name: 'sides',
    description: 'd',
    required: true,
    min: 20,
    max: 100,
  }
  const said = (text: string) => findProblemWhileTyping(sides, { text })?.key
  assert.equal(said(''), undefined, 'not yet')
  assert.equal(said('2'), undefined, 'on the way to 20')
  assert.equal(said('101'), 'command.max')
  assert.equal(said('-'), undefined)
  assert.equal(said('ten'), 'command.notNumber')
  assert.equal(said('1.5'), 'command.notInteger')
  assert.equal(
    findProblemWhileTyping({ ...sides, type: 'user' }, { text: 'an' }),
    undefined,
    'a list is being searched',
  )
  const suggested = (text: string) => findProblemWhileTyping({ ...sides, autocomplete: true }, { text })?.key
  assert.equal(suggested('ten'), undefined, 'the bot may suggest a number')
  assert.equal(suggested('101'), 'command.max')
})
