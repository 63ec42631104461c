import assert from 'node:assert/strict'
import { test } from 'node:test'
import * as protocol from '@gatehouse/protocol/permissions'
import { Permission, type PermissionName, permissionSet } from './permissions.ts'

test('the permissions are those of the service', () => {
  assert.deepEqual(Permission, protocol.Permission)
  // A name that is missing in PermissionName does not compile.
  const names: PermissionName[] = protocol.permissionNames(protocol.allPermissions)
  assert.deepEqual(Object.keys(Permission), names)
  assert.equal(permissionSet(['BAN_MEMBERS', 'ADMINISTRATOR', 'BAN_MEMBERS']), '12')
  assert.equal(protocol.parsePermissions(permissionSet(['MODERATE_MEMBERS'])), Permission.MODERATE_MEMBERS)
})
