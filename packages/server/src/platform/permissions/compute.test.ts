import assert from 'node:assert/strict'
import { test } from 'node:test'
import { allPermissions, defaultEveryone, Permission } from '@gatehouse/protocol/permissions'
import fc from 'fast-check'
import { computePermissions, type MemberPermissions } from './compute.ts'

const { VIEW_CHANNEL: VIEW, SEND_MESSAGES: SEND, MANAGE_MESSAGES: MANAGE, ADMINISTRATOR } = Permission

const plain: MemberPermissions = { isOwner: false, everyone: { permissions: VIEW | SEND }, roles: [] }

const table: [string, MemberPermissions, bigint][] = [
  ['a member without a role has the permissions of @everyone', plain, VIEW | SEND],
  [
    'the permissions of all roles are united',
    { ...plain, roles: [{ permissions: MANAGE }, { permissions: SEND }] },
    VIEW | SEND | MANAGE,
  ],
  [
    'the owner has all permissions in spite of overwrites',
    { ...plain, isOwner: true, overwrite: { allow: 0n, deny: VIEW } },
    allPermissions,
  ],
  [
    'ADMINISTRATOR from a role gives all permissions in spite of overwrites',
    { ...plain, roles: [{ permissions: ADMINISTRATOR }], overwrite: { allow: 0n, deny: VIEW } },
    allPermissions,
  ],
  [
    'ADMINISTRATOR from @everyone gives all permissions',
    { ...plain, everyone: { permissions: ADMINISTRATOR, overwrite: { allow: 0n, deny: VIEW } } },
    allPermissions,
  ],
  [
    'an overwrite for @everyone denies a permission',
    { ...plain, everyone: { permissions: VIEW | SEND, overwrite: { allow: 0n, deny: SEND } } },
    VIEW,
  ],
  [
    'an overwrite for @everyone also denies a permission from a role',
    {
      ...plain,
      everyone: { permissions: VIEW, overwrite: { allow: 0n, deny: SEND } },
      roles: [{ permissions: SEND }],
    },
    VIEW,
  ],
  [
    'an overwrite for a role allows what the overwrite for @everyone denies',
    {
      ...plain,
      everyone: { permissions: VIEW | SEND, overwrite: { allow: 0n, deny: VIEW } },
      roles: [{ permissions: 0n, overwrite: { allow: VIEW, deny: 0n } }],
    },
    VIEW | SEND,
  ],
  [
    'the allow of one role overrides the deny of another role',
    {
      ...plain,
      roles: [
        { permissions: 0n, overwrite: { allow: SEND, deny: 0n } },
        { permissions: 0n, overwrite: { allow: 0n, deny: SEND } },
      ],
    },
    VIEW | SEND,
  ],
  [
    'an overwrite for the member overrides those for all roles',
    {
      ...plain,
      roles: [{ permissions: SEND, overwrite: { allow: SEND, deny: 0n } }],
      overwrite: { allow: 0n, deny: SEND },
    },
    VIEW,
  ],
  [
    'ADMINISTRATOR from an overwrite gives no other permission',
    { ...plain, overwrite: { allow: ADMINISTRATOR, deny: 0n } },
    VIEW | SEND | ADMINISTRATOR,
  ],
]

for (const [name, member, expected] of table) {
  test(name, () => {
    assert.equal(computePermissions(member), expected)
  })
}

test('@everyone of a new server has VIEW_CHANNEL, SEND_MESSAGES, EMBED_LINKS and USE_COMMANDS', () => {
  const names = ['VIEW_CHANNEL', 'SEND_MESSAGES', 'EMBED_LINKS', 'USE_COMMANDS'] as const
  assert.equal(
    defaultEveryone,
    names.reduce((set, name) => set | Permission[name], 0n),
  )
})

const bits = Object.values(Permission)
const set = fc.subarray([...bits]).map(some => some.reduce((all, bit) => all | bit, 0n))
const overwrite = fc.option(fc.record({ allow: set, deny: set }), { nil: undefined })
const role = fc.record({ permissions: set, overwrite })
const memberArbitrary: fc.Arbitrary<MemberPermissions> = fc.record({
  isOwner: fc.boolean(),
  everyone: role,
  roles: fc.array(role, { maxLength: 4 }),
  overwrite,
})

/** A second implementation for one bit: from the last overwrite to the first, the first one with the bit decides. */
function isGranted({ isOwner, everyone, roles, overwrite }: MemberPermissions, bit: bigint): boolean {
  const allRoles = [everyone, ...roles]
  if (isOwner || allRoles.some(({ permissions }) => permissions & ADMINISTRATOR)) return true
  const levels = [[overwrite], roles.map(role => role.overwrite), [everyone.overwrite]]
  for (const level of levels) {
    if (level.some(entry => entry && entry.allow & bit)) return true
    if (level.some(entry => entry && entry.deny & bit)) return false
  }
  return allRoles.some(({ permissions }) => permissions & bit)
}

test('the last overwrite that contains a bit decides about it', () => {
  fc.assert(
    fc.property(memberArbitrary, member => {
      const result = computePermissions(member)
      for (const bit of bits) assert.equal((result & bit) !== 0n, isGranted(member, bit))
      assert.equal(result & ~allPermissions, 0n)
    }),
    { numRuns: 2000 },
  )
})

test('the order of the roles does not change the result', () => {
  fc.assert(
    fc.property(memberArbitrary, member => {
      const reversed = { ...member, roles: member.roles.toReversed() }
      assert.equal(computePermissions(reversed), computePermissions(member))
    }),
  )
})
