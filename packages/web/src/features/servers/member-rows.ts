import type { Member } from '@gatehouse/protocol/servers'
import { memberName } from '../../core/servers/members.ts'

/** One row of the member list. */
export type MemberRow =
  | { kind: 'heading'; key: string; group: 'users' | 'bots'; count: number }
  /** `isAmbiguous`: another member has the same name, so the username is shown too. */
  | { kind: 'member'; key: string; member: Member; isAmbiguous: boolean }

/** Lists users, then bots, each group with a heading and sorted by name. An empty group has no heading. */
export function buildMemberRows(members: readonly Member[]): MemberRow[] {
  const { compare } = new Intl.Collator(undefined, { sensitivity: 'base' })
  const sorted = members
    .map(member => ({ member, name: memberName(member) }))
    .sort((a, b) => compare(a.name, b.name))
    .map(({ member }) => member)
  const byName = Map.groupBy(members, member => memberName(member).toLowerCase())
  const isAmbiguous = (member: Member) => (byName.get(memberName(member).toLowerCase())?.length ?? 0) > 1
  const groups = [
    { group: 'users', list: sorted.filter(({ user }) => !user.bot) },
    { group: 'bots', list: sorted.filter(({ user }) => user.bot) },
  ] as const
  return groups.flatMap(({ group, list }): MemberRow[] =>
    list.length === 0
      ? []
      : [
          { kind: 'heading', key: group, group, count: list.length },
          ...list.map(
            (member): MemberRow => ({
              kind: 'member',
              key: member.user.id,
              member,
              isAmbiguous: isAmbiguous(member),
            }),
          ),
        ],
  )
}
