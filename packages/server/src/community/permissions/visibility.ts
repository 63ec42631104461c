import {
  channelPermissions,
  has,
  type OverwriteBits,
  Permission,
  reportPermissions,
  serverPermissions,
} from '@gatehouse/protocol/permissions'
import type { Sql } from '../../storage/database.ts'
import { computePermissions } from './compute.ts'
import type { ServerAccess } from './permission-records.ts'
import {
  listEveryonePermissions,
  listMembersWithPermission,
  listOverwritesOfMember,
  listRolePermissions,
  listUsersWithAccess,
  listVisibilityRows,
  type PermissionRow,
  type VisibilityRow,
} from './permission-store.ts'

const { VIEW_CHANNEL } = Permission

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
  // Members with the same roles see the same channels and share one set, except the owner and those with an overwrite
  // of their own. The roles are sorted only if a member has them in a new order, because that takes longer than the
  // rest.
  const sets = new Map<string, ReadonlySet<string>>()
  const channelIdsByUser = new Map<string, ReadonlySet<string>>()
  for (const { id: userId, value } of server.members) {
    const roles = value ?? ''
    const isShared = server.ownerId !== userId && !server.overwriteTargets.has(userId)
    let set = isShared ? sets.get(roles) : undefined
    if (set === undefined) {
      const roleIds = roles.split(',').sort()
      const sortedRoles = roleIds.join()
      set = (isShared ? sets.get(sortedRoles) : undefined) ?? filterVisible(server, userId, roleIds)
      if (isShared) sets.set(roles, set).set(sortedRoles, set)
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

/** The first text channel of the server that @everyone may view. */
export async function findOpenChannelId(sql: Sql, serverId: string): Promise<string | undefined> {
  const plainMember = { userId: '', serverId, ownerId: null }
  const rows = await listEveryonePermissions(sql, serverId)
  return rows.find(row => has(computePermissions([row], plainMember), VIEW_CHANNEL))?.channelId
}

/** The channels of the server in which the member has all of the permissions, by id. */
export async function listChannelIdsWith(
  sql: Sql,
  { server, member: { userId, roles }, permissions, timedOutUntil }: ServerAccess,
  wanted: bigint,
): Promise<string[]> {
  const rows = await listOverwritesOfMember(sql, userId, server.id)
  const member = { serverId: server.id, userId, roleIds: new Set(roles), permissions }
  return [...Map.groupBy(rows, row => row.channelId)].flatMap(([channelId, ofChannel]) => {
    const overwrites = ofChannel.flatMap(row =>
      row.id === null ? [] : [{ id: row.id, allow: BigInt(row.allow), deny: BigInt(row.deny) }],
    )
    const isTimedOut = timedOutUntil !== null
    return has(channelPermissions(overwrites, { ...member, isTimedOut }), wanted) ? channelId : []
  })
}

/** Above it, `listPossibleViewers` returns undefined. */
const maxPossibleViewers = 2000

/**
 * The users who may be able to view the channel, by id; the others cannot. Undefined if these are all members, or too
 * many to list.
 */
export async function listPossibleViewers(
  sql: Sql,
  channel: { channelId: string; serverId: string },
): Promise<string[] | undefined> {
  const { serverId } = channel
  const roles = await listRolePermissions(sql, serverId, channel.channelId)
  const everyone = roles.find(role => role.id === serverId)
  if (everyone === undefined) return []
  const plainMember = { userId: '', serverId, ownerId: null }
  const canView = (held: readonly PermissionRow[]) =>
    has(computePermissions([everyone, ...held], plainMember), VIEW_CHANNEL)
  if (canView([])) return undefined
  // A member who can view the channel because of roles can do so because of one of them.
  const roleIds = roles.filter(role => role !== everyone && canView([role])).map(role => role.id)
  const userIds = await listUsersWithAccess(sql, channel, roleIds, maxPossibleViewers)
  return userIds.length < maxPossibleViewers ? [...new Set(userIds)].sort() : undefined
}

/** Up to `limit` of the members who may see the reports of the server (community/report-queue). */
export function listReportViewerIds(
  sql: Sql,
  filter: { serverId: string; now: number; limit: number },
): Promise<string[]> {
  const permissions = reportPermissions | Permission.ADMINISTRATOR
  return listMembersWithPermission(sql, { ...filter, permissions })
}

const allowed = { allow: VIEW_CHANNEL, deny: 0n }
const denied = { allow: 0n, deny: VIEW_CHANNEL }

function parseRows(serverId: string, rows: readonly VisibilityRow[]) {
  const rowsByKind = Map.groupBy(rows, row => row.kind)
  const rowsOf = (kind: VisibilityRow['kind']) => rowsByKind.get(kind) ?? []
  const overwritesByChannel = new Map<string, OverwriteBits[]>()
  const overwriteTargets = new Set<string>()
  for (const { id: channelId, value } of rowsOf('channel')) {
    if (value === null) continue
    const overwrites = value.split(',').map(text => {
      const id = text.slice(0, -1)
      overwriteTargets.add(id)
      return { id, ...(text.endsWith('+') ? allowed : denied) }
    })
    overwritesByChannel.set(channelId, overwrites)
  }
  return {
    serverId,
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

/** The channels that a member can view. */
function filterVisible(
  { serverId, ownerId, channelIds, permissionsByRole, overwritesByChannel }: ReturnType<typeof parseRows>,
  userId: string,
  memberRoleIds: readonly string[],
): ReadonlySet<string> {
  const roleIds = new Set(memberRoleIds)
  const roles = [serverId, ...roleIds].map(id => permissionsByRole.get(id) ?? 0n)
  const permissions = serverPermissions({ isOwner: ownerId === userId, roles })
  const member = { serverId, userId, roleIds, permissions }
  return new Set(
    channelIds.filter(id => has(channelPermissions(overwritesByChannel.get(id) ?? [], member), VIEW_CHANNEL)),
  )
}
