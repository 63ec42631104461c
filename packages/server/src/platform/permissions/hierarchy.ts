import { permissionNames } from '@gatehouse/protocol/permissions'
import { AppError } from '../../kit/app-error.ts'
import type { RoleRank, ServerAccess } from './records.ts'

/** Whether `a` stands above `b`: of two at the same position, the one that was made earlier. */
export function isAbove(a: RoleRank, b: RoleRank): boolean {
  return a.position === b.position ? a.id < b.id : a.position > b.position
}

export function highestOf(roles: readonly RoleRank[], everyone: RoleRank): RoleRank {
  return roles.reduce((highest, role) => (isAbove(role, highest) ? role : highest), everyone)
}

/** D64: nobody touches a role above their highest; the owner is above all. Throws 403 `missing_permission`. */
export function requireReach(access: ServerAccess, role: RoleRank): void {
  if (isOwner(access) || !isAbove(role, access.member.highest)) return
  throw new AppError('missing_permission', 'That role is above your highest.')
}

/**
 * Nobody acts upon a member who stands as high as they do, or higher; the owner is above all (D64). Throws 403
 * `missing_permission`.
 */
export function requireAbove(access: ServerAccess, other: { userId: string; highest: RoleRank }): void {
  if (isOwner(access)) return
  if (other.userId !== access.server.ownerId && isAbove(access.member.highest, other.highest)) return
  throw new AppError('missing_permission', 'That member does not stand below you.')
}

/** D64: nobody gives, changes or takes what they do not hold. Throws 403 `missing_permission`, naming it. */
export function requireHeld(held: bigint, bits: bigint): void {
  const lacking = bits & ~held
  if (lacking === 0n) return
  throw new AppError('missing_permission', `You do not hold ${permissionNames(lacking).join(', ')} yourself.`)
}

function isOwner(access: ServerAccess): boolean {
  return access.server.ownerId === access.member.userId
}
