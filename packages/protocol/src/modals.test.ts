import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { formatPath, type Violation } from './field-errors.ts'
import { checkFields, checkModal, type TextInput } from './modals.ts'

const field = { type: 'text_input', customId: 'reason', style: 'short', label: 'Reason' }

function modalOf(...fields: unknown[]): Record<string, unknown> {
  return {
    customId: 'report',
    title: 'Report',
    components: fields.map(input => ({ type: 'row', components: [input] })),
  }
}

function format(violations: readonly Violation[]): string[] {
  return violations.map(violation => `${formatPath(violation.path)} ${violation.code}`)
}

const violationsOf = (value: unknown) => format(checkModal(value).violations)

/** The field errors of one field, with paths relative to the field. */
function fieldViolations(value: object): string[] {
  return violationsOf(modalOf(value)).map(text => text.replace('components[0].components[0].', ''))
}

test('returns a modal with trimmed texts (bots/modals)', () => {
  const full = {
    ...field,
    style: 'paragraph',
    description: 'Only moderators see it.',
    placeholder: 'What happened?',
    minLength: 0,
    maxLength: 4000,
    required: false,
    value: 'It\nbroke',
  }
  const modal = modalOf(full, { ...field, customId: 'other' })
  assert.deepEqual(checkModal(modal), { modal, violations: [] })
  const padded = modalOf(
    { ...full, label: ' Reason ', value: ' It\nbroke ' },
    { ...field, customId: 'other' },
  )
  assert.deepEqual(checkModal({ ...padded, title: ' Report ' }).modal, modal)
})

test('a modal has 1 to 5 rows with one field each, and each customId once (bots/modals)', () => {
  const fields = (count: number) => Array.from({ length: count }, (_, i) => ({ ...field, customId: `${i}` }))
  assert.deepEqual(violationsOf(modalOf(...fields(5))), [])
  assert.deepEqual(violationsOf(modalOf(...fields(6))), ['components too_many'])
  assert.deepEqual(violationsOf(modalOf()), ['components too_few'])
  const two = { type: 'row', components: fields(2) }
  assert.deepEqual(violationsOf({ ...modalOf(), components: [two] }), ['components[0].components too_many'])
  assert.deepEqual(violationsOf(modalOf(field, field)), ['components[1].components[0].customId duplicate'])
})

test('every text and number of a modal has bounds (bots/modals)', () => {
  for (const sign of ['x', '😀']) {
    const texts = (more: number) => ({
      ...field,
      style: 'paragraph',
      customId: sign.repeat(100 + more),
      label: sign.repeat(45 + more),
      placeholder: sign.repeat(100 + more),
      value: sign.repeat(4000 + more),
    })
    const names = { customId: sign.repeat(100), title: sign.repeat(45) }
    assert.deepEqual(violationsOf({ ...modalOf(texts(0)), ...names }), [])
    assert.deepEqual(
      violationsOf({ ...modalOf(texts(1)), customId: sign.repeat(101), title: sign.repeat(46) }),
      [
        'customId too_long',
        'title too_long',
        'components[0].components[0].customId too_long',
        'components[0].components[0].label too_long',
        'components[0].components[0].placeholder too_long',
        'components[0].components[0].value too_long',
      ],
    )
  }
  const cases: [object, string[]][] = [
    [{ minLength: -1 }, ['minLength out_of_range']],
    [{ minLength: 4001 }, ['minLength out_of_range']],
    [{ maxLength: 0 }, ['maxLength out_of_range']],
    [{ maxLength: 4001 }, ['maxLength out_of_range']],
    [{ minLength: 5, maxLength: 4 }, ['maxLength out_of_range']],
    [{ minLength: 4, maxLength: 4 }, []],
    [{ style: 'long' }, ['style invalid_choice']],
    [{ value: 'a\nb' }, ['value invalid_format']],
  ]
  for (const [more, errors] of cases) {
    assert.deepEqual(fieldViolations({ ...field, ...more }), errors, JSON.stringify(more))
  }
})

test('rejects missing and unknown members and wrong types (bots/modals)', () => {
  assert.deepEqual(violationsOf(5), [' invalid_type'])
  assert.deepEqual(violationsOf({ content: 'x' }), [
    'content unknown_member',
    'customId required',
    'title required',
    'components required',
  ])
  assert.deepEqual(violationsOf({ ...modalOf(), components: [null, { type: 'column' }] }), [
    'components[0] invalid_type',
    'components[1].type invalid_choice',
    'components[1].components required',
  ])
  assert.deepEqual(fieldViolations({ type: 'button', url: 'x' }), [
    'url unknown_member',
    'type invalid_choice',
    'customId required',
    'style invalid_choice',
    'label required',
  ])
  const wrong = {
    customId: 5,
    label: 5,
    placeholder: 5,
    minLength: '1',
    maxLength: 1.5,
    required: 1,
    value: 5,
  }
  assert.deepEqual(
    fieldViolations({ ...field, ...wrong }),
    Object.keys(wrong).map(name => `${name} invalid_type`),
  )
})

test('never throws', () => {
  fc.assert(
    fc.property(
      fc.array(fc.oneof(fc.jsonValue(), fc.record({ type: fc.constant('text_input') }))),
      fields => {
        const { modal, violations } = checkModal(modalOf(...fields))
        assert.equal(modal === undefined, violations.length > 0)
      },
    ),
  )
})

/** The field errors of one text for a field. */
function textViolations(input: Partial<TextInput>, value: string): string[] {
  const { modal } = checkModal(modalOf({ ...field, ...input }))
  assert.ok(modal)
  return format(checkFields(modal, [{ customId: 'reason', value }]).violations)
}

test('a text has the length and the lines of its field (bots/modal-values)', () => {
  assert.deepEqual(textViolations({}, ' '), ['components[0].value required'])
  assert.deepEqual(textViolations({ required: false, minLength: 5 }, ''), [])
  assert.deepEqual(textViolations({ required: false, minLength: 5 }, 'four'), [
    'components[0].value too_short',
  ])
  assert.deepEqual(textViolations({ minLength: 2, maxLength: 3 }, '😀'), ['components[0].value too_short'])
  assert.deepEqual(textViolations({ minLength: 2, maxLength: 3 }, ' 😀😀😀 '), [])
  assert.deepEqual(textViolations({ maxLength: 3 }, '😀😀😀😀'), ['components[0].value too_long'])
  assert.deepEqual(textViolations({}, 'x'.repeat(4001)), ['components[0].value too_long'])
  assert.deepEqual(textViolations({}, 'a\nb'), ['components[0].value invalid_format'])
  assert.deepEqual(textViolations({ style: 'paragraph' }, 'a\nb'), [])
})

test('fields are returned in the order of the modal, and the errors name the field (bots/modal-values)', () => {
  const { modal } = checkModal(modalOf(field, { ...field, customId: 'more', label: 'More', required: false }))
  assert.ok(modal)
  const [more, reason] = [
    { customId: 'more', value: ' x ' },
    { customId: 'reason', value: 'y' },
  ]
  assert.deepEqual(checkFields(modal, [more, reason]), {
    fields: [reason, { customId: 'more', value: 'x' }],
    violations: [],
  })
  assert.deepEqual(checkFields(modal, [reason]).fields, [reason, { customId: 'more', value: '' }])
  const { violations } = checkFields(modal, [more, more, { customId: 'x', value: '' }])
  assert.deepEqual(format(violations), [
    'components[1].customId duplicate',
    'components[2].customId unknown_member',
    'components required',
  ])
  assert.equal(violations[2]?.message, 'must include "reason"')
  const [violation] = checkFields(modal, [{ customId: 'reason', value: '' }]).violations
  assert.equal(violation?.message, 'is required (field "Reason")')
})
