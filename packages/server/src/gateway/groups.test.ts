import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createDifferences, Groups, type Guest } from './groups.ts'

function guest(userId: string): Guest {
  return { userId, deliver() {}, expelled() {}, fail() {} }
}

function whoSees(groups: Groups, channelId: string | undefined): string[] {
  const seen: string[] = []
  groups.each(channelId, ({ userId }) => seen.push(userId))
  return seen.sort()
}

test('an event of a channel goes to those who see it, one of the server to all', () => {
  const groups = new Groups()
  const [a, b, c] = [guest('a'), guest('b'), guest('c')]
  const both = new Set(['x', 'y'])
  groups.place([
    { guest: a, channels: both },
    { guest: b, channels: new Set(['y', 'x']) },
    { guest: c, channels: new Set(['x']) },
  ])
  assert.deepEqual(whoSees(groups, 'x'), ['a', 'b', 'c'])
  assert.deepEqual(whoSees(groups, 'y'), ['a', 'b'])
  assert.deepEqual(whoSees(groups, 'z'), [])
  assert.deepEqual(whoSees(groups, undefined), ['a', 'b', 'c'])
  groups.remove(a)
  assert.deepEqual(whoSees(groups, undefined), ['b', 'c'])
})

test('whoever sees something else moves, with what it was and what it is; others do not', () => {
  const groups = new Groups()
  const [a, b] = [guest('a'), guest('b')]
  assert.deepEqual(
    groups.place([
      { guest: a, channels: new Set(['x']) },
      { guest: b, channels: new Set(['x']) },
    ]),
    [],
  )
  const moves = groups.place([
    { guest: a, channels: new Set(['y']) },
    { guest: b, channels: new Set(['x']) },
  ])
  assert.deepEqual(moves, [{ guest: a, from: new Set(['x']), to: new Set(['y']) }])
  assert.deepEqual(whoSees(groups, 'x'), ['b'])
  // The group that nobody was in any more is not met again.
  groups.place([{ guest: b, channels: new Set(['y']) }])
  groups.place([{ guest: a, channels: new Set(['x']) }])
  assert.deepEqual(whoSees(groups, 'x'), ['a'])
  assert.deepEqual(whoSees(groups, 'y'), ['b'])
})

test('a difference says what went out of sight and what came into it', () => {
  const difference = createDifferences()
  const [from, to] = [new Set(['a', 'b']), new Set(['b', 'c'])]
  assert.deepEqual(difference(from, to), { hidden: ['a'], revealed: ['c'] })
  assert.equal(difference(from, to), difference(from, to))
  assert.deepEqual(difference(to, from), { hidden: ['c'], revealed: ['a'] })
})
