import { has, Permission, permissionNames } from '@gatehouse/protocol/permissions'
import { AppError, notFound } from '../../kit/app-error.ts'
import type { Sql } from '../../storage/database.ts'
import { audience } from './audience.ts'
import { type AllowDeny, computePermissions, directMessagePermissions, type Grant } from './compute.ts'
import { highestOf } from './hierarchy.ts'
import type { Access, ChannelRecord, ServerAccess } from './records.ts'
import {
  type ChannelRow,
  findChannelFor,
  findServerFor,
  type GrantRow,
  listGrants,
  listRolesOf,
  type RoleRow,
} from './store.ts'

/** Undefined where the channel does not exist and where the user may not view it: nobody is to tell the two apart. */
export async function access(sql: Sql, userId: string, channelId: string): Promise<Access | undefined> {
  // Neither waits for the other: one round trip where the database is away.
  const [row, grants] = await Promise.all([
    findChannelFor(sql, userId, channelId),
    listGrants(sql, userId, channelId),
  ])
  if (row === undefined) return undefined
  const channel = channelOf(row)
  if (row.dm_member_id !== null) {
    return { channel, server: undefined, permissions: directMessagePermissions }
  }
  if (row.server_id === null || row.owner_id === null || row.member_id === null) return undefined
  const server = {
    id: row.server_id,
    name: row.server_name ?? '',
    icon: row.server_icon,
    ownerId: row.owner_id,
  }
  const permissions = fromGrants(grants, { userId, serverId: server.id, ownerId: server.ownerId })
  return has(permissions, Permission.VIEW_CHANNEL) ? { channel, server, permissions } : undefined
}

/** Throws 404 where the user may not view the channel, 403 `missing_permission` where they lack one of `bits`. */
export async function requireChannel(
  sql: Sql,
  userId: string,
  channelId: string,
  ...bits: bigint[]
): Promise<Access> {
  const found = await access(sql, userId, channelId)
  if (found === undefined) throw notFound()
  requirePermissions(found.permissions, bits)
  return found
}

export async function mayView(sql: Sql, userId: string, channelId: string): Promise<boolean> {
  return (await access(sql, userId, channelId)) !== undefined
}

/** Undefined where the server does not exist and where the user is no member. */
export async function serverAccess(
  sql: Sql,
  userId: string,
  serverId: string,
): Promise<ServerAccess | undefined> {
  const [row, rows] = await Promise.all([
    findServerFor(sql, userId, serverId),
    listRolesOf(sql, userId, serverId),
  ])
  if (row === undefined) return undefined
  const everyone = rows.find(role => role.id === serverId)
  const roles = rows.filter(role => role.id !== serverId)
  return {
    server: { id: row.id, name: row.name, icon: row.icon, ownerId: row.owner_id },
    permissions: computePermissions({
      owner: row.owner_id === userId,
      everyone: { permissions: bitsOf(everyone?.permissions) },
      roles: roles.map(role => ({ permissions: bitsOf(role.permissions) })),
    }),
    member: {
      serverId,
      userId,
      nick: row.nick,
      joinedAt: row.joined_at,
      roles: roles.map(role => role.id),
      highest: highestOf(roles.map(rankOf), { id: serverId, position: 0 }),
    },
  }
}

/** Throws 404 where the user is no member, 403 `missing_permission` where they lack one of `bits`. */
export async function requireServer(
  sql: Sql,
  userId: string,
  serverId: string,
  ...bits: bigint[]
): Promise<ServerAccess> {
  const found = await serverAccess(sql, userId, serverId)
  if (found === undefined) throw notFound()
  requirePermissions(found.permissions, bits)
  return found
}

/** The ids of the channels of the server that the user may view; none for no member. */
export async function visibleChannels(sql: Sql, userId: string, serverId: string): Promise<string[]> {
  const { visible } = await audience(sql, serverId, [userId])
  return [...(visible.get(userId) ?? [])]
}

function fromGrants(
  rows: readonly GrantRow[],
  { userId, serverId, ownerId }: { userId: string; serverId: string; ownerId: string },
): bigint {
  let everyone: Grant = { permissions: 0n }
  let overwrite: AllowDeny | undefined
  const roles: Grant[] = []
  for (const row of rows) {
    if (row.id === userId) overwrite = overwriteOf(row)
    else if (row.id === serverId) everyone = grantOf(row)
    else roles.push(grantOf(row))
  }
  return computePermissions({ owner: ownerId === userId, everyone, roles, overwrite })
}

function grantOf(row: GrantRow): Grant {
  return { permissions: bitsOf(row.permissions), overwrite: overwriteOf(row) }
}

function overwriteOf(row: GrantRow): AllowDeny | undefined {
  return row.allow === null || row.deny === null
    ? undefined
    : { allow: BigInt(row.allow), deny: BigInt(row.deny) }
}

function bitsOf(text: string | undefined): bigint {
  return text === undefined ? 0n : BigInt(text)
}

function rankOf(role: RoleRow): { id: string; position: number } {
  return { id: role.id, position: role.position }
}

function requirePermissions(held: bigint, bits: readonly bigint[]): void {
  const needed = bits.reduce((set, bit) => set | bit, 0n)
  if (has(held, needed)) return
  const names = permissionNames(needed & ~held).join(', ')
  throw new AppError('missing_permission', `This needs the permission ${names}.`)
}

function channelOf(row: ChannelRow): ChannelRecord {
  return {
    id: row.id,
    serverId: row.server_id,
    type: row.type,
    name: row.name,
    topic: row.topic,
    position: row.position,
  }
}
