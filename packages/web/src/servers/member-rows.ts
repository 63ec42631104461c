import type { Member } from '@gatehouse/protocol/servers'
import { nameOf } from './members.ts'

/** One row of the list of members. */
export type MemberRow =
  | { kind: 'head'; key: string; group: 'people' | 'bots'; count: number }
  | { kind: 'member'; key: string; member: Member }

/** People, then bots, each under a head and by name; a group with nobody in it has none. */
export function memberRows(members: readonly Member[]): MemberRow[] {
  const { compare } = new Intl.Collator(undefined, { sensitivity: 'base' })
  const inOrder = members
    .map(member => ({ member, name: nameOf(member) }))
    .sort((a, b) => compare(a.name, b.name))
    .map(({ member }) => member)
  const groups = [
    { group: 'people', list: inOrder.filter(({ user }) => !user.bot) },
    { group: 'bots', list: inOrder.filter(({ user }) => user.bot) },
  ] as const
  return groups.flatMap(({ group, list }): MemberRow[] =>
    list.length === 0
      ? []
      : [
          { kind: 'head', key: group, group, count: list.length },
          ...list.map((member): MemberRow => ({ kind: 'member', key: member.user.id, member })),
        ],
  )
}
