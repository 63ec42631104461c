import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { checkCommands } from './commands.ts'
import { formatPath, toFieldFaults } from './faults.ts'

const command = { name: 'roll', description: 'Rolls dice' }
const option = { type: 'string', name: 'what', description: 'What to do' }

function faultsOf(value: unknown): string[] {
  return checkCommands(value).faults.map(fault => `${formatPath(fault.path)} ${fault.rule}`)
}

/** The faults of one option, below its own place. */
function optionFaults(value: object): string[] {
  return faultsOf([{ ...command, options: [{ ...option, ...value }] }]).map(text =>
    text.replace('[0].options[0].', ''),
  )
}

function many<Item>(count: number, make: (index: number) => Item): Item[] {
  return Array.from({ length: count }, (_, index) => make(index))
}

test('a set comes back with names in NFC, descriptions trimmed and left-out options as []', () => {
  const choices = [
    { name: ' One ', value: 1 },
    { name: 'Two', value: -2 },
  ]
  const options = [
    { type: 'integer', name: 'sides', description: 'How many', required: true, min: 2, max: 100 },
    { type: 'integer', name: 'count', description: 'How often', required: false, choices },
    { type: 'number', name: 'rate', description: 'r', min: -0.5, max: 1e300 },
    { type: 'boolean', name: 'loud', description: 'l' },
    { type: 'user', name: 'who', description: 'w' },
    { type: 'channel', name: 'where', description: 'w' },
    { type: 'role', name: 'as', description: 'a' },
  ]
  const set = [
    { name: 'cafe\u0301', description: ' Coffee ' },
    { ...command, options },
  ]
  const [, count, ...others] = options
  assert.ok(count)
  assert.deepEqual(checkCommands(set), {
    commands: [
      { name: 'caf\u00e9', description: 'Coffee', options: [] },
      {
        ...command,
        options: [options[0], { ...count, choices: [{ name: 'One', value: 1 }, choices[1]] }, ...others],
      },
    ],
    faults: [],
    overLimit: false,
  })
})

test('check 52: an empty set is a set', () => {
  assert.deepEqual(checkCommands([]), { commands: [], faults: [], overLimit: false })
})

test('check 51: 100 commands are a set, 101 are over the limit and say nothing else', () => {
  const set = (count: number) => many(count, index => ({ name: `c${index}`, description: 'd' }))
  assert.equal(checkCommands(set(100)).commands.length, 100)
  const over = checkCommands([...set(100), { name: 'NOT A NAME' }])
  assert.equal(over.overLimit, true)
  assert.deepEqual(over.commands, [])
  assert.deepEqual(
    over.faults.map(fault => fault.rule),
    ['too_many'],
  )
})

test('check 51: 25 options and 25 choices, and not one more', () => {
  const options = (count: number) => [
    { ...command, options: many(count, i => ({ ...option, name: `o${i}` })) },
  ]
  assert.deepEqual(faultsOf(options(25)), [])
  assert.deepEqual(faultsOf(options(26)), ['[0].options too_many'])
  const choices = (count: number) => many(count, i => ({ name: `c${i}`, value: `${i}` }))
  assert.deepEqual(optionFaults({ choices: choices(25) }), [])
  assert.deepEqual(optionFaults({ choices: choices(26) }), ['choices too_many'])
})

test('check 51: required options come before optional ones', () => {
  const options = [
    { ...option, name: 'a', required: true },
    { ...option, name: 'b' },
    { ...option, name: 'c', required: true },
    { ...option, name: 'd', required: false },
  ]
  assert.deepEqual(faultsOf([command, { ...command, name: 'two', options }]), [
    '[1].options[2].required wrong_order',
  ])
})

test('check 51: names of options are unique in their command, and free in another', () => {
  const set = [
    { ...command, options: [option, { ...option, name: 'other' }, option] },
    { ...command, name: 'two', options: [option] },
  ]
  assert.deepEqual(faultsOf(set), ['[0].options[2].name duplicate'])
})

test('check 51: a description has 1 to 100 characters', () => {
  for (const sign of ['x', '😀']) {
    assert.deepEqual(faultsOf([{ ...command, description: ` ${sign.repeat(100)} ` }]), [])
    assert.deepEqual(faultsOf([{ ...command, description: sign.repeat(101) }]), ['[0].description too_long'])
    assert.deepEqual(optionFaults({ description: sign.repeat(101) }), ['description too_long'])
  }
  for (const description of ['', ' ', null, undefined]) {
    assert.deepEqual(faultsOf([{ ...command, description }]), ['[0].description required'])
    assert.deepEqual(optionFaults({ description }), ['description required'])
  }
})

test('check 47: a name in NFC and in NFD in one set is a duplicate', () => {
  const set = [
    { ...command, name: 'caf\u00e9' },
    { ...command, name: 'cafe\u0301' },
  ]
  assert.deepEqual(faultsOf(set), ['[1].name duplicate'])
})

test('check 46: the names of commands and options have the same rule', () => {
  for (const name of ['Ping', 'a b', '/a', '😀', 'a\u200d']) {
    assert.deepEqual(faultsOf([{ ...command, name }]), ['[0].name invalid_format'])
    assert.deepEqual(optionFaults({ name }), ['name invalid_format'])
  }
  assert.deepEqual(faultsOf([{ ...command, name: 'x'.repeat(33) }]), ['[0].name too_long'])
  assert.deepEqual(faultsOf([{ description: 'd' }]), ['[0].name required'])
})

test('choices are for string, integer and number', () => {
  for (const type of ['boolean', 'user', 'channel', 'role']) {
    assert.deepEqual(optionFaults({ type, choices: [{ name: 'a', value: 'b' }] }), ['choices not_allowed'])
  }
})

test("a choice's value has the option's type", () => {
  const valueFaults = (type: string, value: unknown) =>
    optionFaults({ type, choices: [{ name: 'a', value }] })
  const wrong = ['choices[0].value invalid_type']
  for (const value of ['', 'x', ' x ', 'x'.repeat(100)]) assert.deepEqual(valueFaults('string', value), [])
  for (const value of [5, true, null, {}]) assert.deepEqual(valueFaults('string', value), wrong)
  assert.deepEqual(valueFaults('string', 'x'.repeat(101)), ['choices[0].value too_long'])
  assert.deepEqual(valueFaults('string', 'a\u0000'), ['choices[0].value invalid_text'])
  assert.deepEqual(valueFaults('string', undefined), ['choices[0].value required'])
  for (const value of [0, -5, Number.MAX_SAFE_INTEGER]) assert.deepEqual(valueFaults('integer', value), [])
  for (const value of [1.5, 2 ** 53, '5', null]) assert.deepEqual(valueFaults('integer', value), wrong)
  for (const value of [0, 1.5, 2 ** 53]) assert.deepEqual(valueFaults('number', value), [])
  for (const value of [JSON.parse('1e999'), '1.5', false])
    assert.deepEqual(valueFaults('number', value), wrong)
})

test("a choice's name has 1 to 100 characters and stands once", () => {
  const named = (...names: unknown[]) => optionFaults({ choices: names.map(name => ({ name, value: 'v' })) })
  assert.deepEqual(named('x'.repeat(100), 'Any Word!'), [])
  assert.deepEqual(named('x'.repeat(101), '', undefined, 5), [
    'choices[0].name too_long',
    'choices[1].name required',
    'choices[2].name required',
    'choices[3].name invalid_type',
  ])
  assert.deepEqual(named('a', 'b', ' a'), ['choices[2].name duplicate'])
})

test('bounds are for integer and number, in order, and not beside choices (D28, D52)', () => {
  for (const type of ['string', 'boolean', 'user', 'channel', 'role']) {
    assert.deepEqual(optionFaults({ type, min: 1, max: 2 }), ['min not_allowed', 'max not_allowed'])
  }
  for (const type of ['integer', 'number']) {
    assert.deepEqual(optionFaults({ type, min: 1, max: 1 }), [])
    assert.deepEqual(optionFaults({ type, min: 2, max: 1 }), ['max out_of_range'])
    assert.deepEqual(optionFaults({ type, min: '1' }), ['min invalid_type'])
    assert.deepEqual(optionFaults({ type, choices: [{ name: 'a', value: 1 }], min: 1, max: 2 }), [
      'min not_allowed',
      'max not_allowed',
    ])
    assert.deepEqual(optionFaults({ type, choices: [], min: 1 }), [])
  }
  assert.deepEqual(optionFaults({ type: 'integer', min: 1.5 }), ['min invalid_type'])
  assert.deepEqual(optionFaults({ type: 'number', min: 1.5 }), [])
})

test('unknown members and types are refused', () => {
  assert.deepEqual(faultsOf([{ ...command, id: '1' }]), ['[0].id unknown_member'])
  assert.deepEqual(optionFaults({ autocomplete: true }), ['autocomplete unknown_member'])
  assert.deepEqual(optionFaults({ choices: [{ name: 'a', value: 'b', x: 1 }] }), [
    'choices[0].x unknown_member',
  ])
  assert.deepEqual(optionFaults({ type: 3 }), ['type invalid_choice'])
  assert.deepEqual(optionFaults({ type: 'toString' }), ['type invalid_choice'])
  assert.deepEqual(optionFaults({ required: 'yes' }), ['required invalid_type'])
})

test('check 28: a member called __proto__ is refused like any other and changes nothing', () => {
  const value: unknown = JSON.parse('[{"name":"a","description":"d","__proto__":{"options":5}}]')
  assert.deepEqual(faultsOf(value), ['[0].__proto__ unknown_member'])
})

test('what has another type than it should is refused', () => {
  assert.deepEqual(faultsOf({}), [' invalid_type'])
  assert.deepEqual(faultsOf(undefined), [' invalid_type'])
  assert.deepEqual(faultsOf([null, 'x', { ...command, options: {} }]), [
    '[0] invalid_type',
    '[1] invalid_type',
    '[2].options invalid_type',
  ])
  assert.deepEqual(faultsOf([{ ...command, options: [5] }]), ['[0].options[0] invalid_type'])
})

test('check 51: a fault deep in a set is named by its path', () => {
  const set = [
    ...many(3, i => ({ ...command, name: `c${i}` })),
    {
      ...command,
      options: [
        { ...option, name: 'a' },
        { ...option, choices: [{ name: 'x', value: 5 }] },
      ],
    },
  ]
  assert.deepEqual(toFieldFaults(checkCommands(set).faults), [
    { path: '[3].options[1].choices[0].value', code: 'invalid_type', message: 'must be a string' },
  ])
})

test('whatever the value, the check ends without throwing, and what passed passes again unchanged', () => {
  const name = fc.constantFrom('a', 'b', 'ж', 'Ping', 'cafe\u0301')
  const text = fc.constantFrom('text', ' text ', '', 'x'.repeat(101))
  const choice = fc.record({ name: text, value: fc.oneof(fc.integer(), fc.string()) })
  const type = fc.constantFrom('string', 'integer', 'number', 'boolean', 'user')
  const anOption = fc.record(
    {
      type,
      name,
      description: text,
      required: fc.boolean(),
      choices: fc.array(choice),
      min: fc.integer(),
      max: fc.double(),
    },
    { requiredKeys: ['type', 'name', 'description'] },
  )
  const aCommand = fc.record(
    { name, description: text, options: fc.array(anOption, { maxLength: 3 }) },
    { requiredKeys: ['name'] },
  )
  let passed = 0
  fc.assert(
    fc.property(fc.oneof(fc.array(aCommand, { maxLength: 3 }), fc.jsonValue()), value => {
      const { commands, faults } = checkCommands(value)
      if (faults.length > 0) return assert.deepEqual(commands, [])
      passed++
      assert.deepEqual(checkCommands(commands).commands, commands)
    }),
    { numRuns: 500 },
  )
  assert.ok(passed > 0)
})
