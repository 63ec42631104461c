import type { Channel } from '@gatehouse/protocol/channels'
import type { AvailableCommand } from '@gatehouse/protocol/commands'
import { maxListLimit } from '@gatehouse/protocol/limits'
import type { Member, Role, Server, UserServer } from '@gatehouse/protocol/servers'
import type { SelfUser } from '@gatehouse/protocol/users'
import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query'
import { type Api, ApiError } from './client.ts'
import { keys } from './keys.ts'

// Gateway events keep this data up to date, and a gap in the events invalidates it.
const live = { staleTime: Number.POSITIVE_INFINITY, gcTime: Number.POSITIVE_INFINITY }

const getQuery = <Body>(api: Api, queryKey: readonly string[], path: string) =>
  queryOptions({ ...live, queryKey, queryFn: ({ signal }) => api.get<Body>(path, signal) })

/** Options of what no page works without: the request is repeated until the service responds, or the session has ended. */
export const untilResponse = {
  retry: (_count: number, error: unknown) => !(error instanceof ApiError && error.status === 401),
  retryDelay: (attempt: number) => Math.min(30_000, 1000 * 2 ** attempt),
}

export const selfQuery = (api: Api) =>
  queryOptions({ ...getQuery<SelfUser>(api, keys.self, '/api/users/@me'), ...untilResponse })

export const serversQuery = (api: Api) =>
  queryOptions({ ...getQuery<UserServer[]>(api, keys.servers, '/api/users/@me/servers'), ...untilResponse })

export const channelsQuery = (api: Api, serverId: string) =>
  getQuery<Channel[]>(api, keys.channels(serverId), `/api/servers/${serverId}/channels`)

export const directChannelsQuery = (api: Api) =>
  getQuery<Channel[]>(api, keys.directChannels, '/api/users/@me/channels')

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
  const viewFilter = channelId ? `&channelId=${channelId}` : ''
  const members: Member[] = []
  for (let page = 0; page < maxPages; page += 1) {
    const after = members.at(-1)?.user.id ?? start
    const query = `limit=${pageSize}${after ? `&after=${after}` : ''}${viewFilter}`
    const batch = await api.get<Member[]>(`/api/servers/${serverId}/members?${query}`, signal)
    members.push(...batch)
    if (batch.length < pageSize) break
  }
  return members
}

/** The first members by user id, and always the user's own member: its roles and time-out decide what the user may do. */
export const membersQuery = (api: Api, serverId: string) =>
  queryOptions({
    ...live,
    queryKey: keys.members(serverId),
    queryFn: async ({ signal }) => {
      const members = await fetchMembers(api, serverId, signal)
      if (members.length < maxLoadedMembers) return members
      const own = await api.get<Member>(`/api/servers/${serverId}/members/@me`, signal)
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

/** All members, in pages of `maxLoadedMembers`. Of the events, only MEMBER_REMOVE changes them: `membersQuery` gets the others. */
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

export const memberQuery = (api: Api, serverId: string, userId: string) =>
  queryOptions({
    queryKey: keys.member(serverId, userId),
    queryFn: ({ signal }) => api.get<Member>(`/api/servers/${serverId}/members/${userId}`, signal),
  })

export const serverQuery = (api: Api, serverId: string) =>
  getQuery<Server>(api, keys.server(serverId), `/api/servers/${serverId}`)

export const rolesQuery = (api: Api, serverId: string) =>
  getQuery<Role[]>(api, keys.roles(serverId), `/api/servers/${serverId}/roles`)

export const commandsQuery = (api: Api, channelId: string) =>
  getQuery<AvailableCommand[]>(api, keys.commands(channelId), `/api/channels/${channelId}/commands`)
