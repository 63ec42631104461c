import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { CommandOverride } from '@gatehouse/protocol/commands'
import { allPermissions, Permission } from '@gatehouse/protocol/permissions'
import { type CommandUser, mayUseCommand } from './command-permissions.ts'

const { BAN_MEMBERS, KICK_MEMBERS, ADMINISTRATOR, USE_COMMANDS } = Permission
const [serverId, channelId, userId, crew, guests] = ['1', '2', '3', '4', '5']
const member: CommandUser = {
  serverId,
  channelId,
  userId,
  roleIds: [crew, guests],
  permissions: USE_COMMANDS,
}

function mayUse(overrides: CommandOverride[], more: Partial<CommandUser> = {}, needed: bigint | null = null) {
  const defaultMemberPermissions = needed === null ? null : String(needed)
  return mayUseCommand({ ...member, ...more }, { defaultMemberPermissions }, overrides)
}

const allow = (type: CommandOverride['type'], id: string): CommandOverride => ({ type, id, allow: true })
const deny = (type: CommandOverride['type'], id: string): CommandOverride => ({ type, id, allow: false })

test('a member needs all default permissions, and only administrators have "0" (bots/default-permissions)', () => {
  const cases: [bigint | null, bigint, boolean][] = [
    [null, 0n, true],
    [BAN_MEMBERS, USE_COMMANDS, false],
    [BAN_MEMBERS | KICK_MEMBERS, BAN_MEMBERS, false],
    [BAN_MEMBERS | KICK_MEMBERS, BAN_MEMBERS | KICK_MEMBERS | USE_COMMANDS, true],
    [0n, allPermissions & ~ADMINISTRATOR, false],
    [0n, allPermissions, true],
    [BAN_MEMBERS, ADMINISTRATOR, true],
  ]
  for (const [needed, permissions, expected] of cases) {
    assert.equal(mayUse([], { permissions }, needed), expected, `${needed} of ${permissions}`)
  }
})

test('channel, member, roles, @everyone and default decide in this order (bots/command-overrides-order)', () => {
  const cases: [string, CommandOverride[], boolean, bigint?][] = [
    ['the channel is denied', [deny('channel', channelId), allow('user', userId)], false],
    ['another channel is denied', [deny('channel', '9')], true],
    ['all channels are denied', [deny('channel', serverId)], false],
    ['one channel of all is allowed', [deny('channel', serverId), allow('channel', channelId)], true],
    ['one channel of all is denied', [allow('channel', serverId), deny('channel', channelId)], false],
    ['an allowed channel does not replace permissions', [allow('channel', channelId)], false, BAN_MEMBERS],
    ['the member is allowed', [allow('user', userId), deny('role', crew)], true, BAN_MEMBERS],
    ['the member is denied', [deny('user', userId), allow('role', crew)], false],
    ['another member is denied', [deny('user', '9')], true],
    ['one of two roles is allowed', [deny('role', crew), allow('role', guests)], true, BAN_MEMBERS],
    ['a role is denied', [deny('role', crew), allow('role', serverId)], false],
    ['a role of others is denied', [deny('role', '9')], true],
    ['@everyone is denied', [deny('role', serverId)], false],
    ['@everyone is denied, a role is allowed', [deny('role', serverId), allow('role', crew)], true],
    ['@everyone is allowed', [allow('role', serverId)], true, 0n],
  ]
  for (const [name, overrides, expected, needed] of cases) {
    assert.equal(mayUse(overrides, {}, needed ?? null), expected, name)
    assert.equal(mayUse(overrides.toReversed(), {}, needed ?? null), expected, `${name}, reversed`)
  }
})

test('overrides limit no administrators, those of channels not the server (bots/command-overrides-order)', () => {
  const all = [deny('channel', channelId), deny('user', userId), deny('role', serverId)]
  assert.equal(mayUse(all, { permissions: ADMINISTRATOR }), true)
  assert.equal(mayUse([deny('channel', serverId)], { channelId: undefined }), true)
})
