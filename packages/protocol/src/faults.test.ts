import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type CheckFault, formatPath, maxFaults, nest, report, toFieldFaults } from './faults.ts'

test('a path is written with dots and indexes, below its prefix', () => {
  assert.equal(formatPath(['embeds', 0, 'fields', 2, 'name']), 'embeds[0].fields[2].name')
  assert.equal(formatPath([3, 'options', 1]), '[3].options[1]')
  assert.equal(formatPath(['embeds', 0], 'data'), 'data.embeds[0]')
  assert.equal(formatPath([], 'data'), 'data')
  assert.equal(formatPath([]), '')
})

test('faults become those of the native dialect', () => {
  const faults = [{ path: ['content'], rule: 'too_long', message: 'm', limit: 5 }]
  assert.deepEqual(toFieldFaults(faults, 'data'), [{ path: 'data.content', code: 'too_long', message: 'm' }])
})

test('faults are put below the place where they were found, those before it left alone', () => {
  const faults: CheckFault[] = []
  report(faults, { path: ['a'], rule: 'r', message: 'm' })
  report(faults, { path: ['b'], rule: 'r', message: 'm' })
  nest(faults, 1, 'list', 0)
  assert.deepEqual(
    faults.map(fault => fault.path),
    [['a'], ['list', 0, 'b']],
  )
})

test('a list of faults ends at its bound', () => {
  const faults: CheckFault[] = []
  for (let i = 0; i < maxFaults + 5; i++) report(faults, { path: [i], rule: 'r', message: 'm' })
  assert.equal(faults.length, maxFaults)
})
