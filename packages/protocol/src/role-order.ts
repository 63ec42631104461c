// The order of the roles of a server, and who may manage whom (community/permission-hierarchy).

export interface RolePosition {
  id: string
  position: number
}

/** Whether `a` is higher than `b`. Of two roles with the same position, the older one is higher. */
export function isHigherRole(a: RolePosition, b: RolePosition): boolean {
  return a.position === b.position ? a.id < b.id : a.position > b.position
}

/** Sorts from the highest role to @everyone. */
export function sortRoles<Item extends RolePosition>(roles: readonly Item[]): Item[] {
  return [...roles].sort((a, b) => (a.id === b.id ? 0 : isHigherRole(a, b) ? -1 : 1))
}

/** Undefined if there is no role. */
export function highestRole<Item extends RolePosition>(roles: readonly Item[]): Item | undefined {
  return sortRoles(roles)[0]
}

/** The role @everyone has the id of its server (community/everyone-role). */
export function isEveryone({ id, serverId }: { id: string; serverId: string }): boolean {
  return id === serverId
}

export interface RankedMember {
  isOwner: boolean
  /** @everyone if the member has no other role. */
  highestRole: RolePosition
}

/** Whether the role is not higher than the highest role of the member, or the member is the owner. */
export function mayManageRole(member: RankedMember, role: RolePosition): boolean {
  return member.isOwner || !isHigherRole(role, member.highestRole)
}

/**
 * Whether the highest role of `other` is lower than that of the member. The owner manages all, and nobody the owner.
 */
export function mayManageMember(member: RankedMember, other: RankedMember): boolean {
  return member.isOwner || (!other.isOwner && isHigherRole(member.highestRole, other.highestRole))
}
