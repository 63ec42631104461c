import type { Role } from '@gatehouse/protocol/servers'

type Rank = Pick<Role, 'id' | 'position'>

/** Whether `a` stands above `b`: of two at the same position, the one that was made earlier, as the service has it. */
export function isAbove(a: Rank, b: Rank): boolean {
  return a.position === b.position ? a.id < b.id : a.position > b.position
}

/** From the highest to @everyone. */
export function inRank<Item extends Rank>(roles: readonly Item[]): Item[] {
  return [...roles].sort((a, b) => (a.id === b.id ? 0 : isAbove(a, b) ? -1 : 1))
}

/** @everyone is the role whose id is the server's (D58). */
export function isEveryone(role: Pick<Role, 'id' | 'serverId'>): boolean {
  return role.id === role.serverId
}

/**
 * What positions change when `moved` takes the place of its neighbour above or below. Roles may share a position, so all
 * that are not in step with the new order get another; @everyone stays at 0.
 */
export function movedPositions(
  roles: readonly Role[],
  moved: string,
  by: -1 | 1,
): { id: string; position: number }[] {
  const order = inRank(roles.filter(role => !isEveryone(role)))
  const at = order.findIndex(({ id }) => id === moved)
  const role = order[at]
  const other = order[at + by]
  if (!role || !other) return []
  const next = order.with(at, other).with(at + by, role)
  return next
    .map(({ id, position }, index) => ({ id, before: position, position: next.length - index }))
    .filter(({ before, position }) => before !== position)
    .map(({ id, position }) => ({ id, position }))
}
