import { has, Permission } from '@gatehouse/protocol/permissions'
import type { Sql } from '../../storage/database.ts'
import { computePermissions } from './compute.ts'
import { listVisibilityRows, type VisibilityRow } from './store.ts'

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
  const server = parseRows(await listVisibilityRows(sql, serverId, userIds, channelId))
  // Members with the same roles see the same channels and share one set, unless they are the owner or have an own overwrite.
  const sets = new Map<string, ReadonlySet<string>>()
  const channelIdsByUser = new Map<string, ReadonlySet<string>>()
  for (const userId of server.memberIds) {
    const roleIds = (server.rolesByUser.get(userId) ?? []).map(row => row.relatedId).toSorted()
    const isOwner = server.ownerId === userId
    const isIndividual = isOwner || server.overwriteTargets.has(userId)
    const key = isIndividual ? userId : roleIds.join()
    const set = sets.get(key) ?? computeVisible(server, { serverId, userId, isOwner, roleIds })
    sets.set(key, set)
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

function parseRows(rows: readonly VisibilityRow[]) {
  const rowsByKind = Map.groupBy(rows, row => row.kind)
  const rowsOf = (kind: VisibilityRow['kind']) => rowsByKind.get(kind) ?? []
  const overwrites = rowsOf('overwrite')
  return {
    ownerId: rowsOf('owner')[0]?.id,
    channelIds: rowsOf('channel').map(row => row.id),
    memberIds: rowsOf('member').map(row => row.id),
    permissionsByRole: new Map(rowsOf('role').map(row => [row.id, BigInt(row.allow)])),
    rolesByUser: Map.groupBy(rowsOf('member_role'), row => row.id),
    /** By `<channel id> <target id>`. */
    overwrites: new Map(
      overwrites.map(({ id, relatedId, allow, deny }) => [
        `${id} ${relatedId}`,
        { allow: BigInt(allow), deny: BigInt(deny) },
      ]),
    ),
    overwriteTargets: new Set(overwrites.map(row => row.relatedId)),
  }
}

function computeVisible(
  server: ReturnType<typeof parseRows>,
  member: { serverId: string; userId: string; isOwner: boolean; roleIds: string[] },
): ReadonlySet<string> {
  const inChannel = (channelId: string, roleId: string) => ({
    permissions: server.permissionsByRole.get(roleId) ?? 0n,
    overwrite: server.overwrites.get(`${channelId} ${roleId}`),
  })
  const visible = server.channelIds.filter(channelId => {
    const permissions = computePermissions({
      isOwner: member.isOwner,
      everyone: inChannel(channelId, member.serverId),
      roles: member.roleIds.map(roleId => inChannel(channelId, roleId)),
      overwrite: server.overwrites.get(`${channelId} ${member.userId}`),
    })
    return has(permissions, Permission.VIEW_CHANNEL)
  })
  return new Set(visible)
}
