import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  addViolation,
  formatPath,
  maxViolations,
  prefixPaths,
  toFieldErrors,
  type Violation,
} from './field-errors.ts'

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

test('prefixes the paths of new field errors and leaves earlier ones unchanged', () => {
  const violations: Violation[] = []
  addViolation(violations, { path: ['a'], code: 'empty', message: 'm' })
  addViolation(violations, { path: ['b'], code: 'empty', message: 'm' })
  prefixPaths(violations, 1, 'list', 0)
  assert.deepEqual(
    violations.map(violation => violation.path),
    [['a'], ['list', 0, 'b']],
  )
})

test('a list of field errors has a maximum length', () => {
  const violations: Violation[] = []
  for (let i = 0; i < maxViolations + 5; i++)
    addViolation(violations, { path: [i], code: 'empty', message: 'm' })
  assert.equal(violations.length, maxViolations)
})
