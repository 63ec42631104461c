import type { Channel } from '@gatehouse/protocol/channels'
import {
  allPermissions,
  has,
  Permission,
  type PermissionName,
  parsePermissions,
} from '@gatehouse/protocol/permissions'

interface Who {
  /** Server-wide, as the service gives it. */
  permissions: string
  userId: string
  roles: readonly string[]
}

/**
 * What one may do in a channel, to hide what would be refused; the service decides. The order is the contract's:
 * overwrites of @everyone, of the roles together, of the member; deny, then allow.
 */
export function channelPermissions(
  channel: Pick<Channel, 'serverId' | 'permissionOverwrites'>,
  { permissions, userId, roles }: Who,
): bigint {
  let set = parsePermissions(permissions) ?? 0n
  if (has(set, Permission.ADMINISTRATOR)) return allPermissions
  const overwrites = channel.permissionOverwrites
  const groups = [
    overwrites.filter(({ id }) => id === channel.serverId),
    overwrites.filter(({ id, type }) => type === 'role' && id !== channel.serverId && roles.includes(id)),
    overwrites.filter(({ id, type }) => type === 'member' && id === userId),
  ]
  for (const group of groups) {
    const allow = group.reduce((sum, overwrite) => sum | (parsePermissions(overwrite.allow) ?? 0n), 0n)
    const deny = group.reduce((sum, overwrite) => sum | (parsePermissions(overwrite.deny) ?? 0n), 0n)
    set = (set & ~deny) | allow
  }
  return set
}

export function mayOnServer(
  server: { owner: boolean; permissions: string } | undefined,
  bit: bigint,
): boolean {
  if (!server) return false
  const set = parsePermissions(server.permissions) ?? 0n
  return server.owner || has(set, Permission.ADMINISTRATOR) || has(set, bit)
}

/** Whether there is anything that one may do with members. */
export function managesMembers(server: { owner: boolean; permissions: string } | undefined): boolean {
  const any = [Permission.KICK_MEMBERS, Permission.MANAGE_ROLES, Permission.MANAGE_SERVER]
  return any.some(bit => mayOnServer(server, bit))
}

export const permissionNames = Object.keys(Permission).filter(
  (name): name is PermissionName => name in Permission,
)

/** Names of what a set holds, in the order of their bits. */
export function permissionsIn(set: string): PermissionName[] {
  const bits = parsePermissions(set) ?? 0n
  return permissionNames.filter(name => has(bits, Permission[name]))
}
