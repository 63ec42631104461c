import { useClient } from '../core/client-context.ts'
import { useStore } from '../core/stores/store.ts'

/** A live region that announces new messages of the visible channel to screen readers. */
export function Announcer() {
  const text = useStore(useClient().announcement, value => value)
  return (
    <div className="visually-hidden" role="log" aria-live="polite" aria-atomic="true">
      {text}
    </div>
  )
}
