import { maxPosition } from '@gatehouse/protocol/limits'
import type { Role } from '@gatehouse/protocol/servers'

type Rank = Pick<Role, 'id' | 'position'>

/** Whether `a` is above `b` in the hierarchy. Of two roles at the same position, the older one is above. */
export function isAbove(a: Rank, b: Rank): boolean {
  return a.position === b.position ? a.id < b.id : a.position > b.position
}

/** Sorts from the highest role to @everyone. */
export function sortRoles<Item extends Rank>(roles: readonly Item[]): Item[] {
  return [...roles].sort((a, b) => (a.id === b.id ? 0 : isAbove(a, b) ? -1 : 1))
}

/** The @everyone role has the id of the server (community/everyone-role). */
export function isEveryone(role: Pick<Role, 'id' | 'serverId'>): boolean {
  return role.id === role.serverId
}

/**
 * The changed positions if the role swaps with its neighbour above (-1) or below (1). Roles may share a position, so others may
 * change too. With `highest`, the highest role of a user who is not the owner, only roles below it change, and stay below it.
 * Empty if no positions allow it.
 */
export function swapPositions(roles: readonly Role[], roleId: string, step: -1 | 1, highest?: Rank): Rank[] {
  const order = sortRoles(
    roles.filter(role => !isEveryone(role) && (highest === undefined || isAbove(highest, role))),
  )
  const index = order.findIndex(({ id }) => id === roleId)
  const role = order[index]
  const other = order[index + step]
  if (!role || !other) return []
  const next = order.with(index, other).with(index + step, role)
  // The lowest positions that leave one for each role below.
  const minimums = new Map<string, number>()
  let below: Rank | undefined
  for (const { id } of next.toReversed()) {
    below = { id, position: below ? lowestAbove(id, below) : lowestPosition }
    minimums.set(id, below.position)
  }
  const changes: Rank[] = []
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

function lowestAbove(id: string, below: Rank): number {
  const { position } = below
  return isAbove({ id, position }, below) ? position : position + 1
}

function highestBelow(id: string, above: Rank): number {
  const { position } = above
  return isAbove(above, { id, position }) ? position : position - 1
}
