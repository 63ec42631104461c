import assert from 'node:assert/strict'
import { test } from 'node:test'
import { maxPosition } from '@gatehouse/protocol/limits'
import { sortRoles } from '@gatehouse/protocol/role-order'
import type { Role } from '@gatehouse/protocol/servers'
import { planRoleMoves } from './role-moves.ts'

const serverId = '10'

/** The lowest role first: `a` is above `b` with the same position, because it is older. */
function makeRoles(positions: Readonly<Record<string, number>>): Role[] {
  const all = Object.entries({ [serverId]: 0, ...positions })
  const roles = all.map(([id, position]) => ({
    ...{ id, serverId, name: id, permissions: '0', color: 0, position, managed: false },
  }))
  return sortRoles(roles).toReversed()
}

/** The order afterwards and the positions that change. `places`: what a client sends. */
function move(positions: Readonly<Record<string, number>>, places: Readonly<Record<string, number>>) {
  const roles = makeRoles(positions)
  const moves = roles.flatMap((role): [Role, number][] => {
    const place = places[role.id]
    return place === undefined ? [] : [[role, place]]
  })
  const changed = planRoleMoves(roles, new Map(moves))
  const after = roles.map(role => ({ ...role, position: changed.get(role.id) ?? role.position }))
  const [, ...ids] = sortRoles(after).toReversed()
  return [ids.map(({ id }) => id).join(''), Object.fromEntries(changed)]
}

test('moved roles get their places, also among roles with the same position (discord/role-positions)', () => {
  const tied = { a: 1, b: 1, c: 1, bot: 10 }
  assert.deepEqual(move(tied, {}), ['cbabot', {}])
  assert.deepEqual(move(tied, { a: 1 }), ['acbbot', { c: 2, b: 3 }])
  // discord.js sends the places of all roles.
  assert.deepEqual(move(tied, { [serverId]: 0, a: 1, c: 2, b: 3, bot: 4 }), ['acbbot', { c: 2, b: 3 }])
  assert.deepEqual(move({ a: 8, b: 5, c: 1, bot: 10 }, { a: 1 }), ['acbbot', { a: 1, c: 2, b: 3 }])
  assert.deepEqual(move({ a: 8, b: 5, c: 1, bot: 10 }, { c: 3 }), ['bacbot', { b: 1, a: 2, c: 3 }])
  // Nothing is below @everyone, and a place beyond the last one is the last one.
  assert.deepEqual(move({ a: 2, b: 1 }, { a: 0 }), ['ab', { a: 1, b: 2 }])
  assert.deepEqual(move({ a: 2, b: 1 }, { b: 99 }), ['ab', { a: 1, b: 2 }])
})

test('without higher positions, all roles get the lowest ones', () => {
  const positions = { a: maxPosition, b: maxPosition, c: maxPosition }
  assert.deepEqual(move(positions, { a: 2 }), ['cab', { [serverId]: 0, c: 1, a: 2, b: 3 }])
})

test('roles above the moved ones make room if they must', () => {
  assert.deepEqual(move({ a: 2, b: 1, c: 3 }, { b: 2 }), ['abc', { a: 1, b: 2 }])
  assert.deepEqual(move({ a: 1, b: 1, c: 1, d: 2 }, { c: 3 }), ['bacd', { a: 2, c: 3, d: 4 }])
})
