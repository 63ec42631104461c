import { useQuery } from '@tanstack/react-query'
import { useContext } from 'react'
import { Link, useNavigate } from 'react-router'
import { useDirectChannels, useServers } from '../../core/api/queries.ts'
import { channelsQuery } from '../../core/api/query-options.ts'
import { useClient } from '../../core/client-context.ts'
import { useTabIndex } from '../../ui/roving-focus.ts'
import { readDiscordUrl } from './discord-url.ts'
import { ExternalLink, type ExternalLinkProps } from './external-link.tsx'
import { OfBot } from './of-bot.ts'

/** Leads to the same ids here, or is an external link (discord/links). */
export function DiscordLink(props: ExternalLinkProps) {
  const url = readDiscordUrl(props.href)
  const isOfBot = useContext(OfBot)
  if (url?.kind === 'channel') return <ChannelLink {...props} {...url} />
  if (url?.kind === 'invite' && isOfBot) return <InviteLink {...props} code={url.code} />
  return <ExternalLink {...props} />
}

interface ChannelLinkProps extends ExternalLinkProps {
  serverId: string | null
  channelId: string
  messageId: string | undefined
}

function ChannelLink({ serverId, channelId, messageId, ...link }: ChannelLinkProps) {
  const { api } = useClient()
  const tabIndex = useTabIndex()
  const isMember = useServers().some(({ id }) => id === serverId)
  const { data: ofServer } = useQuery({ ...channelsQuery(api, serverId ?? ''), enabled: isMember })
  const { data: direct } = useDirectChannels()
  const channels = serverId === null ? direct : isMember ? ofServer : undefined
  if (!channels?.some(({ id, type }) => id === channelId && type !== 'category'))
    return <ExternalLink {...link} />
  const { href, text = href, children = text, className } = link
  return (
    <Link
      className={className}
      tabIndex={tabIndex}
      to={`/channels/${serverId ?? '@me'}/${channelId}`}
      state={messageId === undefined ? undefined : { messageId }}
    >
      {children}
    </Link>
  )
}

/** Asks for the invite only when it is clicked: unknown ones have a rate (limits/rates). */
function InviteLink({ code, ...link }: ExternalLinkProps & { code: string }) {
  const { api } = useClient()
  const navigate = useNavigate()
  async function openHere(): Promise<boolean> {
    try {
      await api.call('getInvite', { code })
    } catch {
      return false
    }
    await navigate(`/invite/${code}`)
    return true
  }
  return <ExternalLink {...link} onOpenHere={openHere} />
}
