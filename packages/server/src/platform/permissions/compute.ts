import { allPermissions, has, Permission } from '@gatehouse/protocol/permissions'

/** What a channel takes from a role or member and gives them. */
export interface AllowDeny {
  allow: bigint
  deny: bigint
}

/** A role of a member, with what the channel says about it. */
export interface Grant {
  permissions: bigint
  overwrite?: AllowDeny | undefined
}

export interface Standing {
  owner: boolean
  everyone: Grant
  /** The roles of the member, without @everyone. */
  roles: readonly Grant[]
  /** What the channel says about this very member. */
  overwrite?: AllowDeny | undefined
}

/** What each of the two of a direct message may do in it. */
export const directMessagePermissions: bigint =
  Permission.VIEW_CHANNEL | Permission.SEND_MESSAGES | Permission.EMBED_LINKS

/**
 * The order of the contract, "Permissions": the owner has all; roles are joined; ADMINISTRATOR is all; then the
 * channel's overwrites for @everyone, for the roles together, for the member, each deny before allow.
 */
export function computePermissions({ owner, everyone, roles, overwrite }: Standing): bigint {
  if (owner) return allPermissions
  let set = everyone.permissions
  for (const role of roles) set |= role.permissions
  if (has(set, Permission.ADMINISTRATOR)) return allPermissions
  set = apply(set, everyone.overwrite)
  let allow = 0n
  let deny = 0n
  for (const role of roles) {
    if (role.overwrite === undefined) continue
    allow |= role.overwrite.allow
    deny |= role.overwrite.deny
  }
  set = apply(set, { allow, deny })
  return apply(set, overwrite)
}

function apply(set: bigint, overwrite: AllowDeny | undefined): bigint {
  return overwrite === undefined ? set : (set & ~overwrite.deny) | overwrite.allow
}
