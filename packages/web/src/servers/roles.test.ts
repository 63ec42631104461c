import assert from 'node:assert/strict'
import test from 'node:test'
import { inRank, isAbove, movedPositions } from './roles.ts'

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

test('of two roles at one position, the earlier stands above', () => {
  assert.equal(isAbove(role('2', 1), role('3', 1)), true)
  assert.equal(isAbove(role('3', 1), role('2', 1)), false)
  assert.equal(isAbove(role('3', 2), role('2', 1)), true)
  assert.deepEqual(ids(inRank([everyone, role('3', 1), role('2', 1), role('4', 5)])), ['4', '2', '3', '1'])
})

test('a role that is moved changes places with its neighbour, whatever positions they share', () => {
  const roles = [everyone, role('2', 1), role('3', 1), role('4', 1)]
  const changes = movedPositions(roles, '4', -1)
  const after = roles.map(other => ({
    ...other,
    position: changes.find(({ id }) => id === other.id)?.position ?? other.position,
  }))
  assert.deepEqual(ids(inRank(after)), ['2', '4', '3', '1'])
})

test('only what is out of step gets another position', () => {
  const roles = [everyone, role('2', 3), role('3', 2), role('4', 1)]
  assert.deepEqual(movedPositions(roles, '3', 1), [
    { id: '4', position: 2 },
    { id: '3', position: 1 },
  ])
})

test('the highest goes no higher, the lowest no lower, and @everyone nowhere', () => {
  const roles = [everyone, role('2', 2), role('3', 1)]
  assert.deepEqual(movedPositions(roles, '2', -1), [])
  assert.deepEqual(movedPositions(roles, '3', 1), [])
  assert.deepEqual(movedPositions(roles, '1', -1), [])
})
