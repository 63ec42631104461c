import type { Channel } from '@gatehouse/protocol/channels'
import type { AvailableCommand } from '@gatehouse/protocol/commands'
import type { Member, Role, Server, UserServer } from '@gatehouse/protocol/servers'
import type { SelfUser } from '@gatehouse/protocol/users'
import { queryOptions } from '@tanstack/react-query'
import type { Api } from './client.ts'
import { keys } from './keys.ts'

// Gateway events keep this data up to date, and a gap in the events invalidates it.
const live = { staleTime: Number.POSITIVE_INFINITY, gcTime: Number.POSITIVE_INFINITY }

export const selfQuery = (api: Api) =>
  queryOptions({
    ...live,
    queryKey: keys.self,
    queryFn: ({ signal }) => api.get<SelfUser>('/api/users/@me', signal),
  })

export const serversQuery = (api: Api) =>
  queryOptions({
    ...live,
    queryKey: keys.servers,
    queryFn: ({ signal }) => api.get<UserServer[]>('/api/users/@me/servers', signal),
  })

export const channelsQuery = (api: Api, serverId: string) =>
  queryOptions({
    ...live,
    queryKey: keys.channels(serverId),
    queryFn: ({ signal }) => api.get<Channel[]>(`/api/servers/${serverId}/channels`, signal),
  })

export const directChannelsQuery = (api: Api) =>
  queryOptions({
    ...live,
    queryKey: keys.directChannels,
    queryFn: ({ signal }) => api.get<Channel[]>('/api/users/@me/channels', signal),
  })

const pageSize = 100
const maxPages = 10
export const maxLoadedMembers = maxPages * pageSize

/** Returns up to `maxLoadedMembers`, which is enough for the member list and for completing names. */
async function fetchMembers(
  api: Api,
  serverId: string,
  signal: AbortSignal,
  channelId?: string,
): Promise<Member[]> {
  const viewFilter = channelId ? `&channelId=${channelId}` : ''
  const members: Member[] = []
  for (let page = 0; page < maxPages; page += 1) {
    const after = members.at(-1)?.user.id
    const query = `limit=${pageSize}${after ? `&after=${after}` : ''}${viewFilter}`
    const batch = await api.get<Member[]>(`/api/servers/${serverId}/members?${query}`, signal)
    members.push(...batch)
    if (batch.length < pageSize) break
  }
  return members
}

export const membersQuery = (api: Api, serverId: string) =>
  queryOptions({
    ...live,
    queryKey: keys.members(serverId),
    queryFn: ({ signal }) => fetchMembers(api, serverId, signal),
  })

export const viewersQuery = (api: Api, serverId: string, channelId: string) =>
  queryOptions({
    ...live,
    queryKey: keys.viewers(serverId, channelId),
    queryFn: ({ signal }) => fetchMembers(api, serverId, signal, channelId),
  })

export const serverQuery = (api: Api, serverId: string) =>
  queryOptions({
    ...live,
    queryKey: keys.server(serverId),
    queryFn: ({ signal }) => api.get<Server>(`/api/servers/${serverId}`, signal),
  })

export const rolesQuery = (api: Api, serverId: string) =>
  queryOptions({
    ...live,
    queryKey: keys.roles(serverId),
    queryFn: ({ signal }) => api.get<Role[]>(`/api/servers/${serverId}/roles`, signal),
  })

export const commandsQuery = (api: Api, channelId: string) =>
  queryOptions({
    ...live,
    queryKey: keys.commands(channelId),
    queryFn: ({ signal }) => api.get<AvailableCommand[]>(`/api/channels/${channelId}/commands`, signal),
  })
