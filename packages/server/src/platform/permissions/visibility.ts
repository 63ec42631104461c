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
  const all: ReadonlySet<string> = new Set(server.channelIds)
  // Members with the same roles see the same channels and share one set, unless they have an overwrite of their own.
  const sets = new Map<string, ReadonlySet<string>>()
  const channelIdsByUser = new Map<string, ReadonlySet<string>>()
  for (const { id: userId, value: roles } of server.members) {
    const roleIds = roles?.split(',').sort() ?? []
    const permissions = [serverId, ...roleIds].reduce(
      (bits, roleId) => bits | (server.permissionsByRole.get(roleId) ?? 0n),
      0n,
    )
    const key = server.overwriteTargets.has(userId) ? userId : roleIds.join()
    const isUnrestricted = server.ownerId === userId || has(permissions, ADMINISTRATOR)
    const set = isUnrestricted
      ? all
      : (sets.get(key) ?? filterVisible(server, { userId, roleIds, canView: has(permissions, VIEW_CHANNEL) }))
    if (!isUnrestricted) sets.set(key, set)
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
  return {
    ownerId: rowsOf('owner')[0]?.id,
    // Sorted, so that equal sets have the same order.
    channelIds: rowsOf('channel')
      .map(row => row.id)
      .sort(),
    members: rowsOf('member'),
    permissionsByRole: new Map(rowsOf('role').map(row => [row.id, BigInt(row.value ?? 0)])),
    overwritesByChannel,
    overwriteTargets,
  }
}

/**
 * The channels that a member who is neither the owner nor an administrator can view. The same rules as
 * `computePermissions`, for VIEW_CHANNEL only. `canView`: whether their roles contain it.
 */
function filterVisible(
  { channelIds, overwritesByChannel }: ReturnType<typeof parseRows>,
  member: { userId: string; roleIds: readonly string[]; canView: boolean },
): ReadonlySet<string> {
  const roleIds = new Set(member.roleIds)
  const visible = channelIds.filter(channelId => {
    const overwrites = overwritesByChannel.get(channelId)
    if (overwrites === undefined) return member.canView
    let ofRoles: boolean | undefined
    for (const { targetId, allows } of overwrites.others) {
      if (targetId === member.userId) return allows
      if (roleIds.has(targetId)) ofRoles = ofRoles === true || allows
    }
    return ofRoles ?? overwrites.everyone ?? member.canView
  })
  return new Set(visible)
}
