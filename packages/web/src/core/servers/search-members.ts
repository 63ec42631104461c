import type { Member } from '@gatehouse/protocol/servers'
import { memberName } from './members.ts'

/** The members whose username, display name or nickname contains the query, sorted by name. */
export function searchMembers(members: readonly Member[], query: string): Member[] {
  const needle = query.trim().toLowerCase().replace(/^@/, '')
  const { compare } = new Intl.Collator(undefined, { sensitivity: 'base' })
  return members
    .filter(({ user, nick }) =>
      [user.username, user.displayName, nick ?? ''].some(name => name.toLowerCase().includes(needle)),
    )
    .sort((a, b) => compare(memberName(a), memberName(b)))
}
