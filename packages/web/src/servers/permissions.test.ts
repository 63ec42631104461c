import assert from 'node:assert/strict'
import test from 'node:test'
import { allPermissions, Permission } from '@gatehouse/protocol/permissions'
import { channelPermissions, managesMembers, mayOnServer, permissionsIn } from './permissions.ts'

const { VIEW_CHANNEL, SEND_MESSAGES, ADMINISTRATOR, MANAGE_WEBHOOKS } = Permission
const text = (bits: bigint) => bits.toString()
const overwrite = (id: string, type: 'role' | 'member', allow: bigint, deny: bigint) => ({
  id,
  type,
  allow: text(allow),
  deny: text(deny),
})

test('overwrites count for everyone, then roles together, then the member', () => {
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
  assert.equal(channelPermissions(channel, who), SEND_MESSAGES)
  assert.equal(channelPermissions(channel, { ...who, userId: 'you', roles: [] }), VIEW_CHANNEL)
})

test('an administrator may all, whatever the channel says', () => {
  const channel = { serverId: 's', permissionOverwrites: [overwrite('s', 'role', 0n, VIEW_CHANNEL)] }
  const who = { permissions: text(ADMINISTRATOR), userId: 'me', roles: [] }
  assert.equal(channelPermissions(channel, who), allPermissions)
})

test('on a server the owner may all, others what they hold', () => {
  assert.equal(mayOnServer({ owner: true, permissions: '0' }, MANAGE_WEBHOOKS), true)
  assert.equal(mayOnServer({ owner: false, permissions: text(MANAGE_WEBHOOKS) }, MANAGE_WEBHOOKS), true)
  assert.equal(mayOnServer({ owner: false, permissions: '0' }, MANAGE_WEBHOOKS), false)
  assert.equal(mayOnServer(undefined, MANAGE_WEBHOOKS), false)
})

test('a set is read as names, in the order of the bits', () => {
  assert.deepEqual(permissionsIn(text(SEND_MESSAGES | VIEW_CHANNEL)), ['VIEW_CHANNEL', 'SEND_MESSAGES'])
  assert.deepEqual(permissionsIn('0'), [])
  assert.deepEqual(permissionsIn('nonsense'), [])
})

test('whoever may remove members, give roles or manage the server has something to do with members', () => {
  for (const bit of [
    Permission.KICK_MEMBERS,
    Permission.MANAGE_ROLES,
    Permission.MANAGE_SERVER,
    ADMINISTRATOR,
  ])
    assert.ok(managesMembers({ owner: false, permissions: text(bit) }))
  assert.equal(managesMembers({ owner: false, permissions: text(VIEW_CHANNEL) }), false)
  assert.equal(managesMembers(undefined), false)
})
