import { has, Permission } from '@gatehouse/protocol/permissions'
import type { Sql } from '../../storage/database.ts'
import { computePermissions } from './compute.ts'
import {
  listRolePermissions,
  listUsersWithAccess,
  listVisibilityRows,
  type PermissionRow,
  toRolePermissions,
  type VisibilityRow,
} from './store.ts'

const { ADMINISTRATOR, VIEW_CHANNEL } = Permission

export interface ChannelVisibility {
  /** All channels of the server. */
  channelIds: string[]
  /** The channels that each user can view, by user id. Without the users who are not members. */
  channelIdsByUser: Map<string, ReadonlySet<string>>
}

/**
 * Which users can view which channels of the server, with one statement for any number of users. With `channelId`, only
 * that channel is considered.
 */
export async function readChannelVisibility(
  sql: Sql,
  serverId: string,
  userIds: readonly string[],
  channelId?: string,
): Promise<ChannelVisibility> {
  const server = parseRows(serverId, await listVisibilityRows(sql, serverId, userIds, channelId))
  // Members with the same roles see the same channels and share one set, unless they have an overwrite of their own. The roles
  // are sorted only if a member has them in a new order, because that takes longer than the rest.
  const sets = new Map<string, ReadonlySet<string>>()
  const channelIdsByUser = new Map<string, ReadonlySet<string>>()
  for (const { id: userId, value } of server.members) {
    const roles = value ?? ''
    const hasOverwrite = server.overwriteTargets.has(userId)
    let set = hasOverwrite ? undefined : sets.get(roles)
    if (server.ownerId === userId) set = server.all
    else if (set === undefined) {
      const roleIds = roles.split(',').sort()
      const sortedRoles = roleIds.join()
      set = (hasOverwrite ? undefined : sets.get(sortedRoles)) ?? filterVisible(server, userId, roleIds)
      if (!hasOverwrite) sets.set(roles, set).set(sortedRoles, set)
    }
    channelIdsByUser.set(userId, set)
  }
  return { channelIds: server.channelIds, channelIdsByUser }
}

/** Those of `userIds` who are members of the server and can view the channel. */
export async function filterViewers(
  sql: Sql,
  { channelId, serverId }: { channelId: string; serverId: string },
  userIds: readonly string[],
): Promise<ReadonlySet<string>> {
  const { channelIdsByUser } = await readChannelVisibility(sql, serverId, userIds, channelId)
  return new Set(userIds.filter(userId => channelIdsByUser.get(userId)?.has(channelId)))
}

/** Above it, `listPossibleViewers` returns undefined. */
const maxPossibleViewers = 2000

/**
 * The users who may be able to view the channel, by id; the others cannot. Undefined if these are all members, or too many to
 * list.
 */
export async function listPossibleViewers(
  sql: Sql,
  channel: { channelId: string; serverId: string },
): Promise<string[] | undefined> {
  const roles = await listRolePermissions(sql, channel.serverId, channel.channelId)
  const everyone = roles.find(role => role.id === channel.serverId)
  if (everyone === undefined) return []
  const canView = (role: PermissionRow[]) =>
    has(
      computePermissions({
        isOwner: false,
        everyone: toRolePermissions(everyone),
        roles: role.map(toRolePermissions),
      }),
      VIEW_CHANNEL,
    )
  if (canView([])) return undefined
  // A member who can view the channel because of roles can do so because of one of them.
  const roleIds = roles.filter(role => role !== everyone && canView([role])).map(role => role.id)
  const userIds = await listUsersWithAccess(sql, channel, roleIds, maxPossibleViewers)
  return userIds.length < maxPossibleViewers ? [...new Set(userIds)].sort() : undefined
}

interface ChannelOverwrites {
  /** Whether the overwrite of @everyone allows VIEW_CHANNEL; undefined if it has none. */
  everyone?: boolean
  /** Of roles and users. */
  others: { targetId: string; allows: boolean }[]
}

function parseRows(serverId: string, rows: readonly VisibilityRow[]) {
  const rowsByKind = Map.groupBy(rows, row => row.kind)
  const rowsOf = (kind: VisibilityRow['kind']) => rowsByKind.get(kind) ?? []
  const overwritesByChannel = new Map<string, ChannelOverwrites>()
  const overwriteTargets = new Set<string>()
  for (const { id, value } of rowsOf('channel')) {
    if (value === null) continue
    const overwrites: ChannelOverwrites = { others: [] }
    for (const text of value.split(',')) {
      const targetId = text.slice(0, -1)
      const allows = text.endsWith('+')
      overwriteTargets.add(targetId)
      if (targetId === serverId) overwrites.everyone = allows
      else overwrites.others.push({ targetId, allows })
    }
    overwritesByChannel.set(id, overwrites)
  }
  // Sorted, so that equal sets have the same order.
  const channelIds = rowsOf('channel')
    .map(row => row.id)
    .sort()
  return {
    serverId,
    ownerId: rowsOf('owner')[0]?.id,
    channelIds,
    all: new Set(channelIds) as ReadonlySet<string>,
    members: rowsOf('member'),
    permissionsByRole: new Map(rowsOf('role').map(row => [row.id, BigInt(row.value ?? 0)])),
    overwritesByChannel,
    overwriteTargets,
  }
}

/**
 * The channels that a member who is not the owner can view. The same rules as `computePermissions`, for VIEW_CHANNEL only.
 */
function filterVisible(
  { serverId, channelIds, all, permissionsByRole, overwritesByChannel }: ReturnType<typeof parseRows>,
  userId: string,
  memberRoleIds: readonly string[],
): ReadonlySet<string> {
  const roleIds = new Set(memberRoleIds)
  let permissions = permissionsByRole.get(serverId) ?? 0n
  for (const roleId of roleIds) permissions |= permissionsByRole.get(roleId) ?? 0n
  if (has(permissions, ADMINISTRATOR)) return all
  const visible = channelIds.filter(channelId => {
    const overwrites = overwritesByChannel.get(channelId)
    if (overwrites === undefined) return has(permissions, VIEW_CHANNEL)
    let ofRoles: boolean | undefined
    for (const { targetId, allows } of overwrites.others) {
      if (targetId === userId) return allows
      if (roleIds.has(targetId)) ofRoles = ofRoles === true || allows
    }
    return ofRoles ?? overwrites.everyone ?? has(permissions, VIEW_CHANNEL)
  })
  return new Set(visible)
}
