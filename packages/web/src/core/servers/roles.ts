import { maxPosition } from '@gatehouse/protocol/limits'
import { isEveryone, isHigherRole, type RolePosition, sortRoles } from '@gatehouse/protocol/role-order'
import type { Role } from '@gatehouse/protocol/servers'

/**
 * The changed positions if the role swaps with its neighbour above (-1) or below (1). Roles may share a position, so
 * others may change too. With `highest`, the highest role of a user who is not the owner, only roles below it change,
 * and stay below it. Empty if no positions allow it.
 */
export function swapPositions(
  roles: readonly Role[],
  roleId: string,
  step: -1 | 1,
  highest?: RolePosition,
): RolePosition[] {
  const order = sortRoles(
    roles.filter(role => !isEveryone(role) && (highest === undefined || isHigherRole(highest, role))),
  )
  const index = order.findIndex(({ id }) => id === roleId)
  const role = order[index]
  const other = order[index + step]
  if (!role || !other) return []
  const next = order.with(index, other).with(index + step, role)
  // The lowest positions that leave one for each role below.
  const minimums = new Map<string, number>()
  let below: RolePosition | undefined
  for (const { id } of next.toReversed()) {
    below = { id, position: below ? lowestAbove(id, below) : lowestPosition }
    minimums.set(id, below.position)
  }
  const changes: RolePosition[] = []
  let above = highest
  for (const [rank, { id, position }] of next.entries()) {
    const minimum = minimums.get(id) ?? lowestPosition
    const maximum = above ? highestBelow(id, above) : maxPosition
    if (maximum < minimum) return []
    above = { id, position: Math.min(Math.max(order[rank]?.position ?? 0, minimum), maximum) }
    if (above.position !== position) changes.push(above)
  }
  return changes
}

/** @everyone stays at 0. */
const lowestPosition = 1

function lowestAbove(id: string, below: RolePosition): number {
  const { position } = below
  return isHigherRole({ id, position }, below) ? position : position + 1
}

function highestBelow(id: string, above: RolePosition): number {
  const { position } = above
  return isHigherRole(above, { id, position }) ? position : position - 1
}
