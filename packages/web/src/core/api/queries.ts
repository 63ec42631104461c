import type { Channel } from '@gatehouse/protocol/channels'
import type { AvailableCommand, CommandType } from '@gatehouse/protocol/commands'
import type { OwnershipTransfer, UserServer } from '@gatehouse/protocol/servers'
import type { Block, SelfUser } from '@gatehouse/protocol/users'
import { useInfiniteQuery, useQuery, useSuspenseQuery } from '@tanstack/react-query'
import { useCallback, useSyncExternalStore } from 'react'
import { useClient } from '../client-context.ts'
import { listRunnableCommands } from '../commands.ts'
import { useI18n } from '../i18n/i18n.tsx'
import { canSeeReports } from '../servers/permissions.ts'
import { keys } from './keys.ts'
import {
  blocksQuery,
  channelsQuery,
  commandsQuery,
  directChannelsQuery,
  membersQuery,
  ownershipTransfersQuery,
  reportsQuery,
  rolesQuery,
  selfQuery,
  serverQuery,
  serversQuery,
  viewersQuery,
} from './query-options.ts'

export function useSelf(): SelfUser {
  return useSuspenseQuery(selfQuery(useClient().api)).data
}

export function useServers(): UserServer[] {
  return useSuspenseQuery(serversQuery(useClient().api)).data
}

/** Whether a request for what no page works without has failed and is repeated. */
export function useIsWaitingForService(): boolean {
  const { queries } = useClient()
  const isWaiting = (queryKey: readonly string[]) => {
    const state = queries.getQueryState(queryKey)
    return state?.fetchStatus === 'fetching' && state.fetchFailureCount > 0
  }
  return useSyncExternalStore(
    useCallback(changed => queries.getQueryCache().subscribe(changed), [queries]),
    () => isWaiting(keys.self) || isWaiting(keys.servers),
  )
}

export function useServer(serverId: string | null) {
  return useQuery({ ...serverQuery(useClient().api, serverId ?? ''), enabled: serverId !== null })
}

/** The servers that are offered to or by the user. */
export function useOwnershipTransfers(): readonly OwnershipTransfer[] {
  const { api, now } = useClient()
  return useQuery(ownershipTransfersQuery(api, now)).data ?? []
}

/** The number of open reports, up to the length of a page. 0 for a user who does not see them. */
export function useOpenReports(server: UserServer | undefined): number {
  const { api } = useClient()
  const enabled = canSeeReports(server)
  const { data } = useInfiniteQuery({ ...reportsQuery(api, server?.id ?? '', 'open'), enabled })
  return (enabled && data?.pages[0]?.length) || 0
}

/** The channels in the order in which they are shown. */
export function useChannels(serverId: string | null) {
  const { api } = useClient()
  return useQuery({
    ...channelsQuery(api, serverId ?? ''),
    enabled: serverId !== null,
    select: sortChannels,
  })
}

function sortChannels(channels: Channel[]): Channel[] {
  return channels.toSorted((a, b) => a.position - b.position || a.id.localeCompare(b.id))
}

export function useDirectChannels() {
  return useQuery(directChannelsQuery(useClient().api))
}

export function useBlocks() {
  return useQuery(blocksQuery(useClient().api))
}

const toUserIds = (blocks: Block[]): ReadonlySet<string> => new Set(blocks.map(({ user }) => user.id))
const nobody: ReadonlySet<string> = new Set()

/** The ids of the users and bots that the user blocks. Empty while they load. */
export function useBlockedIds(): ReadonlySet<string> {
  return useQuery({ ...blocksQuery(useClient().api), select: toUserIds }).data ?? nobody
}

export function useMembers(serverId: string | null) {
  return useQuery({ ...membersQuery(useClient().api, serverId ?? ''), enabled: serverId !== null })
}

/** The members who can view the channel, from the service. */
export function useRemoteViewers({ id, serverId }: Pick<Channel, 'id' | 'serverId'>, enabled: boolean) {
  return useQuery({ ...viewersQuery(useClient().api, serverId ?? '', id), enabled })
}

export function useRoles(serverId: string | null) {
  return useQuery({ ...rolesQuery(useClient().api, serverId ?? ''), enabled: serverId !== null })
}

/** The commands of one type, or of all types. */
export function useCommands(channelId: string, enabled: boolean, type?: CommandType) {
  const { language } = useI18n()
  const select = useCallback(
    (commands: AvailableCommand[]) => {
      const found = commands.filter(command => type === undefined || command.type === type)
      return listRunnableCommands(found, language)
    },
    [language, type],
  )
  return useQuery({ ...commandsQuery(useClient().api, channelId), enabled, select })
}
