import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createTurns, createTurnsByName } from './turns.ts'

test('members come in turn, and there is none without members', () => {
  const turns = createTurns<string>()
  assert.equal(turns.next(), undefined)
  for (const name of ['a', 'b', 'c']) turns.add(name)
  assert.deepEqual(Array.from({ length: 7 }, turns.next), ['a', 'b', 'c', 'a', 'b', 'c', 'a'])
})

test('who leaves takes nobody the turn, wherever the turn is', () => {
  for (const [gone, expected] of Object.entries({
    a: ['c', 'b', 'c'],
    b: ['c', 'a', 'c'],
    c: ['a', 'b', 'a'],
  })) {
    const turns = createTurns<string>()
    const leave = new Map(['a', 'b', 'c'].map(name => [name, turns.add(name)]))
    turns.next()
    turns.next()
    leave.get(gone)?.()
    leave.get(gone)?.()
    assert.equal(turns.size, 2)
    assert.deepEqual(Array.from({ length: 3 }, turns.next), expected)
  }
})

test('the same member may take part twice, and leave once', () => {
  const turns = createTurns<string>()
  turns.add('a')
  turns.add('a')()
  assert.equal(turns.size, 1)
})

test('a name is there as long as it has a member', () => {
  const turns = createTurnsByName<number>()
  const leave = turns.add('x', 1)
  turns.add('y', 2)
  assert.deepEqual([turns.next('x'), turns.next('y'), turns.next('z')], [1, 2, undefined])
  leave()
  leave()
  assert.deepEqual(turns.names(), ['y'])
  turns.add('x', 3)
  leave()
  assert.equal(turns.next('x'), 3)
})
