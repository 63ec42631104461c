import { isEveryone, sortRoles } from '@gatehouse/protocol/role-order'
import type { Role } from '@gatehouse/protocol/servers'

/**
 * The neighbour above (-1) or below (1) a role, with its place in the order of all roles from @everyone. Undefined
 * without one: no role changes places with @everyone.
 */
export function neighbourOf(
  roles: readonly Role[],
  roleId: string,
  step: -1 | 1,
): { role: Role; place: number } | undefined {
  const order = sortRoles(roles).toReversed()
  const place = order.findIndex(({ id }) => id === roleId) - step
  const role = order[place]
  return role && !isEveryone(role) ? { role, place } : undefined
}
