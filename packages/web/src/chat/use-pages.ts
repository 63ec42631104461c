import { useCallback, useEffect, useState } from 'react'
import { useClient } from '../app/client-context.ts'
import { runSize } from './run.ts'
import { compareIds, type Timeline } from './timeline.ts'

/** What is asked for at an end of the list: it is on its way, or was not to be had. */
export interface Edge {
  failed: boolean
  retry(): void
}

/** Loads the next page at each end when its place comes near; again by the person where that failed. */
export function usePages(
  channelId: string,
  nearStart: boolean,
  nearEnd: boolean,
): { older: Edge; newer: Edge } {
  const { timelines } = useClient()
  return {
    older: useEdge(channelId, nearStart, timelines.loadOlder),
    newer: useEdge(channelId, nearEnd, timelines.loadNewer),
  }
}

function useEdge(channelId: string, near: boolean, load: (channelId: string) => Promise<void>): Edge {
  const [state, setState] = useState<'idle' | 'busy' | 'failed'>('idle')
  useEffect(() => {
    // A page may be shorter than the view: then its place is near still, and the next one follows.
    if (!near || state !== 'idle') return
    setState('busy')
    load(channelId).then(
      () => setState('idle'),
      () => setState('failed'),
    )
  }, [load, channelId, near, state])
  return { failed: state === 'failed', retry: useCallback(() => setState('idle'), []) }
}

/** Lets go of what is far from the message that is looked at; not while `held`, as something is being written there. */
export function useTrim(
  timeline: Timeline,
  channelId: string,
  around: string | undefined,
  held: boolean,
): void {
  const { timelines } = useClient()
  const tooMany = timeline.messages.length > runSize.most
  useEffect(() => {
    if (tooMany && around !== undefined && !held) timelines.trim(channelId, around)
  }, [timelines, channelId, tooMany, around, held])
}

/** How many messages came while one was reading further up. */
export function useUnseen({ messages, arrivals }: Timeline, atPresent: boolean): number {
  const newest = messages.at(-1)?.id
  const [seen, setSeen] = useState(newest)
  if (atPresent && seen !== newest) setSeen(newest)
  if (atPresent) return 0
  return arrivals.filter(id => compareIds(id, seen ?? '0') > 0).length
}
