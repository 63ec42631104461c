import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Permission } from '@gatehouse/protocol/permissions'
import { AppError } from '../../errors/app-error.ts'
import { requireGrantable, requireManageableMember, requireManageableRole } from './hierarchy.ts'
import type { ServerAccess } from './permission-records.ts'

const everyone = { id: '1000000000000000001', position: 0 }
const low = { id: '1000000000000000005', position: 1 }
const high = { id: '1000000000000000003', position: 7 }

function accessOf(userId: string, highest: { id: string; position: number }): ServerAccess {
  return {
    server: {
      id: everyone.id,
      name: 'Server',
      icon: null,
      ownerId: 'owner',
      invitesPaused: 0,
      verificationLevel: 'none',
    },
    permissions: 0n,
    timedOutUntil: null,
    member: {
      serverId: everyone.id,
      userId,
      nick: null,
      joinedAt: 0,
      timedOutUntil: null,
      roles: [],
      highestRole: highest,
    },
  }
}

const isMissingPermission = (error: unknown) =>
  error instanceof AppError && error.code === 'missing_permission'

test('rejects a role above the highest role of the caller, except for the owner', () => {
  assert.throws(() => requireManageableRole(accessOf('a', low), high), isMissingPermission)
  requireManageableRole(accessOf('a', high), low)
  requireManageableRole(accessOf('a', high), high)
  requireManageableRole(accessOf('owner', everyone), high)
})

test('rejects a member with an equal or higher role, and the owner', () => {
  requireManageableMember(accessOf('a', high), { userId: 'b', highestRole: low })
  assert.throws(
    () => requireManageableMember(accessOf('a', high), { userId: 'b', highestRole: high }),
    isMissingPermission,
  )
  assert.throws(
    () => requireManageableMember(accessOf('a', low), { userId: 'b', highestRole: high }),
    isMissingPermission,
  )
  assert.throws(
    () => requireManageableMember(accessOf('a', high), { userId: 'owner', highestRole: everyone }),
    isMissingPermission,
  )
  requireManageableMember(accessOf('owner', everyone), { userId: 'b', highestRole: high })
})

test('rejects a change of permissions that the caller does not have, with their names', () => {
  requireGrantable(Permission.VIEW_CHANNEL | Permission.SEND_MESSAGES, Permission.SEND_MESSAGES)
  assert.throws(
    () => requireGrantable(Permission.VIEW_CHANNEL, Permission.VIEW_CHANNEL | Permission.BAN_MEMBERS),
    (error: unknown) =>
      isMissingPermission(error) && error instanceof Error && /BAN_MEMBERS/.test(error.message),
  )
})
