import { Link } from 'react-router'
import { useT } from '../../core/i18n/i18n.tsx'
import { type ChannelContext, useChannelContext } from '../../core/servers/channel-context.ts'
import { useTabIndex } from '../../ui/roving-focus.ts'
import { MemberCardButton } from '../servers/index.ts'

interface MentionProps {
  kind: 'user' | 'role' | 'channel'
  id: string
}

export function Mention(mention: MentionProps) {
  const t = useT()
  const context = useChannelContext()
  const tabIndex = useTabIndex()
  const text = mentionText(mention, context, t('chat.unknownUser'))
  const { kind, id } = mention
  if (kind === 'user') return <UserMention id={id} text={text} self={id === context.self.id} />
  const channel = kind === 'channel' ? context.channels.find(other => other.id === id) : undefined
  return channel ? (
    <Link
      className="mention"
      dir="auto"
      tabIndex={tabIndex}
      to={`/channels/${channel.serverId}/${channel.id}`}
    >
      {text}
    </Link>
  ) : (
    <span className="mention" dir="auto">
      {text}
    </span>
  )
}

/** `unknown`: the name of what is not loaded. */
export function mentionText({ kind, id }: MentionProps, context: ChannelContext, unknown: string): string {
  const { nameOf, roles, channels, channel } = context
  const named = (items: readonly { id: string; name: string | null }[]) =>
    items.find(item => item.id === id)?.name
  if (kind === 'user') return `@${nameOf(id) ?? unknown}`
  if (kind === 'channel') return `#${named(channels) ?? unknown}`
  return id === channel.serverId ? '@everyone' : `@${(named(roles) ?? unknown).replace(/^@/, '')}`
}

function UserMention({ id, text, self }: { id: string; text: string; self: boolean }) {
  const { member, channel } = useChannelContext()
  const user = member(id)?.user
  const tabIndex = useTabIndex()
  const className = self ? 'mention self' : 'mention'
  if (!user)
    return (
      <span className={className} dir="auto">
        {text}
      </span>
    )
  return (
    <MemberCardButton user={user} serverId={channel.serverId} className={className} tabIndex={tabIndex}>
      <bdi>{text}</bdi>
    </MemberCardButton>
  )
}
