import type { Channel } from '@gatehouse/protocol/channels'
import { useEffect, useState } from 'react'
import { Navigate, useParams } from 'react-router'
import { useChannels, useDirectChannels } from '../../core/api/queries.ts'
import { useClient } from '../../core/client-context.ts'
import { useT } from '../../core/i18n/i18n.tsx'
import { lastChannel } from '../../core/stores/last-channel.ts'
import { Icon } from '../../ui/icon.tsx'
import { LoadFailed } from '../../ui/load-failed.tsx'
import { MainBar } from '../../ui/main-bar.tsx'
import { ChannelView } from './channel-view.tsx'
import { MessagesSkeleton } from './messages-skeleton.tsx'

/** The page of a channel of a server, or of a direct message channel (`@me`). */
export function ChannelPage() {
  const { serverId, channelId = '' } = useParams()
  return serverId ? (
    <ServerChannel key={channelId} serverId={serverId} channelId={channelId} />
  ) : (
    <DirectChannel key={channelId} channelId={channelId} />
  )
}

function ServerChannel({ serverId, channelId }: { serverId: string; channelId: string }) {
  const query = useChannels(serverId)
  const channel = query.data?.find(({ id, type }) => id === channelId && type !== 'category')
  useEffect(() => {
    if (channel) lastChannel.set(serverId, channel.id)
  }, [serverId, channel])
  return <ChannelOrStatus channel={channel} query={query} name={channel?.name ?? ''} />
}

function DirectChannel({ channelId }: { channelId: string }) {
  const query = useDirectChannels()
  const channel = query.data?.find(({ id }) => id === channelId)
  const recipient = channel?.recipient
  // The user has closed it, maybe in another window.
  const [wasListed, setWasListed] = useState(false)
  if (channel && !wasListed) setWasListed(true)
  if (!channel && wasListed) return <Navigate to="/channels/@me" replace />
  return <ChannelOrStatus channel={channel} query={query} name={recipient?.displayName ?? ''} />
}

interface ChannelOrStatusProps {
  channel: Channel | undefined
  /** The query of the channels. */
  query: Pick<ReturnType<typeof useChannels>, 'data' | 'isPending' | 'error' | 'refetch'>
  name: string
}

function ChannelOrStatus({ channel, query, name }: ChannelOrStatusProps) {
  const t = useT()
  useVisibleChannel(channel?.id)
  if (channel) return <ChannelView channel={channel} name={name} />
  if (query.isPending) {
    return (
      <>
        <MainBar />
        <MessagesSkeleton />
      </>
    )
  }
  if (query.error && !query.data) {
    return (
      <>
        <MainBar />
        <main className="messages-pane" id="messages">
          <LoadFailed error={query.error} onRetry={() => void query.refetch()} />
        </main>
      </>
    )
  }
  return (
    <>
      <MainBar />
      <main className="empty" id="messages">
        <Icon name="lock" />
        <h2>{t('channel.notFound')}</h2>
      </main>
    </>
  )
}

/** For the read state, a channel is visible only while the tab is. */
function useVisibleChannel(channelId: string | undefined) {
  const { unread, timelines } = useClient()
  useEffect(() => {
    const update = () =>
      unread.setVisibleChannel(document.visibilityState === 'visible' ? channelId : undefined)
    update()
    timelines.setOpenChannel(channelId)
    document.addEventListener('visibilitychange', update)
    return () => {
      document.removeEventListener('visibilitychange', update)
      unread.setVisibleChannel(undefined)
      timelines.setOpenChannel(undefined)
    }
  }, [channelId, unread, timelines])
}
