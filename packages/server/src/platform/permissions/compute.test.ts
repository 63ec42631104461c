import assert from 'node:assert/strict'
import { test } from 'node:test'
import { allPermissions, defaultEveryone, Permission } from '@gatehouse/protocol/permissions'
import fc from 'fast-check'
import { computePermissions, type Standing } from './compute.ts'

const { VIEW_CHANNEL: VIEW, SEND_MESSAGES: SEND, MANAGE_MESSAGES: MANAGE, ADMINISTRATOR } = Permission

const plain: Standing = { owner: false, everyone: { permissions: VIEW | SEND }, roles: [] }

const table: [string, Standing, bigint][] = [
  ['a member without a role has what @everyone has', plain, VIEW | SEND],
  [
    'roles are joined',
    { ...plain, roles: [{ permissions: MANAGE }, { permissions: SEND }] },
    VIEW | SEND | MANAGE,
  ],
  [
    'the owner has all, whatever a channel says',
    { ...plain, owner: true, overwrite: { allow: 0n, deny: VIEW } },
    allPermissions,
  ],
  [
    'ADMINISTRATOR of a role is all, whatever a channel says',
    { ...plain, roles: [{ permissions: ADMINISTRATOR }], overwrite: { allow: 0n, deny: VIEW } },
    allPermissions,
  ],
  [
    'ADMINISTRATOR of @everyone is all',
    { ...plain, everyone: { permissions: ADMINISTRATOR, overwrite: { allow: 0n, deny: VIEW } } },
    allPermissions,
  ],
  [
    'a channel takes from @everyone',
    { ...plain, everyone: { permissions: VIEW | SEND, overwrite: { allow: 0n, deny: SEND } } },
    VIEW,
  ],
  [
    'what a channel takes from @everyone it takes from roles too',
    {
      ...plain,
      everyone: { permissions: VIEW, overwrite: { allow: 0n, deny: SEND } },
      roles: [{ permissions: SEND }],
    },
    VIEW,
  ],
  [
    'a role gets back what @everyone lost',
    {
      ...plain,
      everyone: { permissions: VIEW | SEND, overwrite: { allow: 0n, deny: VIEW } },
      roles: [{ permissions: 0n, overwrite: { allow: VIEW, deny: 0n } }],
    },
    VIEW | SEND,
  ],
  [
    'of two roles the one that allows goes over the one that denies',
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
    'what is said about the member goes over all roles',
    {
      ...plain,
      roles: [{ permissions: SEND, overwrite: { allow: SEND, deny: 0n } }],
      overwrite: { allow: 0n, deny: SEND },
    },
    VIEW,
  ],
  [
    'ADMINISTRATOR from an overwrite gives nothing else',
    { ...plain, overwrite: { allow: ADMINISTRATOR, deny: 0n } },
    VIEW | SEND | ADMINISTRATOR,
  ],
]

for (const [name, standing, expected] of table) {
  test(name, () => {
    assert.equal(computePermissions(standing), expected)
  })
}

test('a new server lets everyone view, send, embed and use commands', () => {
  const names = ['VIEW_CHANNEL', 'SEND_MESSAGES', 'EMBED_LINKS', 'USE_COMMANDS'] as const
  assert.equal(
    defaultEveryone,
    names.reduce((set, name) => set | Permission[name], 0n),
  )
})

const bits = Object.values(Permission)
const set = fc.subarray([...bits]).map(some => some.reduce((all, bit) => all | bit, 0n))
const overwrite = fc.option(fc.record({ allow: set, deny: set }), { nil: undefined })
const grant = fc.record({ permissions: set, overwrite })
const standing: fc.Arbitrary<Standing> = fc.record({
  owner: fc.boolean(),
  everyone: grant,
  roles: fc.array(grant, { maxLength: 4 }),
  overwrite,
})

/** Bit by bit, from the last word to the first: who says something about this bit decides. */
function decided({ owner, everyone, roles, overwrite }: Standing, bit: bigint): boolean {
  const grants = [everyone, ...roles]
  if (owner || grants.some(({ permissions }) => permissions & ADMINISTRATOR)) return true
  const words = [[overwrite], roles.map(role => role.overwrite), [everyone.overwrite]]
  for (const word of words) {
    if (word.some(said => said && said.allow & bit)) return true
    if (word.some(said => said && said.deny & bit)) return false
  }
  return grants.some(({ permissions }) => permissions & bit)
}

test('every bit is decided by the last who says something about it', () => {
  fc.assert(
    fc.property(standing, someone => {
      const result = computePermissions(someone)
      for (const bit of bits) assert.equal((result & bit) !== 0n, decided(someone, bit))
      assert.equal(result & ~allPermissions, 0n)
    }),
    { numRuns: 2000 },
  )
})

test('the order of the roles does not matter', () => {
  fc.assert(
    fc.property(standing, someone => {
      const turned = { ...someone, roles: someone.roles.toReversed() }
      assert.equal(computePermissions(turned), computePermissions(someone))
    }),
  )
})
