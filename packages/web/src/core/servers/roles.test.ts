import assert from 'node:assert/strict'
import test from 'node:test'
import { isAbove, sortRoles, swapPositions } from './roles.ts'

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

test('of two roles at the same position, the older one is above', () => {
  assert.equal(isAbove(role('2', 1), role('3', 1)), true)
  assert.equal(isAbove(role('3', 1), role('2', 1)), false)
  assert.equal(isAbove(role('3', 2), role('2', 1)), true)
  assert.deepEqual(ids(sortRoles([everyone, role('3', 1), role('2', 1), role('4', 5)])), ['4', '2', '3', '1'])
})

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

test('does not move the highest role up, the lowest role down, or @everyone', () => {
  const roles = [everyone, role('2', 2), role('3', 1)]
  assert.deepEqual(swapPositions(roles, '2', -1), [])
  assert.deepEqual(swapPositions(roles, '3', 1), [])
  assert.deepEqual(swapPositions(roles, '1', -1), [])
})
