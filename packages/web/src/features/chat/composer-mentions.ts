import { splitCode } from '@gatehouse/protocol/code'
import type { Member } from '@gatehouse/protocol/servers'

/** A mention that is being typed, from the `@` at `start` to the caret at `end`. `text` is in lower case. */
export interface MentionQuery {
  start: number
  end: number
  text: string
}

export function findMentionQuery(text: string, caret: number): MentionQuery | undefined {
  const match = /(?:^|[\s(])@([\p{L}\p{N}_.]{0,32})$/u.exec(text.slice(0, caret))
  if (!match) return undefined
  const typed = match[1] ?? ''
  return { start: caret - typed.length - 1, end: caret, text: typed.toLowerCase() }
}

const maxSuggestions = 8

/** Members whose name or username starts with `text`, then those whose name contains it. */
export function rankMembers(members: readonly Member[], text: string): Member[] {
  const rank = ({ user, nick }: Member) => {
    const names = [user.username, user.displayName, nick ?? ''].map(name => name.toLowerCase())
    if (names.some(name => name !== '' && name.startsWith(text))) return 0
    return names.some(name => name.includes(text)) ? 1 : 2
  }
  return members
    .map(member => ({ member, rank: rank(member) }))
    .filter(entry => entry.rank < 2)
    .sort((a, b) => a.rank - b.rank || a.member.user.displayName.localeCompare(b.member.user.displayName))
    .slice(0, maxSuggestions)
    .map(({ member }) => member)
}

/** Replaces the query with `@username `. */
export function insertMention(
  text: string,
  query: MentionQuery,
  username: string,
): { text: string; caret: number } {
  const before = `${text.slice(0, query.start)}@${username} `
  return { text: before + text.slice(query.end).replace(/^ /, ''), caret: before.length }
}

/** Replaces `@username` of members with `<@id>`, except in code. */
export function encodeMentions(text: string, members: readonly Member[]): string {
  if (!text.includes('@')) return text
  const ids = new Map(members.map(({ user }) => [user.username, user.id]))
  const encode = (whole: string, name: string) => {
    // A full stop may end the sentence or be part of the username.
    for (const candidate of [name, name.replace(/\.+$/, '')]) {
      const id = ids.get(candidate)
      if (id) return `<@${id}>${name.slice(candidate.length)}`
    }
    return whole
  }
  const pattern = /(?<![\p{L}\p{N}_<@/.])@([a-z0-9_.]{2,32})/gu
  return splitCode(text)
    .map(part => (part.fence > 0 ? part.text : part.text.replace(pattern, encode)))
    .join('')
}

/** Replaces `<@id>` of members with `@username`, for editing. */
export function decodeMentions(text: string, members: readonly Member[]): string {
  const names = new Map(members.map(({ user }) => [user.id, user.username]))
  return text.replace(/<@!?([0-9]{17,20})>/g, (whole, id: string) => {
    const name = names.get(id)
    return name ? `@${name}` : whole
  })
}
