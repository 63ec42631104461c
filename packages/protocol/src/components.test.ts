import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { checkComponents } from './components.ts'
import { formatPath } from './faults.ts'

const button = { type: 'button', style: 'primary', label: 'Go', customId: 'go' }
const link = { type: 'button', style: 'link', label: 'See', url: 'https://example.com/' }

function rowsOf(...buttons: unknown[]): unknown {
  return [{ type: 'row', components: buttons }]
}

function faultsOf(value: unknown): string[] {
  return checkComponents(value).faults.map(fault => `${formatPath(fault.path)} ${fault.rule}`)
}

/** The faults of one button, below its own place. */
function buttonFaults(value: object): string[] {
  return faultsOf(rowsOf(value)).map(text => text.replace('components[0].components[0].', ''))
}

test('rows of buttons come back as they are, texts trimmed', () => {
  const rows = rowsOf({ ...button, label: ' Go ', emoji: '🎲', disabled: true }, link)
  assert.deepEqual(checkComponents(rows), {
    components: [
      { type: 'row', components: [{ ...button, label: 'Go', emoji: '🎲', disabled: true }, link] },
    ],
    faults: [],
  })
})

test('no components are none', () => {
  for (const value of [undefined, null, []]) {
    assert.deepEqual(checkComponents(value), { components: [], faults: [] })
  }
})

test('up to 5 rows, each of 1 to 5 buttons', () => {
  const row = (count: number, from = 0) => ({
    type: 'row',
    components: Array.from({ length: count }, (_, i) => ({ ...button, customId: `${from + i}` })),
  })
  const rows = (count: number) => Array.from({ length: count }, (_, i) => row(5, 5 * i))
  assert.equal(checkComponents(rows(5)).components.length, 5)
  assert.deepEqual(faultsOf(rows(6)), ['components too_many'])
  assert.deepEqual(faultsOf([row(6)]), ['components[0].components too_many'])
  assert.deepEqual(faultsOf([row(0)]), ['components[0].components too_few'])
  assert.deepEqual(faultsOf([{ type: 'row' }]), ['components[0].components required'])
})

test('a link has a url and no customId, the others the reverse', () => {
  assert.deepEqual(buttonFaults({ ...link, customId: 'x' }), ['customId not_allowed'])
  assert.deepEqual(buttonFaults({ ...link, url: '' }), ['url required'])
  for (const style of ['primary', 'secondary', 'success', 'danger']) {
    assert.deepEqual(buttonFaults({ ...button, style }), [])
    assert.deepEqual(buttonFaults({ ...button, style, url: 'https://example.com/' }), ['url not_allowed'])
    assert.deepEqual(buttonFaults({ ...button, style, customId: '' }), ['customId required'])
  }
})

test('a customId stands once in a message', () => {
  const rows = [
    { type: 'row', components: [button] },
    { type: 'row', components: [{ ...button, customId: 'other' }, button] },
  ]
  assert.deepEqual(faultsOf(rows), ['components[1].components[1].customId duplicate'])
})

test('a customId is kept as it is', () => {
  const { components } = checkComponents(rowsOf({ ...button, customId: ' go ' }))
  assert.equal(components[0]?.components[0]?.customId, ' go ')
})

test('a label or an emoji', () => {
  const { label: _, ...bare } = button
  assert.deepEqual(buttonFaults(bare), ['label required'])
  assert.deepEqual(buttonFaults({ ...bare, label: ' ' }), ['label required'])
  for (const emoji of ['👍', '❤️', '✔', '👩‍👧', '👍🏽', '🇩🇪', '1️⃣']) {
    assert.deepEqual(buttonFaults({ ...bare, emoji }), [], emoji)
  }
  for (const emoji of ['a', '1', '👍👍', ':dice:', '<b>']) {
    assert.deepEqual(buttonFaults({ ...bare, emoji }), ['emoji invalid_emoji'], emoji)
  }
})

test('every text of a button has its bound', () => {
  const url = (length: number) => `https://h/${'x'.repeat(length - 10)}`
  for (const sign of ['x', '😀']) {
    assert.deepEqual(buttonFaults({ ...button, label: sign.repeat(80), customId: sign.repeat(100) }), [])
    assert.deepEqual(buttonFaults({ ...button, label: sign.repeat(81) }), ['label too_long'])
    assert.deepEqual(buttonFaults({ ...button, customId: sign.repeat(101) }), ['customId too_long'])
  }
  assert.deepEqual(buttonFaults({ ...link, url: url(512) }), [])
  assert.deepEqual(buttonFaults({ ...link, url: url(513) }), ['url too_long'])
})

test('check 14: the url of a button is http or https', () => {
  for (const url of [
    'javascript:alert(1)',
    'JavaScript:x',
    'java\tscript:x',
    ' javascript:x',
    'data:x',
    'file:///x',
  ]) {
    assert.deepEqual(buttonFaults({ ...link, url }), ['url invalid_url'])
  }
  assert.deepEqual(buttonFaults({ ...link, url: 'http://host:8000/x' }), [])
})

test('check 30: U+0000 and lone surrogates are refused', () => {
  for (const bad of ['a\u0000', '\ud800']) {
    assert.deepEqual(buttonFaults({ ...button, label: bad, customId: bad }), [
      'label invalid_text',
      'customId invalid_text',
    ])
  }
})

test('unknown members, types and styles are refused', () => {
  const rows = [{ type: 1, x: 1, components: [{ ...button, type: 2, custom_id: 'x' }] }]
  assert.deepEqual(faultsOf(rows), [
    'components[0].x unknown_member',
    'components[0].type invalid_choice',
    'components[0].components[0].custom_id unknown_member',
    'components[0].components[0].type invalid_choice',
  ])
  assert.deepEqual(buttonFaults({ ...button, style: 1 }), ['style invalid_choice'])
  assert.deepEqual(buttonFaults({ ...button, style: 'constructor' }), ['style invalid_choice'])
})

test('what has another type than it should is refused', () => {
  assert.deepEqual(faultsOf('x'), ['components invalid_type'])
  assert.deepEqual(faultsOf([null, { type: 'row', components: {} }]), [
    'components[0] invalid_type',
    'components[1].components invalid_type',
  ])
  assert.deepEqual(faultsOf(rowsOf(5)), ['components[0].components[0] invalid_type'])
  assert.deepEqual(buttonFaults({ ...button, label: 5, customId: 5, emoji: {}, disabled: 'no' }), [
    'label invalid_type',
    'emoji invalid_type',
    'customId invalid_type',
    'disabled invalid_type',
  ])
})

test('a body full of unknown members makes no endless list of faults', () => {
  const row = Object.fromEntries(Array.from({ length: 5000 }, (_, i) => [`m${i}`, 1]))
  assert.equal(checkComponents([row]).faults.length, 1000)
})

test('whatever the value, the check ends without throwing', () => {
  const rows = fc.array(
    fc.oneof(fc.record({ type: fc.constant('row'), components: fc.array(fc.jsonValue()) }), fc.jsonValue()),
  )
  fc.assert(
    fc.property(fc.oneof(rows, fc.jsonValue()), value => {
      const { components, faults } = checkComponents(value)
      if (faults.length > 0) assert.deepEqual(components, [])
      else assert.deepEqual(checkComponents(components), { components, faults: [] })
    }),
  )
})
