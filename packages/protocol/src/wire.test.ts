import assert from 'node:assert/strict'
import { test } from 'node:test'
import * as v from 'valibot'
import { formatPath } from './field-errors.ts'
import { parse, parsePartly } from './parse.ts'
import {
  boolean,
  constant,
  converted,
  extended,
  integer,
  keyValues,
  list,
  looseObject,
  nullable,
  nullish,
  object,
  oneOf,
  openObject,
  optional,
  partial,
  rule,
  type Schema,
  string,
  text,
  url,
  variant,
} from './wire.ts'

/** `path code` of every violation. */
function violationsOf(schema: Schema, value: unknown): string[] {
  return parse(schema, value).violations.map(({ path, code }) => `${formatPath(path)} ${code}`)
}

test('a text is checked for its characters, cleaned, and then counted in code points (limits/text-length)', () => {
  const name = text({ min: 2, max: 3, clean: 'name' })
  assert.deepEqual(parse(name, ' \u202eab😀 '), { value: 'ab😀', violations: [] })
  for (const [value, codes] of [
    ['a\u0000', [' invalid_text']],
    ['\ud800', [' invalid_text']],
    ['a', [' too_short']],
    ['', [' too_short']],
    ['\u3164', [' too_short']],
    ['abcd', [' too_long']],
    [5, [' invalid_type']],
    [null, [' invalid_type']],
  ] as const) {
    assert.deepEqual(violationsOf(name, value), codes, JSON.stringify(value))
  }
  assert.equal(parse(text({ max: 3, clean: 'keep' }), ' a ').value, ' a ')
  assert.equal(parse(text({ clean: 'lines' }), 'a\r\n\n\n\nb').value, 'a\n\nb')
  assert.deepEqual(violationsOf(text({ min: 3, pattern: /^[a-z]*$/ }), 'A'), [
    ' too_short',
    ' invalid_format',
  ])
})

test('an empty text is absent, missing, or a value', () => {
  const schema = object(
    { a: nullish(text({ empty: 'absent' })), b: text({ empty: 'required' }), c: text({}) },
    'Texts.',
  )
  assert.deepEqual(parse(schema, { a: ' ', b: 'b', c: ' ' }).value, { b: 'b', c: '' })
  assert.deepEqual(parse(schema, { a: null, b: 'b', c: 'c' }).value, { b: 'b', c: 'c' })
  for (const b of ['', ' ', null]) assert.deepEqual(violationsOf(schema, { b, c: '' }), ['b required'])
})

test('an object reports each unknown, missing and invalid member', () => {
  const schema = object(
    { a: string(), b: optional(integer('B.', { min: 1, max: 9 })), c: boolean() },
    'A thing.',
  )
  assert.deepEqual(violationsOf(schema, JSON.parse('{"x":1,"y":2,"__proto__":{},"b":10}')), [
    'x unknown_member',
    'y unknown_member',
    '__proto__ unknown_member',
    'a required',
    'b out_of_range',
    'c required',
  ])
  for (const value of [null, 'x', [], 5]) assert.deepEqual(violationsOf(schema, value), [' invalid_type'])
  const [violation] = parse(schema, { a: 'a', b: 1.5, c: true }).violations
  assert.deepEqual(violation, {
    path: ['b'],
    code: 'invalid_type',
    message: 'must be a whole number',
    accepted: ['integer'],
  })
})

test('unknown members are rejected, ignored or kept', () => {
  const value: unknown = JSON.parse('{"a":"a","more":1,"__proto__":{"b":1}}')
  assert.deepEqual(parse(openObject({ a: string() }, 'Open.'), value).value, { a: 'a' })
  assert.deepEqual(parse(looseObject({ a: string() }, 'Loose.'), value).value, { more: 1, a: 'a' })
})

test('null is a value, or absent', () => {
  const schema = object({ a: nullable(string()), b: nullish(oneOf(['x'])) }, 'A thing.')
  assert.deepEqual(parse(schema, { a: null, b: null }).value, { a: null })
  assert.deepEqual(
    parse(schema, { a: 1, b: 1 }).violations.map(({ accepted }) => accepted),
    [['string', 'null'], ['x']],
  )
})

test('a list has bounds, and entries beyond the maximum are not looked at', () => {
  const schema = list(integer(), 'Numbers.', { min: 1, max: 2 })
  assert.deepEqual(violationsOf(schema, []), [' too_few'])
  assert.deepEqual(violationsOf(schema, ['a', 1, 'b']), [' too_many', '[0] invalid_type'])
})

test('a variant is chosen by the value of a member, also through a variant in it', () => {
  const circle = object({ type: constant('circle'), size: integer() }, 'A circle.')
  const small = object({ type: constant('square'), style: constant('small'), a: string() }, 'Small.')
  const large = object({ type: constant('square'), style: oneOf(['large', 'huge']), b: string() }, 'Large.')
  const shape = variant('type', [circle, variant('style', [small, large])], 'A shape.')
  assert.deepEqual(keyValues(shape, 'type'), ['circle', 'square'])
  assert.deepEqual(parse(shape, { type: 'square', style: 'huge', b: 'x' }).violations, [])
  assert.deepEqual(violationsOf(shape, { type: 'square', style: 'huge', a: 'x' }), [
    'a unknown_member',
    'b required',
  ])
  assert.deepEqual(violationsOf(shape, { type: 'square', style: 'odd' }), ['style invalid_choice'])
  assert.deepEqual(violationsOf(shape, {}), ['type invalid_choice'])
  assert.deepEqual(violationsOf(shape, null), [' invalid_type'])
})

test('a rule runs if its value has no other violation, or always on what could be read', () => {
  const range = object({ min: integer(), max: integer() }, 'A range.')
  const inOrder = v.pipe(
    range,
    rule(({ min, max }) =>
      min > max ? [{ path: ['max'], code: 'out_of_range', message: 'is too small' }] : [],
    ),
  )
  assert.deepEqual(violationsOf(inOrder, { min: 2, max: 1 }), ['max out_of_range'])
  assert.deepEqual(violationsOf(inOrder, { min: 'x', max: 1 }), ['min invalid_type'])
  const atMostOne = v.pipe(
    list(text({ max: 1 })),
    rule(texts => (texts.join('').length > 1 ? [{ path: [], code: 'total_too_long', message: 'x' }] : []), {
      always: true,
    }),
  )
  assert.deepEqual(violationsOf(atMostOne, ['a', 'bc']), ['[1] too_long', ' total_too_long'])
})

test('a converted value, an extended object, and a URL', () => {
  assert.equal(parse(converted(text({}), String), 5).value, '5')
  const base = object({ a: string() }, 'A.')
  assert.deepEqual(violationsOf(extended(base, { b: string() }, 'B.'), {}), ['a required', 'b required'])
  assert.deepEqual(parse(object(partial(base.entries), 'All may be absent.'), {}).violations, [])
  const link = object({ url: nullish(url('A link.')) }, 'A link.')
  assert.deepEqual(parse(link, { url: ' https://h/ ' }).value, { url: 'https://h/' })
  assert.deepEqual(parse(link, { url: '' }).value, {})
  assert.equal(parse(link, { url: 'file:///x' }).violations[0]?.scheme, 'file')
})

test('of more than 5,000 values only the first violation is reported (limits/invalid-body)', () => {
  const schema = list(integer())
  assert.equal(parse(schema, Array(4999).fill('x')).violations.length, 1000)
  assert.equal(parse(schema, Array(5000).fill('x')).violations.length, 1)
  assert.equal(parsePartly(schema, [1, 'x']).violations.length, 1)
})
