import { useCallback, useEffect, useState } from 'react'
import { useClient } from '../../core/client-context.ts'
import { rangeSize } from '../../core/stores/message-range.ts'
import { compareIds, type Timeline } from '../../core/stores/timeline.ts'

export interface PageRequest {
  failed: boolean
  retry(): void
}

/** Loads the next page when an end of the range is near the viewport. After a failure, the user must retry. */
export function usePages(
  channelId: string,
  nearStart: boolean,
  nearEnd: boolean,
): { older: PageRequest; newer: PageRequest } {
  const { timelines } = useClient()
  return {
    older: usePage(channelId, nearStart, timelines.loadOlder),
    newer: usePage(channelId, nearEnd, timelines.loadNewer),
  }
}

function usePage(channelId: string, near: boolean, load: (channelId: string) => Promise<void>): PageRequest {
  const [state, setState] = useState<'idle' | 'busy' | 'failed'>('idle')
  useEffect(() => {
    // If the page is shorter than the viewport, the next one follows.
    if (!near || state !== 'idle') return
    setState('busy')
    load(channelId).then(
      () => setState('idle'),
      () => setState('failed'),
    )
  }, [load, channelId, near, state])
  return { failed: state === 'failed', retry: useCallback(() => setState('idle'), []) }
}

/** Unloads messages far from the visible one, unless the user is editing a message. */
export function useTrim(
  timeline: Timeline,
  channelId: string,
  visibleId: string | undefined,
  editing: boolean,
): void {
  const { timelines } = useClient()
  const tooMany = timeline.messages.length > rangeSize.max
  useEffect(() => {
    if (tooMany && visibleId !== undefined && !editing) timelines.trim(channelId, visibleId)
  }, [timelines, channelId, tooMany, visibleId, editing])
}

/** The number of messages that arrived since the newest message was last visible. */
export function useUnseenCount({ messages, arrivedIds }: Timeline, showsNewest: boolean): number {
  const newest = messages.at(-1)?.id
  const [seen, setSeen] = useState(newest)
  if (showsNewest && seen !== newest) setSeen(newest)
  if (showsNewest) return 0
  return arrivedIds.filter(id => compareIds(id, seen ?? '0') > 0).length
}
