import type { AuditChange } from '@gatehouse/protocol/audit-log'
import type { PrivateChannel } from '@gatehouse/protocol/channels'
import { formatPermissions, has, Permission } from '@gatehouse/protocol/permissions'
import type { RolePosition } from '@gatehouse/protocol/role-order'
import { findUser } from '../../accounts/users/index.ts'
import { changesOf } from '../../audit/index.ts'
import { invalid } from '../../errors/app-error.ts'
import type { Transaction } from '../../storage/database.ts'
import {
  findServerAccess,
  requireGrantable,
  requireManageableRole,
  type ServerAccess,
} from '../permissions/index.ts'
import { findRole } from '../roles/index.ts'
import type { OverwriteRecord } from './channel-store.ts'

type Target = Pick<OverwriteRecord, 'targetId' | 'type'>

/**
 * Throws 403 for a role or member above the caller (community/permission-hierarchy). False if it is not in the server.
 */
export async function findManageableTarget(
  tx: Transaction,
  now: number,
  access: ServerAccess,
  target: Target,
): Promise<boolean> {
  const role = await findHighestRole(tx, now, access.server.id, target)
  if (role === undefined) return false
  requireManageableRole(access, role)
  return true
}

/** The role, or the highest one of the member. Undefined if it is not in the server. */
async function findHighestRole(
  tx: Transaction,
  now: number,
  serverId: string,
  { targetId, type }: Target,
): Promise<RolePosition | undefined> {
  if (type === 'role') return findRole(tx, serverId, targetId)
  return (await findServerAccess(tx, now, targetId, serverId))?.member.highestRole
}

type Bits = Pick<OverwriteRecord, 'allow' | 'deny'>

/** A change of one overwrite of a channel. Without `before` it is new, without `after` it is deleted. */
export type OverwriteChange =
  | { before: OverwriteRecord | undefined; after: OverwriteRecord }
  | { before: OverwriteRecord; after: undefined }

/**
 * Throws 403 unless the caller, with `permissions` in the channel, has every permission that changes. A role or member
 * above the caller can only be allowed more (community/permission-hierarchy). False if it is not in the server.
 */
export async function requireOverwriteChange(
  tx: Transaction,
  now: number,
  access: ServerAccess,
  permissions: bigint,
  { before, after }: OverwriteChange,
): Promise<boolean> {
  const changed = changedPermissions(before, after)
  requireGrantable(permissions, changed)
  const role = await findHighestRole(tx, now, access.server.id, after ?? before)
  if (role === undefined) return false
  const allowed = (after?.allow ?? 0n) & ~(before?.allow ?? 0n)
  if ((changed & ~allowed) !== 0n) requireManageableRole(access, role)
  return true
}

/** The permissions that the change allows or denies, or no longer does. */
export function changedPermissions(before: Bits | undefined, after: Bits | undefined): bigint {
  return ((before?.allow ?? 0n) ^ (after?.allow ?? 0n)) | ((before?.deny ?? 0n) ^ (after?.deny ?? 0n))
}

/** The change of one overwrite, for the audit log, with the name of the role or member at this time. */
export async function describeOverwriteChange(
  tx: Transaction,
  serverId: string,
  before: OverwriteRecord | undefined,
  after: OverwriteRecord | undefined,
): Promise<AuditChange[]> {
  const described = await Promise.all(
    [before, after].map(async overwrite => {
      if (overwrite === undefined) return undefined
      const { targetId: id, type, allow, deny } = overwrite
      const name =
        type === 'role' ? (await findRole(tx, serverId, id))?.name : (await findUser(tx, id))?.username
      const bits = { allow: formatPermissions(allow), deny: formatPermissions(deny) }
      return { permissionOverwrites: { id, type, name, ...bits } }
    }),
  )
  return changesOf(['permissionOverwrites'], described[0], described[1])
}

const { VIEW_CHANNEL, ADMINISTRATOR } = Permission

/**
 * The overwrites of a new private channel (community/private-channels): only the creator and those of `isPrivate` can
 * view it. Throws 403 as a change of an overwrite does, and 400 for what is not in the server.
 */
export async function privateOverwrites(
  tx: Transaction,
  now: number,
  access: ServerAccess,
  { channelId, admitted }: { channelId: string; admitted: PrivateChannel },
): Promise<OverwriteRecord[]> {
  const { id: serverId } = access.server
  const { userId } = access.member
  requireGrantable(access.permissions, VIEW_CHANNEL)
  const view = { channelId, allow: VIEW_CHANNEL, deny: 0n }
  const overwrites = new Map<string, OverwriteRecord>()
  const admit = async (type: Target['type'], path: string, targetId: string) => {
    const target = { targetId, type }
    if (targetId === serverId || (await findHighestRole(tx, now, serverId, target)) === undefined) {
      const kind = type === 'role' ? 'a role' : 'a member'
      throw invalid(path, type === 'role' ? 'unknown_role' : 'unknown_user', `must be ${kind} of this server`)
    }
    overwrites.set(targetId, { ...view, ...target })
  }
  for (const [index, id] of admitted.roles.entries()) await admit('role', `private.roles[${index}]`, id)
  for (const [index, id] of admitted.members.entries()) {
    await admit('member', `private.members[${index}]`, id)
  }
  // Overwrites do not restrict the owner and administrators.
  if (!has(access.permissions, ADMINISTRATOR))
    overwrites.set(userId, { ...view, targetId: userId, type: 'member' })
  return [
    { channelId, targetId: serverId, type: 'role', allow: 0n, deny: VIEW_CHANNEL },
    ...overwrites.values(),
  ]
}
