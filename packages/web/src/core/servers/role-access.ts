import { has, Permission, readPermissions } from '@gatehouse/protocol/permissions'
import type { Role } from '@gatehouse/protocol/servers'
import { useMembers, useRoles, useSelf, useServers } from '../api/queries.ts'
import { isAbove, isEveryone, sortRoles } from './roles.ts'

/**
 * What the user may do with the roles of a server, to hide actions that the service would reject
 * (community/permission-hierarchy).
 */
export function useRoleAccess(serverId: string | null) {
  const self = useSelf()
  const server = useServers().find(({ id }) => id === serverId)
  const { data: roles = [] } = useRoles(serverId)
  const { data: members = [] } = useMembers(serverId)
  const granted = readPermissions(server?.permissions ?? '0')
  // All bits, because a role may have permissions that only a newer version knows.
  const permissions = server?.owner || has(granted, Permission.ADMINISTRATOR) ? ~0n : granted
  const ownRoles = members.find(({ user }) => user.id === self.id)?.roles ?? []
  const highest = sortRoles(roles.filter(role => ownRoles.includes(role.id) || isEveryone(role)))[0]
  /** Whether the role is not above the highest role of the user. */
  const canManage = (role: Role) =>
    server?.owner === true || (highest !== undefined && !isAbove(role, highest))
  return {
    permissions,
    /** The user can move only roles below this one. Undefined for the owner. */
    ceiling: server?.owner ? undefined : highest,
    canManage,
    /** Whether the user may add the role to members and remove it. */
    canAssign: (role: Role) =>
      has(permissions, Permission.MANAGE_ROLES) &&
      !role.managed &&
      !isEveryone(role) &&
      canManage(role) &&
      has(permissions, readPermissions(role.permissions)),
  }
}
