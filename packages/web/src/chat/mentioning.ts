import type { Member } from '@gatehouse/protocol/servers'

/** A mention being typed: from the `@` at `start` up to the caret. */
export interface MentionAt {
  start: number
  end: number
  typed: string
}

export function mentionAt(text: string, caret: number): MentionAt | undefined {
  const match = /(?:^|[\s(])@([\p{L}\p{N}_.]{0,32})$/u.exec(text.slice(0, caret))
  if (!match) return undefined
  const typed = match[1] ?? ''
  return { start: caret - typed.length - 1, end: caret, typed: typed.toLowerCase() }
}

const most = 8

/** Members whose name or username begins with what was typed, then those that hold it. */
export function rankMembers(members: readonly Member[], typed: string): Member[] {
  const rank = ({ user, nick }: Member) => {
    const names = [user.username, user.displayName, nick ?? ''].map(name => name.toLowerCase())
    if (names.some(name => name !== '' && name.startsWith(typed))) return 0
    return names.some(name => name.includes(typed)) ? 1 : 2
  }
  return members
    .map(member => ({ member, rank: rank(member) }))
    .filter(({ rank: place }) => place < 2)
    .sort((a, b) => a.rank - b.rank || a.member.user.displayName.localeCompare(b.member.user.displayName))
    .slice(0, most)
    .map(({ member }) => member)
}

/** Puts `@username ` in the place of what was typed. */
export function insertMention(
  text: string,
  at: MentionAt,
  username: string,
): { text: string; caret: number } {
  const before = `${text.slice(0, at.start)}@${username} `
  return { text: before + text.slice(at.end).replace(/^ /, ''), caret: before.length }
}

/** What is sent: `@username` of a member is their mention, `<@id>`; not in code, where it is what it is. */
export function withMentions(text: string, members: readonly Member[]): string {
  if (!text.includes('@')) return text
  const ids = new Map(members.map(({ user }) => [user.username, user.id]))
  const pattern = /```[\s\S]*?```|`[^`\n]+`|(?<![\p{L}\p{N}_<@/.])@([a-z0-9_.]{2,32})/gu
  return text.replace(pattern, (whole, name: string | undefined) => {
    if (name === undefined) return whole
    // A full stop after a name ends the sentence, unless a name ends so.
    for (const candidate of [name, name.replace(/\.+$/, '')]) {
      const id = ids.get(candidate)
      if (id) return `<@${id}>${name.slice(candidate.length)}`
    }
    return whole
  })
}

/** The other way round, for a person to edit: mentions of members by their username. */
export function withoutMentions(text: string, members: readonly Member[]): string {
  const names = new Map(members.map(({ user }) => [user.id, user.username]))
  return text.replace(/<@!?([0-9]{17,20})>/g, (whole, id: string) => {
    const name = names.get(id)
    return name ? `@${name}` : whole
  })
}
