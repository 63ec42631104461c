import { allPermissionNames } from '@gatehouse/protocol/permissions'
import {
  isHigherRole,
  mayManageMember,
  mayManageRole,
  type RankedMember,
  type RolePosition,
  sortRoles,
} from '@gatehouse/protocol/role-order'
import { AppError } from '../../errors/app-error.ts'
import type { ServerAccess } from './permission-records.ts'

/**
 * Throws 403 `missing_permission` if the role is higher than the highest role of a caller who is not the owner
 * (community/permission-hierarchy).
 */
export function requireManageableRole(access: ServerAccess, role: RolePosition): void {
  if (mayManageRole(managerOf(access), role)) return
  throw new AppError('missing_permission', 'The role is higher than your highest role.')
}

/**
 * Throws 403 `missing_permission` if the highest role of a caller who is not the owner, or one above it, has another
 * place among the others after the change of positions (community/role-places).
 */
export function requireKeptPlaces(
  access: ServerAccess,
  before: readonly RolePosition[],
  after: readonly RolePosition[],
): void {
  const { isOwner, highestRole } = managerOf(access)
  const order = sortRoles(after)
  const moved = sortRoles(before).filter((role, index) => order[index]?.id !== role.id)
  if (isOwner || moved.every(role => isHigherRole(highestRole, role))) return
  throw new AppError(
    'missing_permission',
    'Your highest role and the roles above it must keep their places: you can move only those below.',
  )
}

/**
 * Throws 403 `missing_permission` unless the caller is the owner, or the member is not the owner and their highest role
 * is lower than the caller's (community/permission-hierarchy).
 */
export function requireManageableMember(
  access: ServerAccess,
  member: { userId: string; highestRole: RolePosition },
): void {
  if (isManageableMember(access, member)) return
  throw new AppError(
    'missing_permission',
    'The highest role of the member is not lower than your highest role.',
  )
}

export function isManageableMember(
  access: ServerAccess,
  { userId, highestRole }: { userId: string; highestRole: RolePosition },
): boolean {
  const isOwner = userId === access.server.ownerId
  return mayManageMember(managerOf(access), { isOwner, highestRole })
}

/**
 * A member can grant, change and remove only permissions that they have themselves (community/permission-hierarchy).
 * Throws 403 `missing_permission` with the names of the others.
 */
export function requireGrantable(ownPermissions: bigint, changed: bigint): void {
  const missing = changed & ~ownPermissions
  if (missing === 0n) return
  const names = allPermissionNames(missing).join(', ')
  throw new AppError(
    'missing_permission',
    `You can only change permissions that you have. You do not have: ${names}.`,
  )
}

function managerOf({ server, member: { userId, highestRole } }: ServerAccess): RankedMember {
  return { isOwner: server.ownerId === userId, highestRole }
}
