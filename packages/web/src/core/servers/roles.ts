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
 * The changed positions if the role swaps with its neighbour above (-1) or below (1). Roles may share a position, so others
 * may change too. @everyone stays at 0.
 */
export function swapPositions(
  roles: readonly Role[],
  roleId: string,
  step: -1 | 1,
): { id: string; position: number }[] {
  const order = sortRoles(roles.filter(role => !isEveryone(role)))
  const index = order.findIndex(({ id }) => id === roleId)
  const role = order[index]
  const other = order[index + step]
  if (!role || !other) return []
  const next = order.with(index, other).with(index + step, role)
  return next
    .map(({ id, position }, rank) => ({ id, before: position, position: next.length - rank }))
    .filter(({ before, position }) => before !== position)
    .map(({ id, position }) => ({ id, position }))
}
