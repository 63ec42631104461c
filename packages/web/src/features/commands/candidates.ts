import type { Option, OptionType, OptionValue } from '@gatehouse/protocol/commands'
import type { Translate } from '../../core/i18n/translate.ts'
import type { ChannelContext } from '../../core/servers/channel-context.ts'

/** A value that the user can select for an option. */
export interface Candidate {
  value: OptionValue
  text: string
  username?: string
  avatar?: string
  /** Other texts that select it. */
  aliases?: readonly string[]
}

const maxCandidates = 25

/** Whether the values of an option are members, of whom the client has loaded only some. */
export const hasMembers: Readonly<Record<OptionType, boolean>> = {
  string: false,
  integer: false,
  number: false,
  boolean: false,
  user: true,
  channel: false,
  role: false,
  mentionable: true,
}

/** The values that the user can select, or undefined if the option accepts free text. */
export function listCandidates(
  option: Option,
  { members, roles, channels, channel }: Pick<ChannelContext, 'members' | 'roles' | 'channels' | 'channel'>,
  t: Translate,
): Candidate[] | undefined {
  if (option.choices && option.choices.length > 0) {
    return option.choices.map(({ name, value }) => ({ text: name, value }))
  }
  const memberCandidates = () =>
    members.map(({ user, nick }) => ({
      value: user.id,
      text: nick ?? user.displayName,
      username: user.username,
      avatar: user.avatar,
    }))
  const roleCandidates = () =>
    roles.map(({ id, name }) => ({ value: id, text: id === channel.serverId ? '@everyone' : `@${name}` }))
  switch (option.type) {
    case 'boolean':
      return [
        { text: t('command.true'), value: true, aliases: ['yes', 'true', 'on', '1'] },
        { text: t('command.false'), value: false, aliases: ['no', 'false', 'off', '0'] },
      ]
    case 'user':
      return memberCandidates()
    case 'channel':
      return channels.map(({ id, name }) => ({ value: id, text: `#${name}` }))
    case 'role':
      return roleCandidates()
    case 'mentionable':
      // The roles first, because the list shows 25 and a server has many members.
      return [...roleCandidates(), ...memberCandidates()]
    case 'string':
    case 'integer':
    case 'number':
      return undefined
    default:
      return option.type satisfies never
  }
}

/** The id of the user if the text is a whole mention of one. */
export function mentionedUser(text: string): string | undefined {
  return /^<@!?([0-9]+)>$/.exec(text.trim())?.[1]
}

const normalizeName = (text: string) => text.normalize('NFC').toLowerCase().replace(/^[@#]/, '')

/**
 * Finds the candidate by its whole mention, username, text, value or alias, in this order. Undefined if none or several
 * match.
 */
export function findCandidate(candidates: readonly Candidate[], text: string): Candidate | undefined {
  const typed = text.trim().normalize('NFC')
  const id = /^<(?:@[!&]?|#)([0-9]+)>$/.exec(typed)?.[1]
  const name = normalizeName(typed)
  if (name === '') return undefined
  const matchers: ((candidate: Candidate) => boolean)[] = [
    ({ value }) => value === id,
    // Usernames are unique, other names are not.
    ({ username }) => username === name,
    ({ text }) => text === typed,
    ({ text }) => normalizeName(text) === name,
    ({ value }) => String(value).toLowerCase() === typed.toLowerCase(),
    ({ aliases }) => aliases?.includes(name) ?? false,
  ]
  for (const matches of matchers) {
    const [found, another] = candidates.filter(matches)
    if (found) return another ? undefined : found
  }
  return undefined
}

export function filterCandidates(candidates: readonly Candidate[], typed: string): Candidate[] {
  return searchNames(candidates, typed, ({ text, username = '' }) => [text, username]).slice(0, maxCandidates)
}

/** The items of which a name contains the query, those with a name that begins with it first. */
export function searchNames<Item>(
  items: readonly Item[],
  query: string,
  namesOf: (item: Item) => readonly string[],
): Item[] {
  const typed = query.trim().toLowerCase().replace(/^[@#]/, '')
  const rank = (item: Item) => {
    const names = namesOf(item).map(name => name.toLowerCase().replace(/^[@#]/, ''))
    if (names.some(name => name.startsWith(typed))) return 0
    return names.some(name => name.includes(typed)) ? 1 : 2
  }
  return items
    .map(item => ({ item, rank: rank(item) }))
    .filter(entry => entry.rank < 2)
    .sort((a, b) => a.rank - b.rank)
    .map(({ item }) => item)
}
