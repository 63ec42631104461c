import { has, Permission } from '@gatehouse/protocol/permissions'
import type { Sql } from '../../storage/database.ts'
import { computePermissions, type OverwriteBits } from './compute.ts'
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
    const roleIds = (server.roleIdsByUser.get(userId) ?? []).toSorted()
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

interface ServerState {
  ownerId: string | undefined
  channelIds: string[]
  memberIds: string[]
  permissionsByRole: Map<string, bigint>
  roleIdsByUser: Map<string, string[]>
  /** By `<channel id> <target id>`. */
  overwrites: Map<string, OverwriteBits>
  overwriteTargets: Set<string>
}

function parseRows(rows: readonly VisibilityRow[]): ServerState {
  const state: ServerState = {
    ownerId: undefined,
    channelIds: [],
    memberIds: [],
    permissionsByRole: new Map(),
    roleIdsByUser: new Map(),
    overwrites: new Map(),
    overwriteTargets: new Set(),
  }
  for (const { kind, id, relatedId, allow, deny } of rows) {
    if (kind === 'owner') state.ownerId = id
    else if (kind === 'channel') state.channelIds.push(id)
    else if (kind === 'member') state.memberIds.push(id)
    else if (kind === 'role') state.permissionsByRole.set(id, BigInt(allow ?? '0'))
    else if (kind === 'member_role' && relatedId !== null) {
      const roleIds = state.roleIdsByUser.get(id)
      if (roleIds === undefined) state.roleIdsByUser.set(id, [relatedId])
      else roleIds.push(relatedId)
    } else if (kind === 'overwrite' && relatedId !== null) {
      state.overwrites.set(`${id} ${relatedId}`, { allow: BigInt(allow ?? '0'), deny: BigInt(deny ?? '0') })
      state.overwriteTargets.add(relatedId)
    }
  }
  return state
}

function computeVisible(
  server: ServerState,
  {
    serverId,
    userId,
    isOwner,
    roleIds,
  }: { serverId: string; userId: string; isOwner: boolean; roleIds: string[] },
): ReadonlySet<string> {
  const inChannel = (channelId: string, roleId: string) => ({
    permissions: server.permissionsByRole.get(roleId) ?? 0n,
    overwrite: server.overwrites.get(`${channelId} ${roleId}`),
  })
  const visible = server.channelIds.filter(channelId => {
    const permissions = computePermissions({
      isOwner,
      everyone: inChannel(channelId, serverId),
      roles: roleIds.map(roleId => inChannel(channelId, roleId)),
      overwrite: server.overwrites.get(`${channelId} ${userId}`),
    })
    return has(permissions, Permission.VIEW_CHANNEL)
  })
  return new Set(visible)
}
