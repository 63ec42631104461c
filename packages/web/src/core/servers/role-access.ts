import { has, Permission, permissionFor, readPermissions } from '@gatehouse/protocol/permissions'
import { highestRole, isEveryone, isHigherRole, mayManageRole } from '@gatehouse/protocol/role-order'
import type { Role } from '@gatehouse/protocol/servers'
import { useMembers, useRoles, useSelf, useServers } from '../api/queries.ts'
import { hasServerPermission } from './permissions.ts'

/**
 * What the user may do with the roles of a server, to hide actions that the service would reject
 * (community/permission-hierarchy).
 */
export function useRoleAccess(serverId: string | null) {
  const self = useSelf()
  const server = useServers().find(({ id }) => id === serverId)
  const { data: roles = [] } = useRoles(serverId)
  const { data: members = [] } = useMembers(serverId)
  // All bits, because a role may have permissions that only a newer version knows.
  const permissions = hasServerPermission(server, Permission.ADMINISTRATOR)
    ? ~0n
    : readPermissions(server?.permissions ?? '0')
  const ownRoles = members.find(({ user }) => user.id === self.id)?.roles ?? []
  const highest = highestRole(roles.filter(role => ownRoles.includes(role.id) || isEveryone(role)))
  /** Whether the role is not above the highest role of the user. */
  const canManage = (role: Role) =>
    highest !== undefined && mayManageRole({ isOwner: server?.owner === true, highestRole: highest }, role)
  return {
    permissions,
    /** Whether the user may move the role: one below their highest. */
    canMove: (role: Role) => server?.owner === true || (highest !== undefined && isHigherRole(highest, role)),
    canManage,
    /** Whether the user may add the role to members and remove it. */
    canAssign: (role: Role) =>
      has(permissions, permissionFor.manageRoles) &&
      !role.managed &&
      !isEveryone(role) &&
      canManage(role) &&
      has(permissions, readPermissions(role.permissions)),
  }
}
