import type { Channel } from '@gatehouse/protocol/channels'
import type { Member } from '@gatehouse/protocol/servers'
import { useMemo } from 'react'
import { useMembers, useRemoteViewers, useRoles, useServer } from '../api/queries.ts'
import { maxLoadedMembers } from '../api/query-options.ts'
import { filterViewers, isPrivate, isRestricted } from './permissions.ts'

/**
 * The members who can view the channel, undefined while loading. They are computed from members, roles and overwrites,
 * which gateway events update. If not all members of the server are loaded, the service returns the others.
 */
export function useViewers(channel: Channel): readonly Member[] | undefined {
  const { serverId } = channel
  const { data: members } = useMembers(serverId)
  const { data: roles } = useRoles(serverId)
  const restricted = roles !== undefined && isRestricted(channel, roles)
  const { data: server } = useServer(restricted ? serverId : null)
  const truncated = members !== undefined && members.length >= maxLoadedMembers
  const { data: remote } = useRemoteViewers(channel, restricted && truncated)
  return useMemo(() => {
    if (!members || !roles) return undefined
    if (!restricted) return members
    if (!server) return undefined
    const loaded = new Set(members.map(({ user }) => user.id))
    const all = [...members, ...(remote ?? []).filter(({ user }) => !loaded.has(user.id))]
    return filterViewers(channel, all, roles, server.ownerId)
  }, [channel, members, roles, restricted, server, remote])
}

/** Whether @everyone cannot view the channel. */
export function useIsPrivate(channel: Channel): boolean {
  const { data: roles = [] } = useRoles(channel.serverId)
  return isPrivate(channel, roles)
}
