import type { Select } from '@gatehouse/protocol/components'
import type { Translate } from '../../core/i18n/translate.ts'
import type { ChannelContext } from '../../core/servers/channel-context.ts'
import { hasMembers, listCandidates, mentionedUser, searchNames } from './candidates.ts'

/** A value that the user can select in a menu. */
export interface SelectCandidate {
  value: string
  text: string
  /** The description of an option, or the username of a member. */
  detail?: string
  avatar?: string
}

const optionTypes = {
  user_select: 'user',
  role_select: 'role',
  channel_select: 'channel',
  mentionable_select: 'mentionable',
} as const

/** Whether the user selects members, of whom the client has loaded only some. */
export function selectsMembers(menu: Select): boolean {
  return menu.type !== 'string_select' && hasMembers[optionTypes[menu.type]]
}

/**
 * The options of a menu, or the users, roles or channels. A direct message has its two people, no roles and no
 * channels.
 */
export function listSelectCandidates(
  menu: Select,
  context: Pick<ChannelContext, 'members' | 'roles' | 'channels' | 'channel' | 'self'>,
  t: Translate,
): SelectCandidate[] {
  if (menu.type === 'string_select') {
    return menu.options.map(({ label, value, description }) => ({
      value,
      text: label,
      ...(description === undefined ? {} : { detail: description }),
    }))
  }
  const { channel, self } = context
  if (channel.serverId === null) {
    if (!selectsMembers(menu)) return []
    const people = channel.recipient ? [self, channel.recipient] : [self]
    return people.map(({ id, displayName, username, avatar }) => ({
      value: id,
      text: displayName,
      detail: username,
      avatar,
    }))
  }
  const option = { type: optionTypes[menu.type], name: '', description: '' }
  return (listCandidates(option, context, t) ?? []).map(({ value, text, username, avatar }) => ({
    value: String(value),
    text,
    ...(username === undefined ? {} : { detail: username }),
    ...(avatar === undefined ? {} : { avatar }),
  }))
}

const maxShown = 50

/**
 * The candidates whose text or username contains the query, those that begin with it first. A mention finds its user.
 */
export function searchCandidates(candidates: readonly SelectCandidate[], query: string): SelectCandidate[] {
  const mentioned = mentionedUser(query)
  if (mentioned !== undefined) return candidates.filter(({ value }) => value === mentioned)
  return searchNames(candidates, query, ({ text, detail = '' }) => [text, detail]).slice(0, maxShown)
}
