import { newMemberSeconds } from '@gatehouse/protocol/limits'
import {
  allPermissions,
  directMessagePermissions,
  has,
  maySeeReports,
  Permission,
  parsePermissions,
  permissionNames,
  reportPermissions,
  serverPermissions,
  unknownPermission,
} from '@gatehouse/protocol/permissions'
import { sortRoles } from '@gatehouse/protocol/role-order'
import { AppError, invalid, notFound } from '../../errors/app-error.ts'
import type { Sql } from '../../storage/database.ts'
import { computePermissions } from './compute.ts'
import {
  type Access,
  type ChannelAccess,
  type MemberRecord,
  type ServerAccess,
  toChannelRecord,
  toServerRecord,
} from './permission-records.ts'
import {
  findChannelForUser,
  findServerForMember,
  listChannelPermissions,
  listMemberRoles,
  type UserChannelRow,
} from './permission-store.ts'
import { readChannelVisibility } from './visibility.ts'

/**
 * Undefined if the channel does not exist or the user cannot view it. Callers respond to both with the same 404, so
 * that a response does not reveal which channels exist.
 */
export async function findChannelAccess(
  sql: Sql,
  now: number,
  userId: string,
  channelId: string,
): Promise<ChannelAccess | undefined> {
  // Sent together, so that both take one round trip to PostgreSQL.
  const [row, permissionRows] = await Promise.all([
    findChannelForUser(sql, userId, channelId),
    listChannelPermissions(sql, userId, channelId),
  ])
  if (row === undefined) return undefined
  const channel = toChannelRecord(row)
  const { serverId, ownerId } = row
  if (row.dmMemberId !== null) {
    return {
      channel,
      server: undefined,
      permissions: directMessagePermissions,
      timedOutUntil: null,
      roleIds: [],
      unverified: undefined,
    }
  }
  if (serverId === null || ownerId === null || row.memberId === null) return undefined
  const server = { id: serverId, name: row.serverName ?? '', icon: row.serverIcon, ownerId }
  const timedOutUntil = endOfMemberTimeOut(row, now)
  const isTimedOut = timedOutUntil !== null
  const permissions = computePermissions(permissionRows, { userId, serverId, ownerId, isTimedOut })
  if (!has(permissions, Permission.VIEW_CHANNEL)) return undefined
  const roleIds = permissionRows.map(({ id }) => id).filter(id => id !== userId && id !== serverId)
  const isExempt = roleIds.length > 0 || ownerId === userId
  const unverified = isExempt ? undefined : findUnverified(row, now)
  return { channel, server, permissions, timedOutUntil, roleIds, unverified }
}

/** What a member without a role lacks for the verification level of the server (community/verification-level). */
function findUnverified(
  { verificationLevel, bot, emailVerified, joinedAt }: UserChannelRow,
  now: number,
): AppError | undefined {
  if (verificationLevel === 'none' || bot === 1) return undefined
  if (emailVerified === 0) return new AppError('email_not_verified', 'Verify your email address first.')
  const leftMs = (joinedAt ?? 0) + newMemberSeconds * 1000 - now
  if (verificationLevel === 'email' || leftMs <= 0) return undefined
  const retryAfter = Math.ceil(leftMs / 1000)
  return new AppError('member_too_new', `You can write on this server in ${retryAfter} s.`, { retryAfter })
}

/** Throws 404 if the user cannot view the channel, 403 `missing_permission` if they lack one of `required`. */
export async function requireChannel(
  sql: Sql,
  now: number,
  userId: string,
  channelId: string,
  ...required: bigint[]
): Promise<ChannelAccess> {
  const access = await findChannelAccess(sql, now, userId, channelId)
  if (access === undefined) throw notFound()
  requirePermissions(access, ...required)
  return access
}

/** For `now`: a time at which no member is timed out. */
export const afterMemberTimeOuts = Number.POSITIVE_INFINITY

export async function canViewChannel(sql: Sql, userId: string, channelId: string): Promise<boolean> {
  return (await findChannelAccess(sql, afterMemberTimeOuts, userId, channelId)) !== undefined
}

/**
 * Whether the user has MENTION_EVERYONE in the channel, for messages that they do not send themselves: those of their
 * webhooks, and responses of a bot. A time-out does not apply to these.
 */
export async function canMentionEveryone(sql: Sql, userId: string, channelId: string): Promise<boolean> {
  const access = await findChannelAccess(sql, afterMemberTimeOuts, userId, channelId)
  return access !== undefined && has(access.permissions, Permission.MENTION_EVERYONE)
}

/** Undefined if the server does not exist or the user is not a member. */
export async function findServerAccess(
  sql: Sql,
  now: number,
  userId: string,
  serverId: string,
): Promise<ServerAccess | undefined> {
  const [row, roleRows] = await Promise.all([
    findServerForMember(sql, userId, serverId),
    listMemberRoles(sql, userId, serverId),
  ])
  if (row === undefined) return undefined
  const roles = sortRoles(roleRows)
  const { id, position } = roles[0] ?? { id: serverId, position: 0 }
  const timedOutUntil = endOfMemberTimeOut(row, now)
  return {
    server: toServerRecord(row),
    permissions: serverPermissions({
      isOwner: row.ownerId === userId,
      roles: roleRows.map(role => BigInt(role.permissions)),
      isTimedOut: timedOutUntil !== null,
    }),
    timedOutUntil,
    member: {
      serverId,
      userId,
      nick: row.nick,
      joinedAt: row.joinedAt,
      timedOutUntil: row.timedOutUntil,
      roles: roles.map(role => role.id).filter(roleId => roleId !== serverId),
      highestRole: { id, position },
    },
  }
}

/** Throws 404 if the user is not a member, 403 `missing_permission` if they lack one of `required`. */
export async function requireServer(
  sql: Sql,
  now: number,
  userId: string,
  serverId: string,
  ...required: bigint[]
): Promise<ServerAccess> {
  const access = await findServerAccess(sql, now, userId, serverId)
  if (access === undefined) throw notFound()
  requirePermissions(access, ...required)
  return access
}

/**
 * Throws 403: `timed_out` for a member who is timed out, otherwise `missing_permission` with the names of the missing
 * permissions.
 */
export function requirePermissions(access: Access, ...required: bigint[]): void {
  const missing = required.reduce((bits, bit) => bits | bit, 0n) & ~access.permissions
  if (missing === 0n) return
  requireNoMemberTimeOut(access)
  throw new AppError('missing_permission', `Missing permission: ${permissionNames(missing).join(', ')}.`)
}

/** Throws 403 if the member may not see the reports (community/report-queue). */
export function requireReportPermission(access: Access): void {
  if (maySeeReports(access.permissions)) return
  requireNoMemberTimeOut(access)
  const names = permissionNames(reportPermissions).join(', ')
  throw new AppError('missing_permission', `Missing permission: one of ${names}.`)
}

/**
 * Throws 403 `timed_out` (community/timeouts). A time-out does not apply to the owner and administrators, who have
 * `allPermissions`.
 */
function requireNoMemberTimeOut({ permissions, timedOutUntil }: Access): void {
  if (timedOutUntil === null || permissions === allPermissions) return
  throw new AppError('timed_out', `You are timed out until ${new Date(timedOutUntil).toISOString()}.`)
}

/**
 * Throws 403 for what every member may do who is not timed out and meets the verification level of the server
 * (community/timeouts, community/verification-level), and 404 for a category, which has no messages.
 */
export function requireActiveMember(access: ChannelAccess): void {
  if (access.channel.type === 'category') throw notFound()
  requireNoMemberTimeOut(access)
  if (access.unverified !== undefined) throw access.unverified
}

/** Null if there is no time-out at this time: it ends by the clock. */
export function endOfMemberTimeOut(
  { timedOutUntil }: Pick<MemberRecord, 'timedOutUntil'>,
  now: number,
): number | null {
  return timedOutUntil !== null && timedOutUntil > now ? timedOutUntil : null
}

/** The bits of a decimal string in a request body. Throws 400 with `path` for a bit that is not a permission. */
export function parsePermissionBits(path: string, text: string): bigint {
  const bits = parsePermissions(text)
  if (bits === undefined) throw invalid(path, unknownPermission.code, unknownPermission.message)
  return bits
}

/** The channels of the server that the user can view; none if they are not a member. */
export async function listVisibleChannelIds(sql: Sql, userId: string, serverId: string): Promise<string[]> {
  const { channelIdsByUser } = await readChannelVisibility(sql, serverId, [userId])
  return [...(channelIdsByUser.get(userId) ?? [])]
}
