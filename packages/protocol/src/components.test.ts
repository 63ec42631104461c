import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { checkComponents } from './components.ts'
import { formatPath } from './field-errors.ts'

const button = { type: 'button', style: 'primary', label: 'Go', customId: 'go' }
const link = { type: 'button', style: 'link', label: 'See', url: 'https://example.com/' }

function rowsOf(...buttons: unknown[]): unknown {
  return [{ type: 'row', components: buttons }]
}

function violationsOf(value: unknown): string[] {
  return checkComponents(value).violations.map(violation => `${formatPath(violation.path)} ${violation.code}`)
}

/** The field errors of one button, with paths relative to the button. */
function buttonViolations(value: object): string[] {
  return violationsOf(rowsOf(value)).map(text => text.replace('components[0].components[0].', ''))
}

test('returns rows of buttons with trimmed text', () => {
  const rows = rowsOf({ ...button, label: ' Go ', emoji: '🎲', disabled: true }, link)
  assert.deepEqual(checkComponents(rows), {
    components: [
      { type: 'row', components: [{ ...button, label: 'Go', emoji: '🎲', disabled: true }, link] },
    ],
    violations: [],
  })
})

test('absent, null and empty components are an empty list', () => {
  for (const value of [undefined, null, []]) {
    assert.deepEqual(checkComponents(value), { components: [], violations: [] })
  }
})

test('accepts up to 5 rows of 1 to 5 buttons each', () => {
  const row = (count: number, from = 0) => ({
    type: 'row',
    components: Array.from({ length: count }, (_, i) => ({ ...button, customId: `${from + i}` })),
  })
  const rows = (count: number) => Array.from({ length: count }, (_, i) => row(5, 5 * i))
  assert.equal(checkComponents(rows(5)).components.length, 5)
  assert.deepEqual(violationsOf(rows(6)), ['components too_many'])
  assert.deepEqual(violationsOf([row(6)]), ['components[0].components too_many'])
  assert.deepEqual(violationsOf([row(0)]), ['components[0].components too_few'])
  assert.deepEqual(violationsOf([{ type: 'row' }]), ['components[0].components required'])
})

test('a link button has a url and no customId; other buttons have a customId and no url', () => {
  assert.deepEqual(buttonViolations({ ...link, customId: 'x' }), ['customId not_allowed'])
  assert.deepEqual(buttonViolations({ ...link, url: '' }), ['url required'])
  for (const style of ['primary', 'secondary', 'success', 'danger']) {
    assert.deepEqual(buttonViolations({ ...button, style }), [])
    assert.deepEqual(buttonViolations({ ...button, style, url: 'https://example.com/' }), ['url not_allowed'])
    assert.deepEqual(buttonViolations({ ...button, style, customId: '' }), ['customId required'])
  }
})

test('a customId is unique in a message', () => {
  const rows = [
    { type: 'row', components: [button] },
    { type: 'row', components: [{ ...button, customId: 'other' }, button] },
  ]
  assert.deepEqual(violationsOf(rows), ['components[1].components[1].customId duplicate'])
})

test('a customId is returned unchanged', () => {
  const { components } = checkComponents(rowsOf({ ...button, customId: ' go ' }))
  assert.equal(components[0]?.components[0]?.customId, ' go ')
})

test('a button requires a label or an emoji', () => {
  const { label: _, ...bare } = button
  assert.deepEqual(buttonViolations(bare), ['label required'])
  assert.deepEqual(buttonViolations({ ...bare, label: ' ' }), ['label required'])
  for (const emoji of ['👍', '❤️', '✔', '👩‍👧', '👍🏽', '🇩🇪', '1️⃣']) {
    assert.deepEqual(buttonViolations({ ...bare, emoji }), [], emoji)
  }
  for (const emoji of ['a', '1', '👍👍', ':dice:', '<b>']) {
    assert.deepEqual(buttonViolations({ ...bare, emoji }), ['emoji invalid_emoji'], emoji)
  }
})

test('every text of a button has a maximum length', () => {
  const url = (length: number) => `https://h/${'x'.repeat(length - 10)}`
  for (const sign of ['x', '😀']) {
    assert.deepEqual(buttonViolations({ ...button, label: sign.repeat(80), customId: sign.repeat(100) }), [])
    assert.deepEqual(buttonViolations({ ...button, label: sign.repeat(81) }), ['label too_long'])
    assert.deepEqual(buttonViolations({ ...button, customId: sign.repeat(101) }), ['customId too_long'])
  }
  assert.deepEqual(buttonViolations({ ...link, url: url(512) }), [])
  assert.deepEqual(buttonViolations({ ...link, url: url(513) }), ['url too_long'])
})

test('webhooks/url-schemes: the url of a button must be http or https', () => {
  for (const url of [
    'javascript:alert(1)',
    'JavaScript:x',
    'java\tscript:x',
    ' javascript:x',
    'data:x',
    'file:///x',
  ]) {
    assert.deepEqual(buttonViolations({ ...link, url }), ['url invalid_url'])
  }
  assert.deepEqual(buttonViolations({ ...link, url: 'http://host:8000/x' }), [])
})

test('webhooks/text-characters: U+0000 and lone surrogates are rejected', () => {
  for (const bad of ['a\u0000', '\ud800']) {
    assert.deepEqual(buttonViolations({ ...button, label: bad, customId: bad }), [
      'label invalid_text',
      'customId invalid_text',
    ])
  }
})

test('unknown members, types and styles are rejected', () => {
  const rows = [{ type: 1, x: 1, components: [{ ...button, type: 2, custom_id: 'x' }] }]
  assert.deepEqual(violationsOf(rows), [
    'components[0].x unknown_member',
    'components[0].type invalid_choice',
    'components[0].components[0].custom_id unknown_member',
    'components[0].components[0].type invalid_choice',
  ])
  assert.deepEqual(buttonViolations({ ...button, style: 1 }), ['style invalid_choice'])
  assert.deepEqual(buttonViolations({ ...button, style: 'constructor' }), ['style invalid_choice'])
})

test('a value of the wrong type is rejected', () => {
  assert.deepEqual(violationsOf('x'), ['components invalid_type'])
  assert.deepEqual(violationsOf([null, { type: 'row', components: {} }]), [
    'components[0] invalid_type',
    'components[1].components invalid_type',
  ])
  assert.deepEqual(violationsOf(rowsOf(5)), ['components[0].components[0] invalid_type'])
  assert.deepEqual(buttonViolations({ ...button, label: 5, customId: 5, emoji: {}, disabled: 'no' }), [
    'label invalid_type',
    'emoji invalid_type',
    'customId invalid_type',
    'disabled invalid_type',
  ])
})

const menu = { type: 'string_select', customId: 'menu', options: [{ label: 'One', value: '1' }] }

function optionsOf(count: number): object[] {
  return Array.from({ length: count }, (_, i) => ({ label: `Option ${i}`, value: `${i}` }))
}

test('returns select menus with trimmed text (bots/select-menus)', () => {
  const tea = { label: 'Green', value: ' green ', description: 'Mild', default: true }
  const full = { ...menu, placeholder: 'Tea', minValues: 0, maxValues: 2, disabled: true, options: [tea] }
  const menus = [
    full,
    ...['user_select', 'role_select', 'channel_select', 'mentionable_select'].map(type => ({
      type,
      customId: type,
    })),
  ]
  const rows = menus.map(component => ({ type: 'row', components: [component] }))
  assert.deepEqual(checkComponents(rows), { components: rows, violations: [] })
  const padded = {
    ...full,
    placeholder: ' Tea ',
    options: [{ ...tea, label: ' Green ', description: ' Mild ' }],
  }
  assert.deepEqual(checkComponents(rowsOf(padded)).components, [rows[0]])
})

test('a row contains either buttons or exactly one select menu (bots/select-menus)', () => {
  assert.deepEqual(violationsOf(rowsOf(menu, button)), ['components[0].components conflict'])
  assert.deepEqual(violationsOf(rowsOf(menu, { ...menu, customId: 'other' })), [
    'components[0].components conflict',
  ])
  const rows = [menu, { type: 'user_select', customId: 'menu' }, { ...button, customId: 'menu' }]
  assert.deepEqual(violationsOf(rows.map(component => ({ type: 'row', components: [component] }))), [
    'components[1].components[0].customId duplicate',
    'components[2].components[0].customId duplicate',
  ])
})

test('only menus of the type string_select have options: 1 to 25 (bots/select-menus)', () => {
  assert.deepEqual(buttonViolations({ ...menu, options: optionsOf(25) }), [])
  assert.deepEqual(buttonViolations({ ...menu, options: optionsOf(26) }), ['options too_many'])
  assert.deepEqual(buttonViolations({ ...menu, options: [] }), ['options too_few'])
  assert.deepEqual(buttonViolations({ ...menu, options: null }), ['options required'])
  assert.deepEqual(buttonViolations({ ...menu, options: {} }), ['options invalid_type'])
  for (const type of ['user_select', 'role_select', 'channel_select', 'mentionable_select']) {
    assert.deepEqual(buttonViolations({ ...menu, type }), ['options not_allowed'])
  }
})

test('minValues and maxValues are 0 to 25 and 1 to 25, 1 by default (bots/select-menus)', () => {
  const users = { type: 'user_select', customId: 'users' }
  for (const bounds of [{ minValues: 0 }, { maxValues: 25 }, { minValues: 25, maxValues: 25 }]) {
    assert.deepEqual(buttonViolations({ ...users, ...bounds }), [])
  }
  const cases: [object, string[]][] = [
    [{ minValues: -1 }, ['minValues out_of_range']],
    [{ minValues: 26, maxValues: 25 }, ['minValues out_of_range']],
    [{ maxValues: 0 }, ['maxValues out_of_range']],
    [{ maxValues: 26 }, ['maxValues out_of_range']],
    [{ minValues: 1.5 }, ['minValues invalid_type']],
    [{ maxValues: '2' }, ['maxValues invalid_type']],
    [{ minValues: 2 }, ['maxValues out_of_range']],
    [{ minValues: 3, maxValues: 2 }, ['maxValues out_of_range']],
  ]
  for (const [bounds, errors] of cases) {
    assert.deepEqual(buttonViolations({ ...users, ...bounds }), errors, JSON.stringify(bounds))
  }
  const two = { ...menu, minValues: 2, maxValues: 2 }
  assert.deepEqual(buttonViolations({ ...two, options: optionsOf(2) }), [])
  assert.deepEqual(buttonViolations({ ...two, options: optionsOf(1) }), ['options too_few'])
})

test('the values of options differ, and at most maxValues are selected at first (bots/select-menus)', () => {
  const option = { label: 'A', value: 'a' }
  const violations = (...options: object[]) => buttonViolations({ ...menu, options })
  assert.deepEqual(violations(option, { ...option, label: 'B' }), ['options[1].value duplicate'])
  assert.deepEqual(violations(option, { ...option, value: 'a ' }), [])
  const selected = optionsOf(2).map(other => ({ ...other, default: true }))
  assert.deepEqual(violations(...selected), ['options too_many'])
  assert.deepEqual(buttonViolations({ ...menu, maxValues: 2, options: selected }), [])
})

test('the default values of a menu have its kind, and are minValues to maxValues (bots/default-values)', () => {
  const [user, role, channel] = ['user', 'role', 'channel'].map(type => ({ type, id: '100000000000000001' }))
  const violations = (type: string, defaultValues: unknown, more: object = {}) =>
    buttonViolations({ type, customId: 'm', defaultValues, ...more })
  const accepted = { user_select: [user], role_select: [role], channel_select: [channel] }
  for (const [type, values] of Object.entries(accepted)) {
    assert.deepEqual(violations(type, values), [])
    for (const other of [user, role, channel].filter(each => !values.includes(each))) {
      assert.deepEqual(violations(type, [other]), ['defaultValues[0].type invalid_choice'])
    }
  }
  const second = { type: 'role', id: '100000000000000002' }
  assert.deepEqual(violations('mentionable_select', [user, second], { maxValues: 2 }), [])
  assert.deepEqual(violations('mentionable_select', [channel]), ['defaultValues[0].type invalid_choice'])
  assert.deepEqual(violations('mentionable_select', [user, second]), ['defaultValues too_many'])
  const two = { minValues: 2, maxValues: 3 }
  assert.deepEqual(violations('user_select', [user], two), ['defaultValues too_few'])
  for (const none of [[], null, undefined]) assert.deepEqual(violations('user_select', none, two), [])
  assert.deepEqual(violations('user_select', [user, user], two), ['defaultValues[1].id duplicate'])
  assert.deepEqual(violations('user_select', [{ id: 'ann' }, 5], two), [
    'defaultValues[0].type required',
    'defaultValues[0].id invalid_format',
    'defaultValues[1] invalid_type',
  ])
  assert.deepEqual(buttonViolations({ ...menu, defaultValues: [user] }), ['defaultValues not_allowed'])
  const many = Array.from({ length: 26 }, (_, i) => ({ type: 'user', id: `1000000000000000${10 + i}` }))
  assert.deepEqual(violations('user_select', many, { maxValues: 25 }), ['defaultValues too_many'])
})

test('every text of a select menu has a maximum length (bots/select-menus)', () => {
  for (const sign of ['x', '😀']) {
    const [most, more] = [sign.repeat(100), sign.repeat(101)]
    const option = { label: most, value: most, description: most }
    const longest = { ...menu, customId: most, placeholder: sign.repeat(150), options: [option] }
    assert.deepEqual(buttonViolations(longest), [])
    const tooLong = { label: more, value: more, description: more }
    assert.deepEqual(
      buttonViolations({ ...menu, customId: more, placeholder: sign.repeat(151), options: [tooLong] }),
      [
        'customId too_long',
        'placeholder too_long',
        'options[0].label too_long',
        'options[0].value too_long',
        'options[0].description too_long',
      ],
    )
  }
})

test('a select menu rejects missing and unknown members and wrong types (bots/select-menus)', () => {
  assert.deepEqual(buttonViolations({ type: 'string_select', label: 'x', options: [{ emoji: 'x' }] }), [
    'label unknown_member',
    'customId required',
    'options[0].emoji unknown_member',
    'options[0].label required',
    'options[0].value required',
  ])
  assert.deepEqual(buttonViolations({ type: 'channel_select', customId: 'where', channelTypes: ['text'] }), [
    'channelTypes unknown_member',
  ])
  const wrong = { label: 5, value: 5, description: 5, default: 'yes' }
  assert.deepEqual(
    buttonViolations({ ...menu, customId: 5, placeholder: 5, disabled: 'no', options: [wrong, null] }),
    [
      'customId invalid_type',
      'placeholder invalid_type',
      'disabled invalid_type',
      'options[0].label invalid_type',
      'options[0].value invalid_type',
      'options[0].description invalid_type',
      'options[0].default invalid_type',
      'options[1] invalid_type',
    ],
  )
})

test('the number of field errors is limited', () => {
  const row = Object.fromEntries(Array.from({ length: 5000 }, (_, i) => [`m${i}`, 1]))
  assert.equal(checkComponents([row]).violations.length, 1000)
})

test('never throws', () => {
  const menus = fc.record({
    type: fc.constantFrom('string_select', 'user_select'),
    customId: fc.string(),
    options: fc.option(fc.array(fc.record({ label: fc.string(), value: fc.string() })), { nil: undefined }),
  })
  const rows = fc.array(
    fc.oneof(
      fc.record({ type: fc.constant('row'), components: fc.array(fc.oneof(menus, fc.jsonValue())) }),
      fc.jsonValue(),
    ),
  )
  fc.assert(
    fc.property(fc.oneof(rows, fc.jsonValue()), value => {
      const { components, violations } = checkComponents(value)
      if (violations.length > 0) assert.deepEqual(components, [])
      else assert.deepEqual(checkComponents(components), { components, violations: [] })
    }),
  )
})
