import { useEffect, useState } from 'react'
import { lastOwn, type Timeline } from './timeline.ts'

interface EditLastOptions {
  timeline: Timeline
  selfId: string
  /** Nothing has been written since it was asked for. */
  free: boolean
  onEdit(messageId: string): void
}

/**
 * Edits the last message of one's own: one that is still on its way, as soon as it has arrived. What it gives back says
 * whether there is one.
 */
export function useEditLast({ timeline, selfId, free, onEdit }: EditLastOptions): () => boolean {
  const [awaited, setAwaited] = useState<string>()
  useEffect(() => {
    const pending = timeline.pending.find(({ nonce }) => nonce === awaited)
    if (awaited === undefined || pending?.state === 'sending') return
    setAwaited(undefined)
    const last = pending ? undefined : lastOwn(timeline, selfId)
    if (last && free) onEdit(last.id)
  }, [awaited, timeline, selfId, free, onEdit])
  return () => {
    const onItsWay = timeline.pending.findLast(({ state }) => state === 'sending')
    const last = lastOwn(timeline, selfId)
    if (onItsWay) setAwaited(onItsWay.nonce)
    else if (last) onEdit(last.id)
    return onItsWay !== undefined || last !== undefined
  }
}
