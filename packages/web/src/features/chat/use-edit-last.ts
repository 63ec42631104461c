import { useEffect, useState } from 'react'
import { findLastOwnMessage, type Timeline } from '../../core/stores/timeline.ts'

interface EditLastOptions {
  timeline: Timeline
  selfId: string
  /** Whether the composer is empty. */
  isEmpty: boolean
  onEdit(messageId: string): void
}

/**
 * Edits the last own message. A message that is still being sent is edited when the service has accepted it, if the
 * composer is still empty. The returned function returns whether there is a message.
 */
export function useEditLast({ timeline, selfId, isEmpty, onEdit }: EditLastOptions): () => boolean {
  const [awaited, setAwaited] = useState<string>()
  useEffect(() => {
    const pending = timeline.pending.find(({ nonce }) => nonce === awaited)
    if (awaited === undefined || pending?.state === 'sending') return
    setAwaited(undefined)
    const last = pending ? undefined : findLastOwnMessage(timeline, selfId)
    if (last && isEmpty) onEdit(last.id)
  }, [awaited, timeline, selfId, isEmpty, onEdit])
  return () => {
    const sending = timeline.pending.findLast(({ state }) => state === 'sending')
    const last = findLastOwnMessage(timeline, selfId)
    if (sending) setAwaited(sending.nonce)
    else if (last) onEdit(last.id)
    return sending !== undefined || last !== undefined
  }
}
