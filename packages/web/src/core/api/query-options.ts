import { maxListLimit } from '@gatehouse/protocol/limits'
import type { ReportDetails, ReportState } from '@gatehouse/protocol/reports'
import type { Member, OwnershipTransfer } from '@gatehouse/protocol/servers'
import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query'
import { type Api, ApiError } from './client.ts'
import { keys } from './keys.ts'

// Gateway events keep this data up to date, and a gap in the events invalidates it.
const live = { staleTime: Number.POSITIVE_INFINITY, gcTime: Number.POSITIVE_INFINITY }

const liveQuery = <Body>(queryKey: readonly string[], load: (signal: AbortSignal) => Promise<Body>) =>
  queryOptions({ ...live, queryKey, queryFn: ({ signal }) => load(signal) })

/**
 * Options of what no page works without: the request is repeated until the service responds, or the session has ended.
 */
export const untilResponse = {
  retry: (_count: number, error: unknown) => !(error instanceof ApiError && error.status === 401),
  retryDelay: (attempt: number) => Math.min(30_000, 1000 * 2 ** attempt),
}

export const selfQuery = (api: Api) =>
  queryOptions({
    ...liveQuery(keys.self, signal => api.call('getCurrentUser', { signal })),
    ...untilResponse,
  })

export const serversQuery = (api: Api) =>
  queryOptions({
    ...liveQuery(keys.servers, signal => api.call('listCurrentUserServers', { signal })),
    ...untilResponse,
  })

export const ownershipTransfersQuery = (api: Api, now: () => number) =>
  queryOptions({
    ...liveQuery(keys.ownershipTransfers, signal => api.call('listOwnershipTransfers', { signal })),
    // No event tells that an offer has expired.
    refetchInterval: ({ state }) => untilExpiry(state.data ?? [], now()),
    refetchIntervalInBackground: true,
  })

export const boundApplicationsQuery = (api: Api, serverId: string) =>
  queryOptions({
    queryKey: keys.boundApplications(serverId),
    queryFn: ({ signal }) => api.call('listBoundApplications', { id: serverId, signal }),
    staleTime: 0,
  })

/** The milliseconds until the first of the offers expires; false without one. */
export function untilExpiry(
  transfers: readonly Pick<OwnershipTransfer, 'expiresAt'>[],
  now: number,
): number | false {
  const times = transfers.map(({ expiresAt }) => Date.parse(expiresAt))
  return times.length > 0 && Math.max(1000, Math.min(...times) - now)
}

export const channelsQuery = (api: Api, serverId: string) =>
  liveQuery(keys.channels(serverId), signal => api.call('listChannels', { id: serverId, signal }))

export const directChannelsQuery = (api: Api) =>
  liveQuery(keys.directChannels, signal => api.call('listDirectMessages', { signal }))

export const blocksQuery = (api: Api) => liveQuery(keys.blocks, signal => api.call('listBlocks', { signal }))

const pageSize = maxListLimit
const maxPages = 10
export const maxLoadedMembers = maxPages * pageSize

/** Returns up to `maxLoadedMembers`, which is enough for the member list and for completing names. */
async function fetchMembers(
  api: Api,
  serverId: string,
  signal: AbortSignal,
  { channelId, start }: { channelId?: string; start?: string } = {},
): Promise<Member[]> {
  const members: Member[] = []
  for (let page = 0; page < maxPages; page += 1) {
    const after = (members.at(-1)?.user.id ?? start) || undefined
    const query = { limit: pageSize, after, channelId }
    const batch = await api.call('listMembers', { id: serverId, query, signal })
    members.push(...batch)
    if (batch.length < pageSize) break
  }
  return members
}

/**
 * The first members by user id, and always the user's own member: its roles and time-out decide what the user may do.
 */
export const membersQuery = (api: Api, serverId: string) =>
  queryOptions({
    ...live,
    queryKey: keys.members(serverId),
    queryFn: async ({ signal }) => {
      const members = await fetchMembers(api, serverId, signal)
      if (members.length < maxLoadedMembers) return members
      const own = await api.call('getMember', { id: serverId, userId: '@me', signal })
      return members.some(({ user }) => user.id === own.user.id) ? members : [...members, own]
    },
  })

export const viewersQuery = (api: Api, serverId: string, channelId: string) =>
  queryOptions({
    ...live,
    queryKey: keys.viewers(serverId, channelId),
    queryFn: ({ signal }) => fetchMembers(api, serverId, signal, { channelId }),
  })

export interface MemberPage {
  members: Member[]
  /** The last member of a full page. Kept because that member may be removed. */
  next: string | undefined
}

/**
 * All members, in pages of `maxLoadedMembers`. Of the events, only MEMBER_REMOVE changes them: `membersQuery` gets the
 * others.
 */
export const memberPagesQuery = (api: Api, serverId: string) =>
  infiniteQueryOptions({
    queryKey: keys.memberPages(serverId),
    queryFn: async ({ pageParam, signal }): Promise<MemberPage> => {
      const members = await fetchMembers(api, serverId, signal, { start: pageParam })
      return { members, next: members.length < maxLoadedMembers ? undefined : members.at(-1)?.user.id }
    },
    initialPageParam: '',
    getNextPageParam: ({ next }: MemberPage) => next,
  })

/** The reports of a server in a state, or all, newest first. */
export const reportsQuery = (api: Api, serverId: string, state: ReportState | undefined) =>
  infiniteQueryOptions({
    ...live,
    queryKey: keys.reportsIn(serverId, state),
    queryFn: ({ pageParam, signal }) => {
      const query = { limit: pageSize, before: pageParam || undefined, state }
      return api.call('listReports', { id: serverId, query, signal })
    },
    initialPageParam: '',
    getNextPageParam: (page: ReportDetails[]) => (page.length < pageSize ? undefined : page.at(-1)?.id),
  })

export const memberQuery = (api: Api, serverId: string, userId: string) =>
  queryOptions({
    queryKey: keys.member(serverId, userId),
    queryFn: ({ signal }) => api.call('getMember', { id: serverId, userId, signal }),
  })

export const serverQuery = (api: Api, serverId: string) =>
  liveQuery(keys.server(serverId), signal => api.call('getServer', { id: serverId, signal }))

export const rolesQuery = (api: Api, serverId: string) =>
  liveQuery(keys.roles(serverId), signal => api.call('listRoles', { id: serverId, signal }))

export const commandsQuery = (api: Api, channelId: string) =>
  liveQuery(keys.commands(channelId), signal => api.call('listAvailableCommands', { id: channelId, signal }))
