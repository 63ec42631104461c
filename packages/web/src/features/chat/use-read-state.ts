import { useEffect, useSyncExternalStore } from 'react'
import { useClient } from '../../core/client-context.ts'
import { rangeEnds } from '../../core/stores/message-range.ts'
import { useStore } from '../../core/stores/store.ts'
import type { Timeline } from '../../core/stores/timeline.ts'

/**
 * Marks the channel as read while its end and the tab are visible. Returns the id of the message before the "new
 * messages" divider.
 */
export function useReadState(channelId: string, timeline: Timeline, atEnd: boolean): string | undefined {
  const { unread } = useClient()
  const isLoaded = useStore(unread.isLoaded, value => value)
  const visible = useSyncExternalStore(onVisibility, () => document.visibilityState === 'visible')
  const { loaded } = timeline
  const newestId = rangeEnds(timeline).newest
  useEffect(() => {
    if (!isLoaded || !visible || !loaded || !atEnd) return
    unread.follow(channelId, newestId)
    return () => unread.unfollow(channelId)
  }, [unread, channelId, isLoaded, visible, loaded, atEnd, newestId])
  useEffect(() => () => unread.leave(channelId), [unread, channelId])
  return useStore(unread.dividers, map => map.get(channelId))
}

function onVisibility(changed: () => void): () => void {
  document.addEventListener('visibilitychange', changed)
  return () => document.removeEventListener('visibilitychange', changed)
}
