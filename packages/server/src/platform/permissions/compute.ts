import { allPermissions, has, Permission } from '@gatehouse/protocol/permissions'

export interface OverwriteBits {
  allow: bigint
  deny: bigint
}

/** The permissions of a role, and the channel's overwrite for it. */
export interface RolePermissions {
  permissions: bigint
  overwrite?: OverwriteBits | undefined
}

export interface MemberPermissions {
  isOwner: boolean
  everyone: RolePermissions
  /** The roles of the member, without @everyone. */
  roles: readonly RolePermissions[]
  /** The channel's overwrite for the member. */
  overwrite?: OverwriteBits | undefined
  /** Only VIEW_CHANNEL remains, but not for the owner and administrators (community/timeouts). */
  isTimedOut?: boolean
}

export const directMessagePermissions: bigint =
  Permission.VIEW_CHANNEL | Permission.SEND_MESSAGES | Permission.EMBED_LINKS

/**
 * The order of docs/spec/community.md, as in Discord: the owner has all permissions; the permissions of all roles are
 * united; ADMINISTRATOR gives all; then the overwrites apply, first of @everyone, then of all other roles together, then of
 * the member. Each removes `deny` before it adds `allow`.
 */
export function computePermissions({
  isOwner,
  everyone,
  roles,
  overwrite,
  isTimedOut = false,
}: MemberPermissions): bigint {
  if (isOwner) return allPermissions
  let permissions = everyone.permissions
  for (const role of roles) permissions |= role.permissions
  if (has(permissions, Permission.ADMINISTRATOR)) return allPermissions
  permissions = applyOverwrite(permissions, everyone.overwrite)
  let allow = 0n
  let deny = 0n
  for (const role of roles) {
    if (role.overwrite === undefined) continue
    allow |= role.overwrite.allow
    deny |= role.overwrite.deny
  }
  permissions = applyOverwrite(permissions, { allow, deny })
  permissions = applyOverwrite(permissions, overwrite)
  return isTimedOut ? permissions & Permission.VIEW_CHANNEL : permissions
}

function applyOverwrite(permissions: bigint, overwrite: OverwriteBits | undefined): bigint {
  return overwrite === undefined ? permissions : (permissions & ~overwrite.deny) | overwrite.allow
}
