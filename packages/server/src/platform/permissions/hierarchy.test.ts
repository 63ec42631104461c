import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Permission } from '@gatehouse/protocol/permissions'
import { AppError } from '../../kit/app-error.ts'
import { highestOf, isAbove, requireAbove, requireHeld, requireReach } from './hierarchy.ts'
import type { ServerAccess } from './records.ts'

const everyone = { id: '1000000000000000001', position: 0 }
const low = { id: '1000000000000000005', position: 1 }
const lowButOlder = { id: '1000000000000000002', position: 1 }
const high = { id: '1000000000000000003', position: 7 }

function someone(userId: string, highest: { id: string; position: number }): ServerAccess {
  return {
    server: { id: everyone.id, name: 'Server', icon: null, ownerId: 'owner' },
    permissions: 0n,
    member: { serverId: everyone.id, userId, nick: null, joinedAt: 0, roles: [], highest },
  }
}

const refused = (error: unknown) => error instanceof AppError && error.code === 'missing_permission'

test('a role is above another by position, and by age where that is the same', () => {
  assert.equal(isAbove(high, low), true)
  assert.equal(isAbove(low, high), false)
  assert.equal(isAbove(lowButOlder, low), true)
  assert.equal(isAbove(low, lowButOlder), false)
  assert.equal(isAbove(low, low), false)
})

test('the highest of no roles is @everyone', () => {
  assert.equal(highestOf([], everyone), everyone)
  assert.equal(highestOf([low, high, lowButOlder], everyone), high)
})

test('a role above the highest of one’s own is out of reach, but not for the owner', () => {
  assert.throws(() => requireReach(someone('a', low), high), refused)
  requireReach(someone('a', high), low)
  requireReach(someone('a', high), high)
  requireReach(someone('owner', everyone), high)
})

test('one acts upon members who stand lower, never upon an equal or the owner', () => {
  requireAbove(someone('a', high), { userId: 'b', highest: low })
  assert.throws(() => requireAbove(someone('a', high), { userId: 'b', highest: high }), refused)
  assert.throws(() => requireAbove(someone('a', low), { userId: 'b', highest: high }), refused)
  assert.throws(() => requireAbove(someone('a', high), { userId: 'owner', highest: everyone }), refused)
  requireAbove(someone('owner', everyone), { userId: 'b', highest: high })
})

test('nobody passes on what they do not hold, and the answer names it', () => {
  requireHeld(Permission.VIEW_CHANNEL | Permission.SEND_MESSAGES, Permission.SEND_MESSAGES)
  assert.throws(
    () => requireHeld(Permission.VIEW_CHANNEL, Permission.VIEW_CHANNEL | Permission.BAN_MEMBERS),
    (error: unknown) => refused(error) && error instanceof Error && /BAN_MEMBERS/.test(error.message),
  )
})
