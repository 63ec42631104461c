import assert from 'node:assert/strict'
import { test } from 'node:test'
import { nextStop, withIndex } from './row-keys.ts'

const rows = [
  { kind: 'start' },
  { kind: 'day' },
  { kind: 'message' },
  { kind: 'day' },
  { kind: 'message' },
  { kind: 'invocation' },
  { kind: 'pending' },
] as const

test('the focus goes from one to the next that somebody said, over lines between days', () => {
  assert.equal(nextStop(rows, 6, -1), 5)
  assert.equal(nextStop(rows, 4, -1), 2)
  assert.equal(nextStop(rows, 2, 1), 4)
})

test('there is nothing above the first and below the last', () => {
  assert.equal(nextStop(rows, 2, -1), undefined)
  assert.equal(nextStop(rows, 6, 1), undefined)
  assert.equal(nextStop([], 0, 1), undefined)
})

test('the ends are found from outside', () => {
  assert.equal(nextStop(rows, -1, 1), 2)
  assert.equal(nextStop(rows, rows.length, -1), 6)
})

test('the row with the focus is drawn with those in view, once and in its place', () => {
  assert.deepEqual(withIndex([4, 5, 6], 2), [2, 4, 5, 6])
  assert.deepEqual(withIndex([4, 5, 6], 5), [4, 5, 6])
  assert.deepEqual(withIndex([4, 5, 6], undefined), [4, 5, 6])
})
