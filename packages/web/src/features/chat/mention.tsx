import { Link } from 'react-router'
import { useT } from '../../core/i18n/i18n.tsx'
import { useChannelContext } from '../../core/servers/channel-context.ts'
import { useTabIndex } from '../../ui/roving-focus.ts'
import { MemberCardButton } from '../servers/index.ts'

export function Mention({ kind, id }: { kind: 'user' | 'role' | 'channel'; id: string }) {
  const t = useT()
  const { nameOf, roles, channels, channel, self } = useChannelContext()
  const tabIndex = useTabIndex()
  if (kind === 'user')
    return <UserMention id={id} name={nameOf(id) ?? t('chat.unknownUser')} self={id === self.id} />
  if (kind === 'role') {
    const role = roles.find(other => other.id === id)
    const name = id === channel.serverId ? 'everyone' : (role?.name ?? t('chat.unknownUser'))
    return <span className="mention">@{name.replace(/^@/, '')}</span>
  }
  const mentioned = channels.find(other => other.id === id)
  return mentioned ? (
    <Link className="mention" tabIndex={tabIndex} to={`/channels/${mentioned.serverId}/${mentioned.id}`}>
      #{mentioned.name}
    </Link>
  ) : (
    <span className="mention">#{t('chat.unknownUser')}</span>
  )
}

function UserMention({ id, name, self }: { id: string; name: string; self: boolean }) {
  const { member, channel } = useChannelContext()
  const user = member(id)?.user
  const tabIndex = useTabIndex()
  const className = self ? 'mention self' : 'mention'
  if (!user) return <span className={className}>@{name}</span>
  return (
    <MemberCardButton user={user} serverId={channel.serverId} className={className} tabIndex={tabIndex}>
      @{name}
    </MemberCardButton>
  )
}
