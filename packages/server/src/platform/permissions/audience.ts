import { has, Permission } from '@gatehouse/protocol/permissions'
import type { Sql } from '../../storage/database.ts'
import { type AllowDeny, computePermissions } from './compute.ts'
import { type AudienceRow, listAudience } from './store.ts'

/** Who of a server may view which of its channels, all of one moment. */
export interface Audience {
  /** All channels of the server. */
  channelIds: string[]
  /** By user id; who is no member is absent. Those who stand alike share one set. */
  visible: Map<string, ReadonlySet<string>>
}

/** What `visibleChannels` says, for many users at once: by one statement, however many they are. */
export async function audience(sql: Sql, serverId: string, userIds: readonly string[]): Promise<Audience> {
  const server = readRows(await listAudience(sql, serverId, userIds))
  const alike = new Map<string, ReadonlySet<string>>()
  const visible = new Map<string, ReadonlySet<string>>()
  for (const userId of server.members) {
    const roleIds = (server.rolesOf.get(userId) ?? []).toSorted()
    const owner = server.ownerId === userId
    const own = owner || server.withOverwrite.has(userId)
    const standing = own ? userId : roleIds.join()
    const set = alike.get(standing) ?? channelsOf(server, { serverId, userId, owner, roleIds })
    alike.set(standing, set)
    visible.set(userId, set)
  }
  return { channelIds: server.channelIds, visible }
}

interface ServerState {
  ownerId: string | undefined
  channelIds: string[]
  members: string[]
  permissions: Map<string, bigint>
  rolesOf: Map<string, string[]>
  /** By channel and target. */
  overwrites: Map<string, AllowDeny>
  withOverwrite: Set<string>
}

function readRows(rows: readonly AudienceRow[]): ServerState {
  const state: ServerState = {
    ownerId: undefined,
    channelIds: [],
    members: [],
    permissions: new Map(),
    rolesOf: new Map(),
    overwrites: new Map(),
    withOverwrite: new Set(),
  }
  for (const { kind, id, other, allow, deny } of rows) {
    if (kind === 'owner') state.ownerId = id
    else if (kind === 'channel') state.channelIds.push(id)
    else if (kind === 'member') state.members.push(id)
    else if (kind === 'role') state.permissions.set(id, BigInt(allow ?? '0'))
    else if (kind === 'held' && other !== null) {
      const roles = state.rolesOf.get(id)
      if (roles === undefined) state.rolesOf.set(id, [other])
      else roles.push(other)
    } else if (kind === 'overwrite' && other !== null) {
      state.overwrites.set(`${id} ${other}`, { allow: BigInt(allow ?? '0'), deny: BigInt(deny ?? '0') })
      state.withOverwrite.add(other)
    }
  }
  return state
}

function channelsOf(
  server: ServerState,
  {
    serverId,
    userId,
    owner,
    roleIds,
  }: { serverId: string; userId: string; owner: boolean; roleIds: string[] },
): ReadonlySet<string> {
  const grant = (channelId: string, roleId: string) => ({
    permissions: server.permissions.get(roleId) ?? 0n,
    overwrite: server.overwrites.get(`${channelId} ${roleId}`),
  })
  const seen = server.channelIds.filter(channelId => {
    const permissions = computePermissions({
      owner,
      everyone: grant(channelId, serverId),
      roles: roleIds.map(roleId => grant(channelId, roleId)),
      overwrite: server.overwrites.get(`${channelId} ${userId}`),
    })
    return has(permissions, Permission.VIEW_CHANNEL)
  })
  return new Set(seen)
}
