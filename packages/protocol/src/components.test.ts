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

test('the number of field errors is limited', () => {
  const row = Object.fromEntries(Array.from({ length: 5000 }, (_, i) => [`m${i}`, 1]))
  assert.equal(checkComponents([row]).violations.length, 1000)
})

test('never throws', () => {
  const rows = fc.array(
    fc.oneof(fc.record({ type: fc.constant('row'), components: fc.array(fc.jsonValue()) }), fc.jsonValue()),
  )
  fc.assert(
    fc.property(fc.oneof(rows, fc.jsonValue()), value => {
      const { components, violations } = checkComponents(value)
      if (violations.length > 0) assert.deepEqual(components, [])
      else assert.deepEqual(checkComponents(components), { components, violations: [] })
    }),
  )
})
