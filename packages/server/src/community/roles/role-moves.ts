import { maxPosition } from '@gatehouse/protocol/limits'
import { isEveryone, isHigherRole, type RolePosition } from '@gatehouse/protocol/role-order'

interface PlacedRole extends RolePosition {
  serverId: string
}

/**
 * The roles that need another position, with it, so that the moved roles get their places in the order of all roles,
 * from @everyone. Roles may have the same position and there may be gaps: the others keep theirs if they can. `roles`:
 * from @everyone.
 */
export function planRoleMoves<R extends PlacedRole>(
  roles: readonly R[],
  places: ReadonlyMap<R, number>,
): Map<string, number> {
  const order = roles.filter(role => !places.has(role))
  for (const [role, place] of [...places].sort(([, a], [, b]) => a - b)) {
    order.splice(isEveryone(role) ? 0 : Math.max(1, place), 0, role)
  }
  const differs = order.map((role, index) => role.id !== roles[index]?.id)
  const [first, last] = [differs.indexOf(true), differs.lastIndexOf(true)]
  const positions = new Map<string, number>()
  let below: { id: string; position: number } | undefined
  for (const [index, role] of order.entries()) {
    const isInRange = first >= 0 && index >= first && index <= last
    const keeps = below === undefined || (!isInRange && isHigherRole(role, below))
    const position: number = keeps || below === undefined ? role.position : below.position + 1
    if (position !== role.position) positions.set(role.id, position)
    below = { id: role.id, position }
  }
  const fits = [...positions.values()].every(position => position <= maxPosition)
  return fits ? positions : new Map(order.map(({ id }, place) => [id, place]))
}
