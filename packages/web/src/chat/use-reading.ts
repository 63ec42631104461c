import { useEffect, useSyncExternalStore } from 'react'
import { useClient } from '../app/client-context.ts'
import { useStore } from '../app/store.ts'
import { edges } from './run.ts'
import type { Timeline } from './timeline.ts'

/** What is on the screen at the end of the channel is read, as long as the tab is seen. Answers after which id news began. */
export function useReading(channelId: string, timeline: Timeline, atEnd: boolean): string | undefined {
  const { unread } = useClient()
  const known = useStore(unread.known, value => value)
  const visible = useSyncExternalStore(onVisibility, () => document.visibilityState === 'visible')
  const { loaded } = timeline
  const newestId = edges(timeline).newest
  useEffect(() => {
    if (!known || !visible || !loaded || !atEnd) return
    unread.follow(channelId, newestId)
    return () => unread.unfollow(channelId)
  }, [unread, channelId, known, visible, loaded, atEnd, newestId])
  useEffect(() => () => unread.leave(channelId), [unread, channelId])
  return useStore(unread.lines, map => map.get(channelId))
}

function onVisibility(changed: () => void): () => void {
  document.addEventListener('visibilitychange', changed)
  return () => document.removeEventListener('visibilitychange', changed)
}
