import type { Member, Role } from '@gatehouse/protocol/servers'

export function nameOf(member: Member): string {
  return member.nick ?? member.user.displayName
}

/** The colour of the highest role that has one. */
export function colorOf(member: Member, roles: readonly Role[] | undefined): string | undefined {
  const own = roles?.filter(({ id, color }) => color !== 0 && member.roles.includes(id))
  const highest = own?.sort((a, b) => b.position - a.position)[0]
  return highest && roleColor(highest.color)
}

export function roleColor(color: number): string {
  return `#${color.toString(16).padStart(6, '0')}`
}
