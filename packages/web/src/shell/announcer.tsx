import { useState } from 'react'
import { useClient } from '../core/client-context.ts'
import { useStore } from '../core/stores/store.ts'

/** A live region that announces new messages of the visible channel to screen readers. */
export function Announcer() {
  const message = useStore(useClient().announcement, value => value)
  // A screen reader may also announce the first content of the region, which was announced on another page before.
  const [first] = useState(message)
  return (
    <div className="visually-hidden" role="log" aria-live="polite" aria-atomic="true">
      {message && message !== first && <p key={message.messageId}>{message.text}</p>}
    </div>
  )
}
