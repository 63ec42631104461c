import type { Channel } from '@gatehouse/protocol/channels'
import { useEffect } from 'react'
import { useParams } from 'react-router'
import { useChannels, useDirectChannels } from '../api/queries.ts'
import { useClient } from '../app/client-context.ts'
import { lastChannel } from '../app/last-channel.ts'
import { MainBar } from '../app/main-bar.tsx'
import { useT } from '../i18n/i18n.tsx'
import { Icon } from '../ui/icon.tsx'
import { ChannelView } from './channel-view.tsx'

/** A channel at its address: of a server, or a direct message under `@me`. */
export function ChannelPage() {
  const { serverId, channelId = '' } = useParams()
  return serverId ? (
    <ServerChannel key={channelId} serverId={serverId} channelId={channelId} />
  ) : (
    <DirectChannel key={channelId} channelId={channelId} />
  )
}

function ServerChannel({ serverId, channelId }: { serverId: string; channelId: string }) {
  const { data: channels, isPending } = useChannels(serverId)
  const channel = channels?.find(({ id }) => id === channelId)
  useEffect(() => {
    if (channel) lastChannel.keep(serverId, channel.id)
  }, [serverId, channel])
  return <Found channel={channel} isPending={isPending} name={channel?.name ?? ''} />
}

function DirectChannel({ channelId }: { channelId: string }) {
  const { data: channels, isPending } = useDirectChannels()
  const channel = channels?.find(({ id }) => id === channelId)
  const other = channel?.recipient
  return <Found channel={channel} isPending={isPending} name={other?.displayName ?? ''} />
}

interface FoundProps {
  channel: Channel | undefined
  isPending: boolean
  name: string
}

function Found({ channel, isPending, name }: FoundProps) {
  const t = useT()
  useViewing(channel?.id)
  if (channel) return <ChannelView channel={channel} name={name} />
  if (isPending) return <MainBar />
  return (
    <>
      <MainBar />
      <main className="empty" id="messages">
        <Icon name="lock" />
        <h2>{t('channel.gone')}</h2>
      </main>
    </>
  )
}

/** What is looked at, as long as the tab is seen. */
function useViewing(channelId: string | undefined) {
  const { unread, timelines } = useClient()
  useEffect(() => {
    const look = () => unread.view(document.visibilityState === 'visible' ? channelId : undefined)
    look()
    timelines.show(channelId)
    document.addEventListener('visibilitychange', look)
    return () => {
      document.removeEventListener('visibilitychange', look)
      unread.view(undefined)
      timelines.show(undefined)
    }
  }, [channelId, unread, timelines])
}
