import { permissionNames } from '@gatehouse/protocol/permissions'
import { AppError } from '../../kit/app-error.ts'
import type { RolePosition, ServerAccess } from './records.ts'

/** Of two roles with the same position, the older one is higher. */
export function isHigherRole(a: RolePosition, b: RolePosition): boolean {
  return a.position === b.position ? a.id < b.id : a.position > b.position
}

export function findHighestRole(roles: readonly RolePosition[], everyone: RolePosition): RolePosition {
  return roles.reduce((highest, role) => (isHigherRole(role, highest) ? role : highest), everyone)
}

/**
 * Throws 403 `missing_permission` if the role is higher than the highest role of a caller who is not the owner
 * (community/permission-hierarchy).
 */
export function requireManageableRole(access: ServerAccess, role: RolePosition): void {
  if (isOwner(access) || !isHigherRole(role, access.member.highestRole)) return
  throw new AppError('missing_permission', 'The role is higher than your highest role.')
}

/**
 * Throws 403 `missing_permission` unless the caller is the owner, or the member is not the owner and their highest role is
 * lower than the caller's (community/permission-hierarchy).
 */
export function requireManageableMember(
  access: ServerAccess,
  member: { userId: string; highestRole: RolePosition },
): void {
  if (isOwner(access)) return
  const isBelow = isHigherRole(access.member.highestRole, member.highestRole)
  if (member.userId !== access.server.ownerId && isBelow) return
  throw new AppError(
    'missing_permission',
    'The highest role of the member is not lower than your highest role.',
  )
}

/**
 * A member can grant, change and remove only permissions that they have themselves (community/permission-hierarchy).
 * Throws 403 `missing_permission` with the names of the others.
 */
export function requireGrantable(ownPermissions: bigint, changed: bigint): void {
  const missing = changed & ~ownPermissions
  if (missing === 0n) return
  const names = permissionNames(missing).join(', ')
  throw new AppError(
    'missing_permission',
    `You can only change permissions that you have. You do not have: ${names}.`,
  )
}

function isOwner(access: ServerAccess): boolean {
  return access.server.ownerId === access.member.userId
}
