import { highestRole } from '@gatehouse/protocol/role-order'
import type { Member, Role } from '@gatehouse/protocol/servers'

export function memberName(member: Member): string {
  return member.nick ?? member.user.displayName
}

/** The color of the highest role that has one. */
export function memberColor(member: Member, roles: readonly Role[] | undefined): string | undefined {
  const colored = roles?.filter(({ id, color }) => color !== 0 && member.roles.includes(id))
  const highest = colored && highestRole(colored)
  return highest && roleColor(highest.color)
}

export function roleColor(color: number): string {
  return `#${color.toString(16).padStart(6, '0')}`
}
