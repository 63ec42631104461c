import { useParams } from 'react-router'
import { useChannels, useDirectChannels, useServers } from '../core/api/queries.ts'
import { useClient } from '../core/client-context.ts'
import { useStore } from '../core/stores/store.ts'
import { sumMentions } from '../core/stores/unread.ts'
import { formatCount } from '../ui/count-badge.tsx'
import { useDocumentTitle } from '../ui/use-document-title.ts'

/** Sets the title of the document: the number of unread mentions, the channel and the server. */
export function DocumentTitle() {
  const { serverId, channelId } = useParams()
  const mentions = useStore(useClient().unread.store, map => sumMentions(map.values()))
  const names = useCurrentNames(serverId, channelId)
  useDocumentTitle(names, mentions > 0 ? `(${formatCount(mentions)}) ` : '')
  return null
}

function useCurrentNames(
  serverId: string | undefined,
  channelId: string | undefined,
): (string | undefined)[] {
  const server = useServers().find(({ id }) => id === serverId)
  const { data: direct } = useDirectChannels()
  const { data: channels } = useChannels(serverId ?? null)
  if (server) {
    const channel = channels?.find(({ id }) => id === channelId)
    return [channel?.name ? `#${channel.name}` : undefined, server.name]
  }
  return [direct?.find(({ id }) => id === channelId)?.recipient?.displayName]
}
