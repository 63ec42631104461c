import assert from 'node:assert/strict'
import test from 'node:test'
import { neighbourOf } from './roles.ts'

const role = (id: string, position: number) => ({
  ...{ id, serverId: '1', name: id, permissions: '0', color: 0, position, managed: false },
})

test('a role has a neighbour above and below it, also if they share a position', () => {
  const [everyone, low, middle, high] = [role('1', 0), role('4', 1), role('3', 1), role('2', 7)]
  const roles = [high, everyone, low, middle]
  assert.deepEqual(neighbourOf(roles, middle.id, -1), { role: high, place: 3 })
  assert.deepEqual(neighbourOf(roles, middle.id, 1), { role: low, place: 1 })
  assert.equal(neighbourOf(roles, high.id, -1), undefined)
  assert.equal(neighbourOf(roles, low.id, 1), undefined)
  assert.equal(neighbourOf(roles, everyone.id, 1), undefined)
})
