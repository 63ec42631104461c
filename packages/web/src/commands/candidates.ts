import type { Option, OptionValue } from '@gatehouse/protocol/commands'
import type { ChannelContext } from '../chat/channel-context.ts'
import type { Translate } from '../i18n/translate.ts'

/** Something that can be picked for an option. */
export interface Candidate {
  value: OptionValue
  text: string
  about?: string
  avatar?: string
}

const most = 25

/** What the option offers to pick, or undefined where one writes freely. */
export function candidatesOf(
  option: Option,
  { members, roles, channels, channel }: Pick<ChannelContext, 'members' | 'roles' | 'channels' | 'channel'>,
  t: Translate,
): Candidate[] | undefined {
  if (option.choices && option.choices.length > 0) {
    return option.choices.map(({ name, value }) => ({ text: name, value }))
  }
  switch (option.type) {
    case 'boolean':
      return [
        { text: t('command.true'), value: true },
        { text: t('command.false'), value: false },
      ]
    case 'user':
      return members.map(({ user, nick }) => ({
        value: user.id,
        text: nick ?? user.displayName,
        about: user.username,
        avatar: user.avatar,
      }))
    case 'channel':
      return channels.map(({ id, name }) => ({ value: id, text: `#${name}` }))
    case 'role':
      return roles.map(({ id, name }) => ({
        value: id,
        text: id === channel.serverId ? '@everyone' : `@${name}`,
      }))
    default:
      return undefined
  }
}

export function filterCandidates(candidates: readonly Candidate[], typed: string): Candidate[] {
  const wanted = typed.trim().toLowerCase().replace(/^[@#]/, '')
  const rank = ({ text, about = '' }: Candidate) => {
    const names = [text.toLowerCase().replace(/^[@#]/, ''), about.toLowerCase()]
    if (names.some(name => name.startsWith(wanted))) return 0
    return names.some(name => name.includes(wanted)) ? 1 : 2
  }
  return candidates
    .map(candidate => ({ candidate, rank: rank(candidate) }))
    .filter(({ rank: place }) => place < 2)
    .sort((a, b) => a.rank - b.rank)
    .slice(0, most)
    .map(({ candidate }) => candidate)
}
