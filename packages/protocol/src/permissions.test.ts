import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { parse } from './parse.ts'
import {
  allPermissionNames,
  allPermissions,
  channelPermissions,
  defaultEveryone,
  directMessagePermissions,
  effectivePermissions,
  formatPermissions,
  has,
  Permission,
  PermissionSet,
  parsePermissions,
  permissionNames,
  ReservedPermission,
  readPermissions,
  serverPermissions,
} from './permissions.ts'

test('the bits match the specification', () => {
  const bits = Object.fromEntries(
    Object.entries(Permission).map(([name, bit]) => [name, Math.log2(Number(bit))]),
  )
  assert.deepEqual(bits, {
    CREATE_INVITE: 0,
    KICK_MEMBERS: 1,
    BAN_MEMBERS: 2,
    ADMINISTRATOR: 3,
    MANAGE_CHANNELS: 4,
    MANAGE_SERVER: 5,
    VIEW_AUDIT_LOG: 7,
    VIEW_CHANNEL: 10,
    SEND_MESSAGES: 11,
    MANAGE_MESSAGES: 13,
    EMBED_LINKS: 14,
    MENTION_EVERYONE: 17,
    MANAGE_ROLES: 28,
    MANAGE_WEBHOOKS: 29,
    USE_COMMANDS: 31,
    MODERATE_MEMBERS: 40,
  })
})

test('permissions of the next version have no name on screens (community/reserved-permissions)', () => {
  const bits = Object.values(ReservedPermission).map(bit => Math.log2(Number(bit)))
  assert.deepEqual(bits, [6, 15, 26, 27, 30, 34, 35, 38, 51])
  const reserved = allPermissions & ~effectivePermissions
  assert.equal(parsePermissions(`${reserved}`), reserved)
  assert.deepEqual(permissionNames(reserved), [])
  assert.deepEqual(allPermissionNames(reserved), Object.keys(ReservedPermission))
  assert.equal((defaultEveryone | directMessagePermissions) & reserved, 0n)
})

test('@everyone can create invites, view channels, send messages, embed links and use commands by default', () => {
  assert.deepEqual(permissionNames(defaultEveryone), [
    'CREATE_INVITE',
    'VIEW_CHANNEL',
    'SEND_MESSAGES',
    'EMBED_LINKS',
    'USE_COMMANDS',
  ])
})

test('parsing a formatted set of known bits returns the same set', () => {
  fc.assert(
    fc.property(fc.subarray(Object.values(Permission)), bits => {
      const set = bits.reduce((sum, bit) => sum | bit, 0n)
      assert.equal(parsePermissions(formatPermissions(set)), set)
    }),
  )
})

test('unknown bits and strings other than decimal numbers are rejected', () => {
  const bad = [
    '256',
    `${allPermissions + 1n}`,
    `${1n << 32n}`,
    `${1n << 64n}`,
    '',
    '-2',
    '02',
    '0x2',
    '2.0',
    ' 2',
    '1e3',
    '٢',
  ]
  for (const text of bad) assert.equal(parsePermissions(text), undefined, text)
  assert.equal(parsePermissions('0'), 0n)
  assert.equal(parsePermissions(`${allPermissions}`), allPermissions)
})

test('a set that the service sent keeps its unknown bits', () => {
  const set = Permission.KICK_MEMBERS | (1n << 50n)
  assert.equal(readPermissions(`${set}`), set)
  assert.deepEqual(permissionNames(readPermissions(`${set}`)), ['KICK_MEMBERS'])
  for (const text of ['', '-2', '02', '0x2', '1e3']) assert.equal(readPermissions(text), 0n, text)
})

test('has requires every bit and does not treat ADMINISTRATOR specially', () => {
  const both = Permission.VIEW_CHANNEL | Permission.SEND_MESSAGES
  assert.equal(has(defaultEveryone, both), true)
  assert.equal(has(Permission.VIEW_CHANNEL, both), false)
  assert.equal(has(Permission.ADMINISTRATOR, Permission.VIEW_CHANNEL), false)
  assert.equal(has(0n, 0n), true)
})

const { VIEW_CHANNEL: VIEW, SEND_MESSAGES: SEND, MANAGE_MESSAGES: MANAGE, ADMINISTRATOR } = Permission

interface RolePermissions {
  permissions: bigint
  overwrite?: { allow: bigint; deny: bigint } | undefined
}

interface MemberPermissions {
  isOwner: boolean
  everyone: RolePermissions
  /** The roles of the member, without @everyone. */
  roles: readonly RolePermissions[]
  /** The channel's overwrite for the member. */
  overwrite?: { allow: bigint; deny: bigint } | undefined
}

/** The permissions in a channel that has also overwrites of a role and a member that do not count. */
function computePermissions({ isOwner, everyone, roles, overwrite }: MemberPermissions): bigint {
  const permissions = serverPermissions({
    isOwner,
    roles: [everyone, ...roles].map(role => role.permissions),
  })
  const overwrites = [
    { id: 'server', overwrite: everyone.overwrite },
    { id: 'user', overwrite },
    ...roles.map((role, index) => ({ id: `role ${index}`, overwrite: role.overwrite })),
  ].flatMap(({ id, overwrite: bits }) => (bits ? { id, ...bits } : []))
  const others = ['other role', 'other user'].map(id => ({ id, allow: allPermissions, deny: 0n }))
  const roleIds = new Set(roles.map((_, index) => `role ${index}`))
  const member = { serverId: 'server', userId: 'user', roleIds, permissions }
  return channelPermissions([...overwrites, ...others], member)
}

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

test('the last overwrite that contains a bit decides about it (community/permission-order)', () => {
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

test('a time-out leaves only VIEW_CHANNEL, but not of the owner and administrators (community/timeouts)', () => {
  const roles = [VIEW | SEND]
  const member = { serverId: 'server', userId: 'user', roleIds: new Set<string>(), isTimedOut: true }
  assert.equal(serverPermissions({ isOwner: false, roles, isTimedOut: true }), VIEW)
  assert.equal(serverPermissions({ isOwner: false, roles: [SEND], isTimedOut: true }), 0n)
  assert.equal(serverPermissions({ isOwner: true, roles, isTimedOut: true }), allPermissions)
  assert.equal(
    serverPermissions({ isOwner: false, roles: [ADMINISTRATOR], isTimedOut: true }),
    allPermissions,
  )
  const overwrites = [{ id: 'user', allow: MANAGE, deny: 0n }]
  assert.equal(channelPermissions(overwrites, { ...member, permissions: VIEW | SEND }), VIEW)
  assert.equal(channelPermissions(overwrites, { ...member, permissions: allPermissions }), allPermissions)
})

test('a set that is not a decimal number has the wrong form', () => {
  for (const set of ['', 'x', '01', '-1', '1\u0000']) {
    assert.equal(parse(PermissionSet, set).violations[0]?.code, 'invalid_format', set)
  }
  assert.deepEqual(parse(PermissionSet, '10').violations, [])
})
