import { useParams } from 'react-router'
import { useChannels, useDirectChannels, useServers } from '../api/queries.ts'
import { atMost } from '../ui/count.tsx'
import { useDocumentTitle } from '../ui/use-document-title.ts'
import { useClient } from './client-context.ts'
import { useStore } from './store.ts'

/** The title of the tab: how many mentions wait, and where one is. */
export function Title() {
  const { serverId, channelId } = useParams()
  const mentions = useStore(useClient().unread.store, map =>
    [...map.values()].reduce((sum, unread) => sum + unread.mentions, 0),
  )
  const place = usePlace(serverId, channelId)
  const waiting = mentions > 0 ? `(${atMost(mentions)})` : undefined
  useDocumentTitle([waiting, place].filter(Boolean).join(' '))
  return null
}

function usePlace(serverId: string | undefined, channelId: string | undefined): string | undefined {
  const server = useServers().find(({ id }) => id === serverId)
  const { data: direct } = useDirectChannels()
  const { data: channels } = useChannels(serverId ?? null)
  if (server) {
    const channel = channels?.find(({ id }) => id === channelId)
    return channel?.name ? `#${channel.name} · ${server.name}` : server.name
  }
  return direct?.find(({ id }) => id === channelId)?.recipient?.displayName
}
