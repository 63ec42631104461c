import assert from 'node:assert/strict'
import { test } from 'node:test'
import { checkRules, Nullable, OneOf, withRules } from './schema.ts'
import { Type } from './type.ts'

test('OneOf and Nullable are plain JSON Schema without nesting', () => {
  assert.deepEqual(JSON.parse(JSON.stringify(OneOf(['a', 'b']))), { type: 'string', enum: ['a', 'b'] })
  assert.deepEqual(JSON.parse(JSON.stringify(Nullable(OneOf(['a']), { description: 'd' }))), {
    type: ['string', 'null'],
    enum: ['a', null],
    description: 'd',
  })
  assert.throws(() => Nullable(Type.Union([Type.String(), Type.Number()])), TypeError)
})

test('withRules adds rules that JSON Schema cannot express, and changes nothing else', () => {
  const range = Type.Object({ min: Type.Number(), max: Type.Number() })
  const withOrder = withRules(range, ({ min, max }) =>
    min <= max ? [] : [{ path: ['max'], code: 'out_of_range', message: 'must not be less than min' }],
  )
  assert.deepEqual(checkRules(withOrder, { min: 1, max: 1 }), [])
  assert.deepEqual(
    checkRules(withOrder, { min: 2, max: 1 }).map(({ path, code }) => [path, code]),
    [[['max'], 'out_of_range']],
  )
  assert.deepEqual(checkRules(range, { min: 2, max: 1 }), [])
  assert.equal(JSON.stringify(withOrder), JSON.stringify(range))
})
