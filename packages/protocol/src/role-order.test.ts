import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  highestRole,
  isEveryone,
  isHigherRole,
  mayManageMember,
  mayManageRole,
  sortRoles,
} from './role-order.ts'

const everyone = { id: '1000000000000000001', position: 0 }
const low = { id: '1000000000000000005', position: 1 }
const lowButOlder = { id: '1000000000000000002', position: 1 }
const high = { id: '1000000000000000003', position: 7 }

test('a role is higher by position, and by age if the positions are equal', () => {
  assert.equal(isHigherRole(high, low), true)
  assert.equal(isHigherRole(low, high), false)
  assert.equal(isHigherRole(lowButOlder, low), true)
  assert.equal(isHigherRole(low, lowButOlder), false)
  assert.equal(isHigherRole(low, low), false)
  assert.deepEqual(sortRoles([everyone, low, lowButOlder, high]), [high, lowButOlder, low, everyone])
})

test('the highest role of a member without roles is @everyone', () => {
  assert.equal(highestRole([everyone]), everyone)
  assert.equal(highestRole([low, everyone, high, lowButOlder]), high)
  assert.equal(highestRole([]), undefined)
})

test('the role @everyone has the id of the server (community/everyone-role)', () => {
  assert.equal(isEveryone({ id: '1', serverId: '1' }), true)
  assert.equal(isEveryone({ id: '2', serverId: '1' }), false)
})

test('a member manages what is below their highest role, the owner all (community/permission-hierarchy)', () => {
  const owner = { isOwner: true, highestRole: everyone }
  const member = { isOwner: false, highestRole: lowButOlder }
  const roles = [everyone, low, lowButOlder, high]
  assert.deepEqual(
    roles.map(role => mayManageRole(member, role)),
    [true, true, true, false],
  )
  assert.deepEqual(
    roles.map(highestRole => mayManageMember(member, { isOwner: false, highestRole })),
    [true, true, false, false],
  )
  assert.equal(mayManageMember(member, owner), false)
  assert.equal(mayManageRole(owner, high), true)
  assert.equal(mayManageMember(owner, { isOwner: false, highestRole: high }), true)
})
