import type { Channel } from '@gatehouse/protocol/channels'
import {
  allPermissions,
  has,
  Permission,
  type PermissionName,
  readPermissions,
} from '@gatehouse/protocol/permissions'
import type { Role } from '@gatehouse/protocol/servers'

interface Subject {
  /** The permissions on the server. */
  permissions: string
  userId: string
  roles: readonly string[]
  isTimedOut?: boolean
}

/**
 * The permissions in a channel, to hide actions that the service would reject. The overwrites apply in this order: of
 * @everyone, of the other roles together, of the member; each denies first and then allows. A time-out leaves only VIEW_CHANNEL.
 */
export function channelPermissions(
  channel: ChannelRules,
  { permissions, userId, roles, isTimedOut = false }: Subject,
): bigint {
  let set = readPermissions(permissions)
  if (has(set, Permission.ADMINISTRATOR)) return allPermissions
  const overwrites = channel.permissionOverwrites
  const groups = [
    overwrites.filter(({ id }) => id === channel.serverId),
    overwrites.filter(({ id, type }) => type === 'role' && id !== channel.serverId && roles.includes(id)),
    overwrites.filter(({ id, type }) => type === 'member' && id === userId),
  ]
  for (const group of groups) {
    const allow = group.reduce((sum, overwrite) => sum | readPermissions(overwrite.allow), 0n)
    const deny = group.reduce((sum, overwrite) => sum | readPermissions(overwrite.deny), 0n)
    set = (set & ~deny) | allow
  }
  return isTimedOut ? set & Permission.VIEW_CHANNEL : set
}

type ChannelRules = Pick<Channel, 'serverId' | 'permissionOverwrites'>
type RoleRules = Pick<Role, 'id' | 'permissions'>

/** Whether @everyone cannot view the channel. */
export function isPrivate(channel: ChannelRules, roles: readonly RoleRules[]): boolean {
  const everyone = roles.find(({ id }) => id === channel.serverId)
  if (!everyone) return false
  const subject = { permissions: everyone.permissions, userId: '', roles: [] }
  return !has(channelPermissions(channel, subject), Permission.VIEW_CHANNEL)
}

/** Whether some members may not be able to view the channel. */
export function isRestricted(channel: ChannelRules, roles: readonly RoleRules[]): boolean {
  const denies = channel.permissionOverwrites.some(({ deny }) =>
    has(readPermissions(deny), Permission.VIEW_CHANNEL),
  )
  return denies || isPrivate(channel, roles)
}

/** Whether a member can view the channel. Must not be called for the owner of the server, who always can. */
export function canView(
  channel: ChannelRules,
  { user, roles: memberRoles }: { user: { id: string }; roles: readonly string[] },
  roles: readonly RoleRules[],
): boolean {
  const permissions = roles
    .filter(({ id }) => id === channel.serverId || memberRoles.includes(id))
    .reduce((set, role) => set | readPermissions(role.permissions), 0n)
  const subject = { permissions: String(permissions), userId: user.id, roles: memberRoles }
  return has(channelPermissions(channel, subject), Permission.VIEW_CHANNEL)
}

export function hasServerPermission(
  server: { owner: boolean; permissions: string } | undefined,
  bit: bigint,
): boolean {
  if (!server) return false
  const set = readPermissions(server.permissions)
  return server.owner || has(set, Permission.ADMINISTRATOR) || has(set, bit)
}

/** Whether the user may do anything with members. */
export function canManageMembers(server: { owner: boolean; permissions: string } | undefined): boolean {
  const { KICK_MEMBERS, BAN_MEMBERS, MODERATE_MEMBERS, MANAGE_ROLES, MANAGE_SERVER } = Permission
  const any = [KICK_MEMBERS, BAN_MEMBERS, MODERATE_MEMBERS, MANAGE_ROLES, MANAGE_SERVER]
  return any.some(bit => hasServerPermission(server, bit))
}

export const permissionNames = Object.keys(Permission).filter(
  (name): name is PermissionName => name in Permission,
)

/** The names of the permissions in a set, in the order of their bits. */
export function listPermissions(set: string): PermissionName[] {
  const bits = readPermissions(set)
  return permissionNames.filter(name => has(bits, Permission[name]))
}
