import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { checkCommands } from './commands.ts'
import { formatPath, toFieldErrors } from './field-errors.ts'

const command = { name: 'roll', description: 'Rolls dice' }
const option = { type: 'string', name: 'what', description: 'What to do' }

function violationsOf(value: unknown): string[] {
  return checkCommands(value).violations.map(violation => `${formatPath(violation.path)} ${violation.code}`)
}

/** The field errors of one option, with paths relative to the option. */
function optionViolations(value: object): string[] {
  return violationsOf([{ ...command, options: [{ ...option, ...value }] }]).map(text =>
    text.replace('[0].options[0].', ''),
  )
}

function many<Item>(count: number, make: (index: number) => Item): Item[] {
  return Array.from({ length: count }, (_, index) => make(index))
}

test('a member that is null is absent', () => {
  const localizations = { nameLocalizations: null, descriptionLocalizations: null }
  const choices = [{ name: 'One', nameLocalizations: null, value: 'one' }]
  const options = [
    { ...option, ...localizations, choices },
    { ...option, name: 'typed', autocomplete: null },
  ]
  const [read] = checkCommands([{ ...command, ...localizations, options }]).commands
  const [withChoices, withoutChoices] = read?.options ?? []
  assert.equal('nameLocalizations' in (read ?? {}), false)
  assert.deepEqual(withChoices, { ...option, choices: [{ name: 'One', value: 'one' }] })
  assert.deepEqual(withoutChoices, { ...option, name: 'typed' })
})

test('returns names in NFC, trimmed descriptions, and [] for absent options', () => {
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
    { ...command, options, defaultMemberPermissions: '6' },
  ]
  const [, count, ...others] = options
  assert.ok(count)
  assert.deepEqual(checkCommands(set), {
    commands: [
      {
        type: 'slash',
        name: 'caf\u00e9',
        description: 'Coffee',
        options: [],
        defaultMemberPermissions: null,
      },
      {
        type: 'slash',
        ...command,
        defaultMemberPermissions: '6',
        options: [options[0], { ...count, choices: [{ name: 'One', value: 1 }, choices[1]] }, ...others],
      },
    ],
    violations: [],
    overLimit: false,
  })
})

test('bots/context-commands: commands in the menus of users and messages', () => {
  const own = {
    type: 'user',
    name: ' Show\u200b Profile ',
    nameLocalizations: { ru: ' Профиль ' },
    description: '',
  }
  const same = { type: 'message', name: 'Show Profile', options: [], descriptionLocalizations: {} }
  assert.deepEqual(
    checkCommands([own, same, { ...command, name: 'report' }, { type: 'user', name: 'report' }]),
    {
      commands: [
        {
          type: 'user',
          name: 'Show Profile',
          nameLocalizations: { ru: 'Профиль' },
          description: '',
          options: [],
          defaultMemberPermissions: null,
        },
        {
          type: 'message',
          name: 'Show Profile',
          description: '',
          options: [],
          defaultMemberPermissions: null,
        },
        { type: 'slash', ...command, name: 'report', options: [], defaultMemberPermissions: null },
        { type: 'user', name: 'report', description: '', options: [], defaultMemberPermissions: null },
      ],
      violations: [],
      overLimit: false,
    },
  )
  assert.deepEqual(violationsOf([own, { ...own, name: 'Show Profile' }]), ['[1].name duplicate'])
  const menu = { type: 'user', name: 'Ban' }
  for (const [more, violation] of [
    [{ name: '' }, '[0].name required'],
    [{ name: '\u200b' }, '[0].name required'],
    [{ name: 'x'.repeat(33) }, '[0].name too_long'],
    [{ description: 'Bans' }, '[0].description not_allowed'],
    [{ descriptionLocalizations: { ru: 'x' } }, '[0].descriptionLocalizations not_allowed'],
    [{ options: [option] }, '[0].options not_allowed'],
    [{ nameLocalizations: { ru: '' } }, '[0].nameLocalizations.ru required'],
    [{ type: 'menu' }, '[0].type invalid_choice'],
  ] as const) {
    const [found] = violationsOf([{ ...menu, ...more }])
    assert.equal(found, violation)
  }
  assert.deepEqual(violationsOf([{ ...command, name: 'Roll', type: 'slash' }]), ['[0].name invalid_format'])
})

test('bots/context-commands: 15 commands of each menu beside 100 slash commands', () => {
  const menu = (type: string, count: number) => many(count, index => ({ type, name: `M ${index}` }))
  const slash = many(100, index => ({ name: `c${index}`, description: 'd' }))
  assert.equal(checkCommands([...slash, ...menu('user', 15), ...menu('message', 15)]).commands.length, 130)
  for (const type of ['user', 'message']) {
    assert.equal(checkCommands(menu(type, 16)).overLimit, true)
  }
})

test('bots/command-ids: an empty list is accepted', () => {
  assert.deepEqual(checkCommands([]), { commands: [], violations: [], overLimit: false })
})

test('bots/command-set: accepts 100 commands; 101 are a single field error', () => {
  const set = (count: number) => many(count, index => ({ name: `c${index}`, description: 'd' }))
  assert.equal(checkCommands(set(100)).commands.length, 100)
  const over = checkCommands([...set(100), { name: 'NOT A NAME' }])
  assert.equal(over.overLimit, true)
  assert.deepEqual(over.commands, [])
  assert.deepEqual(
    over.violations.map(violation => violation.code),
    ['too_many'],
  )
})

test('bots/command-set: accepts at most 25 options and 25 choices', () => {
  const options = (count: number) => [
    { ...command, options: many(count, i => ({ ...option, name: `o${i}` })) },
  ]
  assert.deepEqual(violationsOf(options(25)), [])
  assert.deepEqual(violationsOf(options(26)), ['[0].options too_many'])
  const choices = (count: number) => many(count, i => ({ name: `c${i}`, value: `${i}` }))
  assert.deepEqual(optionViolations({ choices: choices(25) }), [])
  assert.deepEqual(optionViolations({ choices: choices(26) }), ['choices too_many'])
})

test('bots/command-set: required options must precede optional ones', () => {
  const options = [
    { ...option, name: 'a', required: true },
    { ...option, name: 'b' },
    { ...option, name: 'c', required: true },
    { ...option, name: 'd', required: false },
  ]
  assert.deepEqual(violationsOf([command, { ...command, name: 'two', options }]), [
    '[1].options[2].required wrong_order',
  ])
})

test('bots/command-set: option names are unique per command; another command may use the same name', () => {
  const set = [
    { ...command, options: [option, { ...option, name: 'other' }, option] },
    { ...command, name: 'two', options: [option] },
  ]
  assert.deepEqual(violationsOf(set), ['[0].options[2].name duplicate'])
})

test('bots/command-set: a description has 1 to 100 characters', () => {
  for (const sign of ['x', '😀']) {
    assert.deepEqual(violationsOf([{ ...command, description: ` ${sign.repeat(100)} ` }]), [])
    assert.deepEqual(violationsOf([{ ...command, description: sign.repeat(101) }]), [
      '[0].description too_long',
    ])
    assert.deepEqual(optionViolations({ description: sign.repeat(101) }), ['description too_long'])
  }
  for (const description of ['', ' ', null, undefined]) {
    assert.deepEqual(violationsOf([{ ...command, description }]), ['[0].description required'])
    assert.deepEqual(optionViolations({ description }), ['description required'])
  }
})

test('bots/command-names: the same name in NFC and in NFD is a duplicate', () => {
  const set = [
    { ...command, name: 'caf\u00e9' },
    { ...command, name: 'cafe\u0301' },
  ]
  assert.deepEqual(violationsOf(set), ['[1].name duplicate'])
})

test('bots/command-names: command names and option names follow the same rule', () => {
  for (const name of ['Ping', 'a b', '/a', '😀', 'a\u200d']) {
    assert.deepEqual(violationsOf([{ ...command, name }]), ['[0].name invalid_format'])
    assert.deepEqual(optionViolations({ name }), ['name invalid_format'])
  }
  assert.deepEqual(violationsOf([{ ...command, name: 'x'.repeat(33) }]), ['[0].name too_long'])
  assert.deepEqual(violationsOf([{ description: 'd' }]), ['[0].name required'])
})

test('only options of type string, integer and number may have choices', () => {
  for (const type of ['boolean', 'user', 'channel', 'role', 'mentionable']) {
    assert.deepEqual(optionViolations({ type, choices: [{ name: 'a', value: 'b' }] }), [
      'choices not_allowed',
    ])
  }
})

test('only strings, integers and numbers without choices may have autocomplete (bots/autocomplete)', () => {
  for (const type of ['string', 'integer', 'number']) {
    assert.deepEqual(optionViolations({ type, autocomplete: true }), [])
  }
  assert.deepEqual(optionViolations({ type: 'boolean', autocomplete: false }), [])
  assert.deepEqual(optionViolations({ type: 'boolean', autocomplete: true }), ['autocomplete not_allowed'])
  const choices = [{ name: 'x', value: 'x' }]
  assert.deepEqual(optionViolations({ choices, autocomplete: true }), ['autocomplete not_allowed'])
  assert.deepEqual(optionViolations({ autocomplete: 1 }), ['autocomplete invalid_type'])
})

test("a choice's value must have the option's type", () => {
  const valueViolations = (type: string, value: unknown) =>
    optionViolations({ type, choices: [{ name: 'a', value }] })
  const wrong = ['choices[0].value invalid_type']
  for (const value of ['x', ' ', ' x ', 'x'.repeat(100)])
    assert.deepEqual(valueViolations('string', value), [])
  for (const value of [5, true, null, {}]) assert.deepEqual(valueViolations('string', value), wrong)
  assert.deepEqual(valueViolations('string', ''), ['choices[0].value too_short'])
  assert.deepEqual(valueViolations('string', 'x'.repeat(101)), ['choices[0].value too_long'])
  assert.deepEqual(valueViolations('string', 'a\u0000'), ['choices[0].value invalid_text'])
  assert.deepEqual(valueViolations('string', undefined), ['choices[0].value required'])
  for (const value of [0, -5, Number.MAX_SAFE_INTEGER])
    assert.deepEqual(valueViolations('integer', value), [])
  for (const value of [1.5, 2 ** 53, '5', null]) assert.deepEqual(valueViolations('integer', value), wrong)
  for (const value of [0, 1.5, 2 ** 53]) assert.deepEqual(valueViolations('number', value), [])
  for (const value of [JSON.parse('1e999'), '1.5', false])
    assert.deepEqual(valueViolations('number', value), wrong)
})

test("a choice's name has 1 to 100 characters, and another choice may have the same", () => {
  const named = (...names: unknown[]) =>
    optionViolations({ choices: names.map(name => ({ name, value: 'v' })) })
  assert.deepEqual(named('x'.repeat(100), 'Any Word!'), [])
  assert.deepEqual(named('x'.repeat(101), '', undefined, 5), [
    'choices[0].name too_long',
    'choices[1].name required',
    'choices[2].name required',
    'choices[3].name invalid_type',
  ])
  assert.deepEqual(named('1', '2', '3', '2', '1'), [])
})

test('only integer and number may have bounds, in order, which are numbers (bots/option-bounds)', () => {
  for (const type of ['string', 'boolean', 'user', 'channel', 'role', 'mentionable']) {
    assert.deepEqual(optionViolations({ type, min: 1, max: 2 }), ['min not_allowed', 'max not_allowed'])
  }
  for (const type of ['integer', 'number']) {
    assert.deepEqual(optionViolations({ type, min: 1, max: 1 }), [])
    assert.deepEqual(optionViolations({ type, min: -0.5, max: 1e300 }), [])
    assert.deepEqual(optionViolations({ type, min: 2, max: 1 }), ['max out_of_range'])
    for (const min of ['1', null, JSON.parse('1e999')])
      assert.deepEqual(optionViolations({ type, min }), ['min invalid_type'])
  }
})

test('each choice lies within the bounds of its option (bots/option-bounds)', () => {
  const choices = (...values: unknown[]) => values.map((value, index) => ({ name: `c${index}`, value }))
  for (const type of ['integer', 'number']) {
    assert.deepEqual(optionViolations({ type, choices: choices(1, 2, 3), min: 0.5, max: 3 }), [])
    assert.deepEqual(optionViolations({ type, choices: choices(0, 1, 4, '2'), min: 0.5, max: 3 }), [
      'choices[0].value out_of_range',
      'choices[2].value out_of_range',
      'choices[3].value invalid_type',
    ])
    assert.deepEqual(optionViolations({ type, choices: [], min: 1 }), [])
  }
  assert.deepEqual(optionViolations({ choices: choices('ab', 'abc'), minLength: 2, maxLength: 3 }), [])
  assert.deepEqual(optionViolations({ choices: choices('a', 'abcd', '😀😀'), minLength: 2, maxLength: 3 }), [
    'choices[0].value too_short',
    'choices[1].value too_long',
  ])
})

test('unknown members and types are rejected', () => {
  assert.deepEqual(violationsOf([{ ...command, id: '1' }]), ['[0].id unknown_member'])
  assert.deepEqual(optionViolations({ suggest: true }), ['suggest unknown_member'])
  assert.deepEqual(optionViolations({ choices: [{ name: 'a', value: 'b', x: 1 }] }), [
    'choices[0].x unknown_member',
  ])
  assert.deepEqual(optionViolations({ type: 3 }), ['type invalid_choice'])
  assert.deepEqual(optionViolations({ type: 'toString' }), ['type invalid_choice'])
  assert.deepEqual(optionViolations({ required: 'yes' }), ['required invalid_type'])
})

test('webhooks/prototype-keys: a member called __proto__ is rejected as unknown and has no effect', () => {
  const value: unknown = JSON.parse('[{"name":"a","description":"d","__proto__":{"options":5}}]')
  assert.deepEqual(violationsOf(value), ['[0].__proto__ unknown_member'])
})

test('a value of the wrong type is rejected', () => {
  assert.deepEqual(violationsOf({}), [' invalid_type'])
  assert.deepEqual(violationsOf(undefined), [' invalid_type'])
  assert.deepEqual(violationsOf([null, 'x', { ...command, options: {} }]), [
    '[0] invalid_type',
    '[1] invalid_type',
    '[2].options invalid_type',
  ])
  assert.deepEqual(violationsOf([{ ...command, options: [5] }]), ['[0].options[0] invalid_type'])
})

test('bots/command-set: a field error of a nested value has its full path', () => {
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
  assert.deepEqual(toFieldErrors(checkCommands(set).violations), [
    {
      path: '[3].options[1].choices[0].value',
      code: 'invalid_type',
      message: 'must be a string',
      accepted: ['string'],
    },
  ])
})

test('never throws, and validating its own result returns the same result', () => {
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
    {
      type: fc.constantFrom('slash', 'user', 'message'),
      name,
      description: text,
      options: fc.array(anOption, { maxLength: 3 }),
    },
    { requiredKeys: ['name'] },
  )
  let passed = 0
  fc.assert(
    fc.property(fc.oneof(fc.array(aCommand, { maxLength: 3 }), fc.jsonValue()), value => {
      const { commands, violations } = checkCommands(value)
      if (violations.length > 0) return assert.deepEqual(commands, [])
      passed++
      assert.deepEqual(checkCommands(commands).commands, commands)
    }),
    { numRuns: 500 },
  )
  assert.ok(passed > 0)
})
