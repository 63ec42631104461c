import type { Channel } from '@gatehouse/protocol/channels'
import {
  channelPermissions,
  has,
  maySeeReports,
  type OverwriteBits,
  Permission,
  permissionFor,
  readPermissions,
  serverPermissions,
} from '@gatehouse/protocol/permissions'
import type { Role } from '@gatehouse/protocol/servers'

type ChannelRules = Pick<Channel, 'serverId' | 'permissionOverwrites'>
type RoleRules = Pick<Role, 'id' | 'permissions'>
type MemberRules = { user: { id: string }; roles: readonly string[] }
type OwnServer = { owner: boolean; permissions: string } | undefined

interface Subject {
  /** The permissions on the server. */
  permissions: string
  userId: string
  roles: readonly string[]
  isTimedOut?: boolean
}

/** The permissions of the user in a channel, to hide actions that the service would reject. */
export function ownChannelPermissions(
  channel: ChannelRules,
  { permissions, userId, roles, isTimedOut = false }: Subject,
): bigint {
  return channelPermissions(overwritesOf(channel), {
    serverId: channel.serverId ?? '',
    userId,
    roleIds: new Set(roles),
    permissions: readPermissions(permissions),
    isTimedOut,
  })
}

function overwritesOf({ permissionOverwrites }: ChannelRules): OverwriteBits[] {
  return permissionOverwrites.map(({ id, allow, deny }) => ({
    id,
    allow: readPermissions(allow),
    deny: readPermissions(deny),
  }))
}

/** Whether @everyone cannot view the channel. */
export function isPrivate(channel: ChannelRules, roles: readonly RoleRules[]): boolean {
  const plainMember = { user: { id: '' }, roles: [] }
  return (
    roles.some(({ id }) => id === channel.serverId) &&
    filterViewers(channel, [plainMember], roles).length === 0
  )
}

/** Whether some members may not be able to view the channel. */
export function isRestricted(channel: ChannelRules, roles: readonly RoleRules[]): boolean {
  const denies = channel.permissionOverwrites.some(({ deny }) =>
    has(readPermissions(deny), Permission.VIEW_CHANNEL),
  )
  return denies || isPrivate(channel, roles)
}

/** Those of the members who can view the channel. */
export function filterViewers<Member extends MemberRules>(
  channel: ChannelRules,
  members: readonly Member[],
  roles: readonly RoleRules[],
  ownerId?: string,
): Member[] {
  const serverId = channel.serverId ?? ''
  const overwrites = overwritesOf(channel)
  const permissionsOf = new Map(roles.map(role => [role.id, readPermissions(role.permissions)]))
  return members.filter(({ user, roles: memberRoles }) => {
    const permissions = serverPermissions({
      isOwner: user.id === ownerId,
      roles: [serverId, ...memberRoles].map(id => permissionsOf.get(id) ?? 0n),
    })
    const member = { serverId, userId: user.id, roleIds: new Set(memberRoles), permissions }
    return has(channelPermissions(overwrites, member), Permission.VIEW_CHANNEL)
  })
}

function permissionsOn(server: OwnServer): bigint {
  if (!server) return 0n
  return serverPermissions({ isOwner: server.owner, roles: [readPermissions(server.permissions)] })
}

/** Whether the user has the permissions on a server, before the overwrites of a channel. */
export function hasServerPermission(server: OwnServer, bits: bigint): boolean {
  return server !== undefined && has(permissionsOn(server), bits)
}

/** Whether the user sees the reports of a server. */
export function canSeeReports(server: OwnServer): boolean {
  return maySeeReports(permissionsOn(server))
}

/** Whether the user may do anything with members. */
export function canManageMembers(server: OwnServer): boolean {
  const { kickMember, manageBans, timeOutMember, manageRoles, changeServer } = permissionFor
  const any = [kickMember, manageBans, timeOutMember, manageRoles, changeServer]
  return any.some(bits => hasServerPermission(server, bits))
}
