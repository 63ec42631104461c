import type { Member } from '@gatehouse/protocol/servers'
import { nameOf } from '../servers/members.ts'

/** Members whose name or username holds what was typed, by name. */
export function foundMembers(members: readonly Member[], typed: string): Member[] {
  const wanted = typed.trim().toLowerCase().replace(/^@/, '')
  const { compare } = new Intl.Collator(undefined, { sensitivity: 'base' })
  return members
    .filter(({ user, nick }) =>
      [user.username, user.displayName, nick ?? ''].some(name => name.toLowerCase().includes(wanted)),
    )
    .sort((a, b) => compare(nameOf(a), nameOf(b)))
}
