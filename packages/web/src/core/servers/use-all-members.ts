import type { Member } from '@gatehouse/protocol/servers'
import { useInfiniteQuery, useQueries } from '@tanstack/react-query'
import { useMemo } from 'react'
import { useMembers } from '../api/queries.ts'
import { maxLoadedMembers, memberPagesQuery, memberQuery } from '../api/query-options.ts'
import { useClient } from '../client-context.ts'

/** Loads more members of a large server. Undefined if all members are loaded. */
export type MoreMembers = { loaded: number; busy: boolean; load(): void } | undefined

const noMembers: readonly Member[] = []

/**
 * The members whom the user can select. `useMembers` has only the first ones of a large server: here the user can load
 * the others, and those with `ids` are always loaded. Other members are requested only when the user asks for them.
 */
export function useAllMembers(
  serverId: string | null,
  ids: readonly string[],
): { members: readonly Member[]; more: MoreMembers } {
  const { api } = useClient()
  const { data: first = noMembers } = useMembers(serverId)
  const isLarge = first.length >= maxLoadedMembers
  const pages = useInfiniteQuery({ ...memberPagesQuery(api, serverId ?? ''), enabled: false })
  const loaded = useMemo(() => {
    if (!pages.data) return first
    const all = [...pages.data.pages.flatMap(page => page.members), ...first]
    return [...new Map(all.map(member => [member.user.id, member])).values()]
  }, [first, pages.data])
  const missing = isLarge ? ids.filter(id => !loaded.some(({ user }) => user.id === id)) : []
  const others = useQueries({
    queries: missing.map(id => memberQuery(api, serverId ?? '', id)),
    combine: results => results.flatMap(({ data }) => data ?? []),
  })
  const members = useMemo(() => (others.length === 0 ? loaded : [...loaded, ...others]), [loaded, others])
  async function load() {
    // The first page has the members that are loaded already.
    if (!pages.data) await pages.fetchNextPage()
    await pages.fetchNextPage()
  }
  return {
    members,
    more:
      isLarge && (!pages.data || pages.hasNextPage)
        ? { loaded: members.length, busy: pages.isFetching, load: () => void load() }
        : undefined,
  }
}
