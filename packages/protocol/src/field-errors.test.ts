import assert from 'node:assert/strict'
import { test } from 'node:test'
import { formatPath, toFieldErrors } from './field-errors.ts'

test('formats a path with dots and indexes after its prefix', () => {
  assert.equal(formatPath(['embeds', 0, 'fields', 2, 'name']), 'embeds[0].fields[2].name')
  assert.equal(formatPath([3, 'options', 1]), '[3].options[1]')
  assert.equal(formatPath(['embeds', 0], 'data'), 'data.embeds[0]')
  assert.equal(formatPath([], 'data'), 'data')
  assert.equal(formatPath([]), '')
})

test('converts field errors to the native format', () => {
  const violations = [{ path: ['content'], code: 'too_long', message: 'm', max: 5 }]
  assert.deepEqual(toFieldErrors(violations, 'data'), [
    { path: 'data.content', code: 'too_long', message: 'm', max: 5 },
  ])
})
