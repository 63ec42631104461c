import { channelPermissions, serverPermissions } from '@gatehouse/protocol/permissions'
import type { PermissionRow } from './permission-store.ts'

interface RowsOwner {
  userId: string
  serverId: string
  ownerId: string | null
  isTimedOut?: boolean
}

/** The permissions of a member in the channel from which `listChannelPermissions` has read the rows. */
export function computePermissions(
  rows: readonly PermissionRow[],
  { userId, serverId, ownerId, isTimedOut = false }: RowsOwner,
): bigint {
  // The row of the member's own overwrite has no permissions.
  const roles = rows.map(row => BigInt(row.permissions))
  const permissions = serverPermissions({ isOwner: ownerId === userId, roles })
  const overwrites = rows.flatMap(({ id, allow, deny }) =>
    allow === null || deny === null ? [] : { id, allow: BigInt(allow), deny: BigInt(deny) },
  )
  const roleIds = new Set(rows.map(row => row.id))
  return channelPermissions(overwrites, { serverId, userId, roleIds, permissions, isTimedOut })
}
