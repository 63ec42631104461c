import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createNamedRoundRobins, createRoundRobin } from './round-robin.ts'

test('next returns the members in rotation, and undefined without members', () => {
  const members = createRoundRobin<string>()
  assert.equal(members.next(), undefined)
  for (const name of ['a', 'b', 'c']) members.add(name)
  assert.deepEqual(Array.from({ length: 7 }, members.next), ['a', 'b', 'c', 'a', 'b', 'c', 'a'])
})

test('removing a member does not skip another one', () => {
  for (const [removed, expected] of Object.entries({
    a: ['c', 'b', 'c'],
    b: ['c', 'a', 'c'],
    c: ['a', 'b', 'a'],
  })) {
    const members = createRoundRobin<string>()
    const remove = new Map(['a', 'b', 'c'].map(name => [name, members.add(name)]))
    members.next()
    members.next()
    remove.get(removed)?.()
    remove.get(removed)?.()
    assert.equal(members.size, 2)
    assert.deepEqual(Array.from({ length: 3 }, members.next), expected)
  }
})

test('a member can be added twice and removed once', () => {
  const members = createRoundRobin<string>()
  members.add('a')
  members.add('a')()
  assert.equal(members.size, 1)
})

test('a name exists while it has members', () => {
  const members = createNamedRoundRobins<number>()
  const remove = members.add('x', 1)
  members.add('y', 2)
  assert.deepEqual([members.next('x'), members.next('y'), members.next('z')], [1, 2, undefined])
  remove()
  remove()
  assert.equal(members.next('x'), undefined)
  members.add('x', 3)
  remove()
  assert.equal(members.next('x'), 3)
})
