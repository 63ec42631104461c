import assert from 'node:assert/strict'
import test from 'node:test'
import type { Option } from '@gatehouse/protocol/commands'
import { faultsByOption, problemSoFar, readCommand, readOption, shownOptions } from './option-values.ts'

const option = (changes: Partial<Option>): Option => ({
  type: 'string',
  name: 'o',
  description: 'd',
  ...changes,
})

test('an empty entry is a problem only where the option is required', () => {
  assert.deepEqual(readOption(option({ required: true }), { text: '  ' }), {
    problem: { key: 'command.missing' },
  })
  assert.deepEqual(readOption(option({}), undefined), { value: undefined })
})

test('whole numbers keep to their bounds and are whole', () => {
  const sides = option({ type: 'integer', min: 2, max: 100 })
  assert.deepEqual(readOption(sides, { text: ' 20 ' }), { value: 20 })
  assert.deepEqual(readOption(sides, { text: '1' }), { problem: { key: 'command.min', min: 2 } })
  assert.deepEqual(readOption(sides, { text: '101' }), { problem: { key: 'command.max', max: 100 } })
  assert.deepEqual(readOption(sides, { text: '2.5' }), { problem: { key: 'command.notInteger' } })
  assert.deepEqual(readOption(option({ type: 'integer' }), { text: '9007199254740992' }), {
    problem: { key: 'command.notInteger' },
  })
})

test('numbers are written with a point or a comma, and nothing else is a number', () => {
  const price = option({ type: 'number' })
  assert.deepEqual(readOption(price, { text: '1.5' }), { value: 1.5 })
  assert.deepEqual(readOption(price, { text: '-0,25' }), { value: -0.25 })
  for (const text of ['', 'x', '1e5', '0x10', 'Infinity', 'NaN', '1.2.3', '١']) {
    const read = readOption(option({ type: 'number', required: true }), { text })
    assert.ok('problem' in read, text)
  }
})

test('a choice is picked or written in full, whatever the case', () => {
  const size = option({ choices: [{ name: 'Large', value: 'l' }] })
  assert.deepEqual(readOption(size, { text: 'large' }), { value: 'l' })
  assert.deepEqual(readOption(size, { text: 'Large', value: 'l' }), { value: 'l' })
  assert.deepEqual(readOption(size, { text: 'larg' }), { problem: { key: 'command.notChoice' } })
})

test('a person, channel, role or yes and no counts only when picked', () => {
  for (const type of ['user', 'channel', 'role', 'boolean'] as const) {
    assert.deepEqual(readOption(option({ type }), { text: 'ann' }), { problem: { key: 'command.notChoice' } })
    assert.deepEqual(readOption(option({ type }), { text: 'ann', value: '12' }), { value: '12' })
  }
  assert.deepEqual(readOption(option({ type: 'boolean' }), { text: 'No', value: false }), { value: false })
})

test('a command sends what was filled and tells each problem', () => {
  const options = [
    option({ name: 'sides', type: 'integer', required: true }),
    option({ name: 'note' }),
    option({ name: 'to', type: 'user' }),
  ]
  assert.deepEqual(readCommand({ options }, { sides: { text: '6' }, note: { text: '' } }), {
    options: [{ name: 'sides', value: 6 }],
    problems: {},
  })
  assert.deepEqual(readCommand({ options }, { to: { text: 'ann' } }).problems, {
    sides: { key: 'command.missing' },
    to: { key: 'command.notChoice' },
  })
})

test('faults of the service stand at their option, by index of what was sent or by name', () => {
  const words = ({ message }: { message: string }) => message
  const sent = [{ name: 'sides' }, { name: 'to' }]
  const fault = (path: string, message: string) => ({ path, code: 'x', message })
  assert.deepEqual(
    faultsByOption(
      [fault('options[1].value', 'not a member'), fault('options.note', 'too long')],
      sent,
      words,
    ),
    { to: 'not a member', note: 'too long' },
  )
  assert.deepEqual(faultsByOption([fault('channelId', 'bad')], sent, words), { '': 'bad' })
})

test('optional fields are shown when asked for', () => {
  const options = [option({ name: 'a', required: true }), option({ name: 'b' }), option({ name: 'c' })]
  assert.deepEqual(
    shownOptions(options, new Set(['c'])).map(({ name }) => name),
    ['a', 'c'],
  )
})

test('while one types, only what more typing cannot mend is said', () => {
  const sides: Option = {
    type: 'integer',
    name: 'sides',
    description: 'd',
    required: true,
    min: 20,
    max: 100,
  }
  const said = (text: string) => problemSoFar(sides, { text })?.key
  assert.equal(said(''), undefined, 'not yet')
  assert.equal(said('2'), undefined, 'on the way to 20')
  assert.equal(said('101'), 'command.max')
  assert.equal(said('-'), undefined)
  assert.equal(said('ten'), 'command.notNumber')
  assert.equal(said('1.5'), 'command.notInteger')
  assert.equal(
    problemSoFar({ ...sides, type: 'user' }, { text: 'an' }),
    undefined,
    'a list is being searched',
  )
})
