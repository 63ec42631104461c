import { splitCode } from '@gatehouse/protocol/code'
import { idPattern } from '@gatehouse/protocol/ids'
import { maxUsername, minUsername, usernameCharacter } from '@gatehouse/protocol/limits'
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

const typedName = new RegExp(
  String.raw`(\\*)(?<![\p{L}\p{N}_<@/.])@(${usernameCharacter}{${minUsername},${maxUsername}})`,
  'gu',
)
const userMention = new RegExp(`<@(${idPattern})>`, 'g')
const usernameStart = new RegExp(`^${usernameCharacter}*`)

/**
 * Replaces `@username` of members with `<@id>`, except in code. After a backslash it is text, and the backslash is
 * removed: otherwise the name could not be written without a mention.
 */
export function encodeMentions(text: string, members: readonly Member[]): string {
  if (!text.includes('@')) return text
  const find = createFinder(members)
  return mapProse(text, prose => encodeProse(prose, find))
}

/**
 * Replaces `<@id>` of members with `@username`, for editing, so that `encodeMentions` returns `text` again. A mention
 * that it would not return, for example before a letter, stays.
 */
export function decodeMentions(text: string, members: readonly Member[]): string {
  if (!text.includes('@')) return text
  const find = createFinder(members)
  const names = new Map(members.map(({ user }) => [user.id, user.username]))
  return mapProse(text, prose => {
    const escaped = prose.replace(typedName, (whole, _, name: string) => (find(name) ? `\\${whole}` : whole))
    let decoded = ''
    let from = 0
    for (const { 0: mention, 1: id = '', index } of escaped.matchAll(userMention)) {
      decoded += escaped.slice(from, index)
      from = index + mention.length
      // A name depends on these characters around it.
      const before = decoded.slice(-2)
      const [after = ''] = usernameStart.exec(escaped.slice(from)) ?? []
      const name = `@${names.get(id)}`
      const isReversible = encodeProse(before + name + after, find) === before + mention + after
      decoded += isReversible ? name : mention
    }
    return decoded + escaped.slice(from)
  })
}

type Finder = (name: string) => { id: string; username: string } | undefined

function createFinder(members: readonly Member[]): Finder {
  const users = new Map(members.map(({ user }) => [user.username, user]))
  // A full stop may end the sentence or be part of the username.
  return name => users.get(name) ?? users.get(name.replace(/\.+$/, ''))
}

function encodeProse(prose: string, find: Finder): string {
  return prose.replace(typedName, (whole, backslashes: string, name: string) => {
    const user = find(name)
    if (!user) return whole
    return backslashes === '' ? `<@${user.id}>${name.slice(user.username.length)}` : whole.slice(1)
  })
}

function mapProse(text: string, map: (prose: string) => string): string {
  return splitCode(text)
    .map(part => (part.fence > 0 ? part.text : map(part.text)))
    .join('')
}
