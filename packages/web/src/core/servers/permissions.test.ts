import assert from 'node:assert/strict'
import test from 'node:test'
import { allPermissions, Permission, permissionNames, readPermissions } from '@gatehouse/protocol/permissions'
import {
  canManageMembers,
  filterViewers,
  hasServerPermission,
  isPrivate,
  isRestricted,
  ownChannelPermissions,
} from './permissions.ts'

const { VIEW_CHANNEL, SEND_MESSAGES, ADMINISTRATOR, MANAGE_WEBHOOKS } = Permission
const text = (bits: bigint) => bits.toString()
const overwrite = (id: string, type: 'role' | 'member', allow: bigint, deny: bigint) => ({
  id,
  type,
  allow: text(allow),
  deny: text(deny),
})

test('applies the overwrites of @everyone, of all roles together, and of the member, in this order', () => {
  const channel = {
    serverId: 's',
    permissionOverwrites: [
      overwrite('me', 'member', 0n, VIEW_CHANNEL),
      overwrite('r1', 'role', 0n, SEND_MESSAGES),
      overwrite('r2', 'role', SEND_MESSAGES, 0n),
      overwrite('s', 'role', 0n, SEND_MESSAGES),
      overwrite('other', 'role', MANAGE_WEBHOOKS, 0n),
    ],
  }
  const who = { permissions: text(VIEW_CHANNEL | SEND_MESSAGES), userId: 'me', roles: ['r1', 'r2'] }
  assert.equal(ownChannelPermissions(channel, who), SEND_MESSAGES)
  assert.equal(ownChannelPermissions(channel, { ...who, userId: 'you', roles: [] }), VIEW_CHANNEL)
})

test('an administrator has all permissions, whatever the overwrites', () => {
  const channel = { serverId: 's', permissionOverwrites: [overwrite('s', 'role', 0n, VIEW_CHANNEL)] }
  const who = { permissions: text(ADMINISTRATOR), userId: 'me', roles: [] }
  assert.equal(ownChannelPermissions(channel, who), allPermissions)
})

test('on a server the owner has all permissions, and other members those of their roles', () => {
  assert.equal(hasServerPermission({ owner: true, permissions: '0' }, MANAGE_WEBHOOKS), true)
  assert.equal(
    hasServerPermission({ owner: false, permissions: text(MANAGE_WEBHOOKS) }, MANAGE_WEBHOOKS),
    true,
  )
  assert.equal(hasServerPermission({ owner: false, permissions: '0' }, MANAGE_WEBHOOKS), false)
  assert.equal(hasServerPermission(undefined, MANAGE_WEBHOOKS), false)
})

test('a permission that this version does not know does not hide the others', () => {
  const newer = text(MANAGE_WEBHOOKS | (1n << 50n))
  assert.equal(hasServerPermission({ owner: false, permissions: newer }, MANAGE_WEBHOOKS), true)
  const channel = { serverId: 's', permissionOverwrites: [overwrite('s', 'role', VIEW_CHANNEL, 1n << 50n)] }
  const who = { permissions: newer, userId: 'me', roles: [] }
  assert.equal(ownChannelPermissions(channel, who), MANAGE_WEBHOOKS | VIEW_CHANNEL)
  assert.deepEqual(permissionNames(readPermissions(newer)), ['MANAGE_WEBHOOKS'])
})

test('members can be managed with KICK_MEMBERS, MANAGE_ROLES or MANAGE_SERVER', () => {
  for (const bit of [
    Permission.KICK_MEMBERS,
    Permission.MANAGE_ROLES,
    Permission.MANAGE_SERVER,
    ADMINISTRATOR,
  ])
    assert.ok(canManageMembers({ owner: false, permissions: text(bit) }))
  assert.equal(canManageMembers({ owner: false, permissions: text(VIEW_CHANNEL) }), false)
  assert.equal(canManageMembers(undefined), false)
})

test('a channel is private if @everyone cannot view it, by an overwrite or on the whole server', () => {
  const open = { serverId: 's', permissionOverwrites: [] }
  const hidden = { serverId: 's', permissionOverwrites: [overwrite('s', 'role', 0n, VIEW_CHANNEL)] }
  const shown = { serverId: 's', permissionOverwrites: [overwrite('s', 'role', VIEW_CHANNEL, 0n)] }
  const denied = { serverId: 's', permissionOverwrites: [overwrite('me', 'member', 0n, VIEW_CHANNEL)] }
  const viewing = [{ id: 's', permissions: text(VIEW_CHANNEL) }]
  const blind = [{ id: 's', permissions: text(SEND_MESSAGES) }]
  const admin = [{ id: 's', permissions: text(ADMINISTRATOR) }]
  assert.deepEqual(
    [open, hidden, shown, denied].map(channel => isPrivate(channel, viewing)),
    [false, true, false, false],
  )
  assert.deepEqual(
    [open, hidden, shown, denied].map(channel => isPrivate(channel, blind)),
    [true, true, false, true],
  )
  assert.equal(isPrivate(hidden, admin), false)
  assert.equal(isPrivate(hidden, []), false, 'the roles are not loaded yet')
  assert.deepEqual(
    [open, hidden, shown, denied].map(channel => isRestricted(channel, viewing)),
    [false, true, false, true],
  )
})

test('a member can view a channel by their roles and by the overwrites', () => {
  const roles = [
    { id: 's', permissions: text(VIEW_CHANNEL) },
    { id: 'crew', permissions: '0' },
    { id: 'admin', permissions: text(ADMINISTRATOR) },
  ]
  const channel = {
    serverId: 's',
    permissionOverwrites: [
      overwrite('s', 'role', 0n, VIEW_CHANNEL),
      overwrite('crew', 'role', VIEW_CHANNEL, 0n),
      overwrite('cem', 'member', VIEW_CHANNEL, 0n),
      overwrite('dan', 'member', 0n, VIEW_CHANNEL),
    ],
  }
  const view = (id: string, ...held: string[]) =>
    filterViewers(channel, [{ user: { id }, roles: held }], roles, 'owner').length === 1
  assert.deepEqual([view('bob'), view('bob', 'crew'), view('bob', 'admin')], [false, true, true])
  assert.deepEqual([view('cem'), view('dan', 'crew'), view('dan', 'admin')], [true, false, true])
  assert.equal(view('owner'), true)
})

test('a time-out leaves only VIEW_CHANNEL, but not of administrators (community/timeouts)', () => {
  const channel = { serverId: 'server', permissionOverwrites: [] }
  const subject = { userId: 'user', roles: [], isTimedOut: true }
  const permissions = text(VIEW_CHANNEL | SEND_MESSAGES)
  assert.equal(ownChannelPermissions(channel, { ...subject, permissions }), VIEW_CHANNEL)
  const administrator = text(ADMINISTRATOR)
  assert.equal(ownChannelPermissions(channel, { ...subject, permissions: administrator }), allPermissions)
})
