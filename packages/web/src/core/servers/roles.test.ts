import assert from 'node:assert/strict'
import test from 'node:test'
import { isHigherRole, sortRoles } from '@gatehouse/protocol/role-order'
import fc from 'fast-check'
import { swapPositions } from './roles.ts'

const role = (id: string, position: number) => ({
  id,
  serverId: '1',
  name: id,
  permissions: '0',
  color: 0,
  position,
  managed: false,
})
const everyone = role('1', 0)
const ids = (roles: readonly { id: string }[]) => roles.map(({ id }) => id)

test('swaps a role with its neighbour, also if they share a position', () => {
  const roles = [everyone, role('2', 1), role('3', 1), role('4', 1)]
  const changes = swapPositions(roles, '4', -1)
  const after = roles.map(other => ({
    ...other,
    position: changes.find(({ id }) => id === other.id)?.position ?? other.position,
  }))
  assert.deepEqual(ids(sortRoles(after)), ['2', '4', '3', '1'])
})

test('returns only changed positions', () => {
  const roles = [everyone, role('2', 3), role('3', 2), role('4', 1)]
  assert.deepEqual(swapPositions(roles, '3', 1), [
    { id: '4', position: 2 },
    { id: '3', position: 1 },
  ])
})

test('a user who is not the owner moves only roles below their highest one, and not above it', () => {
  const highest = role('2', 5)
  const roles = [everyone, role('5', 9), highest, role('3', 1), role('4', 1)]
  assert.deepEqual(swapPositions(roles, '4', -1, highest), [{ id: '4', position: 2 }])
  assert.deepEqual(swapPositions(roles, '3', -1, highest), [])
  assert.deepEqual(swapPositions(roles, '2', 1, highest), [])
  assert.deepEqual(swapPositions(roles, '5', 1, highest), [])
  // No position is free between the highest role and @everyone.
  const low = role('2', 1)
  assert.deepEqual(swapPositions([everyone, low, role('3', 1), role('4', 1)], '4', -1, low), [])
})

test('a swap changes the order of these two roles only, and no role from the highest one of the user on', () => {
  const positions = fc.array(fc.integer({ min: 1, max: 6 }), { minLength: 2, maxLength: 8 })
  fc.assert(
    fc.property(positions, fc.nat(7), fc.nat(7), (list, from, highestRank) => {
      const sorted = sortRoles(list.map((position, index) => role(String(index + 2), position)))
      const moved = sorted[from % (sorted.length - 1)]
      const highest = sorted[highestRank]
      if (moved === undefined) return
      const changes = swapPositions([everyone, ...sorted], moved.id, 1, highest)
      if (highest && changes.length === 0) return
      const after = sorted.map(other => ({ ...other, ...changes.find(({ id }) => id === other.id) }))
      const index = sorted.indexOf(moved)
      const expected = sorted.toSpliced(index, 2, ...sorted.slice(index, index + 2).reverse())
      assert.deepEqual(ids(sortRoles(after)), ids(expected))
      for (const { id, position } of changes) {
        assert.ok(position >= 1)
        assert.ok(sorted.some(other => other.id === id && other.position !== position))
        if (highest) assert.ok(sorted.findIndex(other => other.id === id) > sorted.indexOf(highest))
        if (highest) assert.ok(isHigherRole(highest, { id, position }))
      }
    }),
  )
})

test('does not move the highest role up, the lowest role down, or @everyone', () => {
  const roles = [everyone, role('2', 2), role('3', 1)]
  assert.deepEqual(swapPositions(roles, '2', -1), [])
  assert.deepEqual(swapPositions(roles, '3', 1), [])
  assert.deepEqual(swapPositions(roles, '1', -1), [])
})
