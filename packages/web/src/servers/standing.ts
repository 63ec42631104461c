import { allPermissions, has, Permission, parsePermissions } from '@gatehouse/protocol/permissions'
import type { Role } from '@gatehouse/protocol/servers'
import { useMembers, useRoles, useSelf, useServers } from '../api/queries.ts'
import { inRank, isAbove, isEveryone } from './roles.ts'

/** What one may do with the roles of a server, to offer nothing that would be refused (D64); the service decides. */
export interface Standing {
  permissions: bigint
  /** Whether the role stands not above one's own highest. */
  reaches(role: Role): boolean
  /** Whether one can give the role to somebody, and take it. */
  gives(role: Role): boolean
}

export function useStanding(serverId: string | null): Standing {
  const self = useSelf()
  const server = useServers().find(({ id }) => id === serverId)
  const { data: roles = [] } = useRoles(serverId)
  const { data: members = [] } = useMembers(serverId)
  const held = parsePermissions(server?.permissions ?? '0') ?? 0n
  const permissions = server?.owner || has(held, Permission.ADMINISTRATOR) ? allPermissions : held
  const own = members.find(({ user }) => user.id === self.id)?.roles ?? []
  const highest = inRank(roles.filter(role => own.includes(role.id) || isEveryone(role)))[0]
  const reaches = (role: Role) => server?.owner === true || (highest !== undefined && !isAbove(role, highest))
  return {
    permissions,
    reaches,
    gives: role =>
      has(permissions, Permission.MANAGE_ROLES) &&
      !role.managed &&
      !isEveryone(role) &&
      reaches(role) &&
      has(permissions, parsePermissions(role.permissions) ?? 0n),
  }
}
