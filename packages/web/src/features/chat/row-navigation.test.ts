import assert from 'node:assert/strict'
import { test } from 'node:test'
import { withIndex } from '../../ui/roving-focus.ts'
import { nextStop } from './row-navigation.ts'

const rows = [
  { kind: 'start' },
  { kind: 'day' },
  { kind: 'message' },
  { kind: 'day' },
  { kind: 'message' },
  { kind: 'invocation' },
  { kind: 'pending' },
] as const

test('moves the focus from one message to the next, past day dividers', () => {
  assert.equal(nextStop(rows, 6, -1), 5)
  assert.equal(nextStop(rows, 4, -1), 2)
  assert.equal(nextStop(rows, 2, 1), 4)
})

test('returns undefined above the first and below the last message', () => {
  assert.equal(nextStop(rows, 2, -1), undefined)
  assert.equal(nextStop(rows, 6, 1), undefined)
  assert.equal(nextStop([], 0, 1), undefined)
})

test('finds the first and the last message from outside of the list', () => {
  assert.equal(nextStop(rows, -1, 1), 2)
  assert.equal(nextStop(rows, rows.length, -1), 6)
})

test('adds the row with the focus to the visible rows, once and in order', () => {
  assert.deepEqual(withIndex([4, 5, 6], 2), [2, 4, 5, 6])
  assert.deepEqual(withIndex([4, 5, 6], 5), [4, 5, 6])
  assert.deepEqual(withIndex([4, 5, 6], undefined), [4, 5, 6])
  assert.deepEqual(withIndex([4, 5, 6], -1), [4, 5, 6])
})
